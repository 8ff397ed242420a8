/** The worker's side: holds the sessions, does the calls that arrive in fibers of their own and answers them. */
import { Context, Effect, Exit, Fiber, Scope } from "effect"
import { DriverRegistry, type DriverSession, type DriverTarget } from "../Driver.ts"
import * as Operations from "./DriverOperations.ts"
import type { Call, FromWorker, ToWorker } from "./Messages.ts"
import { answerOf } from "./Operation.ts"
import { CurrentCall } from "./RemoteLog.ts"

interface Kept {
  readonly session: DriverSession
  readonly scope: Scope.Closeable
}

/** Serves messages until the scope ends, which ends all calls and says goodbye on all sessions. */
export const make = Effect.fnUntraced(function* (send: (message: FromWorker) => void) {
  const registry = yield* DriverRegistry
  const context = yield* Effect.context<never>()
  const sessions = new Map<number, Kept>()
  const calls = new Map<number, Fiber.Fiber<unknown, unknown>>()

  const openAndKeep = (number: number) =>
    Effect.fnUntraced(function* (platform: string, target: DriverTarget) {
      const driver = yield* Effect.orDie(registry.get(platform))
      const scope = yield* Scope.make()
      const session = yield* driver.open(target).pipe(
        Scope.provide(scope),
        Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
      )
      sessions.set(number, { session, scope })
      return session
    })

  const close = (number: number) =>
    Effect.suspend(() => {
      const kept = sessions.get(number)
      sessions.delete(number)
      return kept === undefined ? Effect.void : Scope.close(kept.scope, Exit.void)
    })

  const serve = ({ args, operation, session }: Call): Effect.Effect<unknown, unknown> => {
    if (operation === Operations.open.name) return Operations.open.serve(openAndKeep(session), args)
    if (operation === Operations.close.name) return Operations.close.serve(close(session), args)
    const kept = sessions.get(session)
    const served = Operations.sessionOperations.get(operation)
    if (kept === undefined || served === undefined)
      return Effect.die(new Error(`no ${operation} on session ${session} in this worker`))
    return served.serve(kept.session, args)
  }

  const begin = (call: Call) => {
    const fiber = Effect.runForkWith(Context.add(context, CurrentCall, call.id))(serve(call))
    calls.set(call.id, fiber)
    fiber.addObserver((exit) => {
      calls.delete(call.id)
      send({ _tag: "Answer", id: call.id, answer: answerOf(exit) })
    })
  }

  yield* Effect.addFinalizer(() =>
    Effect.andThen(
      Fiber.interruptAll([...calls.values()]),
      Effect.suspend(() => Effect.forEach([...sessions.keys()], close, { concurrency: "unbounded", discard: true }))
    )
  )

  return (message: Exclude<ToWorker, { _tag: "Stop" }>): void => {
    if (message._tag === "Call") begin(message)
    else calls.get(message.id)?.interruptUnsafe()
  }
})
