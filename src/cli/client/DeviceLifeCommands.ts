/**
 * `switchyard device add`, `set`, `unmanage`, `manage`, `delete` and `replace`: the life of a device's record, from its first day to the
 * unit that follows a broken one (docs/command-line.md#the-life-of-a-device).
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { deviceStates, deviceTypes, platforms } from "../../domain/Device.ts"
import { ask, Mistyped, Refused } from "./Server.ts"
import { printScope, requireAgreement, yes } from "./Questions.ts"
import { started } from "./JobCommands.ts"
import { format, harmless, printJson, reported, say } from "./Terminal.ts"

const name = Argument.String("name").pipe(Argument.withDescription("Name of a device"))
const text = (flag: string, description: string) =>
  Flag.String(flag).pipe(Flag.withDescription(description), Flag.optional)
const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const watching = flag("watch", "Follow the job to its end; exit code 1 when it is no success")

/** The record with this name. */
export const oneDevice = Effect.fnUntraced(function* (id: string) {
  const { answer } = yield* ask("GET /device/:id", { params: { id } })
  const [found] = answer.data.devices
  return found ?? (yield* new Refused({ message: `No device is called ${id}` }))
})

/** A switch by its id, name, MAC address or serial number. */
export const idOf = Effect.fnUntraced(function* (word: string) {
  if (/^\d+$/.test(word)) return Number(word)
  const look = Effect.fnUntraced(function* (filter: string) {
    const { answer } = yield* ask("GET /devices", { query: { [filter]: word, per_page: 2 } })
    return answer.data.devices
  })
  // a whole name wins over parts of other names
  const [named] = yield* look("filter[hostname]")
  const [found, other] = named === undefined ? yield* look("filter[search][contains]") : [named]
  if (found !== undefined && other === undefined) return found.id
  return yield* new Refused({
    message: `${found === undefined ? "No switch" : "More than one switch"} is found by ${word}`
  })
})

// Fields that people write; an empty text removes a value.

const facts = {
  address: text("address", "Its management address"),
  secondaryAddress: text("secondary-address", "Its second management address"),
  dhcpAddress: text("dhcp-address", "The address of its DHCP lease"),
  infraAddress: text("infra-address", "Its address in the fabric"),
  mac: text("mac", "Its MAC address"),
  serial: text("serial", "Its serial number"),
  description: text("description", "A description"),
  site: text("site", "The description of its site"),
  port: Flag.Int("port").pipe(Flag.withDescription("Port of its SSH server, if it is not 22"), Flag.optional),
  platform: Flag.Literals("platform", platforms).pipe(Flag.withDescription("How it is spoken to"), Flag.optional)
}
type Facts = Command.Command.Config.Infer<typeof facts>

const given = (fields: Readonly<Record<string, Option.Option<unknown>>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (Option.isSome(value) ? [[key, value.value] as const] : []))
  )

/** The given facts as keys of the API. */
const bodyOf = (facts: Facts) =>
  given({
    management_ip: facts.address,
    secondary_management_ip: facts.secondaryAddress,
    dhcp_ip: facts.dhcpAddress,
    infra_ip: facts.infraAddress,
    ztp_mac: facts.mac,
    serial: facts.serial,
    description: facts.description,
    site: facts.site,
    port: facts.port,
    platform: facts.platform
  })

const add = Command.make(
  "add",
  {
    name,
    type: Flag.Literals("type", deviceTypes).pipe(Flag.withDescription("What it is for")),
    state: Flag.Literals("state", deviceStates).pipe(
      Flag.withDescription("UNMANAGED: it is known and stays as it is. MANAGED: it gets its configuration from here"),
      Flag.withDefault("UNMANAGED")
    ),
    ...facts,
    json: format.json
  },
  ({ json, name, state, type, ...facts }) =>
    reported(
      Effect.gen(function* () {
        const body = { hostname: name, device_type: type, state, ...bodyOf(facts) }
        const { answer } = yield* ask("POST /device", { body })
        const { added_device } = answer.data
        if (json) return yield* printJson(added_device)
        yield* say(`${added_device.hostname} is added as ${added_device.state}, id ${added_device.id}`)
      })
    )
).pipe(Command.withDescription("Add a device that is not discovered."))

/** Changes a record; yields it afterwards. */
const change = Effect.fnUntraced(function* (name: string, body: Readonly<Record<string, unknown>>) {
  const { id } = yield* oneDevice(name)
  const { answer } = yield* ask("PUT /device/:id", { params: { id }, body })
  return answer.data.updated_device
})

const set = Command.make(
  "set",
  {
    name,
    hostname: text("hostname", "Its name from now on"),
    type: Flag.Literals("type", deviceTypes).pipe(Flag.withDescription("What it is for"), Flag.optional),
    ...facts,
    json: format.json
  },
  ({ hostname, json, name, type, ...facts }) =>
    reported(
      Effect.gen(function* () {
        const body = { ...given({ hostname, device_type: type }), ...bodyOf(facts) }
        if (Object.keys(body).length === 0)
          return yield* new Mistyped({ message: "Say what to change, for example --description" })
        const updated = yield* change(name, body)
        yield* json ? printJson(updated) : say(`${updated.hostname} is changed`)
      })
    )
).pipe(Command.withDescription("Change the record of a device; an empty text removes a value."))

const unmanage = Command.make("unmanage", { name, json: format.json }, ({ json, name }) =>
  reported(
    Effect.gen(function* () {
      const updated = yield* change(name, { state: "UNMANAGED" })
      yield* json
        ? printJson(updated)
        : say(`${updated.hostname} is UNMANAGED: it stays as it is until it is managed again`)
    })
  )
).pipe(Command.withDescription("Leave a device as it is, for example before it is replaced."))

const manage = Command.make("manage", { name, json: format.json }, ({ json, name }) =>
  reported(
    Effect.gen(function* () {
      const updated = yield* change(name, { state: "MANAGED", synchronized: false })
      if (json) return yield* printJson(updated)
      yield* say(`${updated.hostname} is MANAGED. See what would change: switchyard sync ${name} --dry-run --watch`)
    })
  )
).pipe(Command.withDescription("Manage a device: it gets its configuration from here."))

const remove = Command.make(
  "delete",
  {
    name,
    factoryDefault: flag("factory-default", "Also erase the switch, which then boots like a new one"),
    yes,
    watch: watching,
    json: format.json
  },
  ({ factoryDefault, json, name, watch, yes }) =>
    reported(
      Effect.gen(function* () {
        const { device_type, hostname, id, management_ip, state } = yield* oneDevice(name)
        yield* printScope([["Device", `${hostname} (${device_type}, ${state}, ${management_ip ?? "no address"})`]])
        yield* requireAgreement({
          question: factoryDefault
            ? `Erase the switch ${hostname}, and delete it with its ports, links and history?`
            : `Delete ${hostname} with its ports, links and history? The switch itself stays as it is.`,
          typed: factoryDefault ? hostname : null,
          undone: "Nothing was deleted",
          yes
        })
        const body = factoryDefault ? { factory_default: true } : {}
        const { answer } = yield* ask("DELETE /device/:id", { params: { id }, body })
        if ("job_id" in answer && typeof answer.job_id === "number")
          return yield* started(answer.job_id, `${hostname} is being erased`, { json, watch })
        yield* json ? printJson(answer.data) : say(`${hostname} is deleted`)
      })
    )
).pipe(Command.withDescription("Delete a device, after a question."))

const replace = Command.make(
  "replace",
  {
    name: Argument.String("old").pipe(Argument.withDescription("Name of the broken access switch")),
    unit: Argument.String("new").pipe(
      Argument.withDescription("Id, MAC address, serial number or present name of the discovered unit")
    ),
    check: flag("check", "Only say whether it could be replaced, and what would be lost"),
    yes,
    watch: watching,
    json: format.json
  },
  ({ check, json, name, unit, watch, yes }) =>
    reported(
      Effect.gen(function* () {
        const old = yield* oneDevice(name)
        const id = yield* idOf(unit)
        const body = { hostname: old.hostname, device_type: "ACCESS", replace_hostname: true }
        if (check) {
          const { answer } = yield* ask("POST /device_initcheck/:id", { params: { id }, body })
          return yield* printJson(answer.data)
        }
        // before the old device changes
        const { hostname, state } = yield* oneDevice(String(id))
        if (state !== "DISCOVERED")
          return yield* new Refused({ message: `${hostname} is ${state}: only a DISCOVERED unit can replace a switch` })
        const isManaged = old.state === "MANAGED"
        yield* printScope([["Device", `${old.hostname} (${old.state}), replaced by switch ${id}`]])
        yield* requireAgreement({
          question: `Replace ${old.hostname}?${isManaged ? " It becomes UNMANAGED first." : ""}`,
          typed: old.hostname,
          undone: "Nothing was replaced",
          yes
        })
        if (isManaged) yield* change(old.hostname, { state: "UNMANAGED" })
        const { answer } = yield* ask("POST /device_init/:id", { params: { id }, body }).pipe(
          Effect.tapError(() =>
            isManaged
              ? Console.error(harmless(`${old.hostname} is UNMANAGED now: switchyard device manage ${old.hostname}`))
              : Effect.void
          )
        )
        yield* started(answer.job_id, answer.data, { json, watch })
      })
    )
).pipe(
  Command.withDescription(
    "Give a discovered unit the name, ports and links of a broken access switch, after a question."
  )
)

/** The sub-commands of `device`. */
export const life = [add, set, unmanage, manage, remove, replace] as const
