/**
 * One operation as it crosses the border between the main thread and an SSH worker. Arguments, results and errors are
 * described by schemas, so that only plain data is sent and everything arrives as what it was: `ask` is the half of the
 * caller, `serve` that of the worker. A defect arrives as a defect with its name, message and stack.
 */
import { Cause, Effect, Exit, Formatter, Schema } from "effect"

/** What came of a call, as data. */
export type Answer =
  | { readonly _tag: "Success"; readonly value: unknown }
  | { readonly _tag: "Failure"; readonly error: unknown }
  | { readonly _tag: "Defect"; readonly name: string; readonly message: string; readonly stack: string | undefined }
  | { readonly _tag: "Interrupted" }

/** The worker's half of an operation on a subject, such as a session. */
export interface ServedOperation<Subject> {
  /** Its name in messages. */
  readonly name: string
  /** Does it; result and error are encoded. */
  readonly serve: (subject: Subject, args: unknown) => Effect.Effect<unknown, unknown>
}

/** Both halves. */
export interface Operation<Subject, Args, A, E> extends ServedOperation<Subject> {
  /** What it does in words, for the errors of a call that got no answer. */
  readonly doing: string
  /** Sends the arguments with `call` and gives what came of it. */
  readonly ask: <E2>(call: (args: unknown) => Effect.Effect<Answer, E2>) => (args: Args) => Effect.Effect<A, E | E2>
}

const defect = (error: unknown): Answer =>
  error instanceof Error
    ? { _tag: "Defect", name: error.name, message: error.message, stack: error.stack }
    : { _tag: "Defect", name: "Error", message: Formatter.format(error), stack: undefined }

/** The end of a served operation as data. */
export const answerOf = (exit: Exit.Exit<unknown, unknown>): Answer => {
  if (Exit.isSuccess(exit)) return { _tag: "Success", value: exit.value }
  const failed = exit.cause.reasons.find(Cause.isFailReason)
  if (failed !== undefined) return { _tag: "Failure", error: failed.error }
  const died = exit.cause.reasons.find(Cause.isDieReason)
  return died === undefined ? { _tag: "Interrupted" } : defect(died.defect)
}

const revived = ({ message, name, stack }: Extract<Answer, { _tag: "Defect" }>): Error => {
  const error = new Error(message)
  error.name = name
  if (stack !== undefined) error.stack = stack
  return error
}

/** An operation of these schemas, done by `run`. */
export const operation = <Subject, Args, A, E>(parts: {
  readonly name: string
  readonly doing: string
  readonly args: Schema.Codec<Args, unknown>
  readonly success: Schema.Codec<A, unknown>
  readonly failure: Schema.Codec<E, unknown>
  readonly run: (subject: Subject, args: Args) => Effect.Effect<A, E>
}): Operation<Subject, Args, A, E> => {
  const args = { encode: Schema.encodeSync(parts.args), decode: Schema.decodeUnknownSync(parts.args) }
  const success = { encode: Schema.encodeSync(parts.success), decode: Schema.decodeUnknownSync(parts.success) }
  const failure = { encode: Schema.encodeSync(parts.failure), decode: Schema.decodeUnknownSync(parts.failure) }

  const read = (answer: Answer): Effect.Effect<A, E> => {
    switch (answer._tag) {
      case "Success":
        return Effect.succeed(success.decode(answer.value))
      case "Failure":
        return Effect.fail(failure.decode(answer.error))
      case "Defect":
        return Effect.die(revived(answer))
      case "Interrupted":
        return Effect.interrupt
    }
  }

  return {
    name: parts.name,
    doing: parts.doing,
    ask: (call) => (given) =>
      Effect.flatMap(
        Effect.suspend(() => call(args.encode(given))),
        read
      ),
    serve: (subject, given) =>
      Effect.suspend(() => parts.run(subject, args.decode(given))).pipe(
        Effect.mapBoth({ onFailure: failure.encode, onSuccess: success.encode })
      )
  }
}
