/**
 * kill -9 at every step of the initialisation of an access switch, an MLAG pair, a fabric switch and a replacement
 * (promises 3 and 4). Without CHAOS_RUNS only the steps at which something is under way are tried, and one random instant
 * for each kind; `CHAOS_RUNS=20` tries every step and 20 random instants.
 */
import { assert, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { command, committed, movedAndSeen, said, saving, sent } from "./InitInstants.ts"
import { type InitKind, kinds } from "./InitKinds.ts"
import * as InitScene from "./InitScene.ts"
import { seconds } from "../../support/Patience.ts"

const WHOLE = process.env["CHAOS_RUNS"] !== undefined
const RANDOM_RUNS = Number(process.env["CHAOS_RUNS"] ?? "1")

const planned = said("planned")
const afterLoad = command("after the load", /^show session-config named job\d+$/)
const afterCommit = committed("after the commit")

/** The steps of every initialisation. */
const steps: ReadonlyArray<InitScene.Instant> = [
  command("while it is surveyed", /^show lldp neighbors/),
  said("neighbours"),
  planned,
  said("render"),
  said("push"),
  command("before the load", /^configure session job\d+$/),
  afterLoad,
  afterCommit,
  movedAndSeen("when the new address answers"),
  said("login"),
  saving("while step 2 saves")
]

/** Additional steps of a pair: the survey of its second switch, and that one's own step 1 and 2. */
const plannedSecond = said("planned", 2)
const committedSecond = committed("after the commit of the second", 1)
const ofSecond: ReadonlyArray<InitScene.Instant> = [
  command("while the second is surveyed", /^show lldp neighbors/, 1),
  said("survey", 2),
  plannedSecond,
  said("push", 2),
  command("before the load of the second", /^configure session job\d+$/, 1),
  committedSecond,
  movedAndSeen("when the new address of the second answers", 1),
  saving("while step 2 of the second saves", 1)
]

const atNeighbour = (name: string, pattern: RegExp): InitScene.Instant => ({
  name,
  reached: (_, { neighbours, since }) => neighbours.some((device) => sent(device, since, pattern))
})

/** An additional step of a fabric switch: its neighbours get their ends of the new links. */
const ofNeighbours: ReadonlyArray<InitScene.Instant> = [
  atNeighbour("before a neighbour is loaded", /^configure session job\d+$/),
  atNeighbour("when a neighbour commits", /commit timer/)
]

const random = (ms: number): ReadonlyArray<InitScene.Instant> =>
  Array.from({ length: RANDOM_RUNS }, (_, index) => {
    const afterMs = Math.round(((index * 0.618_034 + 0.2) % 1) * ms)
    return { name: `${afterMs} ms after the start`, afterMs }
  })

interface Row {
  readonly what: string
  readonly kind: InitKind
  readonly every: ReadonlyArray<InitScene.Instant>
  readonly short: ReadonlyArray<InitScene.Instant>
}

const TABLE: ReadonlyArray<Row> = [
  {
    what: "an access switch",
    kind: kinds.access,
    every: steps,
    short: steps.filter((step) => "reached" in step)
  },
  {
    what: "an MLAG pair",
    kind: kinds.pair,
    every: [...steps, ...ofSecond],
    short: [planned, afterCommit, plannedSecond, committedSecond]
  },
  {
    what: "a fabric switch and its neighbours",
    kind: kinds.fabric,
    every: [...steps, ...ofNeighbours],
    short: [planned, afterLoad, afterCommit, ...ofNeighbours]
  },
  {
    what: "a replacement of a broken switch",
    kind: kinds.replacement,
    every: steps,
    short: [planned, afterLoad, afterCommit]
  }
]

const campaign = Effect.fnUntraced(function* ({ every, kind, short, what }: Row) {
  const kills = WHOLE ? every : short
  const scene = yield* InitScene.make(kind, kills.length + RANDOM_RUNS + 1)
  const { left: unharmed, ms } = yield* (yield* scene.next).attempt(null)
  for (const member of unharmed.members) {
    assert.deepInclude(member, { state: "MANAGED", addressed: true, announced: 1, commits: 1, debris: [], saved: true })
  }
  const neighboursFollow = unharmed.neighbours.every(({ synchronized }) => synchronized)
  assert.strictEqual(neighboursFollow, kind === kinds.fabric, JSON.stringify(unharmed))
  assert.deepInclude(unharmed, { reservations: 0, strays: 0, locks: 0, openChanges: 0 })
  const outcomes: Array<readonly [string, boolean, number]> = []
  for (const when of [...kills, ...random(ms)]) {
    const { attempt } = yield* scene.next
    const { left, recoveryMs, wasDisturbed } = yield* attempt({ what: "kill", when })
    outcomes.push([when.name, wasDisturbed, recoveryMs])
    if (WHOLE) yield* Console.log(what, when.name, wasDisturbed ? `killed, done after ${recoveryMs} ms` : "not killed")
    assert.deepStrictEqual(left, unharmed, `killed ${when.name}`)
  }
  const missed = outcomes.slice(0, kills.length).filter(([, killed]) => !killed)
  assert.deepStrictEqual(missed, [], "instants that never came")
})

for (const row of TABLE) {
  it.live(
    `makes ${row.what} MANAGED, exactly once and as usual, wherever the server is killed`,
    () => Effect.scoped(campaign(row)),
    seconds(300 + (row.every.length + RANDOM_RUNS) * 60)
  )
}
