/** The DHCP hook and its exit codes, against the real API and against servers that answer wrongly. */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DeviceStore } from "../../src/store/DeviceStore.ts"
import { RepositoryStore } from "../../src/store/RepositoryStore.ts"
import { ApiClient, ApiServer } from "../support/ApiServer.ts"
import { command } from "../support/Program.ts"
import { leaseProgram, makeFolder, runHook, runProgram, shells, waiting, WITHOUT_SHELLS } from "./HookProgram.ts"
import { decided, makeLeaseServer, type Reply, TAKEN } from "./LeaseServer.ts"

const commit = (mac: string, ip: string, platform = "eos") => ["commit", mac, ip, platform]

/** Answers, the exit code for each, and whether the lease still waits afterwards. */
const ANSWERS: ReadonlyArray<readonly [code: number, reply: Reply, waits: boolean]> = [
  [0, TAKEN, false],
  [0, decided("taken", "none"), false],
  [0, decided("refused", "address"), false],
  [9, [401, "{}"], true],
  [10, [403, '{"status":"error","message":"no"}'], true],
  [10, [404, "{}"], true],
  [10, [503, "{}"], true],
  [11, [200, "<html>"], true],
  [12, [200, '{"status":"error"}'], true],
  [20, decided("refused", "discovery"), false],
  [30, decided("refused"), false],
  [30, decided("waits"), true],
  [30, [400, '{"status":"error","message":"no"}'], false]
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
        const sql = yield* SqlClient.SqlClient
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
        const jobs = yield* sql`select start_arguments ->> 'ztp_mac' as mac from job
          where start_arguments ->> 'ztp_mac' like '001C73BEEF1%'`
        assert.deepStrictEqual(jobs, [{ mac: "001C73BEEF12" }], "the one that asked twice is discovered")
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

  it.effect("that was killed after the server had taken its lease reports it again, and nothing happens twice", () =>
    Effect.gen(function* () {
      const { base } = yield* ApiClient
      const sql = yield* SqlClient.SqlClient
      const DATA_DIR = yield* makeFolder
      const sending = path.join(DATA_DIR, "dhcp-queue/sending")
      const lease = '{"mac":"001C73BEEF61","ip":"10.0.9.61","platform":"eos","report":"r-1","again":false}\n'
      for (const round of [1, 2]) {
        yield* Effect.promise(() => fs.mkdir(sending, { recursive: true }))
        yield* Effect.promise(() => fs.writeFile(path.join(sending, "001C73BEEF61.json"), lease))
        const end = yield* runProgram([leaseProgram, "--drain"], { SWITCHYARD_URL: base, DATA_DIR })
        assert.strictEqual(end.code, 0, `${round}: ${end.output}`)
        assert.deepStrictEqual(yield* waiting(DATA_DIR), [])
      }
      const jobs = yield* sql`select from job where start_arguments ->> 'ztp_mac' = '001C73BEEF61'`
      assert.strictEqual(jobs.length, 0)
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

it.live.skipIf(shells.length === 0)(`reports errors by its exit code, in every shell${WITHOUT_SHELLS}`, () =>
  Effect.gen(function* () {
    for (const shell of shells) {
      const hook = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>) =>
        runProgram([...shell, leaseProgram, "dhcp-hook", ...args], environment)
      const ends = yield* Effect.forEach(
        ANSWERS,
        ([, reply]) =>
          Effect.gen(function* () {
            const DATA_DIR = yield* makeFolder
            const { url } = yield* makeLeaseServer(() => reply)
            const end = yield* hook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: url, DATA_DIR })
            return { ...end, waits: (yield* waiting(DATA_DIR)).length > 0 }
          }),
        { concurrency: 3 }
      )
      assert.deepStrictEqual(
        ends.map(({ code, waits }) => [code, waits]),
        ANSWERS.map(([code, , waits]) => [code, waits]),
        JSON.stringify({ shell, ends })
      )
      const DATA_DIR = yield* makeFolder
      const codes = yield* Effect.forEach(
        [
          [],
          ["commit", "001C73BEEF01", "10.0.0.9"],
          ["release", "001C73BEEF01", "10.0.0.9", "eos"],
          commit("xyz", "10.0.0.9"),
          commit("001C73BEEF01", "10.0.0"),
          commit("001C73BEEF01", "10.0.0.256"),
          commit("001C73BEEF01", "10.0.0.9", "$(id)"),
          // of no interface: a hook that calls with such a one reports no switch
          commit("00:00:00:00:00:00", "10.0.0.9"),
          commit("0:0:0:0:0:0", "10.0.0.9"),
          commit("ff:ff:ff:ff:ff:ff", "10.0.0.9"),
          commit("0180.c200.000e", "10.0.0.9")
        ],
        (args) => Effect.map(hook(args, { DATA_DIR }), ({ code }) => code)
      )
      assert.deepStrictEqual(codes, [1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2], shell.join(" "))
      assert.strictEqual((yield* hook(commit("001C73BEEF01", "10.0.0.9"), { DATA_DIR, SWITCHYARD_URL: "nms" })).code, 2)
    }
  }).pipe(Effect.scoped)
)

it.live("says why the server refuses a lease, whether in a sentence or in a list of sentences", () =>
  Effect.gen(function* () {
    for (const [message, said] of [
      ['"no"', "no"],
      ['["Invalid dhcp_ip received."]', "Invalid dhcp_ip received."],
      ['["one.","two [2]"]', "one.; two [2]"]
    ]) {
      const DATA_DIR = yield* makeFolder
      const { url } = yield* makeLeaseServer(() => [400, `{"status":"error","message":${message}}`])
      const end = yield* runHook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: url, DATA_DIR })
      assert.include(end.output, `The lease of 001C73BEEF01 was refused: ${said}\n`)
    }
  }).pipe(Effect.scoped)
)

it.live("explains itself like every command", () =>
  Effect.gen(function* () {
    const end = yield* command({}, ["dhcp-hook", "--help"])
    assert.deepEqual([end.code, end.err], [0, ""])
    assert.match(end.out, /^Usage: dhcp-hook commit MAC IP PLATFORM/)
  })
)

it.live("takes its token from the variables of the command line, and names them when it is refused", () =>
  Effect.gen(function* () {
    const DATA_DIR = yield* makeFolder
    const file = path.join(DATA_DIR, "token")
    yield* Effect.promise(() => fs.writeFile(file, "from-a-file\n"))
    const { lines, url } = yield* makeLeaseServer((_, where) =>
      where === "/token" ? [200, '{"token_type":"bearer","access_token":"fetched"}'] : TAKEN
    )
    const hook = (variables: Readonly<Record<string, string>>) =>
      runHook(commit("001C73BEEF01", "10.0.0.9"), { SWITCHYARD_URL: url, DATA_DIR, ...variables })
    const oauth = { OAUTH_CLIENT_ID: "hook", OAUTH_CLIENT_SECRET: 's "\\', OAUTH_TOKEN_ENDPOINT: `${url}/token` }
    for (const [variables, token] of [
      [{ SWITCHYARD_TOKEN: "new", JWT_AUTH_TOKEN: "old" }, "new"],
      [{ SWITCHYARD_TOKEN_FILE: file, JWT_AUTH_TOKEN: "old" }, "from-a-file"],
      [{ JWT_AUTH_TOKEN: "old", ...oauth }, "old"],
      [{ JWT_AUTH_TOKEN_FILE: file }, "from-a-file"],
      [oauth, "fetched"]
    ] as const) {
      const end = yield* hook(variables)
      assert.strictEqual(end.code, 0, end.output)
      assert.strictEqual(lines.at(-1), `POST /api/v1.0/dhcp_leases Bearer ${token}`)
    }
    const missing = yield* hook({ SWITCHYARD_TOKEN_FILE: "/nowhere" })
    assert.strictEqual(missing.code, 9)
    assert.include(missing.output, "the file /nowhere of SWITCHYARD_TOKEN_FILE cannot be read")
    const refusing = yield* makeLeaseServer(() => [401, "{}"])
    const refused = yield* hook({ SWITCHYARD_URL: refusing.url })
    assert.strictEqual(refused.code, 9)
    assert.match(refused.output, /wants a valid token \(SWITCHYARD_TOKEN, SWITCHYARD_TOKEN_FILE, JWT_AUTH_TOKEN, /)
    const provider = yield* makeLeaseServer(() => [401, "{}"])
    const none = yield* hook({ ...oauth, OAUTH_TOKEN_ENDPOINT: `${provider.url}/token` })
    assert.strictEqual(none.code, 9)
    assert.include(none.output, "gives no token to OAUTH_CLIENT_ID")
  }).pipe(Effect.scoped)
)
