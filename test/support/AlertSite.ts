/** The makers and senders of alerts on a database of their own, as one server or several run them, with days that pass in seconds. */
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { Webhook } from "standardwebhooks"
import { CallerDevices } from "../../src/access/CallerDevices.ts"
import type { Pace } from "../../src/domain/events/alerts/Receiver.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { ActiveSettings } from "../../src/settings/ActiveSettings.ts"
import type { Received } from "./AlertReceiver.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { storesOn, TEST_KEY } from "./TestStores.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { readAlertsText } from "../../src/settings/SettingsFile.ts"
import * as AlertMaking from "../../src/events/AlertMaking.ts"
import { AlertRulesInForce } from "../../src/events/AlertMaking.ts"
import * as AlertSending from "../../src/events/AlertSending.ts"
import { timer } from "./Patience.ts"

/** The secret of all webhooks here. */
export const SECRET = `whsec_${Buffer.alloc(32, 5).toString("base64")}`

/** Stores on a new database. */
export const AlertDatabase = storesOn(TestDatabase)

/** An hour of attempts in less than a second. */
const PACE: Pace = { first: 5, longest: 100, giveUp: 3 * 86_400_000 }

/** One server's alerts by these rules, until the scope ends. Returns when it has looked once. */
export const serveAlerts = Effect.fnUntraced(function* (alerts: string, pace: Partial<Pace> = {}) {
  const rules = Result.getOrThrow(readAlertsText("alerts.yml", alerts))
  const config = ServerConfig.layerOf({ ...TEST_KEY, ALERT_SECRET_HOOK: SECRET, ALERT_TIMEOUT: timer(1) })
  const inForce = Layer.succeed(AlertRulesInForce, {
    inForce: Effect.succeed({ isKnown: true, rules, source: "settings", problem: null } as const)
  })
  yield* Layer.build(
    Layer.merge(AlertMaking.layer, AlertSending.layer).pipe(
      Layer.provide(inForce),
      Layer.provide(CallerDevices.layer),
      Layer.provide(ActiveSettings.layer),
      Layer.provide(config),
      Layer.provide(NodeServices.layer),
      Layer.provide(Layer.succeed(AlertSending.AlertPace, { ...PACE, ...pace }))
    )
  )
  const sql = yield* SqlClient.SqlClient
  yield* until(Effect.map(sql`select from alert_position`, (rows) => rows.length === 1))
})

/** Waits until it holds. */
export const until = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.asVoid(Effect.repeat(Effect.andThen(Effect.sleep("10 millis"), condition), { until: (holds) => holds }))

/** The job of this id ended, with the further contents of its event. */
export const jobEnded = (id: number, data: object = { outcome: "failed", function: "sync_devices" }) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into event (kind, action, job_id, is_audit, data) values ('job', 'ended', ${id}, true, ${JSON.stringify(data)}::jsonb)`
  )

/** Something happened to a device. */
export const happened = (
  kind: string,
  action: string,
  hostname: string,
  data: object = {},
  job: number | null = null
) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into event (kind, action, hostname, job_id, is_audit, data)
        values (${kind}, ${action}, ${hostname}, ${job}, false, ${JSON.stringify(data)}::jsonb)`
  )

/** The received messages, each once by its id, all signatures verified by independent code. */
export const verified = (
  received: ReadonlyArray<Received>
): ReadonlyArray<{ readonly id: string; readonly body: string }> => {
  const webhook = new Webhook(SECRET)
  const messages = new Map<string, string>()
  for (const { body, headers } of received) {
    webhook.verify(body, { ...headers })
    const id = headers["webhook-id"] ?? ""
    const before = messages.get(id)
    if (before !== undefined && before !== body) throw new Error(`the message ${id} has changed`)
    messages.set(id, body)
  }
  return [...messages].map(([id, body]) => ({ id, body }))
}
