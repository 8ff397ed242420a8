/**
 * Runs one plugin in a thread of its own process: loads its module, makes it from its variables, and calls its hooks. Imports nothing but
 * Node, so that it starts in a moment. Answers are lines of JSON, which `PluginProcess.ts` reads on the other side.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Answer, CheckLine } from "./Lines.ts"

/** The part of an error that is passed on. */
const LONGEST = 2000

interface Setup {
  readonly file: string
  readonly name: string
  readonly vars: Readonly<Record<string, unknown>>
  readonly hooks: ReadonlyArray<string>
  readonly seconds: number
  readonly longest: number
}

interface Call {
  readonly type: "call"
  readonly id: number
  readonly hook: string
  readonly event: unknown
  readonly delivery: Readonly<Record<string, unknown>>
}

const port = parentPort
const { file, hooks, longest, name, seconds, vars }: Setup = workerData

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

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The functions for checks, by their names. */
const checksOf = (plugin: object): Readonly<Record<string, object>> => {
  const found: unknown = Reflect.get(plugin, "checks")
  const all = isRecord(found) ? Object.entries(found) : []
  return Object.fromEntries(
    all.flatMap(([called, one]) =>
      isRecord(one) && hookOf(one, "items") !== undefined ? [[called, one] as const] : []
    )
  )
}

const answerCheck = async (plugin: object, { check, given, id, step }: CheckLine): Promise<void> => {
  try {
    const run = hookOf(checksOf(plugin)[check] ?? {}, step)
    const value = (await run?.({ ...given, signal: signal() })) ?? null
    const size = JSON.stringify(value)?.length ?? 0
    // a longer line would end the process, which says less
    if (size > longest / 2) throw new RangeError(`its answer has ${size} characters, and ${longest / 2} is the most`)
    say({ type: "found", id, value })
  } catch (thrown) {
    say({ type: "failed", id, error: textOf(thrown), retry: false })
  }
}

try {
  const plugin = await load()
  port?.on(
    "message",
    (call: Call | CheckLine) => void (call.type === "check" ? answerCheck(plugin, call) : carryOut(plugin, call))
  )
  const checks = Object.keys(checksOf(plugin))
  say({ type: "loaded", hooks: hooks.filter((hook) => hookOf(plugin, hook) !== undefined), checks })
} catch (thrown) {
  say({ type: "refused", error: textOf(thrown) })
}
