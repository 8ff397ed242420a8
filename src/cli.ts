/** The command line: one sub-command per purpose, each with its help. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, FileSystem, Layer, Option, Path, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Demo from "./demo/Demo.ts"
import { runLab } from "./lab/LabProgram.ts"
import * as Logging from "./Logging.ts"
import * as Server from "./Server.ts"
import { ServerConfig } from "./ServerConfig.ts"
import * as Database from "./store/Database.ts"
import { renderCommand } from "./templates/RenderCommand.ts"

const serve = Command.make("serve", {}, () =>
  Layer.launch(Server.layer.pipe(Layer.provide(Logging.layer), Layer.provide(ServerConfig.layer)))
).pipe(Command.withDescription("Run the server. Everything is set by environment variables; see the README."))

const migrate = Command.make("migrate", {}, () =>
  Layer.build(Database.layer).pipe(
    Effect.scoped,
    Effect.provide(Logging.layer),
    Effect.provide(ServerConfig.layer),
    Effect.andThen(Console.log("The database is up to date."))
  )
).pipe(Command.withDescription("Bring the database schema up to date and end."))

const demo = Command.make(
  "demo",
  {
    exit: Flag.Boolean("exit").pipe(
      Flag.withDescription("End when the story is told; the exit code is 0 only if every step held"),
      Flag.withDefault(false)
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("Port of the API"), Flag.withDefault(5000))
  },
  (options) => Demo.run(options)
).pipe(
  Command.withDescription(
    "Provision two blank switches of a simulated campus, then change and prove their configuration."
  )
)

const lab = Command.make(
  "lab",
  {
    topology: Argument.String("topology").pipe(
      Argument.withDescription("Topology file (YAML in the shape of containerlab)"),
      Argument.withDefault("src/lab/example.clab.yml")
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("SSH port of all switches"), Flag.withDefault(2222)),
    control: Flag.Int("control").pipe(Flag.withDescription("Port of the control endpoint"), Flag.withDefault(2280)),
    hook: Flag.String("hook").pipe(Flag.withDescription("DHCP hook program, words separated by blanks"), Flag.optional),
    boot: Flag.Boolean("boot").pipe(Flag.withDescription("Boot the blank switches"), Flag.withDefault(false))
  },
  ({ boot, control, hook, port, topology }) =>
    runLab({
      topologyFile: topology,
      port,
      controlPort: control,
      bootBlank: boot,
      ...(Option.isSome(hook) ? { hook: hook.value.split(" ") } : {})
    })
).pipe(Command.withDescription("Run a simulated campus of switches that speak the real command line over real SSH."))

const render = Command.make(
  "render",
  {
    templates: Flag.String("templates").pipe(Flag.withDescription("Directory with one directory per platform")),
    platform: Flag.String("platform").pipe(Flag.withDescription("Platform, such as eos")),
    template: Flag.String("template").pipe(Flag.withDescription("Template file in the platform's directory")),
    variables: Flag.String("variables").pipe(Flag.withDescription("JSON or YAML file with the variables"))
  },
  renderCommand
).pipe(Command.withDescription("Render a template with the variables of a file, for authors of templates."))

const hook = Command.make("dhcp-hook").pipe(
  Command.withDescription("What a DHCP server calls for each lease: dhcp-hook commit MAC IP PLATFORM")
)

const Package = Schema.fromJsonString(Schema.Struct({ version: Schema.String }))

const readVersion = Effect.gen(function* () {
  const path = yield* Path.Path
  const text = yield* (yield* FileSystem.FileSystem).readFileString(
    path.resolve(import.meta.dirname, "../package.json")
  )
  return (yield* Schema.decodeEffect(Package)(text)).version
})

const version = Command.make("version", {}, () => Effect.flatMap(readVersion, Console.log)).pipe(
  Command.withDescription("Print the version.")
)

const root = Command.make("switchyard").pipe(
  Command.withDescription("Keeps a network of switches equal to what git says it should be."),
  Command.withSubcommands([serve, demo, lab, render, hook, migrate, version])
)

const program = Effect.flatMap(readVersion, (number) => Command.run(root, { version: number })).pipe(
  Effect.provide(NodeServices.layer)
)

// A stop by signal is a success: a supervisor must not take it for a crash.
NodeRuntime.runMain(program, {
  teardown: (exit, done) => done(Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? 0 : 1)
})
