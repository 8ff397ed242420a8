/** What `switchyard doctor` asks of the machine: disk, inodes, descriptors, memory, processes and clock. */
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import {
  type Answer,
  bad,
  type Found,
  good,
  type Place,
  percentOf,
  question,
  sizeOf,
  unknown,
  warn
} from "./Questions.ts"

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

/** The first of its folders that is there. */
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
  if (free === null || size === null) return [unknown("this machine", "its memory is not told")]
  const percent = percentOf(free, size)
  const what = `${sizeOf(free)} of ${sizeOf(size)} memory (${percent} %) are available`
  const why = "Without memory the system ends processes, the database among them."
  const next = "Find who has it (ps aux --sort -rss), or give the machine more."
  if (percent < 3) return [bad("this machine", [what, why, next])]
  return [percent < 10 ? warn("this machine", [what, why, next]) : good("this machine", what)]
}

/** A container has less than its machine. */
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
          "It answers nobody.",
          `kill -CONT ${pid}`
        ])
      if (state === "D")
        return warn(`process ${pid}`, [
          "waits for a disk or a network file system",
          "It answers nobody meanwhile.",
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
