/**
 * A driver whose sessions live in SSH workers: what touches a switch is a call to a worker, what only computes is done here.
 * Nothing else about the driver changes, except that the death of a worker breaks its sessions like a lost connection.
 */
import { Effect, Exit, Scope } from "effect"
import type { Driver, DriverSession, DriverTarget } from "../Driver.ts"
import { ConnectionException } from "../DriverErrors.ts"
import { SshLimits } from "../ssh/SshLimits.ts"
import * as Operations from "./DriverOperations.ts"
import type { Operation } from "./Operation.ts"
import { type SessionPlace, SshThreads } from "./SshThreads.ts"

const workerEnded = ({ address, hostname }: DriverTarget, whileDoing: string) =>
  new ConnectionException({ hostname, address, whileDoing, message: "the SSH worker of this session ended" })

/** Does an operation of the session at this place. */
const asking =
  (place: SessionPlace, target: DriverTarget) =>
  <Subject, Args, A, E>({ ask, doing, name }: Operation<Subject, Args, A, E>) =>
    ask((args) => Effect.mapError(place.call(name, args), () => workerEnded(target, doing)))

const makeSession = (place: SessionPlace, target: DriverTarget, hostKey: string): DriverSession => {
  const asked = asking(place, target)
  const run = asked(Operations.run)
  const putFile = asked(Operations.putFile)
  const commitTimed = asked(Operations.commitTimed)
  const commitAndSave = asked(Operations.commitAndSave)
  return {
    hostKey,
    facts: asked(Operations.facts)(),
    interfaces: asked(Operations.interfaces)(),
    lldp: asked(Operations.lldp)(),
    lldpDetail: asked(Operations.lldpDetail)(),
    runningConfig: asked(Operations.runningConfig)(),
    sessions: asked(Operations.sessions)(),
    pending: asked(Operations.pending)(),
    load: asked(Operations.load),
    discard: asked(Operations.discard),
    commit: asked(Operations.commit),
    commitTimed: (name, seconds) => commitTimed({ name, seconds }),
    confirm: asked(Operations.confirm),
    save: asked(Operations.save)(),
    commitAndSave: (name, silenceSeconds) => commitAndSave({ name, silenceSeconds }),
    run: (command, options) => run({ command, ...(options === undefined ? {} : { options }) }),
    // a buffer may be a view of a larger one, all of which would be sent
    putFile: (path, bytes) => putFile({ path, bytes: Uint8Array.from(bytes) }),
    abandon: Effect.catch(asked(Operations.abandon)(), () => Effect.void)
  }
}

/** A driver as it is given, with its sessions in workers. The limit of open sessions holds for all workers together. */
export const make = Effect.fnUntraced(function* <R>(maker: Effect.Effect<Driver, never, R>) {
  const driver = yield* maker
  const threads = yield* SshThreads
  const limits = yield* SshLimits

  const connect = Effect.fnUntraced(function* (given: DriverTarget) {
    // this thread decides on deadlines, so that shortening them here is enough
    const target = { ...given, timeouts: { ...driver.timeouts, ...given.timeouts } }
    yield* limits.sessions.takeScoped(1)
    const place = yield* threads.place
    const hostKey = yield* asking(place, target)(Operations.open)({ platform: driver.platform, target })
    return makeSession(place, target, hostKey)
  })

  /** A login that fails gives its place back at once, however long the caller's scope lives. */
  const open: Driver["open"] = Effect.fn("RemoteDriver.open")(function* (target) {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* connect(target).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  })

  return { ...driver, open } satisfies Driver
})
