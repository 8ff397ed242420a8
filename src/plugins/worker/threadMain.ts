/**
 * Runs one plugin in a thread of its own process: loads its module, makes it from its variables, and calls its hooks. Imports nothing but
 * Node, so that it starts in a moment. Answers are lines of JSON, which `PluginProcess.ts` reads on the other side.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Answer } from "./Lines.ts"

/** The part of an error that is passed on. */
const LONGEST = 2000

interface Setup {
  readonly file: string
  readonly name: string
  readonly vars: Readonly<Record<string, unknown>>
  readonly hooks: ReadonlyArray<string>
  readonly seconds: number
}

interface Call {
  readonly id: number
  readonly hook: string
  readonly event: unknown
  readonly delivery: Readonly<Record<string, unknown>>
}

const port = parentPort
const { file, hooks, name, seconds, vars }: Setup = workerData

const say = (answer: Answer): void => port?.postMessage(JSON.stringify(answer))

/** A thrown value as text, whatever it is: reading it may throw as well. */
const textOf = (thrown: unknown): string => {
  try {
    const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown)
    const cause = thrown instanceof Error && thrown.cause instanceof Error ? `: ${thrown.cause.message}` : ""
    return (text + cause).slice(0, LONGEST)
  } catch {
    return "it threw something that has no text"
  }
}

const isFinal = (thrown: unknown): boolean => {
  try {
    return thrown instanceof Error && "retry" in thrown && thrown.retry === false
  } catch {
    return false
  }
}

/** Shortly before the limit, so that the plugin can still report what it waited for. */
const signal = () => AbortSignal.timeout(seconds * 900)

type Hook = (this: unknown, ...given: ReadonlyArray<unknown>) => unknown

const hookOf = (plugin: object, hook: string): Hook | undefined => {
  const found: unknown = Reflect.get(plugin, hook)
  return typeof found === "function" ? (...given) => Reflect.apply(found, plugin, given) : undefined
}

const load = async (): Promise<object> => {
  const module: { readonly default?: unknown } = await import(file)
  const make = module.default
  if (typeof make !== "function") throw new TypeError("its default export is no function")
  const log = (text: unknown) => void process.stdout.write(`${String(text)}\n`)
  const made: unknown = await Reflect.apply(make, undefined, [{ name, vars, log }])
  if (typeof made !== "object" || made === null) throw new TypeError("its default export makes no plugin")
  return made
}

const carryOut = async (plugin: object, { delivery, event, hook, id }: Call): Promise<void> => {
  try {
    const run = hookOf(plugin, hook)
    const whole = { ...delivery, signal: signal() }
    const value = await (hook === "selftest" ? run?.(whole) : run?.(event, whole))
    say({ type: "done", id, value: typeof value === "boolean" ? value : null })
  } catch (thrown) {
    say({ type: "failed", id, error: textOf(thrown), retry: !isFinal(thrown) })
  }
}

try {
  const plugin = await load()
  port?.on("message", (call: Call) => void carryOut(plugin, call))
  say({ type: "loaded", hooks: hooks.filter((hook) => hookOf(plugin, hook) !== undefined) })
} catch (thrown) {
  say({ type: "refused", error: textOf(thrown) })
}
