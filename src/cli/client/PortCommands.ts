/** `switchyard ports`: the ports of an access switch, and what a change of them does to its configuration. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { type Column, format, printRows, reported, say } from "./Output.ts"
import { ask, Refused } from "./Server.ts"

type Port = Data<"GET /device/:hostname/interfaces">["interfaces"][number]

const COLUMNS: ReadonlyArray<Column<Port>> = [
  ["port", ({ name }) => name],
  ["use", ({ configtype }) => configtype],
  ["vlan", ({ data }) => data?.["untagged_vlan"] ?? data?.["tagged_vlan_list"]],
  ["description", ({ data }) => data?.["description"]],
  ["enabled", ({ data }) => data?.["enabled"] !== false]
]

const device = Argument.String("device").pipe(Argument.withDescription("Name of a device"))

const list = Command.make("list", { device, ...format }, ({ csv, device, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /device/:hostname/interfaces", { params: { hostname: device } })
      const nothing = `${device} has no ports here: those of other than access switches are in the settings`
      yield* printRows({ csv, json }, COLUMNS, answer.data.interfaces, nothing)
    })
  )
).pipe(Command.withDescription("List the ports of a device."))

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

const set = Command.make(
  "set",
  {
    device,
    ports: Argument.String("port").pipe(
      Argument.withDescription("Names of ports, such as Ethernet5"),
      Argument.atLeast(1)
    ),
    vlan: Flag.String("vlan").pipe(Flag.withDescription("Name of a VLAN, or auto"), Flag.optional),
    description: Flag.String("description").pipe(
      Flag.withDescription("Its description, empty for none"),
      Flag.optional
    ),
    enable: flag("enable", "Enable it"),
    disable: flag("disable", "Disable it"),
    dryRun: flag("dry-run", "Only show what changes in the configuration")
  },
  ({ description, device, disable, dryRun, enable, ports, vlan }) =>
    reported(
      Effect.gen(function* () {
        if (enable && disable) return yield* new Refused({ message: "--enable and --disable are opposites" })
        const wanted = Option.getOrUndefined(vlan)
        const use = wanted === undefined ? {} : { configtype: wanted === "auto" ? "ACCESS_AUTO" : "ACCESS_UNTAGGED" }
        const data = {
          ...(wanted === undefined ? {} : { untagged_vlan: wanted === "auto" ? null : wanted }),
          ...Option.match(description, { onNone: () => ({}), onSome: (text) => ({ description: text }) }),
          ...(enable || disable ? { enabled: enable } : {})
        }
        if (Object.keys(data).length === 0)
          return yield* new Refused({ message: "Say what to change: --vlan, --description, --enable or --disable" })
        const body = { interfaces: Object.fromEntries(ports.map((port) => [port, { ...use, data }])) }
        const params = { hostname: device }
        const { answer } = yield* ask("POST /device/:hostname/interfaces/preview", { params, body })
        const { diff, errors } = answer.data
        if (errors.length > 0) return yield* new Refused({ message: errors.join("\n") })
        yield* say(diff === "" ? "The configuration stays as it is." : diff)
        if (dryRun) return
        yield* ask("PUT /device/:hostname/interfaces", { params, body })
        yield* say(`Stored. Push it: switchyard sync ${device} --watch`)
      })
    )
).pipe(Command.withDescription("Change ports: shows what that does to the configuration, then stores it."))

/** The command. */
export const ports = Command.make("ports").pipe(
  Command.withDescription("Ports of access switches."),
  Command.withSubcommands([list, set])
)
