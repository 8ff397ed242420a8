/** `switchyard devices`, `device` and `why`: what is known of the network. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { causeText } from "../../domain/SyncCause.ts"
import { type Column, format, printJson, printOne, printRows, reported, say } from "./Output.ts"
import { ask, askAll, Refused } from "./Server.ts"

export type DeviceRecord = Data<"GET /devices">["devices"][number]

const COLUMNS: ReadonlyArray<Column<DeviceRecord>> = [
  ["name", ({ hostname }) => hostname],
  ["state", ({ state }) => state],
  ["synchronized", ({ state, synchronized }) => (state === "MANAGED" ? synchronized : "")],
  ["type", ({ device_type }) => device_type],
  ["group", ({ primary_group }) => primary_group],
  ["address", ({ dhcp_ip, management_ip }) => management_ip ?? dhcp_ip],
  ["model", ({ model }) => model],
  ["version", ({ os_version }) => os_version],
  ["serial", ({ serial }) => serial],
  ["seen", ({ last_seen }) => last_seen]
]

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))

/** The command. */
export const devices = Command.make(
  "devices",
  {
    search: Argument.String("search").pipe(
      Argument.withDescription("A word in the name, an address, serial, MAC, model or description"),
      Argument.optional
    ),
    state: optionalText("state", "Only devices in this state, such as MANAGED"),
    type: optionalText("type", "Only ACCESS, DIST or CORE"),
    unsynchronized: flag("unsynchronized", "Only managed devices that are not synchronized"),
    drifted: flag("drifted", "Only devices that have drifted"),
    unreachable: flag("unreachable", "Only devices that do not answer"),
    sort: Flag.String("sort").pipe(
      Flag.withDescription("Field to sort by, with - descending"),
      Flag.withDefault("hostname")
    ),
    ...format
  },
  ({ csv, drifted, json, search, sort, state, type, unreachable, unsynchronized }) =>
    reported(
      Effect.gen(function* () {
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
        yield* printRows({ csv, json }, COLUMNS, rows, "No device matches")
      })
    )
).pipe(Command.withDescription("List devices."))

const name = Argument.String("name").pipe(Argument.withDescription("Name of a device"))

const oneDevice = Effect.fnUntraced(function* (id: string) {
  const { answer } = yield* ask("GET /device/:id", { params: { id } })
  const [found] = answer.data.devices
  return found ?? (yield* new Refused({ message: `No device is called ${id}` }))
})

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
        ["does", () => (call === null ? activity : `${call}${job_id === null ? "" : ` for job ${job_id}`}`)],
        ["waiting", () => waiting.map((one) => one.call).join(", ")]
      ])
    })
  )
).pipe(Command.withDescription("Show a device, and what it is doing."))

const timeOf = (seconds: number | null): string =>
  seconds === null ? "" : `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** The job that a cause names, for the commits that it worked on. */
const commitsOf = Effect.fnUntraced(function* (id: number) {
  const { answer } = yield* ask("GET /job/:id", { params: { id }, query: { filter_jobresult: "config,diff" } })
  const [job] = answer.data.jobs
  const commits = [job?.settings_commit, job?.templates_commit].flatMap((commit) =>
    commit ? [commit.slice(0, 10)] : []
  )
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
      if (state !== "MANAGED") return yield* say(`${hostname} is ${state}: only managed devices are synchronized`)
      if (synchronized) return yield* say(`${hostname} is synchronized: it was proved to run what the settings say`)
      yield* say(`${hostname} is not synchronized:`)
      if (causes.length === 0) yield* say("  nothing was noted why; a dry run shows what would change")
      for (const { job_id, timestamp, ...cause } of causes) {
        const job = typeof job_id === "number" ? `, job ${job_id}${yield* commitsOf(job_id)}` : ""
        yield* say(`  ${causeText(cause)}, ${timeOf(timestamp)}${job}`)
      }
      yield* say(`See what would change: switchyard sync ${hostname} --dry-run --watch`)
    })
  )
).pipe(Command.withDescription("Say why a device is not synchronized: which cause, who, which job and commit."))
