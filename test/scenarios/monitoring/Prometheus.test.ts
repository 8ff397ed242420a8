/** A real Prometheus reads a real server, loads the shipped rules, and one of their alerts arrives at a real Alertmanager. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { definitions } from "../../../src/runtime/metrics/Exposition.ts"
import { requestSeconds } from "../../../src/runtime/metrics/Metrics.ts"
import { freePort } from "../../support/FreePort.ts"
import { daemon, describeMonitoring, folder, shipped, tool } from "../../support/Monitoring.ts"
import { dataFolder, start, until } from "../../support/Program.ts"

const Config = Schema.Struct({ rule_files: Schema.Array(Schema.String), scrape_configs: Schema.Array(Schema.Unknown) })
const Alerts = Schema.Array(Schema.Struct({ labels: Schema.Record(Schema.String, Schema.String) }))
const Found = Schema.Struct({ data: Schema.Struct({ result: Schema.Array(Schema.Unknown) }) })
const Names = Schema.Struct({ data: Schema.Record(Schema.String, Schema.Unknown) })

/** The answer as JSON; null while nothing answers. */
const ask = (url: string) =>
  Effect.promise(async (): Promise<unknown> => {
    try {
      const response = await fetch(url)
      return response.ok ? await response.json() : null
    } catch {
      return null
    }
  })

/** The shipped configuration for this server, with intervals of a second and rules that do not wait. */
const configure = (made: string, server: string, alertmanager: string): string => {
  const config = Schema.decodeUnknownSync(Config)(parse(readFileSync(shipped("prometheus.yml"), "utf8")))
  const rules = readFileSync(shipped("alerts.yml"), "utf8").replaceAll(/for: \d+m/g, "for: 0s")
  writeFileSync(path.join(made, "alerts.yml"), rules)
  const text = JSON.stringify({
    ...config,
    global: { scrape_interval: "1s", evaluation_interval: "1s" },
    alerting: { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] }
  }).replaceAll("127.0.0.1:5000", server)
  const file = path.join(made, "prometheus.yml")
  writeFileSync(file, text)
  return file
}

const startAlertmanager = Effect.fnUntraced(function* (made: string, address: string) {
  yield* daemon("prometheus-alertmanager", [
    `--config.file=${shipped("alertmanager.yml")}`,
    `--storage.path=${path.join(made, "alertmanager")}`,
    `--web.listen-address=${address}`,
    "--cluster.listen-address="
  ])
  yield* until(Effect.map(ask(`http://${address}/api/v2/status`), (answer) => answer !== null))
})

it.live("every counter and histogram of a new server begins at 0, with the labels whose values are known", () =>
  Effect.gen(function* () {
    const server = yield* start({ DATA_DIR: yield* dataFolder })
    const url = yield* server.url
    const lines = (yield* Effect.promise(async () => (await fetch(`${url}/metrics`)).text())).split("\n")
    const isThere = (series: string) => lines.some((line) => line.startsWith(series))
    for (const { kind, labels, name } of definitions) {
      const begins = labels.length === 0 ? " " : "{"
      // a server without templates has no checks: their names come with a commit
      if (kind === "counter" && name !== "switchyard_checks_total") assert.isTrue(isThere(`${name}${begins}`), name)
      // requests have too many buckets, and their counter has the same labels
      if (kind === "histogram" && name !== requestSeconds.definition.name)
        assert.isTrue(isThere(`${name}_count${begins}`), name)
    }
    for (const series of [
      "switchyard_embedded_postgresql_restarts_total",
      "switchyard_database_away_total",
      'switchyard_http_requests_total{route="/api/v1.0/device_syncto",method="POST",status="500"}',
      'switchyard_http_requests_total{route="/api/v1.0/device_syncto",method="POST",status="503"}',
      'switchyard_ssh_handshake_duration_seconds_count{outcome="host_key"}',
      'switchyard_change_phase_duration_seconds_count{phase="committing"}',
      'switchyard_jobs_ended_total{function="sync_devices",outcome="failed"}',
      'switchyard_job_devices_total{function="sync_devices",result="failed"}',
      'switchyard_changes_ended_total{result="unknown"}',
      'switchyard_webhook_failures_total{kind="pagerduty"}',
      'switchyard_repository_commits_total{repository="templates",result="refused"}'
    ])
      assert.include(lines, `${series} 0`)
  }).pipe(Effect.scoped)
)

describeMonitoring("A Prometheus that watches a server", () => {
  it.live("finds nothing to say about its page of metrics", () =>
    Effect.gen(function* () {
      const server = yield* start({ DATA_DIR: yield* dataFolder })
      const url = yield* server.url
      const page = yield* Effect.promise(async () => (await fetch(`${url}/metrics`)).text())
      assert.deepEqual(tool("promtool", ["check", "metrics"], page), { code: 0, text: "" })
    }).pipe(Effect.scoped)
  )

  it.live("knows all metrics, and alerts Alertmanager when the server is down", () =>
    Effect.gen(function* () {
      const server = yield* start({ DATA_DIR: yield* dataFolder })
      const url = yield* server.url
      const made = yield* folder
      const [alertmanager, prometheus] = [`127.0.0.1:${yield* freePort}`, `127.0.0.1:${yield* freePort}`]
      yield* startAlertmanager(made, alertmanager)
      yield* daemon("prometheus", [
        `--config.file=${configure(made, new URL(url).host, alertmanager)}`,
        `--storage.tsdb.path=${path.join(made, "data")}`,
        `--web.listen-address=${prometheus}`
      ])
      const has = (query: string) =>
        Effect.map(ask(`http://${prometheus}/api/v1/query?query=${encodeURIComponent(query)}`), (answer) =>
          answer === null ? false : Schema.decodeUnknownSync(Found)(answer).data.result.length > 0
        )
      yield* until(has("switchyard_database_up == 1"))
      const { data } = Schema.decodeUnknownSync(Names)(yield* ask(`http://${prometheus}/api/v1/metadata`))
      // as OpenMetrics names the families of counters
      const families = new Set(Object.keys(data).map((name) => name.replace(/_total$/, "")))
      for (const { name } of definitions) assert.isTrue(families.has(name.replace(/_total$/, "")), name)
      server.kill("SIGKILL")
      const told = Effect.map(
        ask(`http://${alertmanager}/api/v2/alerts`),
        (answer) =>
          answer !== null &&
          Schema.decodeUnknownSync(Alerts)(answer).some(({ labels }) => labels["alertname"] === "SwitchyardDown")
      )
      yield* until(told)
    }).pipe(Effect.scoped)
  )
})
