/**
 * The command line: one sub-command per purpose, each in a file of `cli/` with its flags and help. What a command needs is
 * loaded when it is run.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Option, Runtime } from "effect"
import { CliError, Command } from "effect/cli"
import { demo, lab } from "./cli/CampusCommands.ts"
import { person, token, user } from "./cli/AccountCommands.ts"
import { alerts } from "./cli/AlertsCommand.ts"
import { audit } from "./cli/AuditCommand.ts"
import { backup, restore } from "./cli/BackupCommands.ts"
import { check } from "./cli/CheckCommand.ts"
import { render } from "./cli/RenderCommand.ts"
import { setup } from "./cli/SetupCommand.ts"
import { secret } from "./cli/SecretCommand.ts"
import { devices, device, why } from "./cli/client/DeviceCommands.ts"
import { doctor } from "./cli/client/DoctorCommand.ts"
import { find } from "./cli/client/FindCommand.ts"
import { firmware } from "./cli/client/FirmwareCommands.ts"
import { hostkeys } from "./cli/client/HostKeyCommands.ts"
import { events, job, jobs } from "./cli/client/JobCommands.ts"
import { ports } from "./cli/client/PortCommands.ts"
import { init } from "./cli/client/ProvisioningCommands.ts"
import { repo } from "./cli/client/RepositoryCommands.ts"
import { login, logout } from "./cli/client/SignOnCommands.ts"
import { abort, approve, diff, reject, sync, undo } from "./cli/client/SyncCommands.ts"
import { migrate, serve } from "./cli/ServeCommand.ts"
import { end } from "./runtime/Ending.ts"
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
  Command.withSubcommands([
    { group: "The network", commands: [devices, device, why, find, ports, init, hostkeys, events] },
    { group: "Changes", commands: [sync, diff, approve, reject, undo, abort, jobs, job, repo, firmware] },
    { group: "Signing on", commands: [login, logout, token, user, person, alerts, audit] },
    {
      group: "On the server's machine",
      commands: [setup, doctor, serve, migrate, backup, restore, check, render, secret, hook, demo, lab, version]
    }
  ])
)

const program = Command.run(root, { version: release }).pipe(Effect.provide(NodeServices.layer))

/** What was typed is no command (docs/command-line.md#exit-codes). */
const MISTYPED = 2

const isMistyped = (cause: Cause.Cause<unknown>): boolean => {
  const error = Option.getOrUndefined(Cause.findErrorOption(cause))
  return CliError.isCliError(error) && (error._tag !== "ShowHelp" || error.errors.length > 0)
}

// A stop by signal is a success: a supervisor must not take it for a crash. Who stops following a job does not know how it
// ends, so that `watch` sets another code. Errors may bring an exit code of their own.
NodeRuntime.runMain(program, {
  teardown: (exit, done) => {
    if (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)) return end(Number(process.exitCode ?? 0), done)
    return Exit.isFailure(exit) && isMistyped(exit.cause) ? done(MISTYPED) : Runtime.defaultTeardown(exit, done)
  }
})
