/** `switchyard serve` and `switchyard migrate`: the server, and its database alone. */
import { Console, Deferred, Effect, Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { hasSettingsFile } from "../runtime/SettingsFile.ts"
import * as path from "node:path"
import { loadDatabase } from "./AtDatabase.ts"
import { failWithSentence } from "./client/Terminal.ts"
import { hasService, workOnData } from "./Service.ts"

/** The interval at which a server without a settings file looks for one from `switchyard setup`. */
const LOOK = "1 second"

/** Ends when a settings file appears. Never ends if one existed at the start: an operator who edits it restarts the server. */
const settingsArrive = Effect.fnUntraced(function* (hasSettings: typeof hasSettingsFile) {
  if (yield* hasSettings(process.env)) return yield* Effect.never
  while (!(yield* hasSettings(process.env))) yield* Effect.sleep(LOOK)
  yield* Console.error("The settings of the first start have come: the server starts anew with them.")
})

/** Runs the server until a signal. It is loaded on demand, so that the other commands start quickly. */
export const runServer = Effect.gen(function* () {
  const Ending = yield* Effect.promise(() => import("../runtime/Shutdown.ts"))
  yield* Ending.watchSignals
  // systemd gives the service its settings; a person who starts the service's program has none
  if (!process.env["DATA_DIR"] && hasService()) yield* Effect.catch(workOnData(), failWithSentence)
  const [Server, { hasSettingsFile, withSettingsFile }, { Restart }] = yield* Effect.promise(() =>
    Promise.all([import("../Server.ts"), import("../runtime/SettingsFile.ts"), import("../runtime/Restart.ts")])
  )
  const once = Effect.gen(function* () {
    const asked = yield* Deferred.make<void>()
    const arriving = Effect.raceFirst(settingsArrive(hasSettingsFile), Deferred.await(asked))
    const serving = Effect.provideService(
      Layer.launch(Server.layerOf(yield* withSettingsFile(process.env))),
      Restart,
      Effect.asVoid(Deferred.succeed(asked, undefined))
    )
    return yield* Effect.raceFirst(serving, arriving)
  })
  return yield* Effect.forever(once)
})

/** The command. */
export const serve = Command.make("serve", {}, () => runServer).pipe(
  Command.withDescription(
    "Run the server. Everything is set by environment variables and by switchyard.env in DATA_DIR; see docs/operations.md."
  )
)

/** The command. */
export const migrate = Command.make("migrate", {}, () =>
  Effect.gen(function* () {
    const database = yield* loadDatabase("migrate")
    const Logging = yield* Effect.promise(() => import("../runtime/Logging.ts"))
    yield* Layer.build(database.layer).pipe(
      Effect.scoped,
      Effect.provide(Layer.provideMerge(Logging.layer, database.settings))
    )
    yield* Console.log("The database is up to date.")
  }).pipe(Effect.catch(failWithSentence))
).pipe(Command.withDescription("Bring the schema of the database up to date and end. It makes no database."))

// `switchyard demo` and `switchyard lab`: a simulated campus, with or without the guided tour of the server.

/** The command. */
export const demo = Command.make(
  "demo",
  {
    exit: Flag.Boolean("exit").pipe(
      Flag.withDescription("End after the last step; the exit code is 0 only if every step held"),
      Flag.withDefault(false)
    ),
    real: Flag.Boolean("real").pipe(
      Flag.withDescription("On real routers of FRRouting in namespaces: Linux, root and some packages are needed"),
      Flag.withDefault(false)
    ),
    topology: Flag.String("topology").pipe(
      Flag.withDescription("On the switches of this topology file, such as examples/lab/campus-308/campus.clab.yml"),
      Flag.optional
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("Port of the API"), Flag.withDefault(5000))
  },
  Effect.fnUntraced(function* ({ real, topology, ...options }) {
    if (Option.isSome(topology))
      return yield* (yield* Effect.promise(() => import("../demo/CampusDemo.ts"))).run(options, topology.value)
    if (!real) return yield* (yield* Effect.promise(() => import("../demo/Demo.ts"))).run(options)
    return yield* (yield* Effect.promise(() => import("../demo/RealDemo.ts"))).run(options)
  })
).pipe(
  Command.withDescription(
    "Provision blank switches of a simulated campus, or with --real six real routers, then change and prove their configuration."
  )
)

/** The command. */
export const lab = Command.make(
  "lab",
  {
    topology: Argument.String("topology").pipe(
      Argument.withDescription("Topology file (YAML in the shape of containerlab)"),
      Argument.withDefault(path.resolve(import.meta.dirname, "../lab/example.clab.yml"))
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("SSH port of all switches"), Flag.withDefault(2222)),
    control: Flag.Int("control").pipe(Flag.withDescription("Port of the control endpoint"), Flag.withDefault(2280)),
    hook: Flag.String("hook").pipe(Flag.withDescription("DHCP hook program, words separated by blanks"), Flag.optional),
    boot: Flag.Boolean("boot").pipe(Flag.withDescription("Boot the blank switches"), Flag.withDefault(false)),
    personalities: Flag.Boolean("personalities").pipe(
      Flag.withDescription("List the personalities that a switch of a topology can have, and end"),
      Flag.withDefault(false)
    )
  },
  ({ boot, control, hook, personalities, port, topology }) =>
    Effect.flatMap(
      Effect.promise(() => import("../lab/LabProgram.ts")),
      ({ listPersonalities, runLab }) =>
        personalities
          ? listPersonalities
          : runLab({
              topologyFile: topology,
              port,
              controlPort: control,
              bootBlank: boot,
              ...(Option.isSome(hook) ? { hook: hook.value.split(" ") } : {})
            })
    )
).pipe(Command.withDescription("Run a simulated campus of switches that speak the real command line over real SSH."))
