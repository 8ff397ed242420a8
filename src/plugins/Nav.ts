/**
 * Plugin `nav`: adds a switch that became MANAGED to a Network Administration Visualized server (docs/operations.md#plugins).
 * Variables: urlbase, apitoken, organizationid, roomid, snmp_community.
 */
import { Effect, Redacted, Schema } from "effect"
import { FetchHttpClient, HttpClientRequest } from "effect/http"
import * as HttpCalls from "./HttpCalls.ts"
import { type Plugin, PluginError, type PluginVariables } from "./Plugin.ts"

const text = (fallback: string) => Schema.String.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

const Variables = Schema.Struct({
  urlbase: text(""),
  apitoken: text(""),
  organizationid: text("Undefined"),
  roomid: text("Undefined"),
  snmp_community: text("public")
})

const NAME = "nav"
const CREATED = 201

/** Makes the plugin. */
export const make = (variables: PluginVariables): Effect.Effect<Plugin, PluginError> =>
  Schema.decodeUnknownEffect(Variables)(variables).pipe(
    Effect.mapError((error) => new PluginError({ plugin: NAME, message: error.message })),
    Effect.map(({ apitoken, organizationid, roomid, snmp_community, urlbase }) => {
      const token = Redacted.make(apitoken)
      return {
        name: NAME,
        selftest: Effect.succeed(urlbase !== "" && apitoken !== ""),
        call: (call) => {
          if (call.hook !== "new_managed_device") return Effect.void
          const request = HttpClientRequest.post(`${urlbase}/api/1/netbox/`).pipe(
            HttpClientRequest.setHeader("Authorization", `Token ${Redacted.value(token)}`),
            HttpClientRequest.bodyJsonUnsafe({
              ip: call.management_ip,
              sysname: call.hostname,
              roomid,
              organizationid,
              categoryid: "SW",
              snmp_version: 2,
              read_only: snmp_community
            })
          )
          return Effect.asVoid(HttpCalls.send(NAME, request, CREATED)).pipe(Effect.provide(FetchHttpClient.layer))
        }
      }
    })
  )
