/** `switchyard find`: where a machine, a device or a port is, in the tables that the server has read (docs/api.md#find). */
import { Console, Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { type Column, format, printJson, printRows, reported } from "./Output.ts"
import { ask } from "./Server.ts"
import { watch } from "./Watching.ts"

type Findings = Data<"GET /find">
type Hit = Findings["hits"][number]

const COLUMNS: ReadonlyArray<Column<Hit>> = [
  ["kind", ({ kind }) => kind],
  ["device", ({ hostname }) => hostname],
  ["port", ({ port }) => port],
  ["vlan", ({ vlan }) => vlan],
  ["mac", ({ mac }) => mac],
  ["address", ({ ip }) => ip],
  ["uplink", ({ on_uplink }) => on_uplink],
  ["description", ({ description }) => description],
  ["first_seen", ({ first_seen }) => first_seen],
  ["last_seen", ({ last_seen }) => last_seen]
]

/** How much of the network the tables cover, so that nobody takes "not found" for "not there". */
const coverage = ({ devices, newest, oldest, read }: Findings["tables"]): string =>
  read === 0
    ? `The tables of none of ${devices} devices have been read: switchyard find WORD --read`
    : `Tables of ${read} of ${devices} devices, read between ${oldest ?? "?"} and ${newest ?? "?"} UTC`

/** The command. */
export const find = Command.make(
  "find",
  {
    word: Argument.String("word").pipe(
      Argument.withDescription("A MAC or IP address, serial number, name, description, or VLAN"),
      Argument.variadic({ min: 1 })
    ),
    read: Flag.Boolean("read").pipe(
      Flag.withDescription("First read the tables of all managed devices"),
      Flag.withDefault(false)
    ),
    ...format
  },
  ({ csv, json, read, word }) =>
    reported(
      Effect.gen(function* () {
        if (read) {
          const { answer } = yield* ask("POST /device_read_tables", { body: { all: true } })
          yield* watch(answer.job_id)
        }
        const { answer } = yield* ask("GET /find", { query: { q: word.join(" ") } })
        const { hits, tables, truncated } = answer.data
        // with --json all of it, so that a program sees what the tables cover
        if (json) return yield* printJson(answer.data)
        yield* printRows({ csv, json }, COLUMNS, hits, "Nothing is found")
        if (truncated) yield* Console.error("There is more: look for something longer")
        yield* Console.error(coverage(tables))
      })
    )
).pipe(
  Command.withDescription("Find a machine, device or port."),
  Command.withExamples([
    { command: "switchyard find 00:50:56:aa:12:07", description: "The switch and port of a machine" },
    { command: "switchyard find vlan 110 --read", description: "Everything in a VLAN, as it is now" }
  ])
)
