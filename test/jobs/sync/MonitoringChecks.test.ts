/** Checks that ask a monitoring system, through the API on the lab: what it answers decides whether a change is confirmed (docs/checks.md). */
import { assert, it } from "@effect/vitest"
import { PgClient } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type * as http from "node:http"
import { CheckResult } from "../../../src/domain/Job.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as AlertReceiver from "../../support/AlertReceiver.ts"
import type { JobReply } from "../../support/ApiClient.ts"
import * as Campus from "../../support/Campus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { timer } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

const TOKEN = "monitoring-token-4711"

const checksAt = (origin: string) => `checks:
  alerts:
    for: all
    reads:
      http:
        url: ${origin}/alerts?switch={{ hostname }}
        path: $.alerts[*]
        name: [name]
    must: no_new
    settle: 0
    try_again: 1 s
`

const alerts = (...names: ReadonlyArray<string>): string => JSON.stringify({ alerts: names.map((name) => ({ name })) })

const Task = Schema.Struct({ checks: Schema.optionalKey(Schema.Array(CheckResult)) })

/** What a job says of its switch, and the results of its checks. */
const told = ({ result }: JobReply, hostname: string) => {
  const device = result?.devices?.[hostname]
  const checks = (device?.job_tasks ?? []).flatMap((task) => Schema.decodeUnknownSync(Task)(task).checks ?? [])
  return { failed: device?.failed ?? true, text: JSON.stringify(device), checks }
}

/** A server whose checks may ask a monitoring system, and switches that run what the settings say. */
const makeScene = Effect.fnUntraced(function* (count = 1, more: Readonly<Record<string, string>> = {}) {
  const names = Managed.accessNames(count)
  const [hostname = "", neighbour = ""] = names
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const [device] = yield* Managed.switchesOf(lab, names)
  const monitoring = yield* AlertReceiver.listen()
  const origin = new URL(monitoring.url).origin
  const { layer, lines } = keepLines("Trace")
  const own = {
    COMMIT_CONFIRMED_WAIT: "0",
    COMMIT_CONFIRMED_TIMEOUT: timer(120),
    CHECK_HOSTS: `${origin}=MON`,
    CHECK_SECRET_MON: TOKEN,
    ...more
  }
  const { api, running } = yield* serve({ ...Campus.environment(lab, folders, folders.folder), ...own }, layer)
  const [one, other] = yield* Effect.provideContext(Managed.seedManaged(names), running)
  const links = { device_a_ip: null, device_b_ip: null, ipv4_network: null, site_id: null, description: null }
  if (one !== undefined && other !== undefined) {
    const ends = {
      device_a_id: one.id,
      device_a_port: "Ethernet26",
      device_b_id: other.id,
      device_b_port: "Ethernet26"
    }
    yield* Effect.provideContext(
      Effect.flatMap(NetworkStore, (store) => store.links.insert({ ...links, ...ends })),
      running
    )
  }
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  yield* api.run("/device_syncto", { all: true, dry_run: false, force: true, resync: true })
  const commitChecks = (text: string) =>
    Effect.andThen(folders.templates.commit({ "checks.yml": text }), refresh("templates"))
  /** Gives a port another description, and brings it to the switch. */
  const change = Effect.fnUntraced(function* (description: string) {
    const interfaces = { Ethernet2: { configtype: "ACCESS_AUTO", data: { description } } }
    assert.strictEqual((yield* api.send("PUT", `/device/${hostname}/interfaces`, { interfaces })).status, 200)
    return told(yield* api.run("/device_syncto", { hostname, dry_run: false, resync: true }), hostname)
  })
  const runs = (description: string) => (device?.running() ?? "").includes(description)
  /** Answers to requests, by whether the switch runs this description already. */
  const answering = (description: string, before: string, after: (response: http.ServerResponse) => unknown) =>
    monitoring.behave((_request, response) => void (runs(description) ? after(response) : response.end(before)))
  const stored = Effect.provideContext(
    Effect.flatMap(
      PgClient.PgClient,
      (
        sql
      ) => sql`select (select string_agg(c::text, '') from config_change c) || (select string_agg(j::text, '') from job j)
        || (select string_agg(j::text, '') from job_device j) || (select string_agg(e::text, '') from event e) as texts`
    ),
    running
  )
  return { answering, change, commitChecks, hostname, lines, monitoring, neighbour, origin, runs, stored }
})

it.live("confirms a change, takes it back, or does not know, by what a monitoring system answers", () =>
  Effect.gen(function* () {
    const { answering, change, commitChecks, hostname, lines, monitoring, origin, runs, stored } = yield* makeScene()
    const refused = yield* commitChecks(checksAt("https://elsewhere.example.org"))
    assert.notStrictEqual(refused.status, 200)
    assert.match(
      JSON.stringify(refused.body),
      /checks\.yml, line 6.*https:\/\/elsewhere\.example\.org is not named in CHECK_HOSTS/
    )
    assert.strictEqual((yield* commitChecks(checksAt(origin))).status, 200)

    answering("desk good", alerts("Watchdog"), (response) => response.end(alerts("Watchdog")))
    const good = yield* change("desk good")
    assert.strictEqual(good.failed, false, good.text)
    assert.deepStrictEqual(
      good.checks.map(({ held, name }) => [name, held]),
      [["alerts", true]]
    )
    const [request] = monitoring.received
    assert.deepInclude(request, { path: `/alerts?switch=${hostname}`, body: "" })
    assert.strictEqual(request?.headers["authorization"], `Bearer ${TOKEN}`)

    answering("desk bad", alerts("Watchdog"), (response) => response.end(alerts("Watchdog", "LinkDown")))
    const bad = yield* change("desk bad")
    assert.include(bad.text, "CheckFailed: A check failed after the commit: alerts: ")
    assert.include(bad.text, "before 1 item, now 2 items (new: LinkDown), but none may be new")
    assert.deepStrictEqual([runs("desk good"), runs("desk bad")], [true, false])

    const unknown: ReadonlyArray<readonly [string, (response: http.ServerResponse) => unknown, string]> = [
      ["desk closed", (response) => response.destroy(), "did not answer"],
      ["desk broken", (response) => response.writeHead(500).end(alerts()), "its status is 500, not 200"],
      ["desk moved", (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), "status is 302"],
      ["desk text", (response) => response.end("<html>"), "it is no JSON"],
      ["desk other", (response) => response.end(`{"status":"error"}`), "$.alerts is missing"],
      ["desk large", (response) => response.end(alerts("x".repeat(1_100_000))), "the answer is too long"],
      ["desk echo", (response) => response.end(alerts(`token ${TOKEN}`)), "it repeats the credentials of the request"]
    ]
    for (const [description, after, why] of unknown) {
      answering(description, alerts("Watchdog"), after)
      const job = yield* change(description)
      assert.include(job.text, "CheckUnread: A check could not be read after the commit: alerts", description)
      assert.include(job.text, why, description)
      assert.deepInclude(job.checks[0], { name: "alerts", held: null })
      assert.deepStrictEqual([runs("desk good"), runs(description)], [true, false])
    }
    assert.notInclude(JSON.stringify(lines), TOKEN)
    assert.notInclude(JSON.stringify(yield* stored), TOKEN)
  }).pipe(Effect.scoped)
)

it.live("asks about a neighbour too, and takes a change back by what is said of it", () =>
  Effect.gen(function* () {
    const { change, commitChecks, monitoring, neighbour, origin, runs } = yield* makeScene(2)
    assert.strictEqual((yield* commitChecks(`${checksAt(origin)}    also: neighbours\n`)).status, 200)
    monitoring.behave(({ url = "" }, response) => {
      const isCut = url.endsWith(neighbour) && runs("desk cut")
      response.end(isCut ? alerts("Watchdog", "LinkDown") : alerts("Watchdog"))
    })
    const job = yield* change("desk cut")
    assert.include(job.text, `CheckFailed: A check failed after the commit: alerts on ${neighbour}: `)
    assert.deepStrictEqual(
      job.checks.map(({ held, on }) => [on ?? "itself", held]),
      [
        ["itself", true],
        [neighbour, false]
      ]
    )
    assert.isFalse(runs("desk cut"))
  }).pipe(Effect.scoped)
)

it.live("does not know without the secret of the host, and sends nothing to it", () =>
  Effect.gen(function* () {
    const { change, commitChecks, monitoring, origin, runs } = yield* makeScene(1, { CHECK_SECRET_MON: "" })
    const refusing = `${checksAt(origin)}    before: refuse\n`
    assert.strictEqual((yield* commitChecks(refusing)).status, 200)
    const job = yield* change("desk secret")
    assert.include(job.text, "NoSecret: CHECK_SECRET_MON is not set")
    assert.deepInclude(job.checks[0], { name: "alerts", held: null })
    assert.isFalse(runs("desk secret"))
    assert.deepStrictEqual(monitoring.received, [])
  }).pipe(Effect.scoped)
)

it.live("does not wait longer than the timer allows for a host that is silent", () =>
  Effect.gen(function* () {
    const own = { COMMIT_CONFIRMED_TIMEOUT: timer(10) }
    const { answering, change, commitChecks, origin, runs } = yield* makeScene(1, own)
    const patient = checksAt(origin).replace("try_again: 1 s", "try_again: 10 min")
    assert.strictEqual((yield* commitChecks(patient)).status, 200)
    answering("desk silent", alerts(), () => undefined)
    const job = yield* change("desk silent")
    assert.include(job.text, "CheckUnread: A check could not be read after the commit: alerts")
    assert.match(job.text, /did not answer: there was no answer in time/)
    assert.isAtMost(job.checks[0]?.seconds ?? Infinity, Number(timer(10)))
    assert.isFalse(runs("desk silent"))
  }).pipe(Effect.scoped)
)
