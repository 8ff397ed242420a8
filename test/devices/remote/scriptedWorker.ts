/** An SSH worker whose only driver reaches no switch: names and commands say what is to happen. */
import { Effect } from "effect"
import { type Driver, DriverRegistry, type DriverSession } from "../../../src/devices/Driver.ts"
import { run } from "../../../src/devices/remote/ThreadProgram.ts"
import { commitErrors, connectErrors, loadErrors } from "./EachError.ts"

const failing = <E extends { readonly _tag: string }>(
  errors: ReadonlyArray<E>,
  tag: string
): Effect.Effect<never, E> => {
  const error = errors.find(({ _tag }) => _tag === tag)
  return error === undefined ? Effect.die(new Error(`no error ${tag} here`)) : Effect.fail(error)
}

const fill = (): never => {
  const kept: Array<ReadonlyArray<number>> = []
  for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => index + Math.random()))
}

const commands: Readonly<Record<string, Effect.Effect<string>>> = {
  "be broken": Effect.die(new TypeError("no such thing")),
  "be odd": Effect.die({ neither: "an error" }),
  "take long": Effect.onInterrupt(Effect.never, () => Effect.sleep("150 millis")),
  exit: Effect.sync(() => process.exit(3)),
  throw: Effect.andThen(
    Effect.sync(() => setTimeout(() => JSON.parse("not JSON"))),
    Effect.never
  ),
  fill: Effect.sync(fill),
  log: Effect.as(Effect.annotateLogs(Effect.logInfo("Said in the worker", { lines: 3 }), "step", "login"), ""),
  think: Effect.as(Effect.logDebug("Thought in the worker"), "")
}

const unused = Effect.die(new Error("not scripted"))

const session: DriverSession = {
  hostKey: "SHA256:none",
  facts: unused,
  interfaces: unused,
  lldp: unused,
  lldpDetail: unused,
  runningConfig: unused,
  sessions: unused,
  pending: unused,
  load: ({ name }) => failing(loadErrors, name),
  discard: () => unused,
  commit: (name) => failing(commitErrors, name),
  commitTimed: () => unused,
  confirm: () => unused,
  save: unused,
  commitAndSave: () => unused,
  run: (command) => commands[command] ?? unused,
  putFile: () => unused,
  abandon: unused
}

const driver: Driver = {
  platform: "eos",
  capabilities: { replace: true, timer: true, confirmFromNewSession: true, certificates: true, firmware: true },
  timeouts: { connect: 1, firstPrompt: 1, show: 1, runningConfig: 1, load: 1, commit: 1, save: 1 },
  configHash: () => "",
  stableText: () => "",
  open: ({ hostname }) => (hostname === "well" ? Effect.succeed(session) : failing(connectErrors, hostname))
}

await run(DriverRegistry.layer([Effect.succeed(driver)]))
