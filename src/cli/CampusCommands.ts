/** `switchyard demo` and `switchyard lab`: a simulated campus, with the server's story or alone. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as path from "node:path"

/** The command. */
export const demo = Command.make(
  "demo",
  {
    exit: Flag.Boolean("exit").pipe(
      Flag.withDescription("End when the story is told; the exit code is 0 only if every step held"),
      Flag.withDefault(false)
    ),
    real: Flag.Boolean("real").pipe(
      Flag.withDescription("On real routers of FRRouting in namespaces: Linux, root and some packages are needed"),
      Flag.withDefault(false)
    ),
    port: Flag.Int("port").pipe(Flag.withDescription("Port of the API"), Flag.withDefault(5000))
  },
  Effect.fnUntraced(function* ({ real, ...options }) {
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
