/** The process's event loop, memory and open files, and the disk below DATA_DIR. Read on request. */
import { Effect } from "effect"
import { readdir, statfs } from "node:fs/promises"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { gauge, type Place } from "./Metrics.ts"

const loopLag = gauge(
  "switchyard_event_loop_lag_seconds",
  "Delay of the event loop since the last scrape by quantile",
  "quantile"
)
const loopUtilization = gauge(
  "switchyard_event_loop_utilization_ratio",
  "Part of the time since the last scrape in which the event loop worked"
)
const memory = gauge("switchyard_process_memory_bytes", "Memory of the process by kind", "kind")
const openFiles = gauge("switchyard_process_open_files", "File descriptors that the process has open")
const uptime = gauge("switchyard_process_uptime_seconds", "Seconds since the process was started")
const diskFree = gauge("switchyard_disk_free_bytes", "Space below DATA_DIR that the server can still use")
const diskSize = gauge("switchyard_disk_size_bytes", "Size of the disk below DATA_DIR")

export const processMetrics = [loopLag, loopUtilization, memory, openFiles, uptime, diskFree, diskSize]

const NANOSECONDS = 1e9

/** The state of the process at a moment; values that only Linux provides are null elsewhere. */
export interface ProcessReading {
  /** Seconds since it was read before. */
  readonly loopLag: { readonly median: number; readonly p99: number }
  /** Part of that time in which the loop worked. */
  readonly loopUtilization: number
  readonly memory: Pick<NodeJS.MemoryUsage, "external" | "heapTotal" | "heapUsed" | "rss">
  readonly uptime: number
  readonly openFiles: number | null
  /** Bytes below DATA_DIR. */
  readonly disk: { readonly free: number; readonly size: number } | null
}

const countFiles = Effect.orElseSucceed(
  Effect.tryPromise(async () => (await readdir("/proc/self/fd")).length),
  () => null
)

/** Bytes below a folder; null if the system does not say. */
export const readDisk = (dataDir: string) =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => {
      const { bavail, blocks, bsize } = await statfs(dataDir)
      return { free: bavail * bsize, size: blocks * bsize }
    }),
    () => null
  )

/** An effect that reads the state of the process; the event loop is watched from here on until the scope closes. */
export const makeProcessReading = Effect.fnUntraced(function* (dataDir: string) {
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: 20 })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => void histogram.disable())
  )
  let last = performance.eventLoopUtilization()

  const readLoop = () => {
    const lag = (quantile: number) => (delays.count === 0 ? 0 : delays.percentile(quantile) / NANOSECONDS)
    const loopLag = { median: lag(50), p99: lag(99) }
    delays.reset()
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    // two readings at one moment have no time between them
    return { loopLag, loopUtilization: Number.isFinite(utilization) ? utilization : 0 }
  }

  return Effect.gen(function* (): Effect.fn.Return<ProcessReading> {
    const loop = readLoop()
    const openFiles = yield* countFiles
    const disk = yield* readDisk(dataDir)
    return { ...loop, memory: process.memoryUsage(), uptime: process.uptime(), openFiles, disk }
  })
})

/** Yields a function that reads the state of the process; the event loop is watched until the scope closes. */
export const watchProcess = Effect.fnUntraced(function* (dataDir: string) {
  const read = yield* makeProcessReading(dataDir)
  return (place: Place): Effect.Effect<void> =>
    Effect.map(read, (reading) => {
      const { external, heapTotal, heapUsed, rss } = reading.memory
      loopLag.record(place, reading.loopLag.median, "0.5")
      loopLag.record(place, reading.loopLag.p99, "0.99")
      loopUtilization.record(place, reading.loopUtilization)
      for (const [kind, bytes] of Object.entries({ external, heap_total: heapTotal, heap_used: heapUsed, rss }))
        memory.record(place, bytes, kind)
      uptime.record(place, reading.uptime)
      if (reading.openFiles !== null) openFiles.record(place, reading.openFiles)
      if (reading.disk !== null) {
        diskFree.record(place, reading.disk.free)
        diskSize.record(place, reading.disk.size)
      }
    })
})
