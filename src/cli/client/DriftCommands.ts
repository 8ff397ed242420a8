/**
 * `switchyard drift`: changes that were made on switches themselves: which devices have some, what it is, and how to undo or adopt it
 * (docs/command-line.md#drift).
 */
import { Console, Effect, Option, Schema, Struct } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { linesToKeep } from "../../domain/Adoption.ts"
import { DeviceResult } from "../../domain/Job.ts"
import { follow, started, unsuccessful, watch } from "./JobCommands.ts"
import { printDiff, readDiffs } from "./Preview.ts"
import { ask, askAll, Mistyped, Refused, saveFile } from "./Server.ts"
import { syncFlags, synchronizeNamed } from "./SyncCommands.ts"
import { type Column, format, type Format, oneOf, printJson, printRows, reported, say } from "./Terminal.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of a device"))

interface Drifted {
  readonly hostname: string
  readonly state: string
  readonly since: string | null
  readonly found_by: string | null
  readonly job_id: number | null
}

const COLUMNS: ReadonlyArray<Column<Drifted>> = [
  ["name", ({ hostname }) => hostname],
  ["state", ({ state }) => state],
  ["found", ({ since }) => since],
  ["found by", ({ found_by }) => found_by],
  ["job", ({ job_id }) => job_id]
]

/** The newest cause of each device that is drift; none for callers of some devices, who may not read the history. */
const readCauses = Effect.map(ask("GET /device_synchistory"), ({ answer }) => answer.data.hostnames).pipe(
  Effect.catchTag("NotSignedOn", () => Effect.succeed<Record<string, never>>({}))
)

/** The devices that have drifted. */
const readDrifted = Effect.gen(function* () {
  const query = { sort: "hostname", "filter[drifted]": true }
  const devices = yield* askAll("GET /devices", { query }, ({ data }) => data.devices)
  const causes = devices.length === 0 ? {} : yield* readCauses
  return devices.map(({ hostname, state }): Drifted => {
    const found = causes[hostname]?.findLast(({ cause }) => cause === "drift")
    return {
      hostname,
      state,
      since: found?.timestamp == null ? null : new Date(found.timestamp * 1000).toISOString().slice(0, 19),
      found_by: found?.found_by ?? null,
      job_id: typeof found?.job_id === "number" ? found.job_id : null
    }
  })
})

const listed = (wanted: Format) =>
  reported(Effect.flatMap(readDrifted, (rows) => printRows(wanted, COLUMNS, rows, "No device has drifted.")))

const list = Command.make("list", format, listed).pipe(Command.withDescription("List the devices that have drifted."))

const check = Command.make(
  "check",
  {
    name: Argument.optional(name),
    group: Flag.String("group").pipe(Flag.withDescription("All devices of a group"), Flag.optional),
    type: oneOf("type", ["ACCESS", "DIST", "CORE"], "All devices of a type").pipe(Flag.optional),
    watch: Flag.Boolean("watch").pipe(
      Flag.withDescription("Follow the job to its end, and list the devices that have drifted"),
      Flag.withDefault(false)
    ),
    json: format.json
  },
  ({ group, json, name, type, watch }) =>
    reported(
      Effect.gen(function* () {
        const ways = [
          ...(Option.isSome(name) ? [{ hostname: name.value }] : []),
          ...(Option.isSome(group) ? [{ group: group.value }] : []),
          ...(Option.isSome(type) ? [{ device_type: type.value }] : [])
        ]
        if (ways.length > 1)
          return yield* new Mistyped({ message: "Say which devices: a name, --group or --type, and only one of these" })
        const { answer } = yield* ask("POST /device_drift", { body: ways[0] ?? { all: true } })
        yield* started(answer.job_id, answer.data, { json, watch: false })
        if (!watch) return
        // a device that could not be read does not hide what was found on the others
        const ended = yield* follow(answer.job_id)
        if (!json) yield* printRows({ json, csv: false }, COLUMNS, yield* readDrifted, "No device has drifted.")
        if (ended.outcome !== "success") return yield* unsuccessful(ended)
      })
    )
).pipe(
  Command.withDescription(
    "Compare now what devices run with what was proved last; without a name all. Switches are read, nothing is changed."
  )
)

const readResult = Schema.decodeUnknownOption(Schema.Struct({ devices: Schema.Record(Schema.String, DeviceResult) }))

/**
 * Compares a device now; yields the job that did, and the difference to what was proved last. Fails if the device could not be compared,
 * such as one on which nothing was proved yet.
 */
const compareNow = Effect.fnUntraced(function* (hostname: string) {
  const { answer } = yield* ask("POST /device_drift", { body: { hostname } })
  const { id, result } = yield* watch(answer.job_id)
  const task = Option.getOrUndefined(readResult(result))?.devices[hostname]?.job_tasks[0]
  if (task === undefined) return yield* new Refused({ message: `${hostname} was not compared: it is not managed` })
  const { groups } = yield* readDiffs(id)
  const diff = groups[0]?.diff ?? ""
  // a comparison without a difference has no words
  if (diff === "" && typeof task.result === "string")
    return yield* new Refused({ message: `${hostname} was not compared: ${task.result}` })
  return { hostname, job_id: id, diff }
})

const noDrift = (hostname: string): string => `${hostname} runs what was proved last.`

const show = Command.make("show", { name, json: format.json }, ({ json, name }) =>
  reported(
    Effect.gen(function* () {
      const found = yield* compareNow(name)
      if (json) return yield* printJson(found)
      yield* found.diff === "" ? say(noDrift(name)) : printDiff(found.diff)
    })
  )
).pipe(
  Command.withDescription("Compare a device now, and show what was changed since its configuration was proved last.")
)

const undo = Command.make(
  "undo",
  {
    names: Argument.String("name").pipe(Argument.withDescription("Names of devices"), Argument.atLeast(0)),
    all: Flag.Boolean("all").pipe(Flag.withDescription("All devices that have drifted"), Flag.withDefault(false)),
    ...Struct.omit(syncFlags, ["force", "resync"])
  },
  ({ all, names, ...asked }) =>
    reported(
      Effect.gen(function* () {
        if (all === names.length > 0) return yield* new Mistyped({ message: "Say which devices: names, or --all" })
        const chosen = all ? (yield* readDrifted).map(({ hostname }) => hostname) : names
        yield* synchronizeNamed(chosen, { ...asked, force: true, resync: true }, "No device has drifted.")
      })
    )
).pipe(
  Command.withDescription("Undo drift: push what the settings say over it. Shows first what would be undone, and asks.")
)

const adopt = Command.make(
  "adopt",
  {
    name,
    file: Flag.String("file").pipe(Flag.withDescription("Write the lines to keep into this file"), Flag.optional),
    json: format.json
  },
  ({ file, json, name }) =>
    reported(
      Effect.gen(function* () {
        const found = yield* compareNow(name)
        const lines = linesToKeep(found.diff)
        if (Option.isSome(file)) yield* saveFile(file.value, lines === "" ? "" : `${lines}\n`)
        if (json) return yield* printJson({ ...found, lines: lines === "" ? [] : lines.split("\n") })
        if (found.diff === "") return yield* say(noDrift(name))
        yield* printDiff(found.diff)
        yield* Console.error(
          `Write the lines with + into the settings or a template, and take those with - out. Commit, and then: switchyard repo refresh settings. A push undoes everything else.`
        )
      })
    )
).pipe(Command.withDescription("Show what to write into the settings to keep what a device runs."))

/** The command. */
export const drift = Command.make("drift", format, listed).pipe(
  Command.withDescription("Changes that were made on switches themselves: list, compare, undo or adopt them."),
  Command.withSubcommands([list, check, show, undo, adopt])
)
