/** A server with `alerts.yml` that is killed between a claim and an answer, and what an operator sees of alerts at it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../src/store/Database.ts"
import { behaviours, listen } from "../support/AlertReceiver.ts"
import { jobEnded, SECRET, verified } from "../support/AlertSite.ts"
import { command, dataFolder, start, until } from "../support/Program.ts"
import { databaseUrl } from "../support/TestDatabase.ts"

const fetched = (url: string) =>
  Effect.promise(async () => JSON.stringify(await (await fetch(`${url}/api/v1.0/alerts`)).json()))

describe("A killed server", () => {
  it.live("has sent each alert once in the end, by its id; and an operator tests its receivers", () =>
    Effect.gen(function* () {
      const { behave, received, url } = yield* listen(behaviours.silent)
      const folder = yield* dataFolder
      const file = path.join(folder, "alerts.yml")
      const alerts = `receivers:\n  noc: { type: webhook, url: "${url}", secret: HOOK }\nready:\n  job_not_success: noc\n`
      yield* Effect.promise(() => fs.writeFile(file, alerts))
      const database = yield* databaseUrl
      const env = { DATABASE_URL: database, DATA_DIR: folder, ALERT_SECRET_HOOK: SECRET, ALERT_TIMEOUT: "1" }
      const first = yield* start(env)
      yield* first.url
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* until(Effect.map(sql`select from alert_position`, (rows) => rows.length === 1))
        yield* Effect.forEach(Array.from({ length: 10 }).keys(), (id) => jobEnded(id), { discard: true })
        yield* until(Effect.sync(() => received.length >= 5))
        first.kill("SIGKILL")
        yield* first.ended
        yield* Effect.forEach(Array.from({ length: 10 }).keys(), (id) => jobEnded(100 + id), { discard: true })
        behave(behaviours.good)
        const second = yield* start(env)
        const own = yield* second.url
        yield* until(Effect.map(sql`select from alert_delivery where state = 'sent'`, (rows) => rows.length === 20))
        assert.strictEqual(verified(received).length, 20)

        const operator = { SWITCHYARD_URL: own, SWITCHYARD_TOKEN: "none" }
        const tested = yield* command(operator, ["alerts", "test", "noc"])
        assert.strictEqual(tested.code, 0)
        assert.strictEqual(tested.text, "noc has taken the test message: 200: ok\n")
        behave(behaviours.broken)
        const broken = yield* command(operator, ["alerts", "test", "noc"])
        assert.strictEqual(broken.code, 1)
        assert.include(broken.text, "noc has not taken the test message: 500: no")
        const muted = yield* command(operator, ["alerts", "mute", "--device", "a*", "--reason", "power"])
        assert.include(muted.text, '"hostname": "a*"')
        assert.include((yield* command(operator, ["alerts", "unmute", "1"])).text, '"removed_mute"')

        yield* Effect.promise(() => fs.writeFile(file, alerts.replace("type: webhook", "type: irc")))
        yield* until(Effect.map(fetched(own), (text) => text.includes("alerts.yml, line 2, column")))
        assert.include(yield* fetched(own), '"name":"noc","type":"webhook"')
        assert.notInclude(second.text(), SECRET)
      }).pipe(Effect.provide(Database.layerUrl(Redacted.make(database))))
    }).pipe(Effect.scoped)
  )
})
