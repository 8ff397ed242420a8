/**
 * What is told to whoever listens now and is not kept (docs/events.md): lines of the log, and the steps of the live actors. Costs nothing
 * while nobody listens.
 */
import { Context, Effect, Layer, type Scope } from "effect"

/** Levels of lines as clients know them, the least first. */
export const toldLevels = ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"] as const
export type ToldLevel = (typeof toldLevels)[number]

/** A line of the log; `at` is in epoch milliseconds. */
export interface ToldLine {
  readonly kind: "log"
  readonly at: number
  readonly level: ToldLevel
  readonly job: number | null
  readonly text: string
}

/** A step of a device's live actor. */
export interface ToldStep {
  readonly kind: "step"
  readonly at: number
  readonly hostname: string
  readonly job: number | null
  /** Which statechart: `device` or `change`. */
  readonly machine: string
  readonly event: string
  /** Where the statechart is now. */
  readonly state: string
}

export type ToldThing = ToldLine | ToldStep

/** Hears what is told; must not throw and not wait. */
export type Listener = (thing: ToldThing) => void

const make = Effect.sync(() => {
  const listeners = new Set<Listener>()
  return Told.of({
    isHeard: () => listeners.size > 0,
    tell: (thing) => {
      for (const listener of listeners) listener(thing)
    },
    listen: (listener) =>
      Effect.asVoid(
        Effect.acquireRelease(
          Effect.sync(() => listeners.add(listener)),
          () => Effect.sync(() => listeners.delete(listener))
        )
      )
  })
})

/** What this process tells. */
export class Told extends Context.Service<
  Told,
  {
    /** Whether anybody listens: else nothing has to be told. */
    readonly isHeard: () => boolean
    readonly tell: (thing: ToldThing) => void
    /** Hears everything from now on, until the scope closes. */
    readonly listen: (listener: Listener) => Effect.Effect<void, never, Scope.Scope>
  }
>()("switchyard/runtime/Told") {
  static readonly layer = Layer.effect(Told, make)
}
