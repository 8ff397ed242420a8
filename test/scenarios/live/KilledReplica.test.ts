/**
 * Two replicas, each in a process of its own: a client of one of them receives events of the other, continues there when the first is
 * killed, and may poll through a proxy that keeps each client at one replica.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as http from "node:http"
import * as net from "node:net"
import * as Database from "../../../src/store/Database.ts"
import { makeClient } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { openSource, type Source, until } from "../../support/EventSource.ts"
import { freePort } from "../../support/FreePort.ts"
import { listen, sentence } from "../../support/LiveClient.ts"
import * as Program from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"

const start = Effect.fnUntraced(function* (database: string) {
  const { folder } = yield* Campus.makeFolders
  const program = yield* Program.start({
    DATA_DIR: folder,
    HOST: "127.0.0.1",
    SECRET_KEY: "a key that all replicas of this site share, long enough",
    DATABASE_URL: database,
    CLUSTER_HOST: "127.0.0.1",
    CLUSTER_PORT: String(yield* freePort)
  })
  const url = yield* program.url
  return { api: makeClient(url), program, url }
})

/** Hands each connection to the replica that belongs to the address of the client, as the manual's proxy does. */
const makeProxy = (replicas: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<net.Server>((resolve) => {
          const server = net.createServer((client) => {
            const last = Number(client.remoteAddress?.split(".").at(-1))
            const { port } = new URL(replicas[last % replicas.length] ?? "")
            const replica = net.connect(Number(port), "127.0.0.1")
            for (const [one, other] of [[client, replica] as const, [replica, client] as const]) {
              one.on("error", () => other.destroy())
              one.pipe(other)
            }
          })
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) => Effect.sync(() => void server.close())
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
    })
  )

const idsOf = ({ messages }: Source): ReadonlyArray<number> =>
  messages.flatMap(({ id }) => (id === undefined ? [] : [Number(id)]))

const device = (name: string) => ({
  hostname: name,
  state: "MANAGED",
  device_type: "ACCESS",
  platform: "eos",
  management_ip: "10.196.16.77"
})

it.live(
  "A stream that continues at another replica has each event once, and clients who poll through a proxy receive everything in order",
  () =>
    Effect.gen(function* () {
      const database = yield* databaseUrl
      const one = yield* start(database)
      const other = yield* start(database)
      const { sql } = yield* Effect.provide(
        Effect.map(Effect.service(SqlClient.SqlClient), (sql) => ({ sql })),
        yield* Layer.build(Database.layerUrl(Redacted.make(database)))
      )
      const proxy = yield* makeProxy([one.url, other.url])
      const polling = (localAddress: string) =>
        listen(proxy, [{ update: "device" }], {
          transports: ["polling"],
          // the library hands it to node:http, and its types know browsers only
          agent: Object.assign(new http.Agent({ localAddress }), { secureProtocol: undefined })
        } as object)
      const clients = [yield* polling("127.0.0.2"), yield* polling("127.0.0.3")]

      const begun = yield* openSource(`${one.url}/api/v1.0/events?kind=device`)
      yield* until(() => begun.lastId() !== undefined)
      const from = Number(begun.lastId())
      const names = ["a1", "a2", "a3", "a4"]
      for (const [place, name] of names.entries()) {
        const { api } = place % 2 === 0 ? other : one
        const { body, status } = yield* api.send("POST", "/device", device(name))
        assert.strictEqual(status, 200, JSON.stringify(body))
        const [row] = yield* sql<{ id: number }>`select id from device where hostname = ${name}`
        yield* api.send("PUT", `/device/${row?.id}`, { description: "room 5", management_ip: null })
      }
      const told = names.flatMap((name) => [`CREATED ${name}`, `UPDATED ${name}`])
      for (const client of clients) {
        yield* client.until("All events", () => client.events.length >= told.length)
        assert.deepStrictEqual(client.events.map(sentence), told)
      }
      yield* until(() => begun.messages.length === told.length)

      one.program.kill("SIGKILL")
      const write = (name: string) =>
        sql`insert into device (hostname, state, device_type, platform) values (${name}, 'MANAGED', 'ACCESS', 'eos')`
      yield* write("b1")
      yield* until(() => begun.hasEnded())
      const resumed = yield* openSource(`${other.url}/api/v1.0/events?kind=device`, {
        "last-event-id": begun.lastId() ?? ""
      })
      yield* write("b2")
      const stored = yield* sql<{ id: number }>`select id::float8 as id from event
        where id > ${from}::bigint and kind = 'device' order by id`
      const ids = stored.map(({ id }) => id)
      assert.strictEqual(ids.length, told.length + 2)
      yield* until(() => begun.messages.length + resumed.messages.length >= ids.length)
      assert.deepStrictEqual([...idsOf(begun), ...idsOf(resumed)], ids)
    }).pipe(Effect.scoped)
)
