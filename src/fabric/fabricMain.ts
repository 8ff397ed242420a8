/**
 * `npm run fabric -- up|down|status`: builds the usual fabric and leaves it running, ends it, shows it. Which process it lives in
 * is kept in a file, together with the instant of its start, so that a process of another program is never taken for it.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Effect } from "effect"
import { childOf, runToEnd, siteCommand, startSite } from "./Fabric.ts"
import { addressOf, LOGIN, usual } from "./FabricPlan.ts"
import { missing } from "./Requirements.ts"

const RECORD = path.join(existsSync("/run") ? "/run" : tmpdir(), "switchyard-fabric")

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

/** When a process started, in ticks since the machine did; undefined when there is none. */
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

/** The process of the fabric that runs, if one does. */
const running = (): number | undefined => {
  if (!existsSync(RECORD)) return undefined
  const [pid = "", start = ""] = readFileSync(RECORD, "utf8").trim().split(" ")
  return startOf(Number(pid)) === start ? Number(pid) : undefined
}

const up = Effect.gen(function* () {
  if (running() !== undefined) return yield* say("The fabric is up already.")
  const began = Date.now()
  const plan = usual()
  const parent = yield* startSite(plan, true)
  const pid = childOf(parent.pid ?? 0)
  writeFileSync(RECORD, `${pid} ${startOf(pid ?? 0)}\n`)
  yield* say(`${plan.nodes.length} nodes are up after ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  yield* say(`A shell in the network of the server: nsenter -t ${pid} --net bash`)
  yield* say(`From there: ssh ${LOGIN.username}@${addressOf("core1")} (password ${LOGIN.password})`)
  parent.unref()
})

const down = Effect.gen(function* () {
  const pid = running()
  if (pid === undefined) return yield* say("No fabric is up.")
  process.kill(pid, "SIGKILL")
  while (startOf(pid) !== undefined) yield* Effect.sleep("20 millis")
  rmSync(RECORD, { force: true })
  yield* say("The fabric is down.")
})

const status = Effect.gen(function* () {
  const pid = running()
  if (pid === undefined) return yield* say("No fabric is up.")
  const lines = yield* runToEnd(siteCommand(pid, ["status"]))
  for (const line of lines.trim().split("\n")) {
    const [name = "", state = "", kib = "0"] = line.split(" ")
    const address = name.startsWith("core") || name.startsWith("dist") ? addressOf(name) : ""
    yield* say(`${name.padEnd(8)}${state.padEnd(6)}${`${Math.round(Number(kib) / 1024)} MB`.padEnd(8)}${address}`)
  }
})

const verbs: Readonly<Record<string, typeof up | typeof down | typeof status>> = { up, down, status }

const verb = verbs[process.argv[2] ?? ""]
const lacks = missing()
if (verb === undefined) process.stdout.write("npm run fabric -- up|down|status\n")
else if (lacks.length > 0) process.stdout.write(`${lacks.join("\n")}\n`)
else await Effect.runPromise(verb)
process.exit(verb === undefined || lacks.length > 0 ? 1 : 0)
