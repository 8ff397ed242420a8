/**
 * Questions before a command changes switches, or much at once: a yes, or above a bound the number or the name, typed. Programs say
 * `--yes`. Without a terminal nobody can be asked, so nothing is done (docs/command-line.md#questions).
 */
import { Console, Effect, Runtime, Schema } from "effect"
import { Flag } from "effect/cli"
import { harmless, makeAsking } from "./Terminal.ts"

/** `--yes`: the user has decided before. */
export const yes = Flag.Boolean("yes").pipe(Flag.withDescription("Do not ask"), Flag.withDefault(false))

/** The user has not agreed, or nobody could be asked. */
export class NotAgreed extends Schema.TaggedError<NotAgreed>()("NotAgreed", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = 1
}

/** Above so many devices a yes is too easy: the user types their number. */
export const TYPED_ABOVE = 10

/** The word to type before something is done to so many devices; null when a yes is enough. */
export const typedFor = (count: number): string | null => (count > TYPED_ABOVE ? String(count) : null)

/** Whether a user sits at the other end of standard input. */
export const canAsk = (): boolean => process.stdin.isTTY === true

interface Question {
  /** A whole question, such as `Reboot 12 devices?`. */
  readonly question: string
  /** What the user must type; null when a yes is enough. */
  readonly typed: string | null
  /** Answered before, by `--yes`. */
  readonly yes: boolean
  /** What it means when nobody agrees, such as `Nothing was pushed`. */
  readonly undone: string
}

/** Asks before the work goes on. Fails unless the user agrees. */
export const requireAgreement = Effect.fn("Questions.requireAgreement")(function* ({
  question,
  typed,
  undone,
  yes
}: Question) {
  if (yes) return
  if (!canAsk())
    return yield* new NotAgreed({ message: `${undone}: without a terminal nobody can be asked. --yes does it unasked` })
  const ask = yield* makeAsking
  if (yield* ask(harmless(question), typed)) return
  return yield* new NotAgreed({ message: undone })
}, Effect.scoped)

/** Prints the devices that a question is about, for the user who answers it: how many, and their names. */
export const printScope = (lines: ReadonlyArray<readonly [head: string, text: string]>) =>
  Effect.forEach(lines, ([head, text]) => Console.error(harmless(`${`${head}: `.padEnd(7)}${text}`)), { discard: true })
