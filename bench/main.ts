/**
 * `npm run bench [-- rows…] [--keep]`: measures the budgets, prints a table and writes JSON to bench/results; with `--keep` the figures
 * also go to bench/history.json. Nothing fails on time.
 * Rows: render, fleet (10,000 devices without switches), jobs (200 switches among them), sync and readers (1,000 devices;
 * SYNC_DEVICES changes the number), access (what roles cost), live (200 clients of events beside a sync), events (pages of 10,000,000; EVENTS), hostile (readers beside a flood), leases (the DHCP hook), logins (real OpenSSH servers), mixed (300 switches with
 * EOS, 300 with Junos and 6 real routers; MIXED_EOS, MIXED_JUNOS, MIXED_FRR), page (10,000 devices in Chromium), personalities (1,000 switches;
 * PERSONALITIES_DEVICES), provisioning (200 switches; PROVISIONING_SWITCHES). What the parts share is in the files that begin with Bench.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"
import { mkdirSync, writeFileSync } from "node:fs"
import * as path from "node:path"
import { rows as checksRows } from "./ChecksBench.ts"
import { rows as provisioningRows } from "./ProvisioningBench.ts"
import { rows as accessRows } from "./AccessBench.ts"
import { rows as eventsRows } from "./EventsBench.ts"
import { rows as fleetRows } from "./FleetBench.ts"
import { rows as hostileRows } from "./HostileBench.ts"
import { rows as jobsRows } from "./JobsBench.ts"
import { rows as leasesRows } from "./LeasesBench.ts"
import { rows as liveRows } from "./LiveBench.ts"
import { rows as loginRows } from "./LoginBench.ts"
import { figureTable, keep } from "./Figures.ts"
import { type Measured, row } from "./Measured.ts"
import { rows as mixedRows } from "./MixedBench.ts"
import { rows as monthRows } from "./MonthBench.ts"
import { rows as pageRows } from "./PageBench.ts"
import { rows as personalitiesRows } from "./PersonalitiesBench.ts"
import { rows as readersRows } from "./ReadersBench.ts"
import { measureRendering } from "./RenderBench.ts"
import { rows as replicasRows } from "./ReplicasBench.ts"
import { rows as rowsRows } from "./RowsBench.ts"
import { rows as sizeRows } from "./SizeBench.ts"
import { rows as syncRows } from "./SyncBench.ts"
import { rows as watchedRows } from "./WatchedBench.ts"

const renderRows = Effect.sync((): ReadonlyArray<Measured> => {
  const { heapAfter, heapBefore, perSecond, size } = measureRendering(100_000)
  const measured = `${perSecond}/s, heap ${heapBefore.toFixed(0)} → ${heapAfter.toFixed(0)} MB`
  const what = `render of an access configuration of ${size} characters, templates compiled once`
  return [row(what, "≥ 5,000/s", measured, { perSecond, heapBefore, heapAfter })]
})

const benches: Readonly<Record<string, Effect.Effect<ReadonlyArray<Measured>, unknown>>> = {
  render: renderRows,
  fleet: fleetRows,
  jobs: jobsRows,
  access: accessRows,
  events: eventsRows(Number(process.env["EVENTS"] ?? "10000000")),
  sync: syncRows(Number(process.env["SYNC_DEVICES"] ?? "1000")),
  checks: checksRows(Number(process.env["SYNC_DEVICES"] ?? "1000")),
  readers: readersRows(Number(process.env["SYNC_DEVICES"] ?? "1000")),
  live: liveRows(Number(process.env["SYNC_DEVICES"] ?? "1000")),
  hostile: hostileRows,
  leases: leasesRows,
  personalities: personalitiesRows(Number(process.env["PERSONALITIES_DEVICES"] ?? "1000")),
  logins: loginRows,
  page: pageRows,
  mixed: mixedRows({
    eos: Number(process.env["MIXED_EOS"] ?? "300"),
    junos: Number(process.env["MIXED_JUNOS"] ?? "300"),
    frr: Number(process.env["MIXED_FRR"] ?? "6")
  }),
  month: monthRows(Number(process.env["MONTH_DAYS"] ?? "30"), Number(process.env["MONTH_SWITCHES"] ?? "60")),
  provisioning: provisioningRows(Number(process.env["PROVISIONING_SWITCHES"] ?? "200")),
  replicas: replicasRows(
    Number(process.env["SYNC_DEVICES"] ?? "1000"),
    (process.env["REPLICAS"] ?? "1,2,4").split(",").map(Number)
  ),
  rows: rowsRows(Number(process.env["ROWS"] ?? "100000")),
  size: sizeRows((process.env["SIZES"] ?? "1000,2500,5000,10000").split(",").map(Number)),
  watched: watchedRows(Number(process.env["SYNC_DEVICES"] ?? "1000"))
}

const given = process.argv.slice(2)
const wanted = given.filter((argument) => argument !== "--keep")
// half an hour, and only where it is asked for
const ON_REQUEST = ["size", "rows", "month", "mixed", "replicas", "checks"]
const names = wanted.length === 0 ? Object.keys(benches).filter((name) => !ON_REQUEST.includes(name)) : wanted

const program = Effect.gen(function* () {
  const measured: Array<Measured> = []
  for (const name of names) {
    const bench = benches[name]
    if (bench === undefined)
      return yield* Effect.die(new Error(`no bench ${name}; there are ${Object.keys(benches).join(", ")}`))
    measured.push(...(yield* bench))
  }
  const lines = measured.map(({ budget, measured: figure, what }) => `| ${what} | ${budget} | ${figure} |`)
  yield* Console.log(["| What | Budget | Measured |", "| --- | --- | --- |", ...lines].join("\n"))
  const figures = measured.flatMap((one) => one.figures)
  if (figures.length > 0) yield* Console.log(["", ...figureTable(figures)].join("\n"))
  if (given.includes("--keep")) keep(figures)
  const folder = path.join(import.meta.dirname, "results")
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, "bench.json"), `${JSON.stringify(measured, null, 2)}\n`)
})

NodeRuntime.runMain(program)
