/**
 * The faults of a world: each kind with its duration, its strike and its repair. A replica that is paused or cut off stays so for longer
 * than others wait for it (8 s), so that they take its work over.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Loss, SilentProxy } from "../../support/Silence.ts"
import { clientBackends } from "./DatabaseFaults.ts"
import { calmly } from "./JobEndings.ts"
import type { Replica, World } from "./World.ts"

/** One with a chosen target. */
export interface Aimed {
  /** The target. */
  readonly at: string
  readonly strike: Effect.Effect<void>
  readonly mend: Effect.Effect<void>
}

export interface WorldFault {
  readonly name: string
  /** Faults of one kind break the same thing, each in another way. */
  readonly kind: string
  readonly lastsMs: number
  /** Can happen once only. */
  readonly once?: true
  readonly aim: (world: World) => Aimed
}

/** Longer than a replica may be silent. */
const OVER_THE_LEASE_MS = 11_000
const SHORT_MS = 2_000
const HANGING_MS = 3_000
/** One switch of a hundred, and one at least. */
const REBOOTING = 0.01

const anyOf = <A>(list: ReadonlyArray<A>, random: () => number): A => {
  const found = list[Math.floor(random() * list.length)]
  if (found === undefined) throw new Error("there is nobody to strike")
  return found
}

/** A fault of one replica, whichever. */
const ofReplica =
  (make: (replica: Replica) => Omit<Aimed, "at">) =>
  ({ random, replicas }: World): Aimed => {
    const replica = anyOf(replicas, random)
    return { at: `replica ${replicas.indexOf(replica)}`, ...make(replica) }
  }

const ofWay = (way: (replica: Replica) => SilentProxy, how: Loss) =>
  ofReplica((replica) => ({ strike: way(replica).lose(how), mend: way(replica).restore }))

const toDatabase = ({ toDatabase: way }: Replica) => way
const fromOthers = ({ fromOthers: way }: Replica) => way

const ofDatabase =
  (make: (world: World) => Omit<Aimed, "at">) =>
  (world: World): Aimed => ({ at: "the database", ...make(world) })

const killOneBackend = ({ random, stores }: World) =>
  Effect.gen(function* () {
    const pids = yield* calmly(clientBackends)
    const pid = pids[Math.floor(random() * pids.length)]
    if (pid !== undefined) yield* Effect.try(() => process.kill(pid, "SIGKILL")).pipe(Effect.ignore)
  }).pipe(Effect.provide(stores))

/** Until the database answers, wherever it is now. */
const answers = ({ stores }: World) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1`).pipe(calmly, Effect.asVoid, Effect.provide(stores))

const rebooting = ({ random, site }: World): Aimed => {
  const { switches } = site
  const count = Math.max(1, Math.round(switches.length * REBOOTING))
  const chosen = Array.from({ length: count }, () => anyOf(switches, random))
  return {
    at: chosen.map(({ name }) => name).join(", "),
    strike: Effect.forEach(chosen, ({ reload }) => Effect.forkDetach(reload), { discard: true }),
    mend: Effect.forEach(chosen, ({ whenOn }) => whenOn, { discard: true })
  }
}

export const faults: ReadonlyArray<WorldFault> = [
  {
    name: "a replica is killed and another one started in its place",
    kind: "killed",
    lastsMs: SHORT_MS,
    aim: ofReplica(({ program, replace }) => ({
      strike: Effect.sync(() => program().kill("SIGKILL")),
      mend: replace
    }))
  },
  {
    name: "a replica stands still",
    kind: "paused",
    lastsMs: OVER_THE_LEASE_MS,
    aim: ofReplica(({ program }) => ({
      strike: Effect.sync(() => program().kill("SIGSTOP")),
      mend: Effect.sync(() => program().kill("SIGCONT"))
    }))
  },
  {
    name: "others are refused by a replica",
    kind: "cut from the others",
    lastsMs: OVER_THE_LEASE_MS,
    aim: ofWay(fromOthers, "refused")
  },
  {
    name: "others hear nothing of a replica",
    kind: "cut from the others",
    lastsMs: OVER_THE_LEASE_MS,
    aim: ofWay(fromOthers, "silent")
  },
  {
    name: "a replica is refused by the database",
    kind: "cut from the database",
    lastsMs: OVER_THE_LEASE_MS,
    aim: ofWay(toDatabase, "refused")
  },
  {
    name: "a replica hears nothing of the database",
    kind: "cut from the database",
    lastsMs: OVER_THE_LEASE_MS,
    aim: ofWay(toDatabase, "silent")
  },
  {
    name: "PostgreSQL is restarted",
    kind: "database restarted",
    lastsMs: SHORT_MS,
    aim: ofDatabase((world) => ({
      strike: world.postgres.stop("SIGINT"),
      mend: Effect.andThen(world.postgres.start, answers(world))
    }))
  },
  {
    name: "a backend of PostgreSQL is killed",
    kind: "backend killed",
    lastsMs: SHORT_MS,
    aim: ofDatabase((world) => ({ strike: killOneBackend(world), mend: answers(world) }))
  },
  {
    name: "PostgreSQL fails over to its standby",
    kind: "failed over",
    lastsMs: SHORT_MS,
    once: true,
    aim: ofDatabase((world) => ({ strike: world.failOver, mend: answers(world) }))
  },
  {
    name: "the remote of the settings hangs",
    kind: "git",
    lastsMs: HANGING_MS,
    aim: ({ site: { gate } }) => ({
      at: "git",
      strike: Effect.sync(() => gate.hold()),
      mend: Effect.sync(() => gate.open())
    })
  },
  { name: "switches reboot", kind: "switches", lastsMs: SHORT_MS, aim: rebooting }
]
