/** The questions of `switchyard doctor` about the machine: disk, inodes, descriptors, memory, processes and clock. */
import * as fs from "node:fs/promises"
import { hostname, tmpdir } from "node:os"
import * as path from "node:path"
import {
  type Answer,
  bad,
  doing,
  type Found,
  good,
  isServer,
  percentOf,
  type Place,
  question,
  see,
  sizeOf,
  unknown,
  warn
} from "./Questions.ts"
import { Effect } from "effect"
import { codeOf } from "../../runtime/SystemErrors.ts"
import * as Postmaster from "../../store/postgres/Postmaster.ts"
import { isOurs, isTaken, pidFileOf, readPidFile } from "../../store/postgres/Postmaster.ts"

const SECONDS = 5
const MB = 1024 * 1024

type Verdict = Omit<Answer, "kind">

const roomOf = async (about: string, folder: string): Promise<Found> => {
  const { bavail, blocks, bsize, ffree, files } = await fs.statfs(folder)
  const [free, size] = [bavail * bsize, blocks * bsize]
  const percent = percentOf(free, size)
  const room = `${sizeOf(free)} of ${sizeOf(size)} (${percent} %) are free below ${folder}`
  const why = "A full disk stops the database and every job."
  const next =
    "Make room, or keep less: docs/operations.md#retention. Never remove anything in the database's folder by hand."
  const ofRoom: Verdict =
    percent < 2 || free < 100 * MB
      ? bad(about, [room, why, next])
      : percent < 10
        ? warn(about, [room, why, next])
        : good(about, room)
  // some file systems count no inodes
  if (files === 0) return [ofRoom]
  const left = percentOf(ffree, files)
  const inodes = `${ffree} of ${files} inodes (${left} %) are free below ${folder}`
  const reason = "Without inodes no file can be made, however much room there is."
  const help = `Find what made so many files: du --inodes -d 2 ${folder}`
  const ofInodes: Verdict =
    left < 1 || ffree < 1000
      ? bad(about, [inodes, reason, help])
      : left < 10
        ? warn(about, [inodes, reason, help])
        : good(about, inodes)
  return [ofRoom, ofInodes]
}

/** The nearest existing folder above a path. */
const nearest = async (folder: string): Promise<string> => {
  const isThere = await fs.lstat(folder).then(
    () => true,
    () => false
  )
  return isThere || path.dirname(folder) === folder ? folder : nearest(path.dirname(folder))
}

const limitOf = (text: string): number => {
  const [, soft = ""] = /^Max open files\s+(\S+)/m.exec(text) ?? []
  return soft === "unlimited" ? Number.POSITIVE_INFINITY : Number(soft)
}

const OUT_OF_FILES =
  "Without descriptors no connection, file or program can be opened: the server's fault, not that of the switches."

const descriptorsOf = async (pid: number): Promise<Found> => {
  const about = `process ${pid}`
  const limit = limitOf(await fs.readFile(`/proc/${pid}/limits`, "utf8"))
  const open = await fs.readdir(`/proc/${pid}/fd`).catch(() => null)
  if (open === null)
    return [
      unknown(about, `its descriptors cannot be counted; its limit is ${limit}`, "", "Ask as its user, or as root.")
    ]
  const percent = percentOf(open.length, limit)
  const what = `${open.length} of ${limit} descriptors are open (${percent} %)`
  const next = "Raise LimitNOFILE of the service (ulimit -n), then start it again."
  if (percent >= 95) return [bad(about, [what, OUT_OF_FILES, next])]
  return [percent >= 80 ? warn(about, [what, OUT_OF_FILES, next]) : good(about, what)]
}

const descriptorsOfMachine = async (): Promise<Found> => {
  const [used = 0, , most = 0] = (await fs.readFile("/proc/sys/fs/file-nr", "utf8")).trim().split(/\s+/).map(Number)
  const percent = percentOf(used, most)
  const what = `${used} of ${most} descriptors of the machine are open`
  return [
    percent >= 90
      ? bad("this machine", [what, OUT_OF_FILES, "Find who opened them (lsof), or raise fs.file-max."])
      : good("this machine", what)
  ]
}

const fieldOf = (text: string, name: string): number | null => {
  const [, count] = new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(text) ?? []
  return count === undefined ? null : Number(count) * 1024
}

const memoryOf = async (): Promise<Found> => {
  const text = await fs.readFile("/proc/meminfo", "utf8")
  const [free, size] = [fieldOf(text, "MemAvailable"), fieldOf(text, "MemTotal")]
  if (free === null || size === null) return [unknown("this machine", "its memory is unknown")]
  const percent = percentOf(free, size)
  const what = `${sizeOf(free)} of ${sizeOf(size)} memory (${percent} %) are available`
  const why = "Without memory the system ends processes, the database among them."
  const next = "Find the process that uses it (ps aux --sort -rss), or give the machine more."
  if (percent < 3) return [bad("this machine", [what, why, next])]
  return [percent < 10 ? warn("this machine", [what, why, next]) : good("this machine", what)]
}

/** A container has less memory than its machine. */
const memoryOfGroup = async (): Promise<Found> => {
  const read = async (name: string) => Number(await fs.readFile(`/sys/fs/cgroup/${name}`, "utf8"))
  const [used, most] = await Promise.all([read("memory.current"), read("memory.max")]).catch(
    () => [0, Number.NaN] as const
  )
  if (!Number.isFinite(most)) return []
  const percent = percentOf(used, most)
  const what = `${sizeOf(used)} of ${sizeOf(most)} (${percent} %) of the memory of this container are in use`
  return [
    percent >= 95
      ? warn("this container", [what, "What takes more is ended by the system.", "Give it more memory."])
      : good("this container", what)
  ]
}

const serversOf = async ({ servers }: Place): Promise<Found> => {
  if (servers.length === 0)
    return [
      bad("server", [
        "no process of this machine runs `switchyard serve` on this DATA_DIR",
        "It was stopped, it ended, or it does not start.",
        "Read its last lines (journalctl -u switchyard -n 100, docker logs), then start it."
      ])
    ]
  return Promise.all(
    servers.map(async ({ pid }) => {
      const status = await fs.readFile(`/proc/${pid}/status`, "utf8")
      const resident = fieldOf(status, "VmRSS") ?? 0
      const swapped = fieldOf(status, "VmSwap") ?? 0
      const [, state = ""] = /^State:\s+(\S)/m.exec(status) ?? []
      const what = `runs with ${sizeOf(resident)} of memory${swapped > 0 ? ` and ${sizeOf(swapped)} swapped out` : ""}`
      if (state === "T")
        return bad(`process ${pid}`, [
          "is stopped by a signal or a debugger",
          "It answers no client.",
          `kill -CONT ${pid}`
        ])
      if (state === "D")
        return warn(`process ${pid}`, [
          "waits for a disk or a network file system",
          "It answers no client meanwhile.",
          "Look at its mounts and at dmesg."
        ])
      return swapped > 256 * MB
        ? warn(`process ${pid}`, [what, "A server that is swapped out is slow.", "Give the machine more memory."])
        : good(`process ${pid}`, what)
    })
  )
}

/** Questions about the machine. */
export const machineQuestions = (place: Place) => [
  question("disk", "DATA_DIR", SECONDS, async () => roomOf("DATA_DIR", await nearest(place.dataDir))),
  ...(place.home === null || place.home.startsWith(place.dataDir)
    ? []
    : [question("disk", "database", SECONDS, async () => roomOf("database", await nearest(place.home ?? "/")))]),
  question("disk", "temporary files", SECONDS, () => roomOf("temporary files", tmpdir())),
  question("server", "process", SECONDS, () => serversOf(place)),
  ...place.servers.map(({ pid }) => question("descriptors", `process ${pid}`, SECONDS, () => descriptorsOf(pid))),
  question("descriptors", "this machine", SECONDS, descriptorsOfMachine),
  question("memory", "this machine", SECONDS, memoryOf),
  question("memory", "this container", SECONDS, memoryOfGroup)
]

// The questions of `switchyard doctor` about remains of an ended process in DATA_DIR: the note of the folder's owner, the pid file of the
// database, locks of git, drafts. Only regular files are opened. Repairs touch no file that a process has open.

const IN_USE = "a server has begun to use it meanwhile: nothing was removed"

/** Removes the remains of an ended process, unless another process has begun to use the folder since the look. */
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

/** The note of the folder's owner; the lock itself belongs to the system and ends with its process. */
const ownerNote = async (home: string): Promise<Found> => {
  const file = path.join(home, "server.json")
  const seen = await see(file)
  if (seen === null || !seen.isFile) return []
  const [, pid = "", host = ""] = OWNER.exec(await fs.readFile(file, "utf8")) ?? []
  if (pid === "" || host !== hostname())
    return [unknown(file, `names ${host === "" ? "no process" : `process ${pid} of the machine ${host}`}`)]
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

/** Whether a process has ended, including one that its parent has not collected yet. */
const hasEnded = async (pid: number): Promise<boolean> => {
  if (!isTaken(pid)) return true
  const status = await fs.readFile(`/proc/${pid}/status`, "utf8").catch(() => "")
  return /^State:\s+Z/m.test(status)
}

/** Whether a PostgreSQL may still use the folder: it works in it, or its working directory is hidden from us. */
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

/** Git processes of this machine, by their working directories; null if these are hidden. */
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

/** Old locks of git and drafts of the server in a folder. */
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
      ].map((folder) => leftIn(folder, /\.lock$/, "is a lock of git that no process holds"))
    )
  )
  // a running server may be making them
  const drafts =
    servers.length > 0
      ? []
      : await Promise.all([
          leftIn(dataDir, /^(?:secret\.key|installation\.id)\.[0-9a-f-]{36}$/, "is a draft"),
          leftIn(repositories, /\.new-\d+$/, "is an unfinished copy of a repository"),
          leftIn(path.join(dataDir, "firmware", ".incoming"), /./, "is an unfinished download")
        ])
  const found = [...locks, ...drafts].flat()
  return found.length === 0 ? [good("leftovers", "no old locks and drafts remain")] : found
}

/** Questions about remains in DATA_DIR. */
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
