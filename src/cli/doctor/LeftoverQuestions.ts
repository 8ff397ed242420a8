/**
 * What `switchyard doctor` asks of what an ended process may have left in DATA_DIR: the note of who keeps the folder, the pid file of the
 * database, locks of git, drafts. Only regular files are opened. Repairs touch nothing that a process has.
 */
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { hostname } from "node:os"
import * as path from "node:path"
import { codeOf } from "../../runtime/SystemErrors.ts"
import * as Postmaster from "../../store/postgres/Postmaster.ts"
import { isOurs, isTaken, pidFileOf, readPidFile } from "../../store/postgres/Postmaster.ts"
import { bad, doing, type Found, good, isServer, type Place, question, see, unknown, warn } from "./Questions.ts"

const SECONDS = 5

const IN_USE = "a server has begun to use it meanwhile: nothing was removed"

/** Removes what an ended process has left, unless somebody has begun to use the folder since it was looked at. */
const removing = (home: string, file: string, isLeft: () => Promise<boolean>) =>
  doing(`${file} was removed`, async () => {
    const removed = await Postmaster.whileFree(home, async () => {
      if (!(await isLeft())) throw new Error(IN_USE)
      await fs.rm(file)
      return true
    })
    if (removed === null) throw new Error(IN_USE)
  })

const OWNER = /"pid":(\d+).*"host":"([^"]*)"/

const isServerOf = async (pid: number): Promise<boolean> => {
  const words = await fs.readFile(`/proc/${pid}/cmdline`).then(
    (text) => text.toString().split("\0"),
    () => []
  )
  return isServer(words)
}

/** The note of who keeps the folder; the lock itself belongs to the system and ends with its process. */
const ownerNote = async (home: string): Promise<Found> => {
  const file = path.join(home, "server.json")
  const seen = await see(file)
  if (seen === null || !seen.isFile) return []
  const [, pid = "", host = ""] = OWNER.exec(await fs.readFile(file, "utf8")) ?? []
  if (pid === "" || host !== hostname())
    return [unknown(file, `names ${host === "" ? "nobody" : `process ${pid} of the machine ${host}`}`)]
  if (isTaken(Number(pid)) && (await isServerOf(Number(pid))))
    return [good(file, `process ${pid} keeps the embedded database`)]
  const hasEnded = async () => !(isTaken(Number(pid)) && (await isServerOf(Number(pid))))
  const repair = removing(home, file, hasEnded)
  return [
    warn(
      file,
      [`names process ${pid}, which has ended`, "The server was killed, or the machine.", "switchyard doctor --repair"],
      repair
    )
  ]
}

/** Whether a process has ended; one that only waits to be collected by its parent has. */
const hasEnded = async (pid: number): Promise<boolean> => {
  if (!isTaken(pid)) return true
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return /^State:\s+Z/m.test(status)
}

/** Whether some PostgreSQL may still have the folder: it works in it, or does not let us see where it works. */
const mayBeUsed = async (data: string): Promise<boolean> => {
  const real = await fs.realpath(data)
  const pids = (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const used = await Promise.all(
    pids.map(async (pid) => {
      const name = await fs.readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")
      if (!name.startsWith("postgres")) return false
      return fs.readlink(`/proc/${pid}/cwd`).then(
        (folder) => folder === real,
        (error: unknown) => codeOf(error) !== "ENOENT"
      )
    })
  )
  return used.includes(true)
}

const pidFile = async (home: string): Promise<Found> => {
  const data = path.join(home, "postgres")
  const file = pidFileOf(data)
  const seen = await see(file)
  if (seen === null || !seen.isFile)
    return [
      warn("embedded database", [
        "is not running: there is no pid file",
        "It runs while a server keeps it.",
        "Start the server."
      ])
    ]
  const found = await Effect.runPromise(readPidFile(data))
  if (found === null) return [unknown(file, "names no process")]
  const { isReady, isStopping, pid, port } = found
  if (await Effect.runPromise(isOurs(pid, data))) {
    const state = isReady ? `serves on port ${port}` : isStopping ? "stops" : "starts"
    return [good("embedded database", `process ${pid} ${state}`)]
  }
  const isOther = !(await hasEnded(pid))
  const what = `names process ${pid}, which ${isOther ? "is another program" : "has ended"}`
  if (await mayBeUsed(data))
    return [warn(file, [what, "Another PostgreSQL may still have the folder.", "Look: ps aux | grep postgres"])]
  const words = [what, "PostgreSQL was killed, or the machine lost its power.", "switchyard doctor --repair"] as const
  const isLeft = async () => {
    const now = await Effect.runPromise(readPidFile(data))
    return now?.pid === pid && !(await Effect.runPromise(isOurs(pid, data))) && !(await mayBeUsed(data))
  }
  return [(isOther ? bad : warn)(file, words, removing(home, file, isLeft))]
}

/** Git processes of this machine, by the folders that they work in; null where that is hidden. */
const gitFolders = async (): Promise<ReadonlyArray<string | null>> => {
  const pids = (await fs.readdir("/proc")).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) => {
      const name = await fs.readFile(`/proc/${pid}/comm`, "utf8").catch(() => "")
      return name.startsWith("git") ? [await fs.readlink(`/proc/${pid}/cwd`).catch(() => null)] : []
    })
  )
  return found.flat()
}

const QUIET_SECONDS = 600

const left = (file: string, what: string): Found => [
  warn(
    file,
    [what, "A process was killed before it was done.", "switchyard doctor --repair"],
    doing(`${file} was removed`, () => fs.rm(file, { recursive: true, force: true }))
  )
]

/** Locks of git and drafts of the server in a folder, when they have been quiet for a while. */
const leftIn = async (folder: string, name: RegExp, what: string): Promise<Found> => {
  const names = await fs.readdir(folder).catch((): Array<string> => [])
  const found = names
    .filter((one) => name.test(one))
    .map(async (one) => {
      const file = path.join(folder, one)
      const seen = await see(file)
      return seen !== null && seen.ageSeconds > QUIET_SECONDS ? left(file, what) : []
    })
  return (await Promise.all(found)).flat()
}

const leftovers = async ({ dataDir, servers }: Place): Promise<Found> => {
  const repositories = path.join(dataDir, "repositories")
  const names = await fs.readdir(repositories).catch((): Array<string> => [])
  const atWork = await gitFolders()
  const quiet = names
    .map((name) => path.join(repositories, name))
    .filter((copy) => !atWork.some((folder) => folder === null || folder.startsWith(path.resolve(copy))))
  const locks = await Promise.all(
    quiet.flatMap((copy) =>
      [
        copy,
        path.join(copy, "refs", "heads"),
        path.join(copy, "objects", "info"),
        path.join(copy, "objects", "pack")
      ].map((folder) => leftIn(folder, /\.lock$/, "is a lock of git that nobody holds"))
    )
  )
  // a server that runs may be making them
  const drafts =
    servers.length > 0
      ? []
      : await Promise.all([
          leftIn(dataDir, /^(?:secret\.key|installation\.id)\.[0-9a-f-]{36}$/, "is a draft"),
          leftIn(repositories, /\.new-\d+$/, "is an unfinished copy of a repository"),
          leftIn(path.join(dataDir, "firmware", ".incoming"), /./, "is an unfinished download")
        ])
  const found = [...locks, ...drafts].flat()
  return found.length === 0 ? [good("leftovers", "no locks and drafts were left behind")] : found
}

/** Questions about what was left in DATA_DIR. */
export const leftoverQuestions = (place: Place) => {
  const { home } = place
  return [
    ...(home === null
      ? []
      : [
          question("lock", "server.json", SECONDS, () => ownerNote(home)),
          question("lock", "postmaster.pid", SECONDS, () => pidFile(home))
        ]),
    question("lock", "leftovers", SECONDS, () => leftovers(place))
  ]
}
