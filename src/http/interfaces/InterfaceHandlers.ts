/** Handlers of the interface routes: list, change, export. */
import { DateTime, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { enveloped } from "../../api/Envelope.ts"
import { indexNumber, type Interface } from "../../domain/Interface.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { withBody } from "../core/BodyRequest.ts"
import { answered } from "../core/Unavailable.ts"
import { makeDeviceLookup } from "../devices/DeviceLookup.ts"
import { first, type Parameters } from "../listing/ListRequest.ts"
import { makeInterfaceUpdate } from "./InterfaceUpdate.ts"

const numbered = (ports: ReadonlyArray<Interface>) =>
  ports
    .map((port) => ({ ...port, indexnum: indexNumber(port.name) }))
    .toSorted((a, b) => a.indexnum - b.indexnum || (a.name < b.name ? -1 : 1))

const flag = (parameters: Parameters, name: string, fallback: boolean): boolean => {
  const value = first(parameters, name)?.toLowerCase()
  return value === undefined ? fallback : ["true", "1", "yes", "on"].includes(value)
}

const exported = (ports: ReadonlyArray<Interface>, parameters: Parameters) => {
  const uplinks = flag(parameters, "include_uplinks", false)
  const downlinks = flag(parameters, "include_downlinks", true)
  const descriptions = flag(parameters, "include_descriptions", true)
  return numbered(ports)
    .filter(
      ({ configtype }) => (uplinks || configtype !== "ACCESS_UPLINK") && (downlinks || configtype !== "ACCESS_DOWNLINK")
    )
    .map(({ configtype, data, name }) => {
      const { description: _description, ...others } = data ?? {}
      return [name, { configtype, data: data === null || descriptions ? data : others }] as const
    })
}

const makeReading = Effect.gen(function* () {
  const lookup = yield* makeDeviceLookup
  const interfaces = yield* InterfaceStore
  const portsOf = Effect.fnUntraced(function* (hostname: string) {
    const { id } = yield* lookup.byHostname(hostname)
    return yield* interfaces.ofDevice(id)
  })
  return {
    list: Effect.fnUntraced(function* (hostname: string) {
      return enveloped({ interfaces: numbered(yield* portsOf(hostname)), hostname })
    }),
    export: Effect.fnUntraced(function* (hostname: string) {
      const ports = yield* portsOf(hostname)
      const chosen = exported(ports, yield* HttpServerRequest.ParsedSearchParams)
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
      .handleRaw("update", ({ params, request }) =>
        withBody(request, (body, user) => change(params.hostname, body, user))
      )
      .handle("export", ({ params }) => answered(reading.export(params.hostname)))
  })
)
