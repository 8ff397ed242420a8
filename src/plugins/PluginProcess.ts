/**
 * One plugin in a process of its own (docs/plugins.md#what-a-plugin-cannot-harm): started when it is needed, ended when it takes too long,
 * and started again by the next call. All that happens to it is an error of the calls that are being made, and of nothing else.
 */
import { Deferred, Duration, Effect, type Scope } from "effect"
import { type Delivery, type HookName, PluginError } from "./Plugin.ts"
import { type ProcessOptions, type RunningPlugin, start } from "./RunningPlugin.ts"

export interface PluginProcessOptions extends ProcessOptions {
  /** How long it may take to load, and for each call. */
  readonly seconds: number
}

export interface PluginProcess {
  /** The hooks that it has; starts it when it does not run. */
  readonly hooks: Effect.Effect<ReadonlyArray<HookName>, PluginError>
  /** What the hook says; null when that is neither true nor false. */
  readonly call: (hook: HookName, event: unknown, delivery: Delivery) => Effect.Effect<boolean | null, PluginError>
}

/** Makes the plugin's process; it is ended with the scope. No process is started before it is needed. */
export const make = Effect.fnUntraced(function* (
  options: PluginProcessOptions
): Effect.fn.Return<PluginProcess, never, Scope.Scope> {
  const { name, seconds } = options
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const log = (text: string) => void runFork(Effect.logInfo(`Plugin ${name}: ${text}`))
  let running: RunningPlugin | undefined
  yield* Effect.addFinalizer(() => Effect.sync(() => running?.end("the server is stopping")))

  const current = Effect.sync(() => {
    const ended = () => {
      running = undefined
    }
    running ??= start(options, log, ended)
    return running
  })

  /** Whoever does not answer in time is ended, with everything that it does. */
  const inTime = <A>(process: RunningPlugin, what: string, answer: Deferred.Deferred<A, PluginError>) =>
    Effect.timeoutOrElse(Deferred.await(answer), {
      duration: Duration.seconds(seconds),
      orElse: () =>
        Effect.suspend(() => {
          const message = `${what} took longer than ${seconds} seconds`
          process.end(message)
          return Effect.fail(new PluginError({ plugin: name, message, retry: true }))
        })
    })

  const hooks = Effect.flatMap(current, (process) => inTime(process, "loading it", process.loaded))

  const call = Effect.fn("PluginProcess.call")(function* (hook: HookName, event: unknown, delivery: Delivery) {
    const process = yield* current
    yield* inTime(process, "loading it", process.loaded)
    const { again, attempt, id } = delivery
    return yield* inTime(process, hook, process.ask({ hook, event, delivery: { id, attempt, again } }))
  })

  return { hooks, call }
})
