/**
 * The present faults of the server's machine, and how work waits for their end. The code that meets a fault notes it; it is logged once,
 * shown by health until no work has met it for a while, and then forgotten automatically. Also the checks of the machine in advance:
 * whether there is room for another connection, so that requests can still be answered when there is none for switches, and whether any
 * route leads out.
 */
import { Cause, Clock, Context, Effect, Layer, Schedule } from "effect"
import { closeSync, openSync, readdirSync, readFileSync } from "node:fs"
import { networkInterfaces } from "node:os"
import { codeOf, faultOfCall, isOfRoutes, ofAllRoutes, OwnFault, ownFaultOf, type OwnKind } from "./SystemErrors.ts"

/** A fault with the time since which it is known, in epoch milliseconds. */
interface NotedFault {
  readonly fault: OwnFault
  readonly since: number
}

/** A fault that no work has met for this long has ended. The time exceeds the pause between two tries. */
const FORGOTTEN_MILLIS = 12_000
const LOOK = "1 second"

/** Milliseconds between two tries, at first and at most. */
const FIRST_PAUSE = 250
const LONGEST_PAUSE = 4_000

interface Faults {
  readonly note: (fault: OwnFault) => Effect.Effect<void>
  /** The present faults, in the order in which they began. */
  readonly now: Effect.Effect<ReadonlyArray<NotedFault>>
}

/** No fault yet. */
const make = (): Faults => {
  const noted = new Map<OwnKind, { fault: OwnFault; readonly since: number; seen: number }>()

  const forget = (now: number) => {
    const over = [...noted].filter(([, { seen }]) => now - seen > FORGOTTEN_MILLIS)
    for (const [kind] of over) noted.delete(kind)
    return over.map(([kind]) => kind)
  }
  const logRecovery = Effect.gen(function* () {
    while (noted.size > 0) {
      yield* Effect.sleep(LOOK)
      const over = forget(yield* Clock.currentTimeMillis)
      for (const kind of over) yield* Effect.logInfo("The machine of the server has recovered", { kind })
    }
  })

  return {
    note: (fault) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        forget(now)
        const known = noted.get(fault.kind)
        if (known !== undefined) {
          known.seen = now
          return
        }
        const isFirst = noted.size === 0
        noted.set(fault.kind, { fault, since: now, seen: now })
        yield* Effect.logError(
          `The machine of the server lacks something: work waits, no device is blamed. ${fault.message}`
        )
        if (isFirst) yield* Effect.forkDetach(logRecovery)
      }),
    now: Effect.map(Clock.currentTimeMillis, (now) => {
      forget(now)
      return [...noted.values()].map(({ fault, since }) => ({ fault, since }))
    })
  }
}

/** The faults of this process; a server that shares its process with others has its own. */
export const OwnFaults = Context.Reference<Faults>("switchyard/runtime/OwnFaults", { defaultValue: make })

/** Faults that keep the whole server from its work. Under the other kinds some work waits, and the rest continues. */
const UNABLE: ReadonlySet<OwnKind> = new Set(["descriptors", "memory", "disk", "files", "processes"])

/** Sentences about faults that stop the server, and about those for which only some work waits. */
export const lacking = Effect.map(
  Effect.flatMap(OwnFaults, ({ now }) => now),
  (faults) => {
    const sentences = (isUnable: boolean) => {
      const messages = faults.filter(({ fault: { kind } }) => UNABLE.has(kind) === isUnable)
      return messages.length === 0 ? null : messages.map(({ fault: { message } }) => message).join(" ")
    }
    return { unable: sentences(true), limited: sentences(false) }
  }
)

/** Repeats the work as long as it meets one of our own faults; only its caller can bound that. */
export const untilMended = <A, E, R>(
  work: Effect.Effect<A, E | OwnFault, R>,
  pause = FIRST_PAUSE
): Effect.Effect<A, E, R> =>
  Effect.catch(work, (error): Effect.Effect<A, E, R> => {
    if (!(error instanceof OwnFault)) return Effect.fail(error)
    return Effect.flatMap(OwnFaults, ({ note }) => note(error)).pipe(
      Effect.andThen(Effect.sleep(pause * (0.75 + Math.random() / 2))),
      Effect.andThen(Effect.suspend(() => untilMended(work, Math.min(2 * pause, LONGEST_PAUSE))))
    )
  })

/** One of our own faults in a cause, as a failure or as a defect. */
const ownFaultIn = (cause: Cause.Cause<unknown>): OwnFault | undefined => {
  for (const reason of cause.reasons) {
    const thrown = Cause.isFailReason(reason) ? reason.error : Cause.isDieReason(reason) ? reason.defect : undefined
    const fault = faultOfCall(thrown)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Turns each defect that is our own fault into a failure; an interruption stays an interruption. */
export const failWhenOurs = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | OwnFault, R> =>
  Effect.catchCause(work, (cause): Effect.Effect<never, E | OwnFault> => {
    const fault = ownFaultIn(cause)
    return fault === undefined || Cause.hasInterrupts(cause) ? Effect.failCause(cause) : Effect.fail(fault)
  })

// --- Room for connections

/** Descriptors that connections to switches leave to requests, files and the database. */
const LEFT_ROOM = 48
const LEFT_PART = 0.15
/** Reserved descriptors, released when there are no others, so that requests can still be answered. */
const SPARE = 12
const COUNTED_MILLIS = 250

const readLimit = (): number | null => {
  const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? []
  return soft === undefined ? null : Number(soft)
}

/** Open descriptors and their limit; null if the system does not say. */
const readDescriptors = (): { readonly open: number; readonly limit: number } | null => {
  try {
    const limit = readLimit()
    return limit === null ? null : { open: readdirSync("/proc/self/fd").length - 1, limit }
  } catch (error) {
    const code = codeOf(error)
    return code === "EMFILE" || code === "ENFILE" ? { open: 1, limit: 1 } : null
  }
}

/** The descriptors of this process: how many are left for connections to switches. */
const descriptors = {
  countedAt: Number.NEGATIVE_INFINITY,
  room: Number.POSITIVE_INFINITY,
  spare: [] as Array<number>
}

/** The number of free descriptors, including the reserved ones; infinite if the system does not say. */
const count = (): number => {
  const found = readDescriptors()
  descriptors.countedAt = performance.now()
  if (found === null) return (descriptors.room = Number.POSITIVE_INFINITY)
  const left = Math.min(LEFT_ROOM, Math.floor(found.limit * LEFT_PART))
  descriptors.room = found.limit - found.open + descriptors.spare.length - left
  return found.limit - found.open
}

/** Whether another connection to a switch may be opened now; fails with the fault if not. */
export const roomForConnection: Effect.Effect<void, OwnFault> = Effect.suspend(() => {
  if (performance.now() - descriptors.countedAt > COUNTED_MILLIS) count()
  descriptors.room -= 1
  if (descriptors.room >= 0) return Effect.void
  return Effect.fail(outOfDescriptors)
})

const outOfDescriptors =
  ownFaultOf("EMFILE", "connection") ?? new OwnFault({ kind: "descriptors", code: "EMFILE", message: "" })

const giveUpSpare = () => {
  for (const one of descriptors.spare.splice(0)) closeSync(one)
}

const keepSpare = () => {
  while (descriptors.spare.length < SPARE) descriptors.spare.push(openSync("/dev/null", "r"))
}

const lookAtDescriptors = Effect.suspend(() => {
  const free = count()
  if (free > 3 * SPARE) keepSpare()
  if (descriptors.room > 0) return Effect.void
  giveUpSpare()
  return Effect.flatMap(OwnFaults, ({ note }) => note(outOfDescriptors))
}).pipe(Effect.catchDefect(() => Effect.sync(giveUpSpare)))

/** Reserves some descriptors for health checks, and notices when there are no others. */
export const watchDescriptors = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* Effect.acquireRelease(lookAtDescriptors, () => Effect.sync(giveUpSpare))
    yield* Effect.forkScoped(Effect.repeat(lookAtDescriptors, Schedule.spaced(LOOK)))
  })
)

// --- Routes out of the machine

const isUp = () =>
  Object.values(networkInterfaces()).some((addresses) => (addresses ?? []).some(({ internal }) => !internal))

/** Whether there is a default route; true if the system does not say. */
const hasDefaultRoute = (): boolean => {
  try {
    const four = readFileSync("/proc/net/route", "utf8")
    const six = readFileSync("/proc/net/ipv6_route", "utf8")
    return (
      /^\S+\t0{8}\t[^0]/m.test(four) ||
      /^0{32} 00 \S+ \S+ (?!0{32})/m.test(six) ||
      /^\S+\t0{8}\t\S+\t0001\t/m.test(four)
    )
  } catch {
    return true
  }
}

const UNREACHED_MILLIS = 30_000
const NETWORKS = 3

const networkOf = (host: string): string =>
  host.includes(":") ? host.split(":").slice(0, 4).join(":") : host.split(".").slice(0, 3).join(".")

const ways = { reachedAt: Number.NEGATIVE_INFINITY, lost: new Map<string, number>() }

/** A host was reached, so the machine has a route out. */
export const reached = () => {
  if (ways.lost.size > 0) ways.lost.clear()
  ways.reachedAt = performance.now()
}

/**
 * Whether an error of a connection is ours, because this machine reaches no host: it has no interface that is up; or the kernel knows no
 * route and there is no default route; or hosts of several networks were out of reach within half a minute and none was reached meanwhile.
 */
export const routesFault = (host: string, error: unknown): OwnFault | undefined => {
  const code = codeOf(error)
  if (code === undefined || !isOfRoutes(code)) return undefined
  const now = performance.now()
  ways.lost.set(networkOf(host), now)
  for (const [network, at] of ways.lost) if (now - at > UNREACHED_MILLIS) ways.lost.delete(network)
  const isAlone = ways.lost.size >= NETWORKS && now - ways.reachedAt > 1_000
  const hasNoWay = !isUp() || (code === "ENETUNREACH" && !hasDefaultRoute())
  return isAlone || hasNoWay ? ofAllRoutes(code) : undefined
}
