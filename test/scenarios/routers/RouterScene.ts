/**
 * One live sync of real routers with a different fault on each. The result is read from the job's record, from the database and from the
 * routers themselves.
 */
import { Effect, Fiber, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import type { DeviceResult } from "../../../src/domain/Job.ts"
import { stableText } from "../../../src/drivers/frr/Commit.ts"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { SERVER } from "../../../src/fabric/FabricPlan.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { seconds } from "../../support/Patience.ts"
import { makeRouterSite, routerSettings, routing } from "./RouterSite.ts"
import { arm, seenSteps, type Strike, struckRouter } from "./StruckRouter.ts"
import { configHashOf } from "../../../src/drivers/DriverDefinition.ts"
import { JobScheduleStore } from "../../../src/store/JobScheduling.ts"

/** The fault of one router, and its step; `line` is the addition of its candidate if not the usual one. */
export interface RouterCell {
  readonly at: string
  readonly strike: Strike
  readonly line?: string
  /** Ends a fault that would last, once the job has ended. */
  readonly mend?: Strike
}

/** The running and startup configuration of a router, and its record. */
export interface Outcome {
  readonly runs: "new" | "old" | "other"
  readonly saved: "new" | "old" | "other"
  readonly result: DeviceResult | undefined
  readonly synchronized: boolean
  readonly events: ReadonlyArray<string>
  /** Our candidates, timers and other remains on the router. */
  readonly left: string
  readonly struck: boolean
  /** The steps that the router has seen. */
  readonly steps: ReadonlyArray<string>
}

const LINE = "ip prefix-list OFFICES seq 5 permit 10.0.0.0/8"

const template = `frr defaults datacenter
hostname {{ host }}
service integrated-vtysh-config
!
interface eth0
 ip address {{ mgmt_ip }}/24
exit
!
{{ cli_append_str|trim }}
!
`

export const nameOf = (index: number): string => `router${index + 1}`
const addressOf = (index: number): string => `10.99.0.${11 + index}`

/** The routers, each with a local port that leads to it, and what a server needs that is to change them. */
export const makeSite = Effect.fnUntraced(function* (cells: ReadonlyArray<RouterCell>) {
  const nodes = cells.map((_, index) => struckRouter(nameOf(index), addressOf(index)))
  const fabric = yield* Fabric.make({ address: `${SERVER}/24`, nodes, cables: [] })
  const { environment, folders } = yield* makeRouterSite(
    fabric,
    cells.map((_, index) => addressOf(index))
  )
  const devices = cells.flatMap(({ line = LINE }, index) => [
    [`devices/${nameOf(index)}/base_system.yml`, `---\ncli_append_str: |\n${line.replace(/^/gm, "  ")}\n`],
    [`devices/${nameOf(index)}/interfaces.yml`, "---\n{}\n"],
    [`devices/${nameOf(index)}/routing.yml`, "---\n{}\n"]
  ])
  const own = Object.entries(routerSettings).filter(([file, text]) => text === null || file.startsWith("global/"))
  yield* folders.settings.commit({
    ...Object.fromEntries(own),
    "global/routing.yml": routing("10.99.0.0/24"),
    ...Object.fromEntries(devices)
  })
  yield* folders.templates.commit({ "frr/router.j2": template })
  return { fabric, folders, environment: { ...environment, SSH_REFUSED_DELAY: "1" } }
})

const show = "vtysh -c 'show running-config no-header' 2>/dev/null"

/** The rows of the routers, known to be synchronized with what they run. */
export const seedRouters = (fabric: Fabric.Fabric, cells: ReadonlyArray<RouterCell>) =>
  Effect.flatMap(DeviceStore, (store) =>
    Effect.forEach(cells, (_, index) =>
      Effect.flatMap(fabric.run(nameOf(index), show), (running) =>
        store.insert({
          hostname: nameOf(index),
          state: "MANAGED",
          device_type: "CORE",
          platform: "frr",
          management_ip: addressOf(index),
          infra_ip: `10.98.200.${index + 1}`,
          synchronized: true,
          confhash: configHashOf(stableText)(running)
        })
      )
    )
  )

/** A configuration without the automatic additions of FRR. */
const essence = (text: string): string =>
  text
    .split("\n")
    .filter((line) => !/^(?:frr version .*|!|end|)$/.test(line))
    .join("\n")

const which = (text: string, old: string): Outcome["runs"] => {
  const known = essence(old)
  const seen = essence(text)
  return seen === known ? "old" : seen.replace(`\n${LINE}`, "") === known ? "new" : "other"
}

/** Waits until the router answers and nothing of ours is pending on it. */
const atRest = (fabric: Fabric.Fabric, name: string): Effect.Effect<void> =>
  fabric
    .run(
      name,
      "vtysh -c 'show version' >/dev/null && ! ls -d /etc/frr/switchyard/pending /etc/frr/switchyard/reverting"
    )
    .pipe(
      Effect.timeout(seconds(5)),
      Effect.catch(() => Effect.andThen(Effect.sleep("300 millis"), atRest(fabric, name)))
    )

const PARTS = "=== startup\n"
const seen = (fabric: Fabric.Fabric, name: string) =>
  Effect.map(
    fabric.run(
      name,
      `${show}; printf '${PARTS}'; cat /etc/frr/frr.conf; printf '${PARTS}'
       cd /etc/frr/switchyard 2>/dev/null && ls -A candidates; ls -d pending* reverting confirmed.* now.* saved.* 2>/dev/null || true`
    ),
    (text) => {
      const [running = "", startup = "", left = ""] = text.split(PARTS)
      return { running, startup, left: left.trim() }
    }
  )

/** Arms the cells; yields what they ran before, and what reads the outcomes once the job has ended. */
export const armAll = Effect.fnUntraced(function* (
  fabric: Fabric.Fabric,
  cells: ReadonlyArray<RouterCell>
): Effect.fn.Return<
  (
    results: Readonly<Record<string, DeviceResult>>
  ) => Effect.Effect<ReadonlyArray<Outcome>, unknown, DeviceStore | SqlClient.SqlClient>,
  Fabric.FabricError,
  Scope.Scope
> {
  const before = yield* Effect.forEach(cells, (_, index) => seen(fabric, nameOf(index)), { concurrency: 4 })
  const strikes = yield* Effect.forEach(cells, ({ at, strike }, index) =>
    Effect.flatMap(arm(fabric, nameOf(index), at, strike), (rest) => Effect.forkScoped(rest))
  )
  return Effect.fnUntraced(function* (results) {
    yield* Effect.forEach(cells, ({ mend }, index) =>
      mend === undefined
        ? Effect.void
        : typeof mend === "string"
          ? fabric.run(nameOf(index), mend)
          : mend(fabric, nameOf(index))
    )
    yield* Effect.forEach(cells, (_, index) => atRest(fabric, nameOf(index)), { concurrency: 4 })
    yield* Effect.forEach(strikes, Fiber.interrupt)
    const sql = yield* SqlClient.SqlClient
    const rows = yield* (yield* DeviceStore).byHostnames(cells.map((_, index) => nameOf(index)))
    const events = yield* sql<{ hostname: string; cause: string }>`select hostname, cause from sync_event order by id`
    return yield* Effect.forEach(
      cells,
      Effect.fnUntraced(function* (_, index) {
        const name = nameOf(index)
        const now = yield* seen(fabric, name)
        const steps = (yield* seenSteps(fabric, name)).trim().split("\n")
        const { running: old = "" } = before[index] ?? {}
        return {
          runs: which(now.running, old),
          saved: which(now.startup, old),
          result: results[name],
          synchronized: rows.find(({ hostname }) => hostname === name)?.synchronized ?? false,
          events: events.filter(({ hostname }) => hostname === name).map(({ cause }) => cause),
          left: now.left,
          struck: steps.includes("struck"),
          steps: steps.filter((step) => step !== "struck")
        } satisfies Outcome
      }),
      { concurrency: 4 }
    )
  })
})

/** Locks and changes that are still open; none when a job has ended as it must. */
export const leftInDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const open = yield* sql<{ phase: string }>`select phase from config_change
    where phase not in ('confirmed', 'reverted', 'unchanged', 'discarded', 'unknown')`
  const locks = yield* (yield* JobScheduleStore).locks.all
  return [...open.map(({ phase }) => `a change is ${phase}`), ...locks.map(() => "a lock is held")]
})
