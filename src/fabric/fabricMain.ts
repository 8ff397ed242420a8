/** `npm run fabric -- up|down|status`: builds the usual fabric and leaves it running, ends it, shows it. */
import { Effect } from "effect"
import { childOf, FabricError, leaveSite, runToEnd, siteCommand, startSite } from "./Fabric.ts"
import { addressOf, LOGIN, usual } from "./FabricPlan.ts"
import * as FabricRecord from "./FabricRecord.ts"
import { missing } from "./Requirements.ts"

/** It takes seconds; a node that hangs is not waited for. */
const MOST_SECONDS = 180

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const build = Effect.gen(function* () {
  const began = Date.now()
  const plan = usual()
  const parent = yield* startSite(plan, true)
  const pid = childOf(parent.pid ?? 0)
  if (pid === undefined) return yield* new FabricError({ command: "site.sh stay", output: "it ended" })
  FabricRecord.keep(pid)
  yield* leaveSite(parent)
  yield* say(`${plan.nodes.length} nodes are up after ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  yield* say(`A shell in the network of the server: nsenter -t ${pid} --net bash`)
  yield* say(`From there: ssh ${LOGIN.username}@${addressOf("core1")} (password ${LOGIN.password})`)
}).pipe(
  Effect.timeoutOrElse({
    duration: `${MOST_SECONDS} seconds`,
    orElse: () => Effect.fail(new FabricError({ command: "site.sh stay", output: `not up after ${MOST_SECONDS} s` }))
  }),
  Effect.tapError(() => Effect.sync(FabricRecord.forget))
)

const up = Effect.suspend(() => {
  const found = FabricRecord.claim()
  if (found === undefined) return build
  return say(found.phase === "up" ? "The fabric is up already." : `Process ${found.pid} is building the fabric.`)
})

const down = Effect.gen(function* () {
  const found = FabricRecord.read()
  if (found === undefined) return yield* say("No fabric is up.")
  const site = FabricRecord.siteOf(found)
  // a fabric that is being built ends with its first process, and so does whoever builds it
  process.kill(site ?? found.pid, "SIGKILL")
  while (FabricRecord.startOf(site ?? found.pid) !== undefined) yield* Effect.sleep("20 millis")
  FabricRecord.forget()
  yield* say("The fabric is down.")
})

const status = Effect.gen(function* () {
  const found = FabricRecord.read()
  if (found === undefined) return yield* say("No fabric is up.")
  if (found.phase === "building") return yield* say(`Process ${found.pid} is building the fabric.`)
  const lines = yield* runToEnd(siteCommand(found.pid, ["status"]))
  for (const line of lines.trim().split("\n")) {
    const [name = "", state = "", kib = "0"] = line.split(" ")
    const address = name.startsWith("core") || name.startsWith("dist") ? addressOf(name) : ""
    yield* say(
      `${name.padEnd(8)}${state.padEnd(6)}${`${Math.round(Number(kib) / 1024)} MB`.padEnd(8)}${address}`.trimEnd()
    )
  }
})

const verbs: Readonly<Record<string, Effect.Effect<void, FabricError>>> = { up, down, status }

const main = (): Effect.Effect<number> => {
  const verb = verbs[process.argv[2] ?? ""]
  if (verb === undefined) return Effect.as(say("npm run fabric -- up|down|status"), 1)
  const lacks = missing()
  if (lacks.length > 0) return Effect.as(say(lacks.join("\n")), 1)
  return verb.pipe(
    Effect.as(0),
    Effect.catchTag("FabricError", ({ message }) => Effect.as(say(message.trimEnd()), 1))
  )
}

process.exit(await Effect.runPromise(main()))
