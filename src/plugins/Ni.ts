/**
 * Plugin `ni`: sets a switch that became MANAGED in service in a network inventory (docs/operations.md#plugins). Variables:
 * urlbase, apiuser, apitoken.
 */
import { Effect, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import * as HttpCalls from "./HttpCalls.ts"
import { type Plugin, PluginError, type PluginVariables } from "./Plugin.ts"

const text = Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed("")))
const Variables = Schema.Struct({ urlbase: text, apiuser: text, apitoken: text })

const Inventory = Schema.Struct({
  objects: Schema.Array(
    Schema.Struct({
      node_name: Schema.String,
      handle_id: Schema.Union([Schema.Int, Schema.String]),
      node: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
    })
  )
})

const NAME = "ni"
const OK = 200
const NO_CONTENT = 204

const addresses = (known: unknown, address: string): ReadonlyArray<unknown> =>
  Array.isArray(known) ? [address, ...known.filter((other) => other !== address)] : [address]

/** Makes the plugin. */
export const make = (variables: PluginVariables): Effect.Effect<Plugin, PluginError> =>
  Schema.decodeUnknownEffect(Variables)(variables).pipe(
    Effect.mapError((error) => new PluginError({ plugin: NAME, message: error.message })),
    Effect.map(({ apitoken, apiuser, urlbase }) => {
      const authorized = HttpClientRequest.setHeader("Authorization", `ApiKey ${apiuser}:${apitoken}`)
      const putInService = Effect.fnUntraced(function* (hostname: string, address: string) {
        const answer = yield* HttpCalls.send(NAME, authorized(HttpClientRequest.get(urlbase)), OK)
        const { objects } = yield* HttpCalls.body(NAME, Inventory)(answer)
        const found = objects.find((object) => object.node_name === hostname)
        if (found === undefined)
          return yield* new PluginError({ plugin: NAME, message: `no node is named ${hostname}` })
        const node = {
          ...found.node,
          operational_state: "In service",
          ip_addresses: addresses(found.node?.["ip_addresses"], address)
        }
        const change = HttpClientRequest.put(`${urlbase}${found.handle_id}/`).pipe(
          HttpClientRequest.bodyJsonUnsafe({ ...found, node })
        )
        yield* HttpCalls.send(NAME, authorized(change), NO_CONTENT)
      }, Effect.provide(FetchHttpClient.layer))
      return {
        name: NAME,
        selftest: Effect.succeed(urlbase !== "" && apiuser !== "" && apitoken !== ""),
        call: (call) =>
          call.hook === "new_managed_device" ? putInService(call.hostname, call.management_ip) : Effect.void
      }
    })
  )
