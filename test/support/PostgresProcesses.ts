/** The embedded database of a data folder, as an operator sees it: its pid file, its processes, and its port. */
import { Effect } from "effect"
import { readFileSync, readlinkSync } from "node:fs"
import * as net from "node:net"
import * as path from "node:path"

const pidFileOf = (dataDir: string) => path.join(dataDir, "database/postgres/postmaster.pid")

/** Lines of postmaster.pid: 1 pid, 4 port, 8 status; null while there is none. */
export const postmaster = (dataDir: string): { readonly pid: number; readonly port: number } | null => {
  try {
    const lines = readFileSync(pidFileOf(dataDir), "utf8").split("\n")
    return lines[7]?.trim() === "ready" ? { pid: Number(lines[0]), port: Number(lines[3]) } : null
  } catch {
    return null
  }
}

/** Kills what a killed server has left on the folder: only a process that works there. */
export const killLeftover = (dataDir: string): void => {
  try {
    const pid = Number(readFileSync(pidFileOf(dataDir), "utf8").split("\n")[0])
    if (readlinkSync(`/proc/${pid}/cwd`) === path.dirname(pidFileOf(dataDir))) process.kill(pid, "SIGQUIT")
  } catch {
    // nothing is left
  }
}

/** Runs, and is no zombie that only waits to be collected. */
export const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s*Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** Whether a process accepts connections at the port. */
export const accepts = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    const end = (answer: boolean) => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })
