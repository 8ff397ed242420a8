/**
 * The folders of a test run: one for temporary files and one in memory, both with the number of its process in their names. A killed run
 * leaves them with PostgreSQL and mounts in them: the next run of the same user ends and removes those of runs whose process is dead.
 */
import { execFileSync } from "node:child_process"
import { chmodSync, existsSync, lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

const PREFIX = "switchyard-run-"
const OF_A_RUN = /^switchyard-run-(\d+)-/
/** Folders that tests of older runs have created next to each other, without an owner. */
const OF_NOBODY = /^switchyard-/
const OLD_MILLIS = 86_400_000

const MEMORY = "/dev/shm"

const attempt = (step: () => void): void => {
  try {
    step()
  } catch {
    // another run was faster, or it is not ours
  }
}

const lives = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}

const isBelow = (folder: string, place: string) => place === folder || place.startsWith(`${folder}/`)

/** Processes that work in the folder, such as PostgreSQL in its data, or have it as an argument; none if the system does not tell. */
const processesIn = (folder: string): ReadonlyArray<number> => {
  if (!existsSync("/proc/self/cwd")) return []
  const belongs = (pid: number): boolean => {
    try {
      if (isBelow(folder, readlinkSync(`/proc/${pid}/cwd`).replace(/ \(deleted\)$/, ""))) return true
      return readFileSync(`/proc/${pid}/environ`, "utf8").includes(folder)
    } catch {
      return false
    }
  }
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && belongs(pid))
}

/** Mounts below the folder, the innermost first. */
const mountsIn = (folder: string): ReadonlyArray<string> => {
  if (!existsSync("/proc/self/mounts")) return []
  return readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .map((line) => line.split(" ")[1] ?? "")
    .filter((place) => isBelow(folder, place))
    .toReversed()
}

const SECOND = 1000
const pause = (millis: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis)

/** PostgreSQL releases its memory at an immediate stop; a process that does not stop then is killed. */
const endAndRemove = (folder: string): void => {
  for (const pid of processesIn(folder)) attempt(() => process.kill(pid, "SIGQUIT"))
  for (let waited = 0; processesIn(folder).length > 0 && waited < 5 * SECOND; waited += 50) pause(50)
  for (const pid of processesIn(folder)) attempt(() => process.kill(pid, "SIGKILL"))
  for (const place of mountsIn(folder)) attempt(() => void execFileSync("umount", ["-l", place], { stdio: "ignore" }))
  attempt(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
}

const isLeft = (name: string, folder: string): boolean => {
  const pid = OF_A_RUN.exec(name)?.[1]
  if (pid !== undefined) return !lives(Number(pid))
  return Date.now() - lstatSync(folder).mtimeMs > OLD_MILLIS && processesIn(folder).length === 0
}

/** Ends and removes what dead runs of this user have left. */
export const clearDeadRuns = (): void => {
  for (const place of [tmpdir(), MEMORY].filter((folder) => existsSync(folder))) {
    for (const name of readdirSync(place).filter((found) => OF_NOBODY.test(found))) {
      const folder = path.join(place, name)
      attempt(() => {
        const found = lstatSync(folder)
        if (found.isDirectory() && found.uid === process.getuid?.() && isLeft(name, folder)) endAndRemove(folder)
      })
    }
  }
}

const make = (place: string, mode: number): string => {
  const folder = mkdtempSync(path.join(place, `${PREFIX}${process.pid}-`))
  // programs that tests start may run as other users
  chmodSync(folder, mode)
  return folder
}

/** The folders of this run: tests and the programs that they start find them by TMPDIR and TEST_MEMORY. */
export const makeRunFolders = (): { readonly memory: string; readonly remove: () => void } => {
  const temporary = make(tmpdir(), 0o1777)
  const memory = existsSync(MEMORY) ? make(MEMORY, 0o711) : make(temporary, 0o711)
  Object.assign(process.env, { TMPDIR: temporary, TEST_MEMORY: memory })
  return { memory, remove: () => [memory, temporary].forEach(endAndRemove) }
}

/** Where a test that wants it fast keeps its files. */
export const memoryFolder = (): string => process.env["TEST_MEMORY"] ?? tmpdir()
