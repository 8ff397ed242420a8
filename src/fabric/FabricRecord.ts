/**
 * Which process the fabric of `npm run fabric` lives in, kept in a file together with the instant of its start, so that a process
 * of another program is never taken for it. While it is built, the file names the process that builds.
 */
import { readFileSync, renameSync, rmSync, writeFileSync, existsSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { childOf } from "./Fabric.ts"

const RECORD = path.join(existsSync("/run") ? "/run" : tmpdir(), "switchyard-fabric")

/** What the record says of a process that lives. */
export interface Recorded {
  readonly pid: number
  readonly phase: "building" | "up"
}

/** When a process started, in ticks since the machine did; undefined when there is none. */
export const startOf = (pid: number): string | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

const text = ({ phase, pid }: Recorded): string => `${pid} ${startOf(pid)} ${phase}\n`

const recordText = (): string => {
  try {
    return readFileSync(RECORD, "utf8")
  } catch {
    return ""
  }
}

/** The fabric that runs or is being built, if one is. */
export const read = (): Recorded | undefined => {
  const [pid = "", start = "", phase] = recordText().trim().split(" ")
  if (startOf(Number(pid)) !== start) return undefined
  return { pid: Number(pid), phase: phase === "building" ? "building" : "up" }
}

/** Says that this process builds one. Yields the other one, when there is one already. */
export const claim = (): Recorded | undefined => {
  const found = read()
  if (found !== undefined) return found
  forget()
  try {
    writeFileSync(RECORD, text({ pid: process.pid, phase: "building" }), { flag: "wx" })
    return undefined
  } catch (error) {
    // another one was quicker
    const other = read()
    if (other === undefined) throw error
    return other
  }
}

/** Says that the fabric is up, in this process. */
export const keep = (pid: number): void => {
  writeFileSync(`${RECORD}.new`, text({ pid, phase: "up" }))
  renameSync(`${RECORD}.new`, RECORD)
}

export const forget = (): void => rmSync(RECORD, { force: true })

/** The first process of the fabric; undefined while whoever builds it has not started it. */
export const siteOf = ({ phase, pid }: Recorded): number | undefined =>
  phase === "up" ? pid : childOf(childOf(pid) ?? 0)
