/**
 * `switchyard config` and `compare`: what a device runs, what it should run, and what each job gave it (docs/command-line.md#configurations).
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { preview, printDiff, pushAgreed, startedDry } from "./Preview.ts"
import { yes } from "./Questions.ts"
import { commitText } from "../../domain/words/ServerWords.ts"
import { ask, Mistyped, Refused, saveFile } from "./Server.ts"
import { skipFlag, skipOption, windowFlags, windowOptions } from "./SyncCommands.ts"
import { type Column, format, isTerminal, printJson, printRows, reported, say } from "./Terminal.ts"

/** What a user may name: `running`, `generated`, or the job that gave it. */
type Which = Data<"GET /device/:hostname/config_diff">["from"]

const GRAMMAR = "running, generated, the number of a job, or a time such as 2026-04-07T12:00 (UTC without a zone)"

const name = Argument.String("name").pipe(Argument.withDescription("Name of a device"))

const isTime = (word: string): boolean => /^\d{4}-\d{2}-\d{2}/.test(word)

/** Words that name no configuration are refused before the server is asked. */
const checked = (word: string): Effect.Effect<string, Mistyped> =>
  /^(?:running|generated|[1-9]\d{0,9})$/.test(word) || isTime(word)
    ? Effect.succeed(word)
    : new Mistyped({ message: `${word} names no configuration. Expected: ${GRAMMAR}` })

/** A time stands for the last job before it. */
const whichOf = Effect.fnUntraced(function* (hostname: string, word: string) {
  if (word === "running" || word === "generated") {
    const kept: Which = word
    return kept
  }
  if (!isTime(word)) return Number(word)
  const { answer } = yield* ask("GET /device/:hostname/previous_config", {
    params: { hostname },
    query: { before: word }
  })
  return answer.data.job_id
})

const read = Effect.fnUntraced(function* (hostname: string, which: Which) {
  const params = { hostname }
  if (which === "running") return (yield* ask("GET /device/:hostname/running_config", { params })).answer.data.config
  if (which === "generated") {
    const { answer } = yield* ask("GET /device/:hostname/generate_config", { params })
    return answer.data.config.generated_config ?? ""
  }
  const query = { job_id: which }
  const { answer } = yield* ask("GET /device/:hostname/previous_config", { params, query })
  return (
    answer.data.config ?? (yield* new Refused({ message: `Job ${which} has stored no configuration of ${hostname}` }))
  )
})

const shownAs = (which: Which): string => (typeof which === "number" ? `job ${which}` : which)

// `switchyard config`

type Entry = Data<"GET /device/:hostname/configs">["configs"][number]

const COLUMNS: ReadonlyArray<Column<Entry>> = [
  ["job", ({ job_id }) => job_id],
  ["ended", ({ finish_time }) => finish_time],
  ["by", ({ by }) => by],
  ["failed", ({ failed }) => failed],
  ["stored", ({ has_config }) => has_config],
  ["comment", ({ comment }) => comment],
  ["settings", ({ settings_commit, settings_signature }) => commitText(settings_commit, settings_signature)],
  ["templates", ({ templates_commit, templates_signature }) => commitText(templates_commit, templates_signature)]
]

const list = Command.make("list", { name, ...format }, ({ csv, json, name }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /device/:hostname/configs", { params: { hostname: name } })
      yield* printRows({ csv, json }, COLUMNS, answer.data.configs, `No job has changed ${name} yet.`)
    })
  )
).pipe(Command.withDescription("List the jobs that gave a device its configurations, the newest first."))

const download = Command.make(
  "download",
  {
    name,
    which: Argument.String("which").pipe(Argument.withDescription(GRAMMAR), Argument.withDefault("running")),
    file: Flag.String("file").pipe(Flag.withDescription("Write it into this file"), Flag.optional),
    json: format.json
  },
  ({ file, json, name, which }) =>
    reported(
      Effect.gen(function* () {
        const found = yield* whichOf(name, yield* checked(which))
        const config = yield* read(name, found)
        const content = `${config.trimEnd()}\n`
        if (Option.isSome(file)) yield* saveFile(file.value, content)
        if (json) return yield* printJson({ hostname: name, which: found, config })
        if (Option.isSome(file))
          return yield* Console.error(`The configuration of ${name} (${shownAs(found)}) is in ${file.value}`)
        // another program or a file gets it unchanged
        yield* isTerminal() ? say(content.trimEnd()) : Console.log(content.trimEnd())
      })
    )
).pipe(
  Command.withDescription(
    "Print a configuration of a device: what it runs, what it should run, or what a job gave it."
  ),
  Command.withExamples([
    { command: "switchyard config download lhv-a1 --file lhv-a1.cfg", description: "What the switch runs now" },
    { command: "switchyard config download lhv-a1 generated", description: "What the settings say now" },
    { command: "switchyard config download lhv-a1 812", description: "What job 812 gave it" }
  ])
)

type Hit = Data<"GET /configs">["hits"][number]

interface HitLine extends Hit {
  readonly line: Hit["lines"][number]
}

const HIT_COLUMNS: ReadonlyArray<Column<HitLine>> = [
  ["name", ({ hostname }) => hostname],
  ["job", ({ job_id }) => job_id],
  ["ended", ({ finish_time }) => finish_time],
  ["section", ({ line }) => line.section],
  ["line", ({ line }) => line.text]
]

/** The server searches some hundred devices at once. */
const searchAll = Effect.fnUntraced(function* (query: Readonly<Record<string, string>>) {
  const hits: Array<Hit> = []
  let after: string | null = ""
  let searched = 0
  while (after !== null) {
    const asked: Readonly<Record<string, string>> = after === "" ? query : { ...query, after }
    const { answer } = yield* ask("GET /configs", { query: asked })
    hits.push(...answer.data.hits)
    searched += answer.data.searched
    after = answer.data.next
  }
  return { hits, searched }
})

const search = Command.make(
  "search",
  {
    text: Argument.String("text").pipe(Argument.withDescription("A part of a line, in any case")),
    device: Flag.String("device").pipe(
      Flag.withDescription("All stored configurations of this device, the newest first"),
      Flag.optional
    ),
    before: Flag.String("before").pipe(
      Flag.withDescription("As it was before this time, such as 2026-04-07T12:00 (UTC without a zone)"),
      Flag.optional
    ),
    ...format
  },
  ({ before, csv, device, json, text }) =>
    reported(
      Effect.gen(function* () {
        if (Option.isSome(before) && Option.isSome(device))
          return yield* new Mistyped({ message: "--device has every time: leave out --before" })
        const found = yield* searchAll({
          q: text,
          ...(Option.isSome(device) ? { hostname: device.value } : {}),
          ...(Option.isSome(before) ? { before: before.value } : {})
        })
        if (json) return yield* printJson(found)
        const rows = found.hits.flatMap((hit) => hit.lines.map((line): HitLine => ({ ...hit, line })))
        yield* printRows({ csv, json }, HIT_COLUMNS, rows, `No configuration of ${found.searched} has this text.`)
      })
    )
).pipe(
  Command.withDescription("Search the configurations that devices were last proved to run. Secrets cannot be found."),
  Command.withExamples([
    { command: 'switchyard config search "ntp server"', description: "On every device" },
    { command: "switchyard config search 10.20.0.2 --before 2026-04-07", description: "As it was" },
    { command: "switchyard config search ntp --device lhv-a1", description: "In time" }
  ])
)

type Blame = Data<"GET /device/:hostname/config_blame">

const blameColumns = (jobs: Blame["jobs"]): ReadonlyArray<Column<Blame["lines"][number]>> => {
  const known = new Map(jobs.map((job) => [job.job_id, job]))
  return [
    ["job", ({ job_id }) => job_id],
    ["by", ({ job_id }) => known.get(job_id)?.by],
    ["ended", ({ job_id }) => known.get(job_id)?.finish_time],
    ["line", ({ text }) => text]
  ]
}

type Origins = Data<"GET /device/:hostname/blame">

/** The sentences about lines: who wrote their templates and settings, and the jobs that brought them. */
const originSentences = ({ commits, jobs, lines }: Origins): ReadonlyArray<string> => {
  const writer = (repository: "settings" | "templates", commit: string | null) => {
    const found = commits.find((one) => one.commit === commit && one.repository === repository)
    if (found === undefined) return ""
    return `  ${found.author}, ${found.at}, ${commitText(found.commit, found.signature)}`
  }
  return lines.flatMap(({ job_id, port, settings, template, text }) => {
    const job = jobs.find((one) => one.job_id === job_id)
    return [
      text,
      template === null
        ? "  no template writes this line now: it was on the switch before, or the switch adds it"
        : `  template  ${template.file}:${template.line}${writer("templates", template.commit)}`,
      ...settings.map(
        ({ commit, file, line, name }) =>
          `  setting   ${name}  ${file}${line === null ? "" : `:${line}`}${writer("settings", commit)}`
      ),
      ...(port === null ? [] : [`  port      ${port}, from the inventory`]),
      ...(job === undefined ? [] : [`  job       ${job.job_id} of ${job.by ?? "the server"}, ${job.finish_time}`])
    ]
  })
}

const explainLine = Effect.fnUntraced(function* (hostname: string, line: number, running: boolean, json: boolean) {
  const query = { line, ...(running ? { of: "running" } : {}) }
  const { answer } = yield* ask("GET /device/:hostname/blame", { params: { hostname }, query })
  if (json) return yield* printJson(answer.data)
  if (answer.data.lines.length === 0)
    return yield* new Refused({ message: `The configuration of ${hostname} has no line ${line}` })
  for (const sentence of originSentences(answer.data)) yield* say(sentence)
})

const blameFlags = {
  name,
  line: Flag.Int("line").pipe(
    Flag.withDescription("Only this line, with the template and the settings that it comes from"),
    Flag.optional
  ),
  running: Flag.Boolean("running").pipe(
    Flag.withDescription("With --line: a line of what the last proof has seen on the device"),
    Flag.withDefault(false)
  ),
  ...format
}

const blame = Command.make("blame", blameFlags, ({ csv, json, line, name, running }) =>
  reported(
    Effect.gen(function* () {
      if (Option.isSome(line)) return yield* explainLine(name, line.value, running, json)
      if (running) return yield* new Mistyped({ message: "--running needs --line" })
      const { answer } = yield* ask("GET /device/:hostname/config_blame", { params: { hostname: name } })
      const { has_older, jobs, lines } = answer.data
      if (json) return yield* printJson(answer.data)
      yield* printRows({ csv, json }, blameColumns(jobs), lines, `The configuration of ${name} is empty.`)
      if (has_older) yield* Console.error("Lines of the oldest job may be older: more jobs are stored than were read.")
    })
  )
).pipe(Command.withDescription("Show which job brought each line of the newest configuration."))

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const restore = Command.make(
  "restore",
  {
    name,
    job: Argument.Int("job").pipe(Argument.withDescription("Number of the job that gave it")),
    dryRun: flag("dry-run", "Only show what would change"),
    ...skipFlag,
    ...windowFlags,
    yes,
    watch: flag("watch", "Follow the job to its end; exit code 1 when it is no success"),
    json: format.json
  },
  ({ dryRun, job, name, yes, ...wanted }) =>
    reported(
      Effect.gen(function* () {
        const start = (dry_run: boolean) =>
          ask("POST /device/:hostname/previous_config", {
            params: { hostname: name },
            body: {
              job_id: job,
              dry_run,
              ...(dry_run ? {} : { ...skipOption(wanted), ...windowOptions(wanted) })
            }
          })
        if (dryRun) {
          const { answer } = yield* start(true)
          return yield* startedDry(answer.job_id, answer.data, wanted)
        }
        yield* pushAgreed(
          {
            shown: yield* preview(start(true)),
            only: [],
            question: `Restore what job ${job} gave, and leave UNMANAGED, on`,
            nothing: `Nothing to do: ${name} runs what job ${job} gave it.`,
            exactly: "--yes",
            yes,
            ...wanted
          },
          start(false)
        )
      })
    )
).pipe(
  Command.withDescription(
    "Give a device the configuration of an earlier job again; it is UNMANAGED afterwards, because the settings say something else. Shows first what would change, and asks."
  )
)

/** The command. */
export const config = Command.make("config").pipe(
  Command.withDescription("Configurations of a device: running, generated and stored ones."),
  Command.withSubcommands([list, download, search, blame, restore])
)

// `switchyard compare`

/** The command. */
export const compare = Command.make(
  "compare",
  {
    name,
    other: Argument.String("other").pipe(Argument.withDescription("Name of another device"), Argument.optional),
    from: Flag.String("from").pipe(Flag.withDescription(GRAMMAR), Flag.withDefault("running")),
    to: Flag.String("to").pipe(
      Flag.withDescription("The same; without it generated, and for another device what --from says"),
      Flag.optional
    ),
    json: format.json
  },
  ({ from, json, name, other: given, to }) =>
    reported(
      Effect.gen(function* () {
        const other = Option.getOrElse(given, () => name)
        const words = [from, Option.getOrElse(to, () => (other === name ? "generated" : from))] as const
        for (const word of words) yield* checked(word)
        const [first, last] = [yield* whichOf(name, words[0]), yield* whichOf(other, words[1])]
        const query = { from: first, to: last, ...(other === name ? {} : { other }) }
        const { answer } = yield* ask("GET /device/:hostname/config_diff", { params: { hostname: name }, query })
        const found = answer.data.diff
        if (json) return yield* printJson({ hostname: name, from: first, other, to: last, diff: found })
        if (found === "") return yield* say("Both are the same.")
        yield* say(`--- ${name} (${shownAs(first)})\n+++ ${other} (${shownAs(last)})`)
        yield* printDiff(found)
      })
    )
).pipe(
  Command.withDescription("Compare two configurations of a device, or those of two devices. Secrets are masked."),
  Command.withExamples([
    { command: "switchyard compare lhv-a1", description: "What it runs with what it should run" },
    { command: "switchyard compare lhv-a1 --from 2026-04-07 --to running", description: "Since a time" },
    { command: "switchyard compare lhv-a1 lhv-a2 --from generated", description: "Two devices" }
  ])
)
