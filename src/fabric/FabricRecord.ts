/**
 * Which process the fabric of `npm run fabric` lives in, kept in a file together with the instant of its start, so that a process
 * of another program is never taken for it. While it is built, the file names the process that builds.
 */
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { codeOf, isMissing } from "../runtime/SystemErrors.ts"
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
export const read = (): Recorded | undefined => recordIn(textOf(RECORD))

/** Gives a file the record's name, unless another one has it: the record is never there without its text. */
const linkAsRecord = (file: string): boolean => {
  try {
    linkSync(file, RECORD)
    return true
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false
    throw error
  }
}

/** Takes the record of a process that has ended away; one that somebody has put in its place meanwhile goes back. */
const removeEnded = (ended: string): void => {
  const aside = `${RECORD}.${process.pid}.ended`
  try {
    renameSync(RECORD, aside)
  } catch (error) {
    if (isMissing(error)) return
    throw error
  }
  if (textOf(aside) !== ended) linkAsRecord(aside)
  rmSync(aside, { force: true })
}

/** Says that this process builds one. Yields the other one, when there is one already. */
export const claim = (): Recorded | undefined => {
  const mine = `${RECORD}.${process.pid}`
  writeFileSync(mine, text({ pid: process.pid, phase: "building" }))
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

/** Says that the fabric is up, in this process. */
export const keep = (pid: number): void => {
  writeFileSync(`${RECORD}.new`, text({ pid, phase: "up" }))
  renameSync(`${RECORD}.new`, RECORD)
}

export const forget = (): void => rmSync(RECORD, { force: true })

/** The first process of the fabric; undefined while whoever builds it has not started it. */
export const siteOf = ({ phase, pid }: Recorded): number | undefined =>
  phase === "up" ? pid : childOf(childOf(pid) ?? 0)
