/**
 * Each ready rule of alerts with its real cause: a server with switches on which everything goes wrong that the rules speak of. Of each
 * cause only the rules fire that are for it.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { EventStore } from "../../../src/store/EventStore.ts"
import { WatchStore } from "../../../src/store/WatchStore.ts"
import { readyRules } from "../../../src/domain/events/alerts/AlertRule.ts"
import { makeImageHost } from "../../firmware/ImageHost.ts"
import { listen } from "../../support/AlertReceiver.ts"
import { SECRET, verified } from "../../support/AlertSite.ts"
import * as Campus from "../../support/Campus.ts"
import { postmaster } from "../../support/PostgresProcesses.ts"
import * as Program from "../../support/Program.ts"
import { serve } from "../../support/ServedCampus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { SqlClient } from "effect/sql"
import * as Managed from "../chaos/ManagedCampus.ts"
import { lookAtDisk } from "../../../src/events/Watches.ts"

const alertsFile = (url: string) => `receivers:
  noc: { type: webhook, url: "${url}", secret: HOOK }
ready:
${readyRules.map(({ name }) => `  ${name}: { to: noc, wait: 0s }`).join("\n")}
`

const CHECKS = `checks:
  port-errors:
    for: all
    reads: errors
    must: { grows_at_most: { total: 0 } }
    settle: 0
    try_again: 1 s
`

const makeScene = Effect.gen(function* () {
  const names = Managed.accessNames(3)
  const lab = yield* Managed.makeManagedLab(names)
  const folders = yield* Campus.makeFolders
  const { received, url } = yield* listen()
  yield* folders.settings.commit({ "alerts.yml": alertsFile(url) })
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    ALERT_SECRET_HOOK: SECRET,
    SSH_TIMEOUT: "5",
    FIRMWARE_ALLOW_LOCAL: "true"
  }
  const { api, running } = yield* serve(env, keepLines("Info").layer)
  yield* Effect.provideContext(Managed.seedManaged(names), running)
  const refresh = Effect.map(api.send("PUT", "/repository/settings", { action: "refresh" }), ({ status }) => status)
  yield* api.send("PUT", "/repository/templates", { action: "refresh" })
  yield* Program.until(Effect.map(refresh, (status) => status === 200))
  const sql = yield* Effect.provideContext(Effect.service(SqlClient.SqlClient), running)
  const switches = yield* Managed.switchesOf(lab, names)
  return { api, folders, names, received, refresh, running, sql, switches }
})
type Scene = Effect.Success<typeof makeScene>

/** The rules that have found something after this alert, once all events of now were looked through. */
const firedAfter = Effect.fnUntraced(function* ({ sql }: Scene, last: number) {
  const [newest] = yield* sql<{ id: number }>`select max(id)::float8 as id from event`
  yield* Program.until(
    Effect.map(sql<{ at: number }>`select event_id::float8 as at from alert_position`, ([row]) => {
      return (row?.at ?? 0) >= (newest?.id ?? 0)
    })
  )
  const found = yield* sql<{ id: number; rule: string }>`select id::float8 as id, rule from alert
    where id > ${last}::bigint order by id`
  return { last: found.at(-1)?.id ?? last, rules: [...new Set(found.map(({ rule }) => rule))].toSorted() }
})

interface Cause {
  readonly what: string
  readonly rules: ReadonlyArray<string>
  readonly happens: (scene: Scene) => Effect.Effect<unknown, unknown, import("effect").Scope.Scope>
}

const drift = ({ api }: Scene, hostname: string | undefined) => api.run("/device_drift", { hostname })

const causes: ReadonlyArray<Cause> = [
  {
    what: "a sync that succeeds",
    rules: [],
    happens: ({ api, names }) =>
      api.run("/device_syncto", { hostnames: names, dry_run: false, force: true, resync: true })
  },
  {
    what: "a change whose check fails",
    rules: ["check_failed", "job_not_success"],
    happens: ({ api, folders, names, switches }) =>
      Effect.gen(function* () {
        const file = "eos/access.j2"
        const before = yield* Effect.promise(() => fs.readFile(path.join(folders.templates.folder, file), "utf8"))
        yield* folders.templates.commit({ "checks.yml": CHECKS, [file]: before.replace(/^lldp run$/m, "no lldp run") })
        yield* api.send("PUT", "/repository/templates", { action: "refresh" })
        switches[0]?.setFault({ kind: "errorsGrow", port: "Ethernet1", by: 512 })
        yield* api.run("/device_syncto", { hostname: names[0], dry_run: false })
        yield* folders.templates.commit({ "checks.yml": null, [file]: before })
        yield* api.send("PUT", "/repository/templates", { action: "refresh" })
      })
  },
  { what: "devices that run what they should", rules: [], happens: (scene) => drift(scene, scene.names[0]) },
  {
    what: "a copy of an image that is another one",
    rules: ["job_not_success"],
    happens: ({ api }) =>
      Effect.gen(function* () {
        const host = yield* makeImageHost(new Map([["EOS-4.32.2F.swi", Buffer.from("an image")]]))
        const order = { url: `${host.url}/EOS-4.32.2F.swi`, sha1: "0".repeat(40), verify_tls: false }
        yield* api.run("/firmware", order)
      })
  },
  {
    what: "a commit that is wrong",
    rules: ["job_not_success", "refused_commit"],
    happens: ({ folders, refresh }) =>
      Effect.gen(function* () {
        yield* folders.settings.commit({ "global/base_system.yml": "ntp_servers: 7\n" })
        assert.strictEqual(yield* refresh, 400)
      })
  },
  {
    what: "a refresh without its remote",
    rules: ["job_not_success"],
    happens: ({ folders, refresh }) =>
      Effect.gen(function* () {
        const { folder } = folders.settings
        yield* Effect.promise(() => fs.rename(folder, `${folder}-away`))
        assert.strictEqual(yield* refresh, 500)
        yield* Effect.promise(() => fs.rename(`${folder}-away`, folder))
      })
  },
  {
    what: "a request for an approval",
    rules: ["approval_asked"],
    happens: ({ running }) =>
      Effect.flatMap(EventStore, ({ append }) =>
        append({ kind: "approval", action: "asked", isAudit: true, jobId: 1, data: { reason: "a high score" } })
      ).pipe(Effect.provideContext(running))
  },
  {
    what: "somebody else's lines on a switch",
    rules: ["drift"],
    happens: (scene) =>
      Effect.gen(function* () {
        scene.switches[0]?.configure("interface Ethernet2\n   description by hand\n")
        yield* drift(scene, scene.names[0])
      })
  },
  {
    what: "a switch without power",
    rules: ["device_unreachable", "job_not_success"],
    happens: (scene) =>
      Effect.gen(function* () {
        yield* scene.switches[1]?.powerOff ?? Effect.void
        yield* drift(scene, scene.names[1])
      })
  },
  {
    what: "its return",
    rules: [],
    happens: (scene) =>
      Effect.gen(function* () {
        yield* scene.switches[1]?.powerOn ?? Effect.void
        yield* drift(scene, scene.names[1])
        const open = scene.sql`select from alert where rule = 'device_unreachable' and resolved_at is null`
        yield* Program.until(Effect.map(open, (rows) => rows.length === 0))
      })
  },
  {
    what: "another host key",
    rules: ["host_key_changed", "job_not_success"],
    happens: (scene) =>
      Effect.gen(function* () {
        scene.switches[2]?.newHostKey()
        yield* scene.switches[2]?.dropConnections ?? Effect.void
        yield* drift(scene, scene.names[2])
      })
  },
  {
    what: "another serial number than the record has",
    rules: ["job_not_success", "wrong_device"],
    happens: (scene) =>
      Effect.gen(function* () {
        yield* scene.sql`update device set serial = 'JPE99999999' where hostname = ${scene.names[0] ?? ""}`
        yield* drift(scene, scene.names[0])
      })
  },
  {
    what: "a certificate that ends",
    rules: ["certificate_ends"],
    happens: ({ names, running, sql }) =>
      Effect.gen(function* () {
        const { CERTIFICATE_RENEW_DAYS } = yield* ServerConfig
        yield* sql`insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
          select '01', 1, id, hostname, '192.0.2.1', now(), now() + interval '1 day' from device where hostname = ${names[0] ?? ""}`
        yield* (yield* WatchStore).certificates(Math.ceil(CERTIFICATE_RENEW_DAYS / 2))
      }).pipe(Effect.provide(WatchStore.layer), Effect.provideContext(running))
  },
  {
    what: "a disk that fills up",
    rules: ["disk_low"],
    happens: ({ running }) =>
      Effect.forEach([50, 9, 8], (free) => lookAtDisk({ free, total: 100 }), { discard: true }).pipe(
        Effect.provide(WatchStore.layer),
        Effect.provideContext(running)
      )
  }
]

it.live("Each ready rule fires from its cause, and from no other", () =>
  Effect.gen(function* () {
    const scene = yield* makeScene
    let { last } = yield* firedAfter(scene, 0)
    for (const { happens, rules, what } of causes) {
      yield* happens(scene)
      const fired = yield* firedAfter(scene, last)
      assert.deepStrictEqual(fired.rules, rules, what)
      last = fired.last
    }
    const untried = readyRules.filter(({ name }) => !causes.some(({ rules }) => rules.includes(name)))
    assert.deepStrictEqual(
      untried.map(({ name }) => name),
      // the first needs keys: test/http/Signers.test.ts
      ["unsigned_commit", "database_restarted"]
    )
    const told = () => new Set(verified(scene.received).map(({ body }) => String(JSON.parse(body).data.rule)))
    yield* Program.until(Effect.sync(() => told().size === readyRules.length - 2))
  }).pipe(Effect.scoped)
)

it.live("An embedded database that was killed is reported, once", () =>
  Effect.gen(function* () {
    const { received, url } = yield* listen()
    const folder = yield* Program.dataFolder
    yield* Effect.promise(() => fs.writeFile(path.join(folder, "alerts.yml"), alertsFile(url)))
    const server = yield* Program.start({ DATA_DIR: folder, ALERT_SECRET_HOOK: SECRET })
    const own = yield* server.url
    const answers = Effect.promise(() =>
      fetch(`${own}/api/v1.0/alerts`).then(
        async (answer) =>
          answer.ok ? [...(await answer.text()).matchAll(/"rule":"(\w+)"/g)].map(([, rule]) => rule) : null,
        () => null
      )
    )
    yield* Program.until(Effect.map(answers, (rules) => rules?.length === 0))
    const kill = Effect.gen(function* () {
      const before = postmaster(folder)
      assert(before !== null)
      process.kill(before.pid, "SIGKILL")
      yield* Program.until(Effect.map(answers, (rules) => rules !== null && postmaster(folder)?.pid !== before.pid))
    })
    yield* kill
    yield* Program.until(Effect.sync(() => received.length === 1))
    yield* kill
    yield* Program.until(Effect.sync(() => received.length === 2))
    assert.deepStrictEqual(yield* answers, ["database_restarted", "database_restarted"])
    server.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
  }).pipe(Effect.scoped)
)
