/** A real Prometheus reads a real server, loads the shipped rules, and one of their alerts arrives at a real Alertmanager. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { parse } from "yaml"
import { definitions } from "../../../src/runtime/metrics/Exposition.ts"
import { freePort } from "../../support/FreePort.ts"
import { daemon, describeMonitoring, folder, shipped } from "../../support/Monitoring.ts"
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

describeMonitoring("A Prometheus that watches a server", () => {
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
