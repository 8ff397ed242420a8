/** The DHCP hook and its leases, against the real API and against servers that answer wrongly. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs"
import * as http from "node:http"
import * as path from "node:path"
import { type Lease, LeaseQueue } from "../../src/dhcp/LeaseQueue.ts"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { makeFolder, runHook, waiting } from "./HookProgram.ts"

const commit = (mac: string, ip: string, platform = "eos") => ["commit", mac, ip, platform]

/** A server that answers each method with these, and remembers what it was asked. */
const scripted = (answers: Readonly<Record<string, readonly [status: number, body: string]>>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly seen: ReadonlyArray<string>; readonly stop: () => void }>(
      (resume) => {
        const seen: Array<string> = []
        const server = http.createServer((request, response) => {
          seen.push(`${request.method} ${request.url} ${request.headers.authorization ?? "-"}`)
          const [status, body] = answers[`${request.method} ${request.url}`] ??
            answers[request.method ?? ""] ?? [404, "{}"]
          response.writeHead(status, { "content-type": "application/json" }).end(body)
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, seen, stop: () => void server.close() }))
        })
      }
    ),
    ({ stop }) => Effect.sync(stop)
  )

const list = (devices: string): readonly [number, string] => [
  200,
  `{"status":"success","data":{"devices":[${devices}]}}`
]
const BOOTING = list('{"id":1,"state":"DHCP_BOOT","dhcp_ip":"10.0.0.1"}')
const NONE = list("")

const WRONG: ReadonlyArray<readonly [code: number, answers: Parameters<typeof scripted>[0]]> = [
  [9, { GET: [401, "{}"] }],
  [10, { GET: [403, "{}"] }],
  [11, { GET: [200, "<html>"] }],
  [12, { GET: [200, '{"status":"error"}'] }],
  [20, { GET: BOOTING, POST: [400, '{"message":"no"}'] }],
  [21, { GET: BOOTING, POST: [200, '{"status":"success"}'] }],
  [30, { GET: NONE, POST: [400, '{"message":"no"}'] }],
  [30, { GET: NONE, POST: [201, "{}"] }],
  [31, { GET: NONE, POST: [200, '{"status":"success","data":{}}'] }],
  [0, { GET: list('{"id":1,"state":"MANAGED","dhcp_ip":null}') }],
  [0, { GET: list('{"id":1,"state":"DISCOVERED","dhcp_ip":"10.0.0.5"}'), PUT: [400, "{}"] }]
]

layer(ApiServer(), { excludeTestServices: true })("the DHCP hook", (it) => {
  it.effect("creates a device at the first lease, discovers it at the second, and updates its address", () =>
    Effect.gen(function* () {
      const { base } = yield* ApiClient
      const devices = yield* DeviceStore
      const sql = yield* SqlClient.SqlClient
      const DATA_DIR = yield* makeFolder
      const hook = (ip: string) => runHook(commit("0:1c:73:be:ef:1", ip), { SWITCHYARD_URL: base, DATA_DIR })
      assert.strictEqual((yield* hook("10.0.9.20")).code, 0)
      const device = yield* devices.getByHostname("mac-001C73BEEF01")
      assert.deepInclude(device, {
        state: "DHCP_BOOT",
        device_type: "UNKNOWN",
        platform: "eos",
        ztp_mac: "001C73BEEF01",
        dhcp_ip: "10.0.9.20"
      })
      assert.strictEqual((yield* hook("10.0.9.20")).code, 0)
      const jobs = yield* sql<{ function_name: string; start_arguments: unknown }>`
        select function_name, start_arguments from job`
      assert.deepStrictEqual(jobs, [
        {
          function_name: "discover_device",
          start_arguments: { ztp_mac: "001C73BEEF01", dhcp_ip: "10.0.9.20", iteration: 1 }
        }
      ])
      yield* devices.update(device.id, { state: "DISCOVERED" })
      assert.strictEqual((yield* hook("10.0.9.21")).code, 0)
      assert.strictEqual((yield* devices.get(device.id)).dhcp_ip, "10.0.9.21")
      yield* devices.update(device.id, { state: "MANAGED" })
      assert.strictEqual((yield* hook("10.0.9.22")).code, 0)
      assert.strictEqual((yield* devices.get(device.id)).dhcp_ip, "10.0.9.21")
      assert.deepStrictEqual(yield* waiting(DATA_DIR), [])
    })
  )

  it.effect(
    "loses no lease while the API is unreachable: they wait on disk, the newest of each switch, for the next call",
    () =>
      Effect.gen(function* () {
        const { base } = yield* ApiClient
        const devices = yield* DeviceStore
        const DATA_DIR = yield* makeFolder
        const away = { SWITCHYARD_URL: "http://127.0.0.1:9", DATA_DIR }
        const lost = yield* Effect.all(
          [
            runHook(commit("001C.73BE.EF11", "10.0.9.31"), away),
            runHook(commit("00:1c:73:be:ef:12", "10.0.9.32"), away)
          ],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(
          lost.map(({ code }) => code),
          [10, 10]
        )
        yield* runHook(commit("00-1C-73-BE-EF-12", "10.0.9.33"), away)
        assert.sameMembers(yield* waiting(DATA_DIR), ["001C73BEEF11.json", "001C73BEEF12.json"])
        const back = yield* runHook(commit("001C73BEEF13", "10.0.9.34"), {
          SWITCHYARD_URL: `${base}/api/v1.0/`,
          DATA_DIR
        })
        assert.strictEqual(back.code, 0, back.output)
        assert.deepStrictEqual(yield* waiting(DATA_DIR), [])
        for (const [last, ip] of [
          ["11", "31"],
          ["12", "33"],
          ["13", "34"]
        ]) {
          const device = yield* devices.getByHostname(`mac-001C73BEEF${last}`)
          assert.strictEqual(device.dhcp_ip, `10.0.9.${ip}`)
        }
      })
  )

  it.effect("finds its device although two leases of it arrive at the same moment", () =>
    Effect.gen(function* () {
      const { base } = yield* ApiClient
      const DATA_DIR = yield* makeFolder
      const ends = yield* Effect.forEach(
        [1, 2, 3],
        () => runHook(commit("001C73BEEF21", "10.0.9.41"), { SWITCHYARD_URL: base, DATA_DIR }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        ends.map(({ code }) => code),
        [0, 0, 0],
        JSON.stringify(ends)
      )
    })
  )

  it.effect("lets a blank switch fetch its boot file verbatim, and nothing else", () =>
    Effect.gen(function* () {
      const { send } = yield* ApiClient
      const none = yield* send("GET", "/templates/eos/dhcp-init.j2")
      assert.strictEqual(none.status, 404)
      const files = { "eos/dhcp-init.j2": "username {{ admin }}\n", "eos/access.j2": "secret" }
      const commit = { name: "templates", ref: "", url: "x", commit: "c", description: "", files } as const
      yield* Effect.flatMap(RepositoryStore, (store) => store.put(commit)).pipe(Effect.provide(RepositoryStore.layer))
      const found = yield* send("GET", "/templates/eos/dhcp-init.j2")
      assert.deepStrictEqual([found.status, found.text], [200, "username {{ admin }}\n"])
      for (const url of [
        "/templates/junos/dhcp-init.j2",
        "/templates/eos/access.j2",
        "/templates/__proto__/dhcp-init.j2"
      ]) {
        assert.strictEqual((yield* send("GET", url)).status, 404, url)
      }
    })
  )
})

it.live("reports errors by its exit code", () =>
  Effect.gen(function* () {
    const DATA_DIR = yield* makeFolder
    const ends = yield* Effect.forEach(
      WRONG,
      ([, answers]) =>
        Effect.flatMap(scripted(answers), ({ url }) =>
          runHook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: url, DATA_DIR })
        ),
      { concurrency: 3 }
    )
    assert.deepStrictEqual(
      ends.map(({ code }) => code),
      WRONG.map(([code]) => code),
      JSON.stringify(ends)
    )
    const codes = yield* Effect.forEach(
      [
        ["commit", "001C73BEEF01", "10.0.0.9"],
        ["release", "001C73BEEF01", "10.0.0.9", "eos"],
        commit("xyz", "10.0.0.9"),
        commit("001C73BEEF01", "10.0.0"),
        // of no interface: a hook that calls with such a one reports no switch
        commit("00:00:00:00:00:00", "10.0.0.9"),
        commit("0:0:0:0:0:0", "10.0.0.9"),
        commit("ff:ff:ff:ff:ff:ff", "10.0.0.9"),
        commit("0180.c200.000e", "10.0.0.9")
      ],
      (args) => Effect.map(runHook(args, { DATA_DIR }), ({ code }) => code)
    )
    assert.deepStrictEqual(codes, [1, 2, 2, 2, 2, 2, 2, 2])
  }).pipe(Effect.scoped)
)

it.live("authenticates with a token of the environment, or with one for its OAuth client", () =>
  Effect.gen(function* () {
    const DATA_DIR = yield* makeFolder
    const answers = {
      "POST /token": [200, '{"access_token":"fetched"}'],
      GET: list('{"id":1,"state":"MANAGED"}')
    } as const
    const given = yield* scripted(answers)
    yield* runHook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: given.url, DATA_DIR, JWT_AUTH_TOKEN: "given" })
    assert.match(given.seen.join("\n"), /^GET \S+ Bearer given$/)
    const client = yield* scripted(answers)
    const oauth = { OAUTH_CLIENT_ID: "hook", OAUTH_CLIENT_SECRET: "s", OAUTH_TOKEN_ENDPOINT: `${client.url}/token` }
    const end = yield* runHook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: client.url, DATA_DIR, ...oauth })
    assert.strictEqual(end.code, 0, end.output)
    assert.match(client.seen.join("\n"), /^POST \/token -\nGET \S+ Bearer fetched$/)
    const refused = yield* scripted({ "POST /token": [401, "{}"] })
    const env = { SWITCHYARD_URL: refused.url, DATA_DIR, ...oauth, OAUTH_TOKEN_ENDPOINT: `${refused.url}/token` }
    assert.strictEqual((yield* runHook(commit("001C73BEEF01", "10.0.0.9"), env)).code, 9)
  }).pipe(Effect.scoped)
)

it.effect("takes over a lease whose hook was killed, without overwriting a newer one", () =>
  Effect.gen(function* () {
    const folder = yield* makeFolder
    const queue = new LeaseQueue(folder)
    const write = (name: string, lease: Lease, ageSeconds: number) => {
      const file = path.join(folder, name)
      fs.writeFileSync(file, JSON.stringify(lease))
      const at = Date.now() / 1000 - ageSeconds
      fs.utimesSync(file, at, at)
    }
    const lease = (mac: string, ip: string): Lease => ({ mac, ip, platform: "eos" })
    write("AAAAAAAAAAA1.json.999999", lease("AAAAAAAAAAA1", "10.0.0.1"), 120)
    write("AAAAAAAAAAA2.json.999999", lease("AAAAAAAAAAA2", "10.0.0.2"), 1)
    write("AAAAAAAAAAA3.json.999999", lease("AAAAAAAAAAA3", "10.0.0.3"), 120)
    write("AAAAAAAAAAA3.json", lease("AAAAAAAAAAA3", "10.0.0.33"), 5)
    write("AAAAAAAAAAA4.json", lease("AAAAAAAAAAA4", "10.0.0.4"), 200_000)
    fs.writeFileSync(path.join(folder, "AAAAAAAAAAA5.json"), "torn")
    const claims = queue.claim(10)
    assert.sameMembers(
      claims.map((claim) => claim.lease.ip),
      ["10.0.0.1", "10.0.0.33"]
    )
    for (const claim of claims) queue.putBack(claim)
    assert.sameMembers(fs.readdirSync(folder), ["AAAAAAAAAAA1.json", "AAAAAAAAAAA2.json.999999", "AAAAAAAAAAA3.json"])
  }).pipe(Effect.scoped)
)
