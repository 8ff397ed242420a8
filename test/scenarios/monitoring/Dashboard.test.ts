/** The dashboard and the rules in deploy/monitoring: their form, and that they name only what the server exports. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { parse } from "yaml"
import { definitions } from "../../../src/runtime/metrics/Exposition.ts"
import { describeMonitoring, shipped, tool } from "../../support/Monitoring.ts"

const Source = Schema.Struct({ type: Schema.Literal("prometheus"), uid: Schema.Literal("${datasource}") })

/** A panel of the classic format on a grid of 24 columns. */
const Panel = Schema.Struct({
  id: Schema.Int.pipe(Schema.check(Schema.isGreaterThan(0))),
  type: Schema.Literals(["timeseries", "stat", "table"]),
  title: Schema.NonEmptyString,
  datasource: Source,
  gridPos: Schema.Struct({
    h: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 24 }))),
    w: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 24 }))),
    x: Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 23 }))),
    y: Schema.Int
  }),
  fieldConfig: Schema.Struct({
    defaults: Schema.Struct({ unit: Schema.NonEmptyString }),
    overrides: Schema.Array(Schema.Unknown)
  }),
  options: Schema.Record(Schema.String, Schema.Unknown),
  targets: Schema.NonEmptyArray(
    Schema.Struct({
      refId: Schema.NonEmptyString,
      datasource: Source,
      expr: Schema.NonEmptyString,
      legendFormat: Schema.String
    })
  )
})

const Dashboard = Schema.Struct({
  id: Schema.Null,
  uid: Schema.String.pipe(Schema.check(Schema.isMaxLength(40))),
  title: Schema.NonEmptyString,
  tags: Schema.Array(Schema.String),
  timezone: Schema.Literals(["browser", "utc"]),
  editable: Schema.Boolean,
  graphTooltip: Schema.Literals([0, 1, 2]),
  panels: Schema.NonEmptyArray(Panel),
  time: Schema.Struct({ from: Schema.String, to: Schema.String }),
  timepicker: Schema.Record(Schema.String, Schema.Unknown),
  templating: Schema.Struct({
    list: Schema.Array(
      Schema.Struct({ name: Schema.String, type: Schema.Literal("datasource"), query: Schema.Literal("prometheus") })
    )
  }),
  annotations: Schema.Struct({ list: Schema.Array(Schema.Unknown) }),
  refresh: Schema.String,
  schemaVersion: Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(16))),
  version: Schema.Int,
  links: Schema.Array(Schema.Unknown)
})

const Rules = Schema.Struct({
  groups: Schema.Array(
    Schema.Struct({ rules: Schema.Array(Schema.Struct({ alert: Schema.String, expr: Schema.String })) })
  )
})

const dashboard = Schema.decodeUnknownSync(Dashboard)(JSON.parse(readFileSync(shipped("dashboard.json"), "utf8")))
const rules = Schema.decodeUnknownSync(Rules)(parse(readFileSync(shipped("alerts.yml"), "utf8"))).groups.flatMap(
  (group) => group.rules
)
const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))

/** Every name that stands in samples of the page. */
const sampled = new Set(
  definitions.flatMap(({ kind, name }) =>
    kind === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
  )
)

it.effect("dashboard and rules name only exported metrics, and only their labels", () =>
  Effect.sync(() => {
    for (const expr of [...asked, ...rules.map((rule) => rule.expr)]) {
      for (const [name] of expr.matchAll(/\b(?:switchyard|process)_\w+/g))
        assert.isTrue(sampled.has(name), `${name} in ${expr}`)
      const labels = new Set(["instance", "job", "le", ...definitions.flatMap((definition) => definition.labels)])
      for (const [, list = ""] of expr.matchAll(/(?:by|without) \(([^)]*)\)/g))
        for (const label of list.split(/,\s*/)) assert.isTrue(labels.has(label), `${label} in ${expr}`)
    }
  })
)

it.effect("names and labels follow the conventions of Prometheus", () =>
  Effect.sync(() => {
    for (const { help, kind, labels, name } of definitions) {
      assert.match(name, /^(?:switchyard|process)_[a-z][a-z0-9_]*$/)
      assert.strictEqual(name.endsWith("_total"), kind === "counter", name)
      if (kind === "histogram") assert.match(name, /_seconds$/)
      assert.notMatch(name, /_(?:ms|milliseconds|minutes|hours|kb|mb|kilobytes|megabytes|percent|gauge|counter)(?:_|$)/)
      // `quantile` is a label of summaries and `le` of histograms; `job` and `instance` are Prometheus's own
      for (const label of labels) {
        assert.match(label, /^[a-z][a-z0-9_]*$/)
        assert.notInclude(["quantile", "le", "job", "instance"], label, name)
      }
      assert.notMatch(help, /\.$/)
    }
  })
)

it.effect("panels do not overlap, and the data source is a variable", () =>
  Effect.sync(() => {
    const cells = dashboard.panels.flatMap(({ gridPos: { h, w, x, y } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)},${y + Math.floor(at / w)}`)
    )
    assert.strictEqual(new Set(cells).size, cells.length)
    assert.isTrue(dashboard.panels.every(({ gridPos: { w, x } }) => x + w <= 24))
    assert.strictEqual(new Set(dashboard.panels.map(({ id }) => id)).size, dashboard.panels.length)
    assert.deepEqual(
      dashboard.templating.list.map(({ name }) => name),
      ["datasource"]
    )
  })
)

describeMonitoring("What Prometheus itself says", () => {
  it.effect("every expression of the dashboard can be parsed", () =>
    Effect.sync(() => {
      const made = mkdtempSync(path.join(tmpdir(), "switchyard-dashboard-"))
      const file = path.join(made, "rules.yml")
      const records = asked.map((expr, at) => ({
        record: `asked:${at}`,
        expr: expr.replaceAll("$__rate_interval", "1m")
      }))
      writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules: records }] }))
      const { code, text } = tool("promtool", ["check", "rules", file])
      rmSync(made, { recursive: true })
      assert.strictEqual(code, 0, text)
    })
  )

  it.effect("the shipped files are valid", () =>
    Effect.sync(() => {
      for (const words of [
        ["check", "rules", shipped("alerts.yml")],
        ["check", "config", shipped("prometheus.yml")]
      ]) {
        const { code, text } = tool("promtool", words)
        assert.strictEqual(code, 0, text)
      }
      const { code, text } = tool("amtool", ["check-config", shipped("alertmanager.yml")])
      assert.strictEqual(code, 0, text)
    })
  )
})
