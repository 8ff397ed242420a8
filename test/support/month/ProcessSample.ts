/** What the operating system and the process itself say of a server. Linux only. */
import { Effect, Schema } from "effect"
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs"
import * as path from "node:path"

const Told = Schema.fromJsonString(
  Schema.Struct({
    heapUsed: Schema.Finite,
    external: Schema.Finite,
    timers: Schema.Finite,
    handles: Schema.Finite
  })
)
const Message = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.Int),
    result: Schema.optionalKey(
      Schema.Struct({ result: Schema.optionalKey(Schema.Struct({ value: Schema.optionalKey(Schema.String) })) })
    )
  })
)
const QUESTION = `(() => { const found = process.getActiveResourcesInfo(); const { heapUsed, external } = process.memoryUsage()
  const timers = found.filter((kind) => kind === "Timeout").length
  return JSON.stringify({ heapUsed, external, timers, handles: found.length - timers }) })()`

/** Collects garbage in the process of this inspector, and asks it for bytes of memory, timers and handles. */
export const tellAfterCollecting = (log: string) =>
  Effect.callback<typeof Told.Type>((resume) => {
    const [url = ""] = /ws:\/\/127\.0\.0\.1:\d+\/[\w-]+/.exec(log) ?? []
    const socket = new WebSocket(url)
    const send = (id: number) =>
      socket.send(
        JSON.stringify(
          id < 3
            ? { id, method: "HeapProfiler.collectGarbage" }
            : { id, method: "Runtime.evaluate", params: { expression: QUESTION, returnByValue: true } }
        )
      )
    socket.addEventListener("open", () => send(1))
    socket.addEventListener("message", ({ data }) => {
      const { id = 0, result } = Schema.decodeSync(Message)(String(data))
      if (id < 3) return send(id + 1)
      socket.addEventListener("close", () =>
        resume(Effect.succeed(Schema.decodeSync(Told)(result?.result?.value ?? "")))
      )
      return socket.close()
    })
  })

const kindOf = (link: string) => (link.startsWith("socket:") ? "sockets" : "descriptors")

/** Open sockets, other open descriptors, threads, and resident memory in bytes. */
export const lookAtProcess = (pid: number) => {
  const counts = { sockets: 0, descriptors: 0 }
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      counts[kindOf(readlinkSync(`/proc/${pid}/fd/${name}`))] += 1
    } catch {
      // closed since its name was read
    }
  }
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const numberOf = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(status)?.[1])
  return { ...counts, threads: numberOf("Threads"), rss: numberOf("VmRSS") * 1024 }
}

/** Files below a folder and their bytes; those of git's objects apart. */
export const lookAtFolder = (folder: string) => {
  const found = { files: 0, bytes: 0, objects: 0, objectBytes: 0 }
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const size = statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0
    const isObject = entry.parentPath.includes(`${path.sep}objects`)
    found[isObject ? "objects" : "files"] += 1
    found[isObject ? "objectBytes" : "bytes"] += size
  }
  return found
}
