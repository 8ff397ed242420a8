/**
 * Where the lines of configurations come from (docs/changes.md#blame): the line of a template, the lines of settings whose values it has, the
 * commits and signers of both, and the job that brought it to the switch. And the other way: the lines that a line of a repository gives to
 * devices.
 */
import { Effect, Option, Schema } from "effect"
import { NotFound } from "../api/Answers.ts"
import type { Device } from "../domain/Device.ts"
import type { BlamedConfig, LineOfDevice, LinesOf, SettingOrigin } from "../domain/LineOrigin.ts"
import { Repositories } from "../jobs/repositories/Repositories.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import type { RepositoryName } from "../store/RepositoryStore.ts"
import { namesAt, settingLines, type TracedLine } from "../templates/LinePlaces.ts"
import type { makeTemplateTrial } from "../templates/TemplateTrial.ts"
import { makeStoredConfigs } from "./changes/StoredConfigs.ts"
import { makeDeviceLookup } from "./core/Permits.ts"

type Trials = Effect.Success<typeof makeTemplateTrial>
type Traced = Effect.Success<ReturnType<Trials["trace"]>>
type Variables = Effect.Success<ReturnType<Trials["variables"]>>["variables"]

/** What a device's rendering says about its lines. */
interface Sources {
  readonly traced: Traced
  readonly variables: Variables
}

/** Marks of secrets differ between what is stored and what is rendered. */
const comparable = (text: string): string => text.replaceAll(/<hidden[^>]*>/g, "<hidden>").trim()

const isSeparator = (text: string): boolean => /^\s*[!}]?\s*$/.test(text)

const indentOf = (text: string): number => text.length - text.trimStart().length

/** The lines with the section that each stands in: `interface Ethernet5` and `description x` are one key. */
const keysOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const above: Array<string> = []
  return lines.map((text) => {
    const indent = indentOf(text)
    // a closing brace belongs to the section that it closes
    const outside = text.trim() === "}" ? indent + 1 : indent
    while (above.length > 0 && indentOf(above.at(-1) ?? "") >= outside) above.pop()
    const key = [...above.map(comparable), comparable(text)].join("\n")
    if (text.trim() !== "") above.push(text)
    return key
  })
}

/** The heading of a port's section, or in braces of what a protocol does on the port, there with its unit. */
const PORT = /^(?:interface\s+(\S+)|(?:inactive: )?(?:interface )?(\S+?)(?:\.\d+)? \{)$/

/** The innermost line of a template that wrote a line; null if that is unknown. */
const placeOf = ({ places }: TracedLine, { platform }: Traced) => {
  const place = places.at(-1)
  return place === undefined ? null : { file: `${platform}/${place.file}`, line: place.line }
}

/** The settings whose values a line has, each with its line. */
const settingsOf = ({ places, text }: TracedLine, { traced, variables }: Sources): ReadonlyArray<SettingOrigin> => {
  const names = new Set(places.flatMap(({ file, line }) => [...namesAt(traced.files.get(file) ?? "", line)]))
  const place = places.at(-1)
  const template = place === undefined ? "" : (traced.files.get(place.file)?.split("\n")[place.line - 1] ?? "")
  return variables
    .filter(({ name }) => names.has(name))
    .flatMap(({ name, places: set }) =>
      set.flatMap(({ file, line }) => {
        const content = traced.settings.get(file)?.text
        if (line === null || content === undefined) return [{ name, file, line }]
        return settingLines(content, line, { line: text, template }).map((found) => ({ name, file, line: found }))
      })
    )
}

const Ports = Schema.Array(Schema.Struct({ name: Schema.String }))

/** The ports of the inventory that the templates get. */
const portsOf = ({ variables }: Sources): ReadonlySet<string> => {
  const value = variables.find(({ name }) => name === "interfaces")?.value
  const ports = Option.getOrElse(Schema.decodeUnknownOption(Ports)(value), () => [])
  return new Set(ports.map(({ name }) => name))
}

/** The port of the inventory in whose section a line stands; null outside of such a section. */
const portOf = (key: string, ports: ReadonlySet<string>): string | null => {
  const names = key.split("\n").map((part) => {
    const [, indented, inBraces] = PORT.exec(part) ?? []
    return indented ?? inBraces ?? ""
  })
  return names.findLast((name) => ports.has(name)) ?? null
}

/** A line of what a job gave; without a job, of what would be generated. */
interface StoredLine {
  readonly text: string
  readonly job_id: number | null
}

type Jobs = Effect.Success<ReturnType<Effect.Success<typeof makeStoredConfigs>["origins"]>>["data"]["jobs"]

interface StoredLines {
  readonly has_older: boolean
  readonly jobs: Jobs
  readonly lines: ReadonlyArray<StoredLine>
}

/** How many devices one question about a line of a repository renders. */
const DEVICES = 40

/** The answers about lines. */
export const makeLineBlame = Effect.fnUntraced(function* (trials: Trials) {
  const lookup = yield* makeDeviceLookup
  const repositories = yield* Repositories
  const stored = yield* makeStoredConfigs
  const devices = yield* DeviceStore

  /** None for a device that cannot be rendered now. */
  const sourcesOf = (device: Device) =>
    Effect.all({
      traced: trials.trace(device),
      variables: Effect.map(trials.variables(device), ({ variables }) => variables)
    }).pipe(
      Effect.asSome,
      Effect.catchTag("TrialFailed", () => Effect.succeed(Option.none<Sources>()))
    )

  /** The stored lines with their jobs; without any, the generated ones. */
  const givenLines = (hostname: string, sources: Option.Option<Sources>) =>
    stored.origins(hostname).pipe(
      Effect.map(({ data: { has_older, jobs, lines } }): StoredLines => ({ has_older, jobs, lines })),
      Effect.catchIf(
        (error) => error instanceof NotFound,
        () => {
          const generated = Option.match(sources, { onNone: () => [], onSome: ({ traced }) => traced.lines })
          const lines = generated.map(({ text }) => ({ text, job_id: null }))
          return Effect.succeed<StoredLines>({ has_older: false, jobs: [], lines })
        }
      )
    )

  /** The lines that the last proof has seen, each with the job that gave it; null for a line that no job gave. */
  const runningLines = Effect.fnUntraced(function* (hostname: string) {
    const texts = yield* stored.seen(hostname)
    const { has_older, jobs, lines } = yield* givenLines(hostname, Option.none())
    const keys = keysOf(lines.map(({ text }) => text))
    const jobOf = new Map(lines.map(({ job_id }, index) => [keys[index] ?? "", job_id]))
    const seenKeys = keysOf(texts)
    const seen = texts.map((text, index) => ({
      text,
      job_id: isSeparator(text) ? null : (jobOf.get(seenKeys[index] ?? "") ?? null)
    }))
    return { has_older, jobs, lines: seen } satisfies StoredLines
  })

  const commitsOf = Effect.fnUntraced(function* (
    places: ReadonlyArray<{ readonly repository: RepositoryName; readonly file: string; readonly line: number | null }>,
    branch: string
  ) {
    const files = new Map(places.map(({ file, repository }) => [`${repository} ${file}`, { repository, file }]))
    const written = new Map<string, Effect.Success<ReturnType<Repositories["Service"]["blame"]>>>()
    for (const [key, { file, repository }] of files)
      written.set(key, yield* repositories.blame(repository, file, repository === "templates" ? branch : ""))
    return (repository: RepositoryName, file: string, line: number | null) =>
      line === null ? undefined : written.get(`${repository} ${file}`)?.[line - 1]
  })

  const ofDevice = Effect.fn("LineBlame.ofDevice")(function* (
    hostname: string,
    { line: asked, of = "given" }: { readonly line?: number; readonly of?: LinesOf }
  ) {
    const device = yield* lookup.byHostname(hostname)
    const sources = yield* sourcesOf(device)
    const { has_older, jobs, lines } = yield* of === "running" ? runningLines(hostname) : givenLines(hostname, sources)
    const rendered = Option.match(sources, { onNone: () => [], onSome: ({ traced }) => traced.lines })
    const renderedKeys = keysOf(rendered.map(({ text }) => text))
    const byKey = new Map(renderedKeys.map((key, index) => [key, rendered[index]]))
    const keys = keysOf(lines.map(({ text }) => text))
    const wanted = lines
      .map((line, index) => ({ ...line, line: index + 1, key: keys[index] ?? "" }))
      .filter(({ line }) => asked === undefined || line === asked)
    const ports = Option.match(sources, { onNone: () => new Set<string>(), onSome: portsOf })
    const found = wanted.map(({ key, ...line }) => {
      // switches separate sections on their own
      const traced = of === "running" && isSeparator(line.text) ? undefined : byKey.get(key)
      if (traced === undefined || Option.isNone(sources)) return { ...line, template: null, settings: [], port: null }
      return {
        ...line,
        template: placeOf(traced, sources.value.traced),
        settings: settingsOf(traced, sources.value),
        port: portOf(key, ports)
      }
    })
    const places = found.flatMap(({ settings, template }) => [
      ...settings.map(({ file, line }) => ({ repository: "settings" as const, file, line })),
      ...(template === null ? [] : [{ repository: "templates" as const, file: template.file, line: template.line }])
    ])
    const branch = Option.match(sources, { onNone: () => "", onSome: ({ traced }) => traced.branch ?? "" })
    const commitAt = yield* commitsOf(places, branch)
    const commits = new Map(
      places.flatMap(({ file, line, repository }) => {
        const written = commitAt(repository, file, line)
        return written === undefined ? [] : [[`${repository} ${written.commit}`, { repository, written }] as const]
      })
    )
    return {
      hostname,
      has_older,
      jobs: jobs.filter(({ job_id }) => found.some((line) => line.job_id === job_id)),
      commits: [...commits.values()].map(
        ({ repository, written: { author, commit, seconds, signature, subject } }) => ({
          repository,
          commit,
          author,
          at: new Date(seconds * 1000).toISOString().slice(0, 19),
          subject,
          signature
        })
      ),
      lines: found.map((line) => ({
        ...line,
        template:
          line.template === null
            ? null
            : {
                ...line.template,
                commit: commitAt("templates", line.template.file, line.template.line)?.commit ?? null
              },
        settings: line.settings.map((one) => ({
          ...one,
          commit: commitAt("settings", one.file, one.line)?.commit ?? null
        }))
      }))
    } satisfies BlamedConfig
  })

  const ofSource = Effect.fn("LineBlame.ofSource")(function* (
    name: RepositoryName,
    { after = "", line, path }: { readonly path: string; readonly line: number; readonly after?: string }
  ) {
    const candidates = (yield* devices.all)
      .filter(({ state }) => state === "MANAGED")
      .toSorted((a, b) => (a.hostname < b.hostname ? -1 : 1))
      .filter(({ hostname }) => hostname > after)
    const some = candidates.slice(0, DEVICES)
    const found: Array<LineOfDevice> = []
    for (const device of some) {
      const sources = Option.getOrUndefined(yield* sourcesOf(device))
      if (sources === undefined) continue
      const { lines, platform } = sources.traced
      for (const [index, traced] of lines.entries()) {
        const isFrom =
          name === "templates"
            ? traced.places.some((place) => `${platform}/${place.file}` === path && place.line === line)
            : settingsOf(traced, sources).some((one) => one.file === path && one.line === line)
        if (isFrom) found.push({ hostname: device.hostname, line: index + 1, text: traced.text })
      }
    }
    const last = some.at(-1)?.hostname
    return {
      searched: some.length,
      lines: found,
      next: candidates.length > some.length && last !== undefined ? last : null
    }
  })

  return { ofDevice, ofSource }
})
