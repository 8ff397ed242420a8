/** The spans of a live sync at a receiver of traces (docs/monitoring.md#traces), with and without a kill in the middle of it. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../src/store/Database.ts"
import * as Campus from "../../support/Campus.ts"
import { makeClient } from "../../support/ApiClient.ts"
import { start, until } from "../../support/Program.ts"
import { serve } from "../../support/ServedCampus.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"
import { attribute, make as makeReceiver, type ToldSpan, type TraceReceiver } from "../../support/TraceReceiver.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
const CALLER = "00f067aa0ba902b7"
const TRACEPARENT = `00-${TRACE}-${CALLER}-01`

const names = Managed.accessNames(2)
const wanted = { hostnames: names, dry_run: false, force: true, resync: true }

/** Asks for a live sync as part of the caller's trace, and yields the job. */
const startSync = (url: string) =>
  Effect.promise(async () => {
    const response = await fetch(`${url}/api/v1.0/device_syncto`, {
      method: "POST",
      body: JSON.stringify(wanted),
      headers: { "content-type": "application/json", traceparent: TRACEPARENT }
    })
    const { job_id } = (await response.json()) as { job_id?: number }
    return job_id ?? assert.fail(`there is no job: ${response.status}`)
  })

const refreshAll = Effect.fnUntraced(function* (url: string) {
  const { send } = makeClient(url)
  for (const name of ["templates", "settings"]) {
    while ((yield* send("PUT", `/repository/${name}`, { action: "REFRESH" })).status !== 200) {
      yield* Effect.sleep("50 millis")
    }
  }
})

const inTrace = ({ spans }: TraceReceiver) => spans.filter(({ traceId }) => traceId === TRACE)
const named = (spans: ReadonlyArray<ToldSpan>, name: string) => spans.filter((span) => span.name === name)

/** Names from the span up to the one that the caller gave. */
const pathOf = (spans: ReadonlyArray<ToldSpan>, span: ToldSpan): ReadonlyArray<string> => {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  if (parent !== undefined) return [...pathOf(spans, parent), span.name]
  assert.strictEqual(span.parentSpanId, CALLER, `${span.name} hangs nowhere`)
  return [span.name]
}

const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names, 60)
  const switches = yield* Managed.switchesOf(lab, names)
  const receiver = yield* makeReceiver
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_WAIT: "0",
    OTEL_SERVICE_NAME: "campus",
    OTEL_EXPORTER_OTLP_HEADERS: "x-token=MarkT%20of-the-receiver"
  }
  return { env, receiver, switches }
})

it.live("the trace of a request contains its live sync: job, calls to devices, steps and commands, and no secret", () =>
  Effect.gen(function* () {
    const { env, receiver } = yield* makeScene
    yield* Effect.gen(function* () {
      const { api, running, url } = yield* serve({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url })
      yield* Effect.provideContext(Managed.seedManaged(names), running)
      yield* refreshAll(url)
      const job = yield* api.ended(yield* startSync(url))
      assert.strictEqual(job.status, "FINISHED")
    }).pipe(Effect.scoped)
    // the server has stopped, and has exported the rest
    const spans = inTrace(receiver)
    const [request, ...others] = named(spans, "http.server POST")
    assert.deepStrictEqual(others, [])
    assert.strictEqual(request === undefined ? undefined : attribute(request, "url.path"), "/api/v1.0/device_syncto")
    const commits = named(spans, "ssh configure session")
    const hosts = new Set(commits.map((span) => attribute(span, "device.hostname")))
    assert.deepStrictEqual([...hosts].toSorted(), [...names].toSorted())
    const paths = new Set(spans.map((span) => pathOf(spans, span).join(" > ")))
    const above = "http.server POST > job sync_devices > Device.RunChange"
    for (const path of [
      `${above} > step open > ssh login`,
      `${above} > step verify > ssh show running-config`,
      `${above} > step load > ssh load`,
      `${above} > step commit > ssh configure session`,
      "http.server POST > wait for lock",
      "http.server POST > job sync_devices > render"
    ]) {
      assert.include([...paths].toSorted(), path)
    }
    const [job] = named(spans, "job sync_devices")
    assert.strictEqual(job === undefined ? undefined : attribute(job, "job.function"), "sync_devices")
    const [call] = named(spans, "Device.RunChange")
    assert.include(names, call === undefined ? undefined : attribute(call, "device.hostname"))
    const [open] = named(spans, "step open")
    assert.strictEqual(open === undefined ? undefined : attribute(open, "change.event"), "OPENED")
    // a hundred spans for one device would be too many to read
    assert.isBelow(spans.length, 2 + names.length * 60)

    assert.deepStrictEqual([...receiver.services], ["campus"])
    assert.deepStrictEqual([...receiver.tokens], ["MarkT of-the-receiver"])
    assert.deepStrictEqual([...new Set(receiver.paths)], ["POST /v1/traces"])
    const texts = receiver.texts.join("\n")
    const secrets = Object.entries(env).filter(([name]) => /PASSWORD|SECRET|HEADERS/.test(name))
    for (const [name, value] of [...secrets, ["the token", "MarkT of-the-receiver"] as const]) {
      assert.notInclude(texts, value, name)
    }
    assert.notMatch(texts, /\binsert into\b|\bselect \b|username switchyard|snmp-server/i)
  }).pipe(Effect.scoped)
)

it.live("the trace continues with a job whose server was killed", () =>
  Effect.gen(function* () {
    const { env, receiver, switches } = yield* makeScene
    const database = yield* databaseUrl
    const all = { ...env, LOG_LEVEL: "Info", DATABASE_URL: database, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
    const stores = yield* Layer.build(storesOn(Database.layerUrl(Redacted.make(database))))
    const first = yield* start(all)
    yield* Effect.provide(Managed.seedManaged(names), stores)
    const url = yield* first.url
    yield* refreshAll(url)
    const id = yield* startSync(url)
    yield* until(
      Effect.sync(() => switches.some((one) => one.commands().some(({ command }) => /commit/.test(command))))
    )
    first.kill("SIGKILL")
    yield* first.ended
    const before = receiver.spans.length

    const second = yield* start(all)
    const ended = yield* makeClient(yield* second.url).ended(id)
    assert.strictEqual(ended.status, "FINISHED")
    const later = () => inTrace(receiver).filter((span) => receiver.spans.indexOf(span) >= before)
    yield* until(Effect.sync(() => named(later(), "job sync_devices").length > 0))
    const [job] = named(later(), "job sync_devices")
    assert.strictEqual(job === undefined ? undefined : attribute(job, "job.id"), String(id))
    const below = later().filter(({ parentSpanId }) => parentSpanId === job?.spanId)
    assert.isNotEmpty(below.filter(({ name }) => name.startsWith("Device.")))
    assert.isNotEmpty(later().filter(({ name }) => name.startsWith("ssh ")))
  }).pipe(Effect.scoped)
)

it.live("nothing is sent without a receiver in the settings", () =>
  Effect.gen(function* () {
    const { env, receiver } = yield* makeScene
    yield* Effect.gen(function* () {
      const { api, running, url } = yield* serve(env)
      yield* Effect.provideContext(Managed.seedManaged(names), running)
      yield* refreshAll(url)
      assert.strictEqual((yield* api.ended(yield* startSync(url))).status, "FINISHED")
    }).pipe(Effect.scoped)
    assert.strictEqual(receiver.requests(), 0)
  }).pipe(Effect.scoped)
)
