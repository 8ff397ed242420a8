/** `switchyard devices`, `device`, `why` and `find` show the network; `ports` and `init` change one device of it. */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { deviceFields } from "../../domain/ListFields.ts"
import { type Column, format, oneOf, printJson, printOne, printRows, reported, said, say } from "./Terminal.ts"
import { commitText } from "../../domain/words/ServerWords.ts"
import { ask, askAll, Mistyped, Refused, requireKnown } from "./Server.ts"
import { watch } from "./JobCommands.ts"
import { changePorts, exportPorts, fileOfOne, importPorts } from "./PortCommands.ts"
import { idOf, life, oneDevice } from "./DeviceLifeCommands.ts"
import { readings } from "./ReadingCommand.ts"
import type { Data } from "../../api/Calls.ts"
import { deviceStates } from "../../../machines/device/DeviceEvents.ts"
import {
  activityWords,
  callsText,
  callWords,
  causeText,
  configTypeWords,
  stateWords,
  typeWords
} from "../../domain/words/DeviceWords.ts"
import { inSentence, textOf } from "../../domain/words/Word.ts"
import { withoutFormula } from "../../domain/Text.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

export type DeviceRecord = Data<"GET /devices">["devices"][number]

const COLUMNS: ReadonlyArray<Column<DeviceRecord>> = [
  ["name", ({ hostname }) => hostname],
  ["state", ({ state }) => said(stateWords, state)],
  ["in sync", ({ state, synchronized }) => (state === "MANAGED" ? synchronized : "")],
  ["type", ({ device_type }) => said(typeWords, device_type)],
  ["group", ({ primary_group }) => primary_group],
  ["address", ({ dhcp_ip, management_ip }) => management_ip ?? dhcp_ip],
  ["model", ({ model }) => model],
  ["version", ({ os_version }) => os_version],
  ["serial", ({ serial }) => serial],
  ["seen", ({ last_seen }) => last_seen]
]

const SORT_FIELDS = Object.keys(deviceFields)

/** The command. */
export const devices = Command.make(
  "devices",
  {
    search: Argument.String("search").pipe(
      Argument.withDescription("A word in the name, an address, serial, MAC, model or description"),
      Argument.optional
    ),
    state: oneOf("state", deviceStates, "Only devices in this state").pipe(Flag.optional),
    type: oneOf("type", ["ACCESS", "DIST", "CORE"], "Only devices of this type").pipe(Flag.optional),
    unsynchronized: flag("unsynchronized", "Only managed switches that are out of sync"),
    drifted: flag("drifted", "Only switches that were changed by hand"),
    unreachable: flag("unreachable", "Only devices that do not answer"),
    sort: Flag.String("sort").pipe(
      Flag.withDescription("Field to sort by; --sort=-hostname sorts descending"),
      Flag.withDefault("hostname")
    ),
    ...format
  },
  ({ csv, drifted, json, search, sort, state, type, unreachable, unsynchronized }) =>
    reported(
      Effect.gen(function* () {
        yield* requireKnown([sort.replace(/^-/, "").toLowerCase()], SORT_FIELDS, "devices are not sorted by it")
        const query = {
          sort,
          "filter[search][contains]": Option.getOrUndefined(search),
          "filter[state]": unsynchronized ? "MANAGED" : Option.getOrUndefined(state),
          "filter[device_type]": Option.getOrUndefined(type),
          "filter[synchronized]": unsynchronized ? false : undefined,
          "filter[drifted]": drifted ? true : undefined,
          "filter[unreachable]": unreachable ? true : undefined
        }
        const rows = yield* askAll("GET /devices", { query }, ({ data }) => data.devices)
        const isAll = Object.entries(query).every(([key, value]) => key === "sort" || value === undefined)
        const nothing = isAll ? "No devices yet. They appear when they start up." : "No device matches."
        yield* printRows({ csv, json }, COLUMNS, rows, nothing)
      })
    )
).pipe(Command.withDescription("List devices."))

const name = Argument.String("name").pipe(Argument.withDescription("Name of a device"))

/** The command. */
export const device = Command.make("device", { name, json: format.json }, ({ json, name }) =>
  reported(
    Effect.gen(function* () {
      const found = yield* oneDevice(name)
      const { answer } = yield* ask("GET /device/:hostname/actor", { params: { hostname: found.hostname } })
      const { activity, call, job_id, waiting } = answer.data
      yield* printOne({ json }, { ...found, actor: answer.data }, [
        ...COLUMNS,
        ["mac", ({ ztp_mac }) => ztp_mac],
        ["description", ({ description }) => description],
        ["platform", ({ platform }) => platform],
        [
          "does",
          () =>
            call === null
              ? said(activityWords, activity)
              : `${textOf(callWords, call)}${job_id === null ? "" : ` for job ${job_id}`}`
        ],
        ["then", () => callsText(waiting.map((one) => one.call))]
      ])
    })
  )
).pipe(
  Command.withDescription("Show a device, and what it is doing; or change its record."),
  Command.withSubcommands([...life, readings])
)

const timeOf = (seconds: number | null): string =>
  seconds === null ? "" : `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** The job that a cause names, for the commits of that job. */
const commitsOf = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
  const [job] = answer.data.jobs
  if (job === undefined) return ""
  const { settings_commit, settings_signature, templates_commit, templates_signature } = job
  const commits = [
    commitText(settings_commit, settings_signature),
    commitText(templates_commit, templates_signature)
  ].filter((commit) => commit !== "")
  return commits.length === 0 ? "" : `, commit ${commits.join(" and ")}`
})

/** The command. */
export const why = Command.make("why", { name, json: format.json }, ({ json, name }) =>
  reported(
    Effect.gen(function* () {
      const { hostname, state, synchronized } = yield* oneDevice(name)
      const { answer } = yield* ask("GET /device_synchistory", { query: { hostname } })
      const causes = answer.data.hostnames[hostname] ?? []
      if (json) return yield* printJson({ hostname, state, synchronized, causes })
      if (state !== "MANAGED")
        return yield* say(
          `${hostname}: ${inSentence(textOf(stateWords, state))}. Only managed switches are kept in sync.`
        )
      if (synchronized) return yield* say(`${hostname} is in sync: it was proved to run what the settings say`)
      yield* say(`${hostname} is out of sync:`)
      if (causes.length === 0) yield* say("  nothing was noted why; a dry run shows what would change")
      for (const { job_id, timestamp, ...cause } of causes) {
        const job = typeof job_id === "number" ? `, job ${job_id}${yield* commitsOf(job_id)}` : ""
        yield* say(`  ${causeText(cause)}, ${timeOf(timestamp)}${job}`)
      }
      yield* say(`See what would change: switchyard sync ${hostname} --dry-run --watch`)
    })
  )
).pipe(Command.withDescription("Say why a switch is out of sync: which cause, who, which job and commit."))

// `switchyard find`: finds a machine, a device or a port in the tables that the server has read (docs/api.md#find).

type Findings = Data<"GET /find">
type Hit = Findings["hits"][number]

const FOUND_COLUMNS: ReadonlyArray<Column<Hit>> = [
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

/** The part of the network that the tables cover, so that users do not take "not found" for "does not exist". */
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
        // with --json everything, so that a program sees what the tables cover
        if (json) return yield* printJson(answer.data)
        yield* printRows({ csv, json }, FOUND_COLUMNS, hits, "Nothing is found")
        if (truncated) yield* Console.error("There is more: look for something longer")
        yield* Console.error(coverage(tables))
      })
    )
).pipe(
  Command.withDescription("Find a machine, device or port."),
  Command.withExamples([
    { command: "switchyard find 00:50:56:aa:12:07", description: "The switch and port of a machine" },
    { command: "switchyard find vlan 110 --read", description: "Everything in a VLAN, read from the switches now" }
  ])
)

// `switchyard ports`: the ports of an access switch, and the effect of a change on its configuration.

type Port = Data<"GET /device/:hostname/interfaces">["interfaces"][number]

const PORT_COLUMNS: ReadonlyArray<Column<Port>> = [
  ["port", ({ name }) => name],
  ["use", ({ configtype }) => said(configTypeWords, configtype)],
  ["vlan", ({ data }) => data?.["untagged_vlan"] ?? data?.["tagged_vlan_list"]],
  ["description", ({ data }) => data?.["description"]],
  ["enabled", ({ data }) => data?.["enabled"] !== false]
]

const portDevice = Argument.String("device").pipe(Argument.withDescription("Name of a device"))

const list = Command.make("list", { device: portDevice, ...format }, ({ csv, device, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /device/:hostname/interfaces", { params: { hostname: device } })
      const nothing = `${device} has no ports here: those of other than access switches are in the settings`
      yield* printRows({ csv, json }, PORT_COLUMNS, answer.data.interfaces, nothing)
    })
  )
).pipe(Command.withDescription("List the ports of a device."))

const set = Command.make(
  "set",
  {
    device: portDevice,
    ports: Argument.String("port").pipe(
      Argument.withDescription("Names of ports, such as Ethernet5"),
      Argument.atLeast(1)
    ),
    vlan: Flag.String("vlan").pipe(Flag.withDescription("Name of a VLAN, or auto"), Flag.optional),
    description: Flag.String("description").pipe(
      Flag.withDescription("Its description, empty for none"),
      Flag.optional
    ),
    profile: Flag.String("profile").pipe(
      Flag.withDescription("A port profile of the settings; the other values replace those of the profile"),
      Flag.optional
    ),
    enable: flag("enable", "Enable it"),
    disable: flag("disable", "Disable it"),
    dryRun: flag("dry-run", "Only show what changes in the configuration"),
    json: format.json
  },
  ({ description, device, disable, dryRun, enable, json, ports, profile, vlan }) =>
    reported(
      Effect.gen(function* () {
        if (enable && disable) return yield* new Mistyped({ message: "--enable and --disable are opposites" })
        if (Option.isSome(profile)) {
          const text = Option.getOrUndefined(description)
          const csv = fileOfOne({
            switch: device,
            port: ports.join(" "),
            profile: profile.value,
            vlan: Option.getOrUndefined(vlan),
            description: text === "" ? "-" : text === undefined ? undefined : withoutFormula(text),
            enabled: enable || disable ? (enable ? "yes" : "no") : undefined
          })
          return yield* changePorts(csv, { dryRun, json, push: false, watch: false, yes: false })
        }
        const wanted = Option.getOrUndefined(vlan)
        const use = wanted === undefined ? {} : { configtype: wanted === "auto" ? "ACCESS_AUTO" : "ACCESS_UNTAGGED" }
        const data = {
          ...(wanted === undefined ? {} : { untagged_vlan: wanted === "auto" ? null : wanted }),
          ...Option.match(description, { onNone: () => ({}), onSome: (text) => ({ description: text }) }),
          ...(enable || disable ? { enabled: enable } : {})
        }
        if (Object.keys(data).length === 0)
          return yield* new Mistyped({
            message: "Say what to change: --profile, --vlan, --description, --enable or --disable"
          })
        const body = { interfaces: Object.fromEntries(ports.map((port) => [port, { ...use, data }])) }
        const params = { hostname: device }
        const { answer } = yield* ask("POST /device/:hostname/interfaces/preview", { params, body })
        const { diff, errors } = answer.data
        if (errors.length > 0) return yield* new Refused({ message: errors.join("\n") })
        if (!json) yield* say(diff === "" ? "The configuration is unchanged." : diff)
        if (!dryRun) yield* ask("PUT /device/:hostname/interfaces", { params, body })
        if (json) return yield* printJson({ hostname: device, diff, stored: !dryRun })
        if (!dryRun) yield* say(`Stored. Push it: switchyard sync ${device} --watch`)
      })
    )
).pipe(Command.withDescription("Change ports: shows what that does to the configuration, then stores it."))

/** The command. */
export const ports = Command.make("ports").pipe(
  Command.withDescription("Ports of access switches."),
  Command.withSubcommands([list, set, importPorts, exportPorts])
)

// `switchyard init`: gives a discovered switch its name and its place.

/** The command. */
export const init = Command.make(
  "init",
  {
    which: Argument.String("switch").pipe(
      Argument.withDescription("Id, MAC address, serial number or present name of a switch")
    ),
    hostname: Argument.String("hostname").pipe(Argument.withDescription("Its name from now on")),
    type: Flag.Literals("type", ["ACCESS", "DIST", "CORE"]).pipe(
      Flag.withDescription("What it is for"),
      Flag.withDefault("ACCESS")
    ),
    mlagPeer: Flag.Int("mlag-peer").pipe(Flag.withDescription("Id of the other switch of an MLAG pair"), Flag.optional),
    mlagName: Flag.String("mlag-peer-name").pipe(Flag.withDescription("The other's name from now on"), Flag.optional),
    check: flag("check", "Only say whether it could be initialised"),
    watching: flag("watch", "Follow the job to its end; exit code 1 when it is no success"),
    json: format.json
  },
  ({ check, hostname, json, mlagName, mlagPeer, type, watching, which }) =>
    reported(
      Effect.gen(function* () {
        const id = yield* idOf(which)
        const body = {
          hostname,
          device_type: type,
          ...Option.match(mlagPeer, { onNone: () => ({}), onSome: (peer) => ({ mlag_peer_id: peer }) }),
          ...Option.match(mlagName, { onNone: () => ({}), onSome: (name) => ({ mlag_peer_hostname: name }) })
        }
        if (check) {
          const { answer } = yield* ask("POST /device_initcheck/:id", { params: { id }, body })
          return yield* printJson(answer.data)
        }
        const present = yield* oneDevice(String(id))
        if (present.state !== "DISCOVERED")
          return yield* new Refused({
            message: `${present.hostname} is ${present.state}: only a DISCOVERED switch can be initialised`
          })
        const { answer } = yield* ask("POST /device_init/:id", { params: { id }, body })
        yield* json
          ? Console.log(JSON.stringify({ job_id: answer.job_id }))
          : say(`${answer.data}: job ${answer.job_id}`)
        if (watching) yield* watch(answer.job_id)
      })
    )
).pipe(Command.withDescription("Initialise a switch that was discovered, or check whether it could be."))
