/** `npm run fabric -- up|down|status`: builds the usual fabric so that it keeps running, ends it, shows it. */
import { Effect } from "effect"
import { childOf, FabricError, leaveSite, missing, runToEnd, siteCommand, startSite } from "./Fabric.ts"
import { addressOf, LOGIN, usual } from "./FabricPlan.ts"
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

// The process of the fabric of `npm run fabric`, stored in a file together with its start time, so a process of another program is
// never mistaken for it. During the build, the file names the process that builds.

const RECORD = path.join(existsSync("/run") ? "/run" : tmpdir(), "switchyard-fabric")

/** The record of a running process. */
interface Recorded {
  readonly pid: number
  readonly phase: "building" | "up"
}

/** When a process started, in ticks since the boot; undefined if it does not exist. */
const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

const recordText = ({ phase, pid }: Recorded): string => `${pid} ${startOf(pid)} ${phase}\n`

const codeOf = (error: unknown): unknown => (error instanceof Error && "code" in error ? error.code : undefined)

const textOf = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch {
    return ""
  }
}

const recordIn = (record: string): Recorded | undefined => {
  const [pid = "", start = "", phase] = record.trim().split(" ")
  if (startOf(Number(pid)) !== start) return undefined
  return { pid: Number(pid), phase: phase === "building" ? "building" : "up" }
}

/** The fabric that runs or is being built, if one is. */
const readRecord = (): Recorded | undefined => recordIn(textOf(RECORD))

/** Renames a file to the record, unless the record exists: so the record is never empty. */
const linkAsRecord = (file: string): boolean => {
  try {
    linkSync(file, RECORD)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/** Removes the record of a process that has ended; a newer record that another process has put in its place is restored. */
const removeEnded = (ended: string): void => {
  const aside = `${RECORD}.${process.pid}.ended`
  try {
    renameSync(RECORD, aside)
  } catch (error) {
    if (codeOf(error) === "ENOENT") return
    throw error
  }
  if (textOf(aside) !== ended) linkAsRecord(aside)
  rmSync(aside, { force: true })
}

/** Records that this process builds a fabric. Yields the existing one, if there is one. */
const claimRecord = (): Recorded | undefined => {
  const mine = `${RECORD}.${process.pid}`
  writeFileSync(mine, recordText({ pid: process.pid, phase: "building" }))
  try {
    while (!linkAsRecord(mine)) {
      const there = textOf(RECORD)
      const found = recordIn(there)
      if (found !== undefined) return found
      removeEnded(there)
    }
    return undefined
  } finally {
    rmSync(mine, { force: true })
  }
}

/** Records that the fabric runs in this process. */
const keepRecord = (pid: number): void => {
  writeFileSync(`${RECORD}.new`, recordText({ pid, phase: "up" }))
  renameSync(`${RECORD}.new`, RECORD)
}

const forgetRecord = (): void => rmSync(RECORD, { force: true })

/** The first process of the fabric; undefined while its builder has not started it. */
const siteOf = ({ phase, pid }: Recorded): number | undefined => (phase === "up" ? pid : childOf(childOf(pid) ?? 0))

/** It takes seconds; a hanging node does not delay it. */
const MOST_SECONDS = 180

const say = (line: string) => Effect.sync(() => void process.stdout.write(`${line}\n`))

const build = Effect.gen(function* () {
  const began = Date.now()
  const plan = usual()
  const parent = yield* startSite(plan, true)
  const pid = childOf(parent.pid ?? 0)
  if (pid === undefined) return yield* new FabricError({ command: "site.sh stay", output: "it ended" })
  keepRecord(pid)
  yield* leaveSite(parent)
  yield* say(`${plan.nodes.length} nodes are up after ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  yield* say(`A shell in the network of the server: nsenter -t ${pid} --net bash`)
  yield* say(`From there: ssh ${LOGIN.username}@${addressOf("core1")} (password ${LOGIN.password})`)
}).pipe(
  Effect.timeoutOrElse({
    duration: `${MOST_SECONDS} seconds`,
    orElse: () => Effect.fail(new FabricError({ command: "site.sh stay", output: `not up after ${MOST_SECONDS} s` }))
  }),
  Effect.tapError(() => Effect.sync(forgetRecord))
)

const up = Effect.suspend(() => {
  const found = claimRecord()
  if (found === undefined) return build
  return say(found.phase === "up" ? "The fabric is up already." : `Process ${found.pid} is building the fabric.`)
})

const down = Effect.gen(function* () {
  const found = readRecord()
  if (found === undefined) return yield* say("No fabric is up.")
  const site = siteOf(found)
  // a fabric that is being built ends with its first process, and so does its builder
  process.kill(site ?? found.pid, "SIGKILL")
  while (startOf(site ?? found.pid) !== undefined) yield* Effect.sleep("20 millis")
  forgetRecord()
  yield* say("The fabric is down.")
})

const status = Effect.gen(function* () {
  const found = readRecord()
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
