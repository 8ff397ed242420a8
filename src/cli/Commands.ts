/**
 * All commands, in the groups of the help: one sub-command per purpose, each in a file of its own with its flags. Calling a command loads
 * its file only; the help of the program, completions and an unknown name need all files.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { release } from "../domain/Release.ts"
import { format, printJson } from "./client/Terminal.ts"

// Listed for the help only: it is a shell program, which runs for every lease (main.ts).
const hook = Command.make("dhcp-hook").pipe(
  Command.withDescription("What a DHCP server calls for each lease: dhcp-hook commit MAC IP PLATFORM")
)

const version = Command.make("version", { json: format.json }, ({ json }) =>
  json ? printJson({ version: release }) : Console.log(release)
).pipe(Command.withDescription("Print the version."))

const accounts = () => import("./AccountCommands.ts")
const backups = () => import("./BackupCommands.ts")
const campus = () => import("./ServeCommand.ts")
const server = () => import("./ServeCommand.ts")
const devices = () => import("./client/DeviceCommands.ts")
const jobs = () => import("./client/JobCommands.ts")
const signOn = () => import("./client/AccessCommands.ts")
const configs = () => import("./client/ConfigCommands.ts")
const actions = () => import("./client/JobActions.ts")
const sync = () => import("./client/SyncCommands.ts")

/**
 * A command with its name and the function that loads its file. The type checks its requirements here, because `cli.ts` provides nothing
 * else.
 */
const command = <Name extends string>(
  name: Name,
  load: () => Promise<Command.Command<Name, never, unknown, unknown, Command.Environment>>
) => ({ name, load })

const groups = [
  {
    group: "The network",
    commands: [
      command("devices", async () => (await devices()).devices),
      command("device", async () => (await devices()).device),
      command("why", async () => (await devices()).why),
      command("config", async () => (await configs()).config),
      command("compare", async () => (await configs()).compare),
      command("drift", async () => (await import("./client/DriftCommands.ts")).drift),
      command("find", async () => (await import("./client/DeviceCommands.ts")).find),
      command("ports", async () => (await import("./client/DeviceCommands.ts")).ports),
      command("init", async () => (await import("./client/DeviceCommands.ts")).init),
      command("onboard", async () => (await import("./client/OnboardCommands.ts")).onboard),
      command("leases", async () => (await import("./client/LeaseCommands.ts")).leases),
      command("hostkeys", async () => (await import("./client/AccessCommands.ts")).hostkeys),
      command("events", async () => (await jobs()).events),
      command("checks", async () => (await import("./client/CheckResults.ts")).checks),
      command("findings", async () => (await import("./client/DoctorCommand.ts")).findings)
    ]
  },
  {
    group: "Changes",
    commands: [
      command("sync", async () => (await sync()).sync),
      command("diff", async () => (await sync()).diff),
      command("approve", async () => (await actions()).approve),
      command("reject", async () => (await actions()).reject),
      command("pause", async () => (await actions()).pause),
      command("resume", async () => (await actions()).resume),
      command("retry", async () => (await actions()).retry),
      command("undo", async () => (await sync()).undo),
      command("abort", async () => (await actions()).abort),
      command("jobs", async () => (await jobs()).jobs),
      command("job", async () => (await jobs()).job),
      command("spellings", async () => (await import("./client/SpellingCommands.ts")).spellings),
      command("proposal", async () => (await import("./client/ProposalCommands.ts")).proposal),
      command("change", async () => (await import("./client/ReportCommands.ts")).change),
      command("repo", async () => (await import("./client/RepositoryCommands.ts")).repo),
      command("firmware", async () => (await import("./client/FirmwareCommands.ts")).firmware)
    ]
  },
  {
    group: "Signing on",
    commands: [
      command("login", async () => (await signOn()).login),
      command("logout", async () => (await signOn()).logout),
      command("token", async () => (await accounts()).token),
      command("user", async () => (await accounts()).user),
      command("person", async () => (await accounts()).person),
      command("approvals", async () => (await import("./client/ApprovalCommands.ts")).approvals),
      command("alerts", async () => (await import("./AlertsCommand.ts")).alerts),
      command("audit", async () => (await import("./AuditCommand.ts")).audit)
    ]
  },
  {
    group: "On the server's machine",
    commands: [
      command("setup", async () => (await import("./SetupCommand.ts")).setup),
      command("doctor", async () => (await import("./client/DoctorCommand.ts")).doctor),
      command("serve", async () => (await server()).serve),
      command("migrate", async () => (await server()).migrate),
      command("backup", async () => (await backups()).backup),
      command("restore", async () => (await backups()).restore),
      command("check", async () => (await import("./CheckCommand.ts")).check),
      command("render", async () => (await import("./CheckCommand.ts")).render),
      command("secret", async () => (await import("./SecretCommand.ts")).secret),
      command("dhcp-hook", async () => hook),
      command("demo", async () => (await campus()).demo),
      command("lab", async () => (await campus()).lab),
      command("version", async () => version)
    ]
  }
]

/** Flags of the whole program that need every command, wherever they stand. */
const OF_ALL = /^--(completions|wizard)\b/

/** The commands that these words need: the called one, or all. */
const needed = (words: ReadonlyArray<string>) => {
  const isCalled = ({ name }: { readonly name: string }) =>
    name === words[0] && !words.some((word) => OF_ALL.test(word))
  return groups.some(({ commands }) => commands.some(isCalled))
    ? groups.map(({ group, commands }) => ({ group, commands: commands.filter(isCalled) }))
    : groups
}

/** `switchyard`, with the commands that these words need. */
export const rootFor = (words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const loaded = yield* Effect.promise(() =>
      Promise.all(
        needed(words).map(async ({ group, commands }) => ({
          group,
          commands: await Promise.all(commands.map(({ load }) => load()))
        }))
      )
    )
    return Command.make("switchyard").pipe(
      Command.withDescription("Keeps a network of switches equal to what git says it should be."),
      Command.withSubcommands(loaded.filter(({ commands }) => commands.length > 0))
    )
  })
