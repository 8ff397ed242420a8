/** `switchyard ports import` and `export`: ports of several switches as comma-separated values (docs/command-line.md). */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as fs from "node:fs/promises"
import { foldNames } from "../../domain/NameRanges.ts"
import { portFileErrorText } from "../../domain/PortFile.ts"
import { counted } from "../../domain/words/Units.ts"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { devicesText, preview, pushAgreed } from "./Preview.ts"
import { yes } from "./Questions.ts"
import { ask, failureOf, Mistyped, Refused, send } from "./Server.ts"
import { format, jsonAlways, printJson, readInput, reported, say } from "./Terminal.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

interface Wanted {
  readonly dryRun: boolean
  readonly push: boolean
  readonly watch: boolean
  readonly yes: boolean
  readonly json: boolean
}

/** Pushes to these switches exactly what a dry run shows, after a question. */
const pushTo = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>, { json, watch, yes }: Wanted) {
  const shown = yield* preview(ask("POST /device_syncto", { body: { hostnames, dry_run: true } }))
  yield* pushAgreed(
    {
      shown,
      only: hostnames,
      question: "Push exactly this to",
      nothing: "Stored. Nothing to push: the switches run it already.",
      exactly: "--yes",
      yes,
      watch,
      json
    },
    ask("POST /device_syncto", { body: { hostnames, dry_run: false, dry_run_job: shown } })
  )
})

/** Shows what a file changes, stores it unless that is a dry run, and pushes it if that is wanted. */
export const changePorts = Effect.fnUntraced(function* (csv: string, wanted: Wanted) {
  const { answer } = yield* ask("POST /interfaces/bulk", { body: { csv, dry_run: true } })
  const { diffs, errors, updated, version } = answer.data
  if (errors.length > 0) return yield* new Refused({ message: errors.map(portFileErrorText).join("\n") })
  const hostnames = Object.keys(updated)
  const ports = hostnames.flatMap((name) => Object.keys(updated[name] ?? {}))
  const { dryRun, json, push } = wanted
  if (!json) {
    for (const one of diffs) {
      yield* say(`${devicesText(one.hostnames.length)}: ${foldNames(one.hostnames)}`)
      yield* say(one.diff === "" ? "The configuration is unchanged." : one.diff)
    }
    yield* say(
      ports.length === 0
        ? "No port changes."
        : `${counted(ports.length, "port")} of ${devicesText(hostnames.length)} ${ports.length === 1 ? "changes" : "change"}.`
    )
  }
  const isStored = !dryRun && hostnames.length > 0
  if (isStored) yield* ask("POST /interfaces/bulk", { body: { csv, version } })
  if (isStored && push) return yield* pushTo(hostnames, wanted)
  if (json) return yield* printJson({ stored: isStored, updated, diffs })
  if (isStored) yield* say(`Stored. Push it: switchyard sync ${hostnames.join(" ")} --watch`)
})

const contentOf = (file: string) =>
  file === "-"
    ? readInput
    : Effect.tryPromise({
        try: () => fs.readFile(file, "utf8"),
        catch: (error) => new Mistyped({ message: `The file ${file} cannot be read (${codeOf(error) ?? "unknown"})` })
      })

/** The command. */
export const importPorts = Command.make(
  "import",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File with comma-separated values, - for standard input")
    ),
    dryRun: flag("dry-run", "Only show what changes in the configuration"),
    push: flag("push", "Push it when it is stored; shows first what would change, and asks"),
    watch: flag("watch", "Follow the push to its end; exit code 1 when it is no success"),
    yes,
    json: format.json
  },
  ({ dryRun, file, push, ...wanted }) =>
    reported(
      Effect.gen(function* () {
        if (dryRun && push) return yield* new Mistyped({ message: "--dry-run and --push are opposites" })
        yield* changePorts(yield* contentOf(file), { ...wanted, dryRun, push })
      })
    )
).pipe(
  Command.withDescription("Change ports of several switches from comma-separated values: all of them, or none."),
  Command.withExamples([
    { command: "switchyard ports import ports.csv --dry-run", description: "Every mistake, or the whole difference" }
  ])
)

/** The command. */
export const exportPorts = Command.make(
  "export",
  {
    devices: Argument.String("device").pipe(Argument.withDescription("Names of access switches"), Argument.atLeast(1)),
    json: jsonAlways.pipe(Flag.withDescription("Print the comma-separated values as a JSON text"))
  },
  ({ devices, json }) =>
    reported(
      Effect.gen(function* () {
        const response = yield* send("GET /interfaces.csv", { query: { hostnames: devices.join(",") } })
        if (!response.ok) return yield* yield* failureOf(response)
        const csv = yield* Effect.promise(() => response.text())
        yield* json ? printJson({ csv }) : Console.log(csv.replaceAll("\r\n", "\n").trimEnd())
      })
    )
).pipe(Command.withDescription("Print the ports of switches as comma-separated values, in the form of import."))

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`

/** A file of one row, from the columns that are given. */
export const fileOfOne = (cells: Readonly<Record<string, string | undefined>>): string => {
  const given = Object.entries(cells).flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
  return `${given.map(([name]) => name).join(",")}\n${given.map(([, text]) => quoted(text)).join(",")}\n`
}
