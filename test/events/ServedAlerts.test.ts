/** Alerts of a whole server whose `alerts.yml` comes with the settings: what real requests and refreshes lead to at a receiver. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { listen } from "../support/AlertReceiver.ts"
import { happened, SECRET, until, verified } from "../support/AlertSite.ts"
import { ApiSite } from "../support/ApiSite.ts"
import { serve } from "../support/ServedCampus.ts"

const Alerts = Schema.Struct({
  data: Schema.Struct({
    source: Schema.NullOr(Schema.String),
    problem: Schema.NullOr(Schema.String),
    receivers: Schema.Array(Schema.Struct({ name: Schema.String, problem: Schema.NullOr(Schema.String) }))
  })
})
const Refused = Schema.Struct({ message: Schema.String })

const alertsFile = (url: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
  chat: { type: slack, url_secret: CHAT }
ready:
  device_unreachable: { to: noc, wait: 0s, group: device }
rules:
  east: { kind: device, action: state, groups: [EAST_WING], device_types: [ACCESS], to: noc }
`

layer(ApiSite.layer, { excludeTestServices: true })("A server with alerts.yml in its settings", (it) => {
  it.effect(
    "follows the rules in force, refuses a commit with wrong rules at its line, and continues with the previous rules",
    () =>
      Effect.gen(function* () {
        const { folders, variables } = yield* ApiSite
        const { received, url } = yield* listen()
        yield* folders.settings.commit({ "alerts.yml": alertsFile(url) })
        const env = { ...variables, JWT_ENABLED: "false", ALERT_SECRET_HOOK: SECRET, ALLOW_OPEN_API: "true" }
        const served = yield* serve(env)
        const send = (method: string, path: string, body?: unknown) =>
          Effect.promise(async () => {
            const response = await fetch(`${served.url}/api/v1.0${path}`, {
              method,
              headers: { "content-type": "application/json" },
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
            const json: unknown = await response.json()
            return { status: response.status, json }
          })
        const inForce = Effect.map(send("GET", "/alerts"), ({ json }) => Schema.decodeUnknownSync(Alerts)(json).data)
        yield* until(Effect.map(inForce, ({ source }) => source === "settings"))
        assert.deepStrictEqual(yield* inForce, {
          source: "settings",
          problem: null,
          receivers: [
            { name: "noc", problem: null },
            { name: "chat", problem: "ALERT_SECRET_CHAT is not set" }
          ]
        })
        const tested = yield* send("POST", "/alerts/receivers/noc/test")
        assert.deepStrictEqual(tested, {
          status: 200,
          json: { status: "success", data: { is_taken: true, answer: "200: ok" } }
        })

        yield* Effect.gen(function* () {
          yield* setScene()
          const sql = yield* SqlClient.SqlClient
          const [before] = yield* sql<{ id: number }>`select coalesce(max(id), 0)::float8 as id from event`
          yield* until(
            Effect.map(
              sql<{ at: number }>`select event_id::float8 as at from alert_position`,
              ([row]) => (row?.at ?? 0) >= (before?.id ?? 0)
            )
          )
          yield* happened("device", "state", "dist1")
          yield* happened("device", "state", "east-a1")
          for (const _time of [1, 2]) yield* send("GET", "/device/dist2/interface_status")
        }).pipe(Effect.provideContext(served.running))
        const titles = () =>
          verified(received)
            .map(({ body }) => JSON.parse(body).data)
            .filter(({ rule }) => rule !== "test")
            .map(({ title }) => String(title).slice(0, 23))
        const told = (start: string) => titles().some((title) => title.startsWith(start))
        yield* until(Effect.sync(() => told("dist2") && told("east-a1: device state")))
        assert.notInclude(titles(), "dist1: device state")
        assert.strictEqual(titles().filter((title) => title.startsWith("dist2 is unreachable")).length, 1)

        yield* folders.settings.commit({ "alerts.yml": alertsFile(url).replace("action: state", "acton: state") })
        const { json, status } = yield* send("PUT", "/repository/settings", { action: "refresh" })
        assert.strictEqual(status, 400)
        const { message } = Schema.decodeUnknownSync(Refused)(json)
        assert.match(message, /alerts\.yml, line 7, column \d+: rules->east->acton/)
        assert.strictEqual((yield* inForce).source, "settings")
        yield* folders.settings.commit({ "alerts.yml": alertsFile(url) })
        assert.strictEqual((yield* send("PUT", "/repository/settings", { action: "refresh" })).status, 200)
      }).pipe(Effect.scoped)
  )
})
