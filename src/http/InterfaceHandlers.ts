/** Handlers of the interface routes: list, change, export. */
import { DateTime, Effect, Record } from "effect"
import { isDeepStrictEqual } from "node:util"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { SecretSight } from "../access/SecretSight.ts"
import { Api } from "../api/Api.ts"
import { Caller } from "../api/Requests.ts"
import { BadRequest, enveloped, InternalError, PreconditionFailed } from "../api/Answers.ts"
import {
  changePort,
  freeFields,
  indexNumber,
  type Interface,
  NO_OBJECT,
  type PortChange,
  type PortChanges,
  type PortContext,
  refersToSettings
} from "../domain/Interface.ts"
import { InterfaceStore } from "../store/InterfaceStore.ts"
import { answered, asCaller, transaction } from "./core/HandlerErrors.ts"
import { makeDeviceLookup } from "./core/Permits.ts"
import { permitted, permittedByRight } from "../access/Permit.ts"
import type { Device } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { isObject, type JsonObject } from "../domain/fields/Values.ts"
import { Previews } from "../jobs/sync/Previews.ts"
import { makeNeighbours } from "./devices/LinkedDevices.ts"
import { SettingsView } from "../settings/SettingsView.ts"
import { createHash } from "node:crypto"
import { diff } from "../drivers/UnifiedDiff.ts"
import { findMark, SecretTexts } from "../store/SecretStore.ts"

// The ports of a device as they are told: their version, another text as soon as one of them is another one, and their secrets hidden.

/** Ports with marks in the place of secrets in their texts. */
export const hiddenPorts =
  ({ hideTexts }: SecretTexts["Service"]) =>
  (ports: ReadonlyArray<Interface>): ReadonlyArray<Interface> =>
    ports.map((port) => {
      const data = hideTexts(port.data)
      return { ...port, data: isObject(data) ? data : null }
    })

/** Of hidden ports: a version must not tell a secret to who tries many. The keys of data come from the database in an order that is always the same. */
export const versionOf = (ports: ReadonlyArray<Interface>): string =>
  createHash("sha256")
    .update(
      JSON.stringify(
        ports
          .map(({ configtype, data, name }) => [name, configtype, data])
          .toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1))
      )
    )
    .digest("hex")
    .slice(0, 16)

/** The version in `If-Match`, which may stand in quotation marks; undefined for none and for `*`. */
export const wantedVersion = (header: string | undefined): string | undefined => {
  const text = header?.trim().replace(/^(W\/)?"(.*)"$/, "$2")
  return text === undefined || text === "" || text === "*" ? undefined : text
}

// PUT interfaces: changes ports one by one, keeps what is good and tells what is not (docs/api.md#changing-ports).

type SentPorts = typeof PortChanges.checked.Type
type Ports = typeof PortChanges.schema.Type.interfaces

const refuse = (errors: ReadonlyArray<string>) => new BadRequest({ message: { errors } })

/** The VXLANs of effective settings by their keys, and what ports may name their VLANs by: names and keys. */
export const vlansOf = (settings: JsonObject): Pick<PortContext, "vlanNames" | "vxlans"> => {
  const vxlans = isObject(settings["vxlans"]) ? settings["vxlans"] : {}
  const names = Object.values(vxlans).flatMap((vxlan) => {
    const name = isObject(vxlan) ? vxlan["vlan_name"] : undefined
    return typeof name === "string" ? [name] : []
  })
  return { vxlans: new Set(Object.keys(vxlans)), vlanNames: new Set([...names, ...Object.keys(vxlans)]) }
}

const asUpdated = ({ configtype, configtypeChanged, data, dataChanged }: PortChange) => ({
  ...(configtypeChanged ? { configtype } : {}),
  ...(dataChanged ? { data } : {})
})

/** What was given with the marks that its caller was shown for stored secrets, with these secrets; other marks stand for nothing. */
const withStoredSecrets = (port: Interface, outcome: PortChange, { hideTexts }: SecretTexts["Service"]): PortChange => {
  if (outcome.data === null || findMark(JSON.stringify(outcome.data)) === undefined) return outcome
  const shown = hideTexts(port.data)
  const stored = (key: string): unknown => port.data?.[key]
  const known = isObject(shown) ? shown : {}
  const data = Record.map(outcome.data, (value, key) => (isDeepStrictEqual(value, known[key]) ? stored(key) : value))
  const lost = Object.keys(data).filter((key) => findMark(JSON.stringify(data[key])) !== undefined)
  if (lost.length === 0) return { ...outcome, data, dataChanged: !isDeepStrictEqual(data, port.data) }
  const sentences = lost.map(
    (key) => `${key} of ${port.name} has ${findMark(JSON.stringify(data[key]))} in the place of a secret`
  )
  return { ...outcome, data: port.data, dataChanged: false, errors: [...outcome.errors, ...sentences] }
}

const makeContext = Effect.gen(function* () {
  const settings = yield* SettingsView
  return Effect.fnUntraced(function* (device: Device, interfaces: Ports) {
    const { hostname, platform } = device
    if (!Object.values(interfaces).some(refersToSettings)) {
      return { hostname, platform, vlanNames: new Set<string>(), vxlans: new Set<string>() } satisfies PortContext
    }
    const effective = yield* settings
      .effective({ _tag: "Device", device })
      .pipe(
        Effect.catchTag("SettingsUnavailable", ({ message }) =>
          Effect.fail(new InternalError({ message: `Error getting settings: ${message}` }))
        )
      )
    return { hostname, platform, ...vlansOf(effective.settings) } satisfies PortContext
  })
})

/** What was found in a transaction that was done only to see what it would do. */
class TakenBack<A> {
  readonly _tag = "TakenBack"
  readonly found: A
  constructor(found: A) {
    this.found = found
  }
}

/** Changes ports by a request body. Fails with 400 when any part was refused, after the good parts were stored. */
export const makeInterfaceUpdate = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const contextOf = yield* makeContext
  const previews = yield* Previews
  const events = yield* EventStore
  const secrets = yield* SecretTexts
  const hide = hiddenPorts(secrets)
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  /** Refuses what was made of other ports than there are by now. */
  const fence = Effect.fnUntraced(function* (
    { hostname, id }: Device,
    stored: ReadonlyArray<Interface>,
    wanted?: string
  ) {
    if (wanted === undefined || versionOf(hide(stored)) === wanted) return
    const last = yield* events.last("interface", id)
    const who = last === null ? "" : `, by ${last.actor} at ${last.at}`
    return yield* new PreconditionFailed({
      message: `The ports of ${hostname} have changed since they were read${who}: read them again`
    })
  })

  /** Asked before anything is stored. Lines that a port has already, sent back as they are shown, are no change. */
  const mayWriteLines = Effect.fnUntraced(function* (interfaces: Ports, stored: ReadonlyMap<string, Interface>) {
    const free = Object.entries(interfaces).flatMap(([name, sent]) => {
      const shown = secrets.hideTexts(stored.get(name)?.data ?? null)
      return sent === null
        ? []
        : freeFields(sent, isObject(shown) ? shown : null).map((key) => `interfaces.${name}.data${key}`)
    })
    if (free.length > 0) yield* permittedByRight({ free, whole: true })
  })

  const change = Effect.fnUntraced(function* (device: Device, interfaces: Ports, by: string, wanted?: string) {
    const context = yield* contextOf(device, interfaces)
    const now = yield* ports.ofDevice(device.id)
    const stored = new Map(now.map((port) => [port.name, port]))
    yield* mayWriteLines(interfaces, stored)
    yield* fence(device, now, wanted)
    const errors: Array<string> = []
    const updated: Array<readonly [name: string, change: ReturnType<typeof asUpdated>]> = []
    for (const [name, sent] of Object.entries(interfaces)) {
      const port = stored.get(name)
      if (port === undefined || sent === null) {
        errors.push(sent === null ? NO_OBJECT : `Interface ${name} not found`)
        continue
      }
      const outcome = withStoredSecrets(port, changePort(port, sent, context), secrets)
      errors.push(...outcome.errors)
      if (!outcome.configtypeChanged && !outcome.dataChanged) continue
      yield* ports.put(device.id, name, outcome.configtype, outcome.dataChanged ? outcome.data : port.data)
      const [shown = port] = hide([{ ...port, data: outcome.data }])
      updated.push([name, asUpdated({ ...outcome, data: shown.data })])
    }
    if (updated.length > 0) yield* unsynchronize([device.id], "interface_updated", by)
    return { errors, updated: Object.fromEntries(updated) }
  })

  /** The device and what was sent for its ports, when the caller may change these. */
  const asked = Effect.fnUntraced(function* (hostname: string, sent: SentPorts) {
    const known = yield* devices.getByHostname(hostname)
    const { interfaces } = yield* Effect.mapError(Effect.fromResult(sent.complete), refuse)
    yield* permitted({ ports: Object.keys(interfaces).map((port) => ({ hostname: known.hostname, port })) })
    return { known, interfaces }
  })

  const update = Effect.fn("InterfaceUpdate.update")(function* (
    hostname: string,
    sent: SentPorts,
    by: string,
    ifMatch: string | undefined
  ) {
    const { interfaces, known } = yield* asked(hostname, sent)
    const wanted = wantedVersion(ifMatch)
    // the row's lock lets changes of one device's ports happen one after the other
    const locked = Effect.flatMap(devices.lock(known.id), (device) => change(device, interfaces, by, wanted))
    const { errors, updated } = yield* inTransaction(locked)
    if (errors.length === 0) return enveloped({ updated })
    return yield* Object.keys(updated).length === 0 ? refuse(errors) : new BadRequest({ message: { errors, updated } })
  })

  const prepared = (device: Device) =>
    Effect.catchTag(previews.prepare(device), "PreviewFailed", (error) => Effect.succeed(Effect.fail(error)))

  /** Changes, reads all that is needed to render the outcome, and takes the change back. */
  const tried = (known: Device, interfaces: Ports, by: string) => {
    const changing = Effect.gen(function* () {
      const device = yield* devices.lock(known.id)
      const changed = yield* change(device, interfaces, by)
      return yield* Effect.fail(new TakenBack({ changed, render: yield* prepared(device) }))
    })
    return Effect.catchTag(inTransaction(changing), "TakenBack", ({ found }) => Effect.succeed(found))
  }

  const preview = Effect.fn("InterfaceUpdate.preview")(function* (hostname: string, sent: SentPorts, by: string) {
    const { interfaces, known } = yield* asked(hostname, sent)
    const renderNow = yield* prepared(known)
    const { changed, render } = yield* tried(known, interfaces, by)
    const [now, then] = yield* Effect.catchTag(Effect.all([renderNow, render]), "PreviewFailed", ({ message }) =>
      Effect.fail(
        new InternalError({ message: `Exception while generating config for device ${hostname}: ${message}` })
      )
    )
    return enveloped({ ...changed, diff: diff(now.generated_config, then.generated_config) })
  })

  return { update, preview }
})

const numbered = (ports: ReadonlyArray<Interface>) =>
  ports
    .map((port) => ({ ...port, indexnum: indexNumber(port.name) }))
    .toSorted((a, b) => a.indexnum - b.indexnum || (a.name < b.name ? -1 : 1))

/** What a download leaves out. */
interface Parts {
  readonly include_uplinks?: boolean
  readonly include_downlinks?: boolean
  readonly include_descriptions?: boolean
}

const exported = (ports: ReadonlyArray<Interface>, parts: Parts) => {
  const { include_descriptions = true, include_downlinks = true, include_uplinks = false } = parts
  return numbered(ports)
    .filter(
      ({ configtype }) =>
        (include_uplinks || configtype !== "ACCESS_UPLINK") && (include_downlinks || configtype !== "ACCESS_DOWNLINK")
    )
    .map(({ configtype, data, name }) => {
      const { description: _description, ...others } = data ?? {}
      return [name, { configtype, data: data === null || include_descriptions ? data : others }] as const
    })
}

const makeReading = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const interfaces = yield* InterfaceStore
  const sight = yield* SecretSight
  const hide = hiddenPorts(yield* SecretTexts)
  /** The ports as this caller may see them, and as nobody sees secrets in them. */
  const portsOf = Effect.fnUntraced(function* (hostname: string) {
    const { id } = yield* lookup.byHostname(hostname)
    const clear = yield* interfaces.ofDevice(id)
    const hidden = hide(clear)
    const differ = JSON.stringify(hidden) !== JSON.stringify(clear)
    const ports = yield* sight.chosen(yield* Caller, { what: "interfaces", hostname }, { clear, hidden, differ })
    return { ports, hidden }
  })
  return {
    list: Effect.fnUntraced(function* (hostname: string) {
      const { hidden, ports } = yield* portsOf(hostname)
      return enveloped({ interfaces: numbered(ports), hostname, version: versionOf(hidden) })
    }),
    export: Effect.fnUntraced(function* (hostname: string, parts: Parts) {
      const chosen = exported((yield* portsOf(hostname)).ports, parts)
      const now = DateTime.formatIso(yield* DateTime.now).slice(0, 19)
      return HttpApiSchema.withHeaders({
        body: { interfaces: Object.fromEntries(chosen) },
        headers: { "content-disposition": `attachment; filename=${hostname}-interfaces-${now}.json` }
      })
    })
  }
})

/** Handlers of `InterfacesGroup`. */
export const InterfacesLive = HttpApiBuilder.group(Api, "interfaces", (handlers) =>
  Effect.gen(function* () {
    const reading = yield* makeReading
    const change = yield* makeInterfaceUpdate
    return handlers
      .handle("list", ({ params }) => answered(reading.list(params.hostname)))
      .handle("update", ({ params, payload, request }) =>
        asCaller((user) => change.update(params.hostname, payload, user, request.headers["if-match"]))
      )
      .handle("preview", ({ params, payload }) => asCaller((user) => change.preview(params.hostname, payload, user)))
      .handle("export", ({ params, query }) => answered(reading.export(params.hostname, query)))
  })
)
