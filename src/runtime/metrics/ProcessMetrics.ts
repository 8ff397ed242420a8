/** The process's event loop, memory and open files, and the disk below DATA_DIR. Read on request. */
import { Effect } from "effect"
import { readdir, statfs } from "node:fs/promises"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { counter, gauge, type Place } from "./Metrics.ts"

const loopLagMedian = gauge(
  "switchyard_event_loop_lag_p50_seconds",
  "Median of the delays of the event loop since the last scrape"
)
const loopLagP99 = gauge(
  "switchyard_event_loop_lag_p99_seconds",
  "The delay of the event loop that 99 % of those since the last scrape did not exceed"
)
const loopUtilization = gauge(
  "switchyard_event_loop_utilization_ratio",
  "Part of the time since the last scrape in which the event loop worked"
)
// names that Prometheus's own libraries give to every process
const cpuSeconds = counter("process_cpu_seconds_total", "Processor time that the process has taken")
const residentMemory = gauge("process_resident_memory_bytes", "Memory of the process that is in RAM")
const openFiles = gauge("process_open_fds", "File descriptors that the process has open")
const startTime = gauge("process_start_time_seconds", "When the process was started")
const heapSize = gauge("switchyard_process_heap_size_bytes", "Memory that the process has for objects")
const heapUsed = gauge("switchyard_process_heap_used_bytes", "Memory that objects of the process take")
const externalMemory = gauge(
  "switchyard_process_external_memory_bytes",
  "Memory of buffers and the like, outside of the heap"
)
const diskFree = gauge("switchyard_disk_free_bytes", "Space below DATA_DIR that the server can still use")
const diskSize = gauge("switchyard_disk_size_bytes", "Size of the disk below DATA_DIR")

export const processMetrics = [
  loopLagMedian,
  loopLagP99,
  loopUtilization,
  cpuSeconds,
  residentMemory,
  openFiles,
  startTime,
  heapSize,
  heapUsed,
  externalMemory,
  diskFree,
  diskSize
]

const NANOSECONDS = 1e9
const MICROSECONDS = 1e6

/** The state of the process at a moment; values that only Linux provides are null elsewhere. */
export interface ProcessReading {
  /** Seconds since it was read before. */
  readonly loopLag: { readonly median: number; readonly p99: number }
  /** Part of that time in which the loop worked. */
  readonly loopUtilization: number
  readonly memory: Pick<NodeJS.MemoryUsage, "external" | "heapTotal" | "heapUsed" | "rss">
  readonly uptime: number
  /** Processor time since its start. */
  readonly cpuSeconds: number
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
    const { system, user } = process.cpuUsage()
    const processorTime = (user + system) / MICROSECONDS
    return {
      ...loop,
      memory: process.memoryUsage(),
      uptime: process.uptime(),
      cpuSeconds: processorTime,
      openFiles,
      disk
    }
  })
})

/** Yields a function that reads the state of the process; the event loop is watched until the scope closes. */
export const watchProcess = Effect.fnUntraced(function* (dataDir: string) {
  const read = yield* makeProcessReading(dataDir)
  return (place: Place): Effect.Effect<void> =>
    Effect.map(read, (reading) => {
      const { external, heapTotal, heapUsed: used, rss } = reading.memory
      loopLagMedian.record(place, reading.loopLag.median)
      loopLagP99.record(place, reading.loopLag.p99)
      loopUtilization.record(place, reading.loopUtilization)
      cpuSeconds.record(place, reading.cpuSeconds)
      residentMemory.record(place, rss)
      heapSize.record(place, heapTotal)
      heapUsed.record(place, used)
      externalMemory.record(place, external)
      startTime.record(place, performance.timeOrigin / 1000)
      if (reading.openFiles !== null) openFiles.record(place, reading.openFiles)
      if (reading.disk !== null) {
        diskFree.record(place, reading.disk.free)
        diskSize.record(place, reading.disk.size)
      }
    })
})
