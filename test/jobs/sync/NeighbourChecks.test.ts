/** Checks that look beyond the changed switch: its neighbours, and BGP towards them (docs/checks.md). */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { confirmMargin } from "../../../machines/change/ChangeChecks.ts"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Lab from "./SyncLab.ts"

const TIMER = { COMMIT_CONFIRMED_TIMEOUT: timer(120) }
const PORT = "Ethernet26"

const secondsText = (wanted: number): string => `${Math.ceil(seconds(wanted) / 1_000)} s`

/** The database says that the first two switches are linked. */
const linked = (lab: Lab.SyncLab) =>
  Effect.flatMap(NetworkStore, ({ links }) =>
    links.insert({
      device_a_id: lab.devices[0]?.id ?? 0,
      device_a_port: PORT,
      device_a_ip: null,
      device_b_id: lab.devices[1]?.id ?? 0,
      device_b_port: PORT,
      device_b_ip: null,
      ipv4_network: null,
      site_id: null,
      description: null
    })
  )

const errorsAlsoOfNeighbours = (settle: string) => `checks:
  port-errors:
    for: all
    reads: errors
    must: {grows_at_most: {total: 0}}
    settle: ${settle}
    try_again: 1 s
    also: neighbours
`

const withNeighbours = Effect.fnUntraced(function* (lab: Lab.SyncLab, checks: string) {
  yield* linked(lab)
  yield* lab.repositories.templates.commit({ "checks.yml": checks })
  yield* refresh("templates", "tester")
  yield* Lab.want(lab, "two")
})

/** Changes the first switch only. */
const push = (lab: Lab.SyncLab) => Lab.sync({ hostnames: lab.names.slice(0, 1) })

const results = (job: Parameters<typeof Lab.syncTask>[0]) => Lab.syncTask(job)?.checks ?? []

it.live("takes a change back when the state of a neighbour got worse, and names the neighbour", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* withNeighbours(lab, errorsAlsoOfNeighbours("0"))
        const [changed, neighbour] = [Lab.switchAt(lab, 0), Lab.switchAt(lab, 1)]
        neighbour.setFault({ kind: "errorsGrow", port: "Ethernet1", by: 512 })
        const job = yield* push(lab)
        assert.match(Lab.outcomes(job)[changed.name] ?? "", /CheckFailed: A check failed after the commit: port-errors/)
        assert.deepEqual(
          results(job).map(({ held, on }) => [on ?? "itself", held]),
          [
            ["itself", true],
            [neighbour.name, false]
          ]
        )
        assert.deepEqual([changed, neighbour].map(Lab.described), ["wanted one", "wanted one"])
        yield* Lab.nothingLeft(lab)
      }),
    TIMER
  )
)

it.live("confirms a change although a neighbour did not answer before it, and says so", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* withNeighbours(lab, errorsAlsoOfNeighbours("0"))
        const [changed, neighbour] = [Lab.switchAt(lab, 0), Lab.switchAt(lab, 1)]
        yield* neighbour.powerOff
        const job = yield* push(lab)
        assert.deepEqual(Lab.outcomes(job), { [changed.name]: "ok" })
        const unread = results(job).find(({ on }) => on === neighbour.name)
        assert.strictEqual(unread?.held, null)
        assert.match(unread?.ignored ?? "", /^could not be read before the change: ConnectionException/)
        assert.strictEqual(Lab.described(changed), "wanted two")
      }),
    TIMER
  )
)

it.live("takes a change back when a neighbour answers no more after it: unknown is not success", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* withNeighbours(lab, errorsAlsoOfNeighbours(secondsText(5)))
        const [changed, neighbour] = [Lab.switchAt(lab, 0), Lab.switchAt(lab, 1)]
        const cut = Effect.andThen(
          Lab.until(() => changed.timer() !== undefined),
          neighbour.powerOff
        )
        const [job] = yield* Effect.all([push(lab), cut], { concurrency: "unbounded" })
        assert.match(
          Lab.outcomes(job)[changed.name] ?? "",
          /CheckUnread: A check could not be read after the commit: port-errors/
        )
        assert.strictEqual(results(job).find(({ on }) => on === neighbour.name)?.held, null)
        assert.strictEqual(Lab.described(changed), "wanted one")
      }),
    TIMER
  )
)

const bgpOf = (neighbour: string): string => `interface ${PORT}
   no switchport
   ip address 10.77.0.{{ 1 if host == "lhv-acc10" else 2 }}/30
router bgp {{ 65001 if host == "lhv-acc10" else 65002 }}
   neighbor ${neighbour} remote-as {{ 65002 if host == "lhv-acc10" else 65001 }}
`
const PEER = '10.77.0.{{ 2 if host == "lhv-acc10" else 1 }}'

const SESSIONS = `checks:
  sessions:
    for: all
    reads: bgp
    where: { is_established: true }
    must: no_lost
    settle: ${secondsText(2)}
    try_again: ${secondsText(30)}
`

/** BGP of a switch needs longer than any test takes, from its next commit with a timer on. */
const settlingLate = (device: LabSwitch) => {
  const stop = device.onCommit(({ kind }) => {
    if (kind !== "commitTimer") return
    stop()
    device.setFault({ kind: "settlesLate", milliseconds: 3_600_000 })
  })
}

/** How often a switch was asked for its sessions. */
const asked = (device: LabSwitch): number => device.commands().filter(({ command }) => command.includes("bgp")).length

/** Both switches speak BGP with each other by their templates, whose text without it is yielded. */
const speaking = Effect.fnUntraced(function* (lab: Lab.SyncLab) {
  const { templates } = lab.repositories
  const text = yield* Effect.promise(() => fs.readFile(path.join(templates.folder, "eos/access.j2"), "utf8"))
  yield* templates.commit({ "checks.yml": SESSIONS, "eos/access.j2": `${text}${bgpOf(PEER)}` })
  yield* refresh("templates", "tester")
  const job = yield* Lab.sync({ hostnames: lab.names, force: true })
  assert.deepEqual(Lab.outcomes(job), Object.fromEntries(lab.names.map((name) => [name, "ok"])))
  return text
})

const CABLE = [{ one: 0, other: 1, port: PORT }]

it.live("takes a change back that breaks BGP towards a neighbour, and says which session is gone", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        const text = yield* speaking(lab)
        const { templates } = lab.repositories
        yield* templates.commit({
          "checks.yml": SESSIONS.replace(/try_again: .*/, "try_again: 1 s"),
          "eos/access.j2": `${text}${bgpOf("10.77.0.3")}`
        })
        yield* refresh("templates", "tester")
        const changed = Lab.switchAt(lab, 0)
        const job = yield* push(lab)
        assert.match(
          Lab.outcomes(job)[changed.name] ?? "",
          /CheckFailed: .*before 1 BGP session with is_established true, now 0 BGP sessions .*\(gone: default 10\.77\.0\.2\)/
        )
        assert.match(changed.running(), /neighbor 10\.77\.0\.2 remote-as 65002/)
        yield* Lab.nothingLeft(lab)
      }),
    TIMER,
    {},
    CABLE
  )
)

it.live("confirms a change whose BGP settles late, once the session is there again within the timer", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* speaking(lab)
        const changed = Lab.switchAt(lab, 0)
        settlingLate(changed)
        yield* Lab.want(lab, "two")
        const settle = Effect.gen(function* () {
          yield* Lab.until(() => changed.faults().length > 0)
          const before = asked(changed)
          yield* Lab.until(() => asked(changed) >= before + 2)
          changed.clearFaults()
        })
        const [job] = yield* Effect.all([push(lab), settle], { concurrency: 2 })
        assert.deepEqual(Lab.outcomes(job), { [changed.name]: "ok" })
        const [sessions] = results(job)
        assert.deepInclude(sessions, { name: "sessions", held: true })
        assert.isAtLeast(sessions?.tried ?? 0, 2)
        assert.strictEqual(Lab.described(changed), "wanted two")
        yield* Lab.nothingLeft(lab)
      }),
    TIMER,
    {},
    CABLE
  )
)

const SHORT = Number(timer(25))

it.live("takes a change back whose BGP would settle after the timer only, and keeps the margin of the timer", () =>
  Lab.withLab(
    2,
    (lab) =>
      Effect.gen(function* () {
        yield* speaking(lab)
        const { templates } = lab.repositories
        // it may be tried for longer than the timer runs, which it does not extend
        yield* templates.commit({ "checks.yml": SESSIONS.replace(/try_again: .*/, "try_again: 30 min") })
        yield* refresh("templates", "tester")
        const changed = Lab.switchAt(lab, 0)
        settlingLate(changed)
        yield* Lab.want(lab, "two")
        const job = yield* push(lab)
        // the server takes it back, and not the timer
        assert.notInclude(
          changed.commits().map(({ kind }) => kind),
          "expired"
        )
        assert.match(
          Lab.outcomes(job)[changed.name] ?? "",
          /CheckFailed: .*before 1 BGP session with is_established true, now 0 BGP sessions/
        )
        const [sessions] = results(job)
        assert.deepInclude(sessions, { name: "sessions", held: false })
        assert.isAtLeast(sessions?.tried ?? 0, 2)
        assert.isAtMost(sessions?.seconds ?? SHORT, SHORT - confirmMargin(SHORT))
        assert.strictEqual(Lab.described(changed), "wanted one")
        yield* Lab.nothingLeft(lab)
      }),
    { COMMIT_CONFIRMED_TIMEOUT: String(SHORT) },
    {},
    CABLE
  )
)
