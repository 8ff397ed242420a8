/** The command line: runs the command that the user typed (`cli/Commands.ts`) and loads only the modules that it needs. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, Effect, Exit, Option, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import { rootFor } from "./cli/Commands.ts"
import { end } from "./runtime/Shutdown.ts"
import { release } from "./domain/Release.ts"

const program = Effect.flatMap(rootFor(process.argv.slice(2)), (root) => Command.run(root, { version: release })).pipe(
  Effect.provide(NodeServices.layer)
)

/** Exit code for an unknown command (docs/command-line.md#exit-codes). */
const MISTYPED = 2

const isMistyped = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return CliError.isCliError(error) && (error._tag !== "ShowHelp" || error.errors.length > 0)
}

// A stop by signal is a success: a supervisor must not take it for a crash. A user who stops following a job does not know its
// end, so `watch` sets another code. Errors may have an exit code of their own.
NodeRuntime.runMain(program, {
  teardown: (exit, done) => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return end(Number(process.exitCode ?? 0), done)
    return Exit.isFailure(exit) && isMistyped(exit.cause) ? done(MISTYPED) : Runtime.defaultTeardown(exit, done)
  }
})
