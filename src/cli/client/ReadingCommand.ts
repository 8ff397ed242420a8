/** `switchyard device readings`: the state of a device as a check of a change sees it (docs/switch-dialogues.md#readings). */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { logSeverities } from "../../domain/checks/Readings.ts"
import { ask, Refused } from "./Server.ts"
import { type Column, format, oneOf, printJson, printRows, reported } from "./Terminal.ts"

type Answer = Data<"GET /device/:hostname/readings">["readings"][number]

interface Row {
  readonly reads: string
  readonly item: string
  readonly fields: Readonly<Record<string, unknown>>
}

const rowsOf = ({ reading }: Answer): ReadonlyArray<Row> =>
  reading === null
    ? []
    : Object.entries(reading.items).map(([item, fields]) => ({ reads: reading.reads, item, fields: { ...fields } }))

const valueText = (value: unknown): string =>
  Array.isArray(value) ? value.join(" ") : value === null ? "not reported" : String(value)

const COLUMNS: ReadonlyArray<Column<Row>> = [
  ["kind", ({ reads }) => reads],
  ["item", ({ item }) => item],
  [
    "state",
    ({ fields }) =>
      Object.entries(fields)
        .map(([name, value]) => `${name} ${valueText(value)}`)
        .join(", ")
  ]
]

const text = (flag: string, description: string) =>
  Flag.String(flag).pipe(Flag.withDescription(description), Flag.optional)

/** The command. */
export const readings = Command.make(
  "readings",
  {
    name: Argument.String("name").pipe(Argument.withDescription("Name of a device")),
    kinds: Argument.String("kinds").pipe(
      Argument.withDescription("What to read, with commas between, such as bgp,interfaces")
    ),
    severity: oneOf("severity", logSeverities, "For log: messages at least as severe").pipe(Flag.optional),
    seconds: Flag.Int("seconds").pipe(Flag.withDescription("For log: how far back"), Flag.optional),
    to: text("to", "For ping: the address"),
    source: text("source", "For ping: an address or interface of the device"),
    vrf: text("vrf", "For ping: the VRF"),
    count: Flag.Int("count").pipe(Flag.withDescription("For ping: the number of packets"), Flag.optional),
    ...format
  },
  ({ count, csv, json, kinds, name, seconds, severity, source, to, vrf }) =>
    reported(
      Effect.gen(function* () {
        const { answer } = yield* ask("GET /device/:hostname/readings", {
          params: { hostname: name },
          query: {
            reads: kinds,
            severity: Option.getOrUndefined(severity),
            seconds: Option.getOrUndefined(seconds),
            to: Option.getOrUndefined(to),
            source: Option.getOrUndefined(source),
            vrf: Option.getOrUndefined(vrf),
            count: Option.getOrUndefined(count)
          }
        })
        const answers = answer.data.readings
        if (json) yield* printJson(answers)
        else yield* printRows({ csv, json }, COLUMNS, answers.flatMap(rowsOf), "Nothing of this kind is there.")
        const problem = answers.find((one) => one.problem !== null)?.problem
        if (problem !== undefined && problem !== null)
          return yield* new Refused({ message: `${problem.type}: ${problem.message}` })
      })
    )
).pipe(
  Command.withDescription("Read the state of a device, as a check of a change sees it."),
  Command.withExamples([
    {
      command: "switchyard device readings lhv-dist1 bgp,port_channels",
      description: "BGP sessions and port-channels"
    },
    {
      command: "switchyard device readings lhv-dist1 ping --to 10.198.0.1 --source Loopback0",
      description: "A ping from the switch"
    }
  ])
)
