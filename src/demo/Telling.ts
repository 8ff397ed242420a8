/** How a demo tells what it does. */
import { Cause, Console, Effect } from "effect"
import { DemoFailed } from "./DemoApi.ts"

/** `exit`: end when the story is told. */
export interface DemoOptions {
  readonly exit: boolean
  readonly port: number
}

export const say = (text: string) => Console.log(text)
export const step = (title: string) => say(`\n== ${title}`)

/** Goes on when what the story says holds; else the demo fails with this sentence. */
export const hold = (holds: boolean, otherwise: string) =>
  holds ? Effect.void : Effect.fail(new DemoFailed({ message: otherwise }))

/** Says why a demo failed; one that was stopped has not failed. */
export const sayFailure = <A, E, R>(play: Effect.Effect<A, E, R>) =>
  Effect.tapCause(play, (cause) =>
    Cause.hasInterruptsOnly(cause)
      ? Effect.void
      : Console.error(`The demo failed: ${Cause.pretty(cause).split("\n")[0]}`)
  )
