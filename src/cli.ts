/**
 * The command line: one sub-command per purpose, each in a file of `cli/` with its flags and help. What a command needs is
 * loaded when it is run.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { Command } from "effect/cli"
import { demo, lab } from "./cli/CampusCommands.ts"
import { token, user } from "./cli/AccountCommands.ts"
import { alerts } from "./cli/AlertsCommand.ts"
import { audit } from "./cli/AuditCommand.ts"
import { check } from "./cli/CheckCommand.ts"
import { render } from "./cli/RenderCommand.ts"
import { secret } from "./cli/SecretCommand.ts"
import { migrate, serve } from "./cli/ServeCommand.ts"
import { release } from "./domain/Release.ts"

// Listed for the help alone: main.ts runs it before any of this is loaded, because it is called for every lease.
const hook = Command.make("dhcp-hook").pipe(
  Command.withDescription("What a DHCP server calls for each lease: dhcp-hook commit MAC IP PLATFORM")
)

const version = Command.make("version", {}, () => Console.log(release)).pipe(
  Command.withDescription("Print the version.")
)

const root = Command.make("switchyard").pipe(
  Command.withDescription("Keeps a network of switches equal to what git says it should be."),
  Command.withSubcommands([serve, demo, lab, render, check, hook, migrate, alerts, audit, token, user, secret, version])
)

const program = Command.run(root, { version: release }).pipe(Effect.provide(NodeServices.layer))

// A stop by signal is a success: a supervisor must not take it for a crash. Errors may bring an exit code of their own.
NodeRuntime.runMain(program, {
  teardown: (exit, done) =>
    Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause) ? done(0) : Runtime.defaultTeardown(exit, done)
})
