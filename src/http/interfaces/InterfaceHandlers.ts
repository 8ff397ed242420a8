/** Handlers of the interface routes: list, change, export. */
import { DateTime, Effect } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { SecretSight } from "../../access/SecretSight.ts"
import { Api } from "../../api/Api.ts"
import { Caller } from "../../api/Requests.ts"
import { enveloped } from "../../api/Answers.ts"
import { indexNumber, type Interface } from "../../domain/Interface.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { SecretTexts } from "../../store/SecretTexts.ts"
import { asCaller } from "../core/AsCaller.ts"
import { answered } from "../core/Unavailable.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { hiddenPorts, versionOf } from "./PortsVersion.ts"
import { makeInterfaceUpdate } from "./InterfaceUpdate.ts"

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
