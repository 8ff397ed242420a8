/** The events that the existing web client waits for, sent to a real client of its library: every event in order, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { makeImageHost, sha1Of } from "../../firmware/ImageHost.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { EVERYTHING, type Heard, listen, type Listening, sentence } from "../../support/LiveClient.ts"
import { seconds } from "../../support/Patience.ts"
import * as Managed from "../chaos/ManagedCampus.ts"
import { SqlClient } from "effect/sql"
import { socketPayload } from "../../../src/events/SocketBridge.ts"
import type { LabShape } from "../../../src/lab/Lab.ts"
import type { DeviceStore } from "../../../src/store/DeviceStore.ts"
import type { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import type { makeClient } from "../../support/ApiClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { serve } from "../../support/ServedCampus.ts"
import { EventStore } from "../../../src/store/EventStore.ts"
import type { NetworkStore } from "../../../src/store/NetworkStore.ts"

// A whole server with managed switches and a client of socket.io that receives everything from its start.

/** The received sentences about a job, from its beginning to its end. */
const ofJob = ({ events }: Listening, id: number): ReadonlyArray<string> => {
  const own = events.flatMap(({ job_id }, place) => (job_id === id ? [place] : []))
  return events.slice(own[0], (own.at(-1) ?? 0) + 1).map(sentence)
}

/** A lab, and the rows that a server for it begins with. */
interface LiveSite<A, E> {
  readonly lab: LabShape
  readonly seed: Effect.Effect<A, E, DeviceStore | InterfaceStore | NetworkStore>
  readonly variables?: Readonly<Record<string, string>>
}

/** Starts it: settings and templates are in force. The client is connected after `prepare`. */
const makeLiveServer = Effect.fnUntraced(function* <A, E>(
  { lab, seed, variables }: LiveSite<A, E>,
  prepare: (api: ReturnType<typeof makeClient>) => Effect.Effect<void> = () => Effect.void
) {
  const folders = yield* Campus.makeFolders
  const { layer } = keepLines("Info")
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    FIRMWARE_ALLOW_LOCAL: "true",
    ...variables
  }
  const { api, running, url } = yield* serve(env, layer)
  yield* Effect.provideContext(seed, running)
  const refresh = (name: string) => api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  for (const name of ["templates", "settings"]) {
    while ((yield* refresh(name)).status !== 200) yield* Effect.sleep("50 millis")
  }
  yield* prepare(api)
  const web = yield* listen(url, EVERYTHING)
  const { from } = yield* Effect.provideContext(
    Effect.gen(function* () {
      return { from: yield* (yield* EventStore).log.complete }
    }),
    running
  )

  /** The contents of the log, in the words of the clients, since the first client joined. */
  const stored = Effect.provideContext(
    Effect.gen(function* () {
      const { log } = yield* EventStore
      const events = yield* log.read({ after: from, through: Number.MAX_SAFE_INTEGER, limit: 10_000 })
      return events.flatMap((event) => socketPayload(event)?.payload ?? [])
    }),
    running
  )
  /** The client has received everything in the log, in order, and nothing else. */
  const heardAll = Effect.gen(function* () {
    const expected = yield* stored
    yield* web.until("All events", () => web.events.length >= expected.length)
    const sent: ReadonlyArray<Heard> = JSON.parse(JSON.stringify(expected))
    assert.deepStrictEqual(web.events.map(sentence), sent.map(sentence))
    assert.deepStrictEqual(web.events, sent)
  })
  const sql = <A, E>(work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
    Effect.provideContext(Effect.flatMap(SqlClient.SqlClient, work), running)
  return { api, folders, heardAll, refresh, running, sql, url, web }
})

/** The same with so many managed switches, which are synchronized. */
const makeLiveScene = Effect.fnUntraced(function* (count: number, variables: Readonly<Record<string, string>> = {}) {
  const names = Managed.accessNames(count)
  const lab = yield* Managed.makeManagedLab(names)
  const server = yield* makeLiveServer({ lab, seed: Managed.seedManaged(names), variables }, (api) =>
    Effect.map(api.run("/device_syncto", { hostnames: names, dry_run: false, force: true, resync: true }), (push) =>
      assert.strictEqual(push.status, "FINISHED", JSON.stringify(push))
    )
  )
  return { ...server, names }
})

type LiveScene = Effect.Success<ReturnType<typeof makeLiveScene>>

const LONG = seconds(240)

/** A commit that changes what all access switches should run. */
const changeTemplates = Effect.fnUntraced(function* ({ folders }: LiveScene) {
  const template = path.join(folders.templates.folder, "eos/access.j2")
  const text = yield* Effect.promise(() => fs.readFile(template, "utf8"))
  yield* folders.templates.commit({ "eos/access.j2": `${text}\nbanner login\nnewer\nEOF\n` })
})

it.live(
  "reports a refresh, a dry run and a live run in their order, with RUNNING of the refresh before its answer",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeLiveScene(2)
      const { api, heardAll, names, refresh, web } = scene
      const [one = "", two = ""] = names
      yield* changeTemplates(scene)
      const answer = yield* refresh("templates")
      const [first] = web.events
      assert.deepStrictEqual([first?.status, first?.function_name], ["RUNNING", "refresh_repo"], answer.body.status)
      const id = first?.job_id ?? 0
      yield* web.untilEnd(id)
      const [begun, causeOfOne, causeOfTwo, ...changed] = ofJob(web, id)
      assert.deepStrictEqual(
        [begun, causeOfOne, causeOfTwo],
        [`job ${id} RUNNING refresh_repo`, `sync ${one} refresh_templates`, `sync ${two} refresh_templates`]
      )
      // one statement changes both devices, in the order in which their rows lie in the table
      assert.deepStrictEqual(changed.slice(0, -1).toSorted(), [`UPDATED ${one}`, `UPDATED ${two}`].toSorted())
      assert.strictEqual(changed.at(-1), `job ${id} FINISHED`)
      const [, sync] = web.events
      const updated = web.events.find(({ object }) => object?.hostname === one)
      assert.deepInclude(sync?.syncevent_data, { cause: "refresh_templates", by: "admin", job_id: id })
      assert.deepInclude(updated?.object, { hostname: one, synchronized: false, state: "MANAGED" })

      const dry = yield* api.run("/device_syncto", { hostnames: names, dry_run: true })
      yield* web.untilEnd(dry.id)
      const live = yield* api.run("/device_syncto", { hostnames: names, dry_run: false })
      yield* web.untilEnd(live.id)
      assert.include(ofJob(web, dry.id)[0], "RUNNING sync_devices (dry_run)")
      assert.include(ofJob(web, live.id)[0], "RUNNING sync_devices")
      assert.deepInclude(web.events.findLast(({ hostname }) => hostname === one)?.object, { synchronized: true })
      yield* heardAll

      const ofRun = web.lines.filter((line) => line.includes(`job #${live.id}`))
      assert.isNotEmpty(ofRun)
      for (const line of ofRun) {
        assert.match(line, /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] (?:INFO|WARNING) in sync_devices job #\d+: /)
        assert.strictEqual(line.match(/job #/g)?.length, 1, line)
      }
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "reports save-and-commit: the dry run names its follow-up, and the device is synchronized in the end",
  () =>
    Effect.gen(function* () {
      const { api, heardAll, names, web } = yield* makeLiveScene(1)
      const [one = ""] = names
      const ports = { interfaces: { Ethernet2: { configtype: "ACCESS_AUTO", data: { description: "desk four" } } } }
      assert.strictEqual((yield* api.send("PUT", `/device/${one}/interfaces`, ports)).status, 200)
      yield* web.until("The change", () => web.events.length === 2)
      assert.deepStrictEqual(web.events.map(sentence), [`sync ${one} interface_updated`, `UPDATED ${one}`])
      const dry = yield* api.run("/device_syncto", { hostname: one, dry_run: true, auto_push: true })
      const next = dry.next_job_id ?? 0
      yield* web.untilEnd(dry.id)
      yield* web.untilEnd(next)
      const end = web.events.find(({ job_id, status }) => job_id === dry.id && status === "FINISHED")
      assert.deepStrictEqual(end, { job_id: dry.id, status: "FINISHED", next_job_id: next })
      yield* web.until(
        "The device",
        () => web.events.findLast(({ hostname }) => hostname === one)?.object?.["synchronized"] === true
      )
      yield* heardAll
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "reports added, renamed and deleted devices, and nothing that was rolled back or refused",
  () =>
    Effect.gen(function* () {
      const { api, heardAll, names, sql, web } = yield* makeLiveScene(1)
      const [one = ""] = names
      const device = {
        hostname: "acc-new",
        state: "MANAGED",
        device_type: "ACCESS",
        platform: "eos",
        management_ip: "10.196.16.77"
      }
      const made = yield* api.send("POST", "/device", device)
      assert.strictEqual(made.status, 200, JSON.stringify(made.body))
      yield* web.until("The event", () => web.events.map(sentence).includes("CREATED acc-new"))
      assert.isAtLeast((yield* api.send("POST", "/device", device)).status, 400)
      yield* sql((client) =>
        client
          .withTransaction(
            Effect.andThen(
              client`insert into device (hostname, state, device_type, platform) values ('ghost', 'DHCP_BOOT', 'UNKNOWN', 'eos')`,
              Effect.fail("rolled back" as const)
            )
          )
          .pipe(Effect.ignore)
      )
      const id = web.events.find(({ action }) => action === "CREATED")?.device_id ?? 0
      const renamed = yield* api.send("PUT", `/device/${id}`, { hostname: "acc-other" })
      assert.strictEqual(renamed.status, 200, JSON.stringify(renamed.body))
      yield* web.until("The event", () => web.events.map(sentence).includes("UPDATED acc-other"))
      assert.strictEqual((yield* api.send("DELETE", `/device/${id}`)).status, 200)
      yield* web.until("The event", () => web.events.map(sentence).includes("DELETED acc-other"))
      const gone = web.events.find(({ action }) => action === "DELETED")
      assert.deepInclude(gone?.object, { id, hostname: "acc-other", state: "MANAGED" })
      yield* heardAll
      assert.notInclude(JSON.stringify(web.events), "ghost")
      assert.notInclude(JSON.stringify(web.events), "primary_group")
      assert.notInclude(web.events.map(sentence), `DELETED ${one}`)
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "reports a switch from its discovery to MANAGED, with the follow-up that each job names",
  () =>
    Effect.gen(function* () {
      const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
      const seed = Effect.andThen(Campus.seedSite, Effect.flatMap(Effect.orDie(lab.get("acc1")), booted))
      const { api, heardAll, sql, web } = yield* makeLiveServer({ lab, seed })
      const [row] = yield* sql(
        (client) => client<{ id: number; ztp_mac: string; dhcp_ip: string }>`
        select id, ztp_mac, dhcp_ip from device where state = 'DHCP_BOOT'`
      )
      assert.isDefined(row)
      const { dhcp_ip = "", id = 0, ztp_mac = "" } = row ?? {}
      yield* api.run("/device_discover", { ztp_mac, dhcp_ip })
      const step1 = yield* api.run(`/device_init/${id}`, { hostname: "lhv-acc1", device_type: "ACCESS" })
      const step2 = step1.next_job_id ?? 0
      yield* web.untilEnd(step1.id)
      yield* web.untilEnd(step2)
      yield* heardAll
      const states = web.events.flatMap(({ device_id, object }) => (device_id === id ? [object?.["state"]] : []))
      assert.deepStrictEqual([...new Set(states)], ["DISCOVERED", "INIT", "MANAGED"])
      assert.include(
        web.events,
        web.events.find((event) => event.job_id === step1.id && event.next_job_id === step2)
      )
      const ofStep2 = ofJob(web, step2)
      assert.isBelow(ofStep2.indexOf("sync lhv-acc1 device_init"), ofStep2.lastIndexOf("UPDATED lhv-acc1"))
      assert.isAtLeast(ofStep2.indexOf("sync lhv-acc1 device_init"), 1)
    }).pipe(Effect.scoped),
  LONG
)

it.live(
  "reports the copy of an image: the job that begins, its lines, and its end or its error",
  () =>
    Effect.gen(function* () {
      const image = Buffer.from("an image")
      const host = yield* makeImageHost(new Map([["EOS-4.32.2F.swi", image]]))
      const lab = yield* Managed.makeManagedLab([])
      const { api, heardAll, web } = yield* makeLiveServer({ lab, seed: Campus.seedSite })
      const order = { url: `${host.url}/EOS-4.32.2F.swi`, sha1: sha1Of(image), verify_tls: false }
      const good = yield* api.run("/firmware", order)
      yield* web.untilEnd(good.id)
      assert.deepStrictEqual(ofJob(web, good.id), [`job ${good.id} RUNNING get_firmware`, `job ${good.id} FINISHED`])
      const bad = yield* api.run("/firmware", { ...order, sha1: "0".repeat(40) })
      yield* web.untilEnd(bad.id)
      const end = web.events.at(-1)
      assert.deepInclude(end, { job_id: bad.id, status: bad.status })
      assert.strictEqual(end?.exception, bad.exception?.message)
      yield* heardAll
    }).pipe(Effect.scoped),
  LONG
)
