/** Every command, in the groups of the help: one sub-command per purpose, each in a file of its own with its flags. */
import { Console } from "effect"
import { Command } from "effect/cli"
import { release } from "../domain/Release.ts"
import { demo, lab } from "./CampusCommands.ts"
import { person, token, user } from "./AccountCommands.ts"
import { alerts } from "./AlertsCommand.ts"
import { audit } from "./AuditCommand.ts"
import { backup, restore } from "./BackupCommands.ts"
import { check } from "./CheckCommand.ts"
import { render } from "./RenderCommand.ts"
import { setup } from "./SetupCommand.ts"
import { secret } from "./SecretCommand.ts"
import { devices, device, why } from "./client/DeviceCommands.ts"
import { doctor } from "./client/DoctorCommand.ts"
import { find } from "./client/FindCommand.ts"
import { firmware } from "./client/FirmwareCommands.ts"
import { hostkeys } from "./client/HostKeyCommands.ts"
import { events, job, jobs } from "./client/JobCommands.ts"
import { ports } from "./client/PortCommands.ts"
import { init } from "./client/ProvisioningCommands.ts"
import { repo } from "./client/RepositoryCommands.ts"
import { login, logout } from "./client/SignOnCommands.ts"
import { abort, approve, diff, reject, sync, undo } from "./client/SyncCommands.ts"
import { migrate, serve } from "./ServeCommand.ts"
import { approvals } from "./client/ApprovalCommands.ts"

// Listed for the help alone: main.ts runs it before any of this is loaded, because it is called for every lease.
const hook = Command.make("dhcp-hook").pipe(
  Command.withDescription("What a DHCP server calls for each lease: dhcp-hook commit MAC IP PLATFORM")
)

const version = Command.make("version", {}, () => Console.log(release)).pipe(
  Command.withDescription("Print the version.")
)

/** `switchyard`. */
export const root = Command.make("switchyard").pipe(
  Command.withDescription("Keeps a network of switches equal to what git says it should be."),
  Command.withSubcommands([
    { group: "The network", commands: [devices, device, why, find, ports, init, hostkeys, events] },
    { group: "Changes", commands: [sync, diff, approve, reject, undo, abort, jobs, job, repo, firmware] },
    { group: "Signing on", commands: [login, logout, token, user, person, approvals, alerts, audit] },
    {
      group: "On the server's machine",
      commands: [setup, doctor, serve, migrate, backup, restore, check, render, secret, hook, demo, lab, version]
    }
  ])
)
