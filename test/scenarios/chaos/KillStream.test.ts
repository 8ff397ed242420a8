/** kill -9 of the server during a live sync with a following client: a client that resumes at the next server has each event once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Database from "../../../src/store/Database.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { openSource, type Source, until } from "../../support/EventSource.ts"
import { timer } from "../../support/Patience.ts"
import * as Program from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import * as ManagedCampus from "./ManagedCampus.ts"

const COMMIT_MS = 300

const idsOf = ({ messages }: Source): ReadonlyArray<number> => messages.map(({ id }) => Number(id))

const isEnd = ({ messages }: Source): boolean =>
  messages.some(({ data, event }) => event === "job" && data["action"] === "ended")

it.live("A client that resumes after kill -9 has each event of a live sync once, and the end of the job", () =>
  Effect.gen(function* () {
    const names = ManagedCampus.accessNames(4)
    const folders = yield* Campus.makeFolders
    const lab = yield* ManagedCampus.makeManagedLab(names, COMMIT_MS)
    const switches = yield* ManagedCampus.switchesOf(lab, names)
    const database = yield* databaseUrl
    const env = {
      ...Campus.environment(lab, folders, folders.folder),
      COMMIT_CONFIRMED_TIMEOUT: timer(60),
      DATABASE_URL: database,
      LOG_LEVEL: "Info"
    }
    const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(database)), env))
    const first = yield* Program.start(env)
    const url = yield* first.url
    const api = makeClient(url)
    yield* Program.until(Effect.map(api.send("GET", "/settings"), ({ status }) => status === 200))
    yield* api.send("PUT", "/repository/templates", { action: "refresh" })
    yield* Effect.provide(ManagedCampus.seedManaged(names), stores)
    const begun = yield* openSource(`${url}/api/v1.0/events`)
    yield* until(() => begun.lastId() !== undefined)
    const from = Number(begun.lastId())
    yield* api.send("POST", "/device_syncto", { all: true, resync: true, dry_run: false })
    yield* until(() => switches.some((device) => device.commits().length > 0) && begun.messages.length > 0)
    first.kill("SIGKILL")
    yield* until(() => begun.hasEnded())
    assert.isFalse(isEnd(begun))
    const second = yield* Program.start(env)
    const resumed = yield* openSource(`${yield* second.url}/api/v1.0/events`, { "last-event-id": begun.lastId() ?? "" })
    yield* until(() => isEnd(resumed))
    const sql = yield* Effect.provide(SqlClient.SqlClient, stores)
    const stored = yield* sql<{ id: number }>`select id::float8 as id from event where id > ${from}::bigint order by id`
    const ids = stored.map(({ id }) => id)
    yield* until(() => begun.messages.length + resumed.messages.length >= ids.length)
    assert.deepEqual([...idsOf(begun), ...idsOf(resumed)].slice(0, ids.length), ids)
  }).pipe(Effect.scoped)
)
