/** Handlers of the interface routes: list, change, export. */
import { DateTime, Effect, Record } from "effect"
import { isDeepStrictEqual } from "node:util"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { makeSecretSight } from "../access/SecretSight.ts"
import { Api } from "../api/Api.ts"
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
import { answered, asCaller, refuseUnrendered, transaction } from "./core/HandlerErrors.ts"
import { makeDeviceLookup } from "./core/Permits.ts"
import { permitted, permittedByRight } from "../access/Permit.ts"
import type { Device } from "../domain/Device.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { EventStore } from "../store/EventStore.ts"
import { isObject, type JsonObject } from "../domain/fields/Values.ts"
import { Previews } from "../templates/CandidateConfigs.ts"
import { makeNeighbours } from "./devices/LinkedDevices.ts"
import { SettingsView } from "../settings/SettingsView.ts"
import { createHash } from "node:crypto"
import { diff } from "../drivers/UnifiedDiff.ts"
import { findMark, SecretTexts } from "../store/SecretStore.ts"
import { Caller } from "../api/Requests.ts"
import { BadRequest, enveloped, InternalError, PreconditionFailed } from "../api/Answers.ts"

// Ports as callers see them: their secrets hidden, and a version that changes with any port.

/** Ports with secrets in their texts replaced by marks. */
export const hiddenPorts =
  ({ hideTexts }: SecretTexts["Service"]) =>
  (ports: ReadonlyArray<Interface>): ReadonlyArray<Interface> =>
    ports.map((port) => {
      const data = hideTexts(port.data)
      return { ...port, data: isObject(data) ? data : null }
    })

/** The version of hidden ports, so that it cannot be used to guess a secret. The database yields the keys of data in a stable order. */
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

/** The version in `If-Match`, with or without quotation marks; undefined for none and for `*`. */
const wantedVersion = (header: string | undefined): string | undefined => {
  const text = header?.trim().replace(/^(W\/)?"(.*)"$/, "$2")
  return text === undefined || text === "" || text === "*" ? undefined : text
}

// PUT interfaces: changes ports one by one, stores the valid changes and reports the others (docs/api.md#changing-ports).

type SentPorts = typeof PortChanges.checked.Type
type Ports = typeof PortChanges.schema.Type.interfaces

const refuse = (errors: ReadonlyArray<string>) => new BadRequest({ message: { errors } })

/** The VXLANs of effective settings by key, and the names and keys by which ports may refer to VLANs. */
export const vlansOf = (settings: JsonObject): Pick<PortContext, "vlanNames" | "vxlans"> => {
  const vxlans = isObject(settings["vxlans"]) ? settings["vxlans"] : {}
  const names = Object.values(vxlans).flatMap((vxlan) => {
    const name = isObject(vxlan) ? vxlan["vlan_name"] : undefined
    return typeof name === "string" ? [name] : []
  })
  return { vxlans: new Set(Object.keys(vxlans)), vlanNames: new Set([...names, ...Object.keys(vxlans)]) }
}

/** The changed parts of a port. */
const asUpdated = ({ configtype, configtypeChanged, data, dataChanged }: PortChange) => ({
  ...(configtypeChanged ? { configtype } : {}),
  ...(dataChanged ? { data } : {})
})
export type UpdatedPort = ReturnType<typeof asUpdated>

/** Yields a function that stores a changed port. Its result is what has changed, without secrets. */
export const makePortStoring = Effect.gen(function* () {
  const ports = yield* InterfaceStore
  const hide = hiddenPorts(yield* SecretTexts)
  return Effect.fnUntraced(function* (port: Interface, outcome: PortChange) {
    yield* ports.put(port.device_id, port.name, outcome.configtype, outcome.dataChanged ? outcome.data : port.data)
    const [shown = port] = hide([{ ...port, data: outcome.data }])
    return asUpdated({ ...outcome, data: shown.data })
  })
})

/** Yields a function that reads the inputs of a rendering. The rendering, or its failure, comes later, outside the transaction. */
export const makePrepared = Effect.map(
  Effect.service(Previews),
  ({ prepare }) =>
    (device: Device) =>
      Effect.catchTag(prepare(device), "PreviewFailed", (error) => Effect.succeed(Effect.fail(error)))
)

/** The change with the stored secrets in the place of the marks that the caller saw. Other marks are refused. */
export const withStoredSecrets = (
  port: Interface,
  outcome: PortChange,
  { hideTexts }: SecretTexts["Service"]
): PortChange => {
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

/** The result of a transaction that is rolled back. */
export class RolledBack<A> {
  readonly _tag = "RolledBack"
  readonly found: A
  constructor(found: A) {
    this.found = found
  }
}

/** Changes ports by a request body. Fails with 400 if any part was refused, after the valid parts were stored. */
const makeInterfaceUpdate = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const ports = yield* InterfaceStore
  const contextOf = yield* makeContext
  const prepared = yield* makePrepared
  const store = yield* makePortStoring
  const events = yield* EventStore
  const secrets = yield* SecretTexts
  const hide = hiddenPorts(secrets)
  const { unsynchronize } = yield* makeNeighbours
  const inTransaction = yield* transaction

  /** Refuses a change that was based on another version of the ports. */
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

  /** Checked before anything is stored. Lines that a port has already, sent back as they were shown, are no change. */
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
    const updated: Array<readonly [name: string, change: UpdatedPort]> = []
    for (const [name, sent] of Object.entries(interfaces)) {
      const port = stored.get(name)
      if (port === undefined || sent === null) {
        errors.push(sent === null ? NO_OBJECT : `Interface ${name} not found`)
        continue
      }
      const outcome = withStoredSecrets(port, changePort(port, sent, context), secrets)
      errors.push(...outcome.errors)
      if (!outcome.configtypeChanged && !outcome.dataChanged) continue
      updated.push([name, yield* store(port, outcome)])
    }
    if (updated.length > 0) yield* unsynchronize([device.id], "interface_updated", by)
    return { errors, updated: Object.fromEntries(updated) }
  })

  /** The device and the sent ports, if the caller may change them. */
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
    // the row's lock serializes changes of one device's ports
    const locked = Effect.flatMap(devices.lock(known.id), (device) => change(device, interfaces, by, wanted))
    const { errors, updated } = yield* inTransaction(locked)
    if (errors.length === 0) return enveloped({ updated })
    return yield* Object.keys(updated).length === 0 ? refuse(errors) : new BadRequest({ message: { errors, updated } })
  })

  /** Applies the change, reads the inputs of a rendering, and rolls the change back. */
  const tried = (known: Device, interfaces: Ports, by: string) => {
    const changing = Effect.gen(function* () {
      const device = yield* devices.lock(known.id)
      const changed = yield* change(device, interfaces, by)
      return yield* Effect.fail(new RolledBack({ changed, render: yield* prepared(device) }))
    })
    return Effect.catchTag(inTransaction(changing), "RolledBack", ({ found }) => Effect.succeed(found))
  }

  const preview = Effect.fn("InterfaceUpdate.preview")(function* (hostname: string, sent: SentPorts, by: string) {
    const { interfaces, known } = yield* asked(hostname, sent)
    const renderNow = yield* prepared(known)
    const { changed, render } = yield* tried(known, interfaces, by)
    const both = Effect.all([renderNow, render])
    const [now, then] = yield* Effect.catchTag(both, "PreviewFailed", refuseUnrendered(hostname))
    return enveloped({ ...changed, diff: diff(now.generated_config, then.generated_config) })
  })

  return { update, preview }
})

/** Ports in the order of their numbers. */
export const numbered = (ports: ReadonlyArray<Interface>) =>
  ports
    .map((port) => ({ ...port, indexnum: indexNumber(port.name) }))
    .toSorted((a, b) => a.indexnum - b.indexnum || (a.name < b.name ? -1 : 1))

/** The parts of a download. */
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
  const sight = yield* makeSecretSight
  const hide = hiddenPorts(yield* SecretTexts)
  /** The ports as this caller may see them, and with all secrets hidden. */
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
