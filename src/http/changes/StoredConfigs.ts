/** Stored, running and generated configurations of a device: a list, differences, and the job that brought each line. */
import { Effect, TextDiff } from "effect"
import { LiveDevices } from "../../devices/LiveDevices.ts"
import { Previews } from "../../templates/CandidateConfigs.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { diff, maxEdits } from "../../drivers/UnifiedDiff.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import { DerivedSecretStore, SecretTexts } from "../../store/SecretStore.ts"
import { BadRequest, enveloped, InternalError, NotFound } from "../../api/Answers.ts"
import { refuseUnrendered } from "../core/HandlerErrors.ts"
import type { ConfigSource } from "../../api/ChangesApi.ts"

// Finds the stored configuration that first had each line of the newest one. Pure.

/** A line, and the index of its configuration. */
interface BlamedLine {
  readonly text: string
  readonly origin: number
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const edits = TextDiff.diffWith<string>((one, other) => one === other)

/** For each line of the older text, the line of the newest that it became; undefined for one that was removed since. */
type Kept = ReadonlyArray<number | undefined>

const followed = (older: string, newer: string, kept: Kept): Kept => {
  const from: Array<number | undefined> = []
  let at = 0
  for (const { _tag, items } of edits(linesOf(older), linesOf(newer), { maxEdits: maxEdits(older, newer) })) {
    if (_tag === "Equal") from.push(...kept.slice(at, at + items.length))
    if (_tag === "Delete") from.push(...items.map(() => undefined))
    if (_tag !== "Delete") at += items.length
  }
  return from
}

/** The lines of the first text; the newest text is the first. A line that was removed and added again counts from then on. */
export const blame = (texts: ReadonlyArray<string>): ReadonlyArray<BlamedLine> => {
  const newest = linesOf(texts[0] ?? "")
  const origins = newest.map(() => 0)
  let kept: Kept = newest.map((_, line) => line)
  for (let version = 1; version < texts.length && kept.some((line) => line !== undefined); version++) {
    const older = texts[version] ?? ""
    const newer = texts[version - 1] ?? ""
    if (older !== newer) kept = followed(older, newer, kept)
    for (const line of kept) if (line !== undefined) origins[line] = version
  }
  return newest.map((text, line) => ({ text, origin: origins[line] ?? 0 }))
}

/** How many jobs are listed, and how many configurations are searched for lines. */
const LISTED = 100
const BLAMED = 50

/** Generated configurations have marks without digits, because these do not identify a secret. */
const withoutDigits = (text: string): string => text.replaceAll(/<hidden:[0-9a-f]+>/g, "<hidden>")

/** Switches and templates end a configuration differently, which is no difference. */
const withEnd = (text: string): string => `${text.trimEnd()}\n`

const makeReading = Effect.gen(function* () {
  const { history } = yield* ConfigStore
  const lookup = yield* makeDeviceLookup
  const live = yield* LiveDevices
  const previews = yield* Previews

  const running = Effect.fnUntraced(function* (hostname: string) {
    const device = yield* lookup.byHostname(hostname)
    if (device.state !== "MANAGED") {
      return yield* new BadRequest({ message: `${hostname} is ${device.state}: only a managed device is read` })
    }
    return yield* Effect.mapError(
      live.runningConfig(device),
      ({ message, type }) => new InternalError({ message: `Exception: ${type}: ${message}` })
    )
  })

  const generated = Effect.fnUntraced(function* (hostname: string) {
    const { generated_config } = yield* Effect.catchTag(
      previews.generate(yield* lookup.byHostname(hostname)),
      "PreviewFailed",
      refuseUnrendered(hostname)
    )
    return generated_config
  })

  const stored = Effect.fnUntraced(function* (hostname: string, id: number) {
    const none = () => new NotFound({ message: `Job ${id} has stored no configuration of ${hostname}` })
    const { config } = yield* Effect.mapError(
      Effect.flatMap(history.find(hostname, { _tag: "Job", id }), Effect.fromOption),
      (error) => (error._tag === "SqlError" ? error : none())
    )
    return config ?? (yield* none())
  })

  return (hostname: string, source: ConfigSource) => {
    if (source === "running") return running(hostname)
    return source === "generated" ? generated(hostname) : stored(hostname, source)
  }
})

export const makeStoredConfigs = Effect.gen(function* () {
  const { history } = yield* ConfigStore
  const lookup = yield* makeDeviceLookup
  const secrets = yield* SecretTexts
  const derivedSecrets = yield* DerivedSecretStore
  const read = yield* makeReading

  const hiding = Effect.fnUntraced(function* (hostname: string) {
    const derived = (yield* derivedSecrets.ofHosts([hostname])).get(hostname)
    return (text: string) => secrets.hide(text, derived)
  })

  const list = Effect.fn("StoredConfigs.list")(function* (hostname: string) {
    yield* lookup.byHostname(hostname)
    return enveloped({ hostname, configs: yield* history.list(hostname, LISTED) })
  })

  const compare = Effect.fn("StoredConfigs.compare")(function* (
    hostname: string,
    { from = "running", to = "generated" }: { readonly from?: ConfigSource; readonly to?: ConfigSource }
  ) {
    const texts = yield* Effect.all([read(hostname, from), read(hostname, to)])
    const hide = yield* hiding(hostname)
    const shown = from === "generated" || to === "generated" ? (text: string) => withoutDigits(hide(text)) : hide
    const [before, after] = [shown(texts[0]), shown(texts[1])]
    return enveloped({ hostname, from, to, diff: diff(withEnd(before), withEnd(after)) })
  })

  const origins = Effect.fn("StoredConfigs.origins")(function* (hostname: string) {
    yield* lookup.byHostname(hostname)
    const found = yield* history.proved(hostname, BLAMED + 1)
    const looked = found.slice(0, BLAMED)
    const [newest] = looked
    if (newest === undefined) {
      return yield* new NotFound({ message: `No job has stored a configuration of ${hostname} yet: synchronize it` })
    }
    const hide = yield* hiding(hostname)
    const lines = blame(looked.map(({ config }) => hide(config))).map(({ origin, text }) => ({
      text,
      job_id: (looked[origin] ?? newest).job_id
    }))
    const named = new Set([newest.job_id, ...lines.map(({ job_id }) => job_id)])
    const jobs = looked.filter(({ job_id }) => named.has(job_id)).map(({ config: _config, ...entry }) => entry)
    return enveloped({ hostname, jobs, lines, has_older: found.length > BLAMED })
  })

  return { list, compare, origins }
})
