/** Settings in force that this release cannot read say nothing of alerts: these wait, and none is lost or given up. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { CallerDevices } from "../../src/access/CallerDevices.ts"
import * as AlertMaking from "../../src/events/AlertMaking.ts"
import { AlertRulesInForce } from "../../src/events/AlertMaking.ts"
import * as AlertSending from "../../src/events/AlertSending.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { ActiveSettings } from "../../src/settings/ActiveSettings.ts"
import { RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { listen } from "../support/AlertReceiver.ts"
import { AlertDatabase, jobEnded, SECRET, until, verified } from "../support/AlertSite.ts"
import { filesWith } from "../settings/repository.ts"
import { TEST_KEY } from "../support/TestStores.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const config = ServerConfig.layerOf({ ...TEST_KEY, DATA_DIR: "/nonexistent", ALERT_SECRET_HOOK: SECRET })

/** The alerts of a server as it starts. */
const start = Layer.build(
  Layer.merge(AlertMaking.layer, AlertSending.layer).pipe(
    Layer.provideMerge(AlertRulesInForce.layer),
    Layer.provide(CallerDevices.layer),
    Layer.provide(ActiveSettings.layer),
    Layer.provide(config),
    Layer.provide(NodeServices.layer)
  )
)

const alertsFile = (url: string, rest = "") => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
  job_not_success: noc
${rest}`

it.live("Alerts wait while their receivers are unknown", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const repositories = yield* RepositoryStore
    const { received, url } = yield* listen()
    const put = (commit: string, text: string) =>
      repositories.put({
        name: "settings",
        ref: "",
        url: "settings",
        commit,
        description: commit,
        files: Object.fromEntries(filesWith({ "alerts.yml": text }))
      })
    const position = Effect.map(
      sql<{ at: number }>`select event_id::float8 as at from alert_position`,
      ([row]) => row?.at
    )
    yield* sql`insert into alert_position (event_id) values (0)`
    yield* sql`insert into alert (rule, key, level, receivers, events, count, subjects, send_at, sent_at)
      values ('job_not_success', 'event 1', 'error', '{noc}', '[]', 1, '{}', now(), now())`
    yield* sql`insert into alert_delivery (alert_id, receiver, action) select id, 'noc', 'trigger' from alert`
    yield* put("c1", alertsFile(url, "rules: [what another release knew]\n"))
    const before = yield* position
    yield* jobEnded(7)
    const running = yield* start
    yield* Effect.provideContext(
      Effect.gen(function* () {
        const { inForce } = yield* AlertRulesInForce
        const found = yield* inForce
        assert.deepStrictEqual([found.isKnown, found.rules], [false, null])
        assert.match(found.problem ?? "", /^The settings in force cannot be read/)
      }),
      running
    )
    // each of both looks at least once
    yield* Effect.sleep("2500 millis")
    assert.strictEqual(yield* position, before)
    assert.deepStrictEqual(yield* sql`select state, attempts from alert_delivery`, [{ state: "waiting", attempts: 0 }])

    yield* put("c2", alertsFile(url))
    yield* until(Effect.sync(() => received.length === 2))
    assert.include(
      verified(received).map(({ body }) => JSON.parse(body).data.events[0]?.job_id),
      7
    )
  }).pipe(Effect.scoped, Effect.provide(AlertDatabase))
)
