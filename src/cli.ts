/** The command line: runs the command that the user typed (`cli/Commands.ts`) and loads only the modules that it needs. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Config, Console, Effect, Exit, Layer, Option, Runtime } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { printFailure } from "./cli/client/Terminal.ts"
import { rootFor } from "./cli/Commands.ts"
import { end } from "./runtime/Shutdown.ts"
import { release } from "./domain/Release.ts"

/** Exit code for an unknown command (docs/command-line.md#exit-codes). */
const MISTYPED = 2

const inOneLine = (text: string): string => text.replaceAll(/\n{2}\s*/g, ". ").replaceAll(/\s*\n\s*/g, " ")

// Says on stderr what is wrong with the words, with the nearest right one; the whole help would hide it, and stdout is for results.
const presenter = CliOutput.layerPresenter({
  present: (event) =>
    event._tag === "InvalidInvocation"
      ? printFailure(
          `${event.errors.map(({ message }) => inOneLine(message)).join("\n")}\nAll words: ${event.commandPath.join(" ")} --help`,
          MISTYPED
        )
      : CliOutput.defaultPresenter.present(event)
})

/** A setting that cannot be read names itself at the end of two lines. */
const SETTING = /^SchemaError\(([\s\S]*?)\s+at \["(\w+)"\]\)$/

/** The sentence of an error, with that of its cause if it leaves it out. */
const sentenceOf = ({ cause, message }: Error | Config.ConfigError): string => {
  const [, why, setting] = SETTING.exec(message) ?? []
  if (why !== undefined && setting !== undefined) return `${setting}: ${why}`
  return cause instanceof Error && !message.includes(cause.message) ? `${message}: ${cause.message}` : message
}

/** What somebody can mend is one sentence; only a defect shows where in the program it happened. */
const report = (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  if (Cause.hasInterruptsOnly(cause) || !Runtime.getErrorReported(Cause.squash(cause))) return Effect.void
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return error instanceof Error || error instanceof Config.ConfigError
    ? Console.error(sentenceOf(error))
    : Effect.logError(cause)
}

/** A descending order begins like a flag, so `--sort -hostname` is read as `--sort=-hostname`. */
const withOrder = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.flatMap((word, index) => {
    if (words[index - 1] === "--sort" && /^-[a-z]/.test(word)) return []
    const next = words[index + 1] ?? ""
    return word === "--sort" && /^-[a-z]/.test(next) ? [`--sort=${next}`] : [word]
  })

const words = withOrder(process.argv.slice(2))

const program = Effect.flatMap(rootFor(words), (root) => Command.runWith(root, { version: release })(words)).pipe(
  Effect.tapCause(report),
  Effect.provide(Layer.mergeAll(NodeServices.layer, presenter))
)

const isMistyped = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return CliError.isCliError(error) && (error._tag !== "ShowHelp" || error.errors.length > 0)
}

// A stop by signal is a success: a supervisor must not take it for a crash. A user who stops following a job does not know its
// end, so `watch` sets another code. Errors may have an exit code of their own.
NodeRuntime.runMain(program, {
  disableErrorReporting: true,
  teardown: (exit, done) => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return end(Number(process.exitCode ?? 0), done)
    return Exit.isFailure(exit) && isMistyped(exit.cause) ? done(MISTYPED) : Runtime.defaultTeardown(exit, done)
  }
})
