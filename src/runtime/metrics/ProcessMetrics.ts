/** This process: its event loop, memory and open files, and the disk below DATA_DIR. Read when somebody asks. */
import { Effect } from "effect"
import { readdir, statfs } from "node:fs/promises"
import { monitorEventLoopDelay, performance } from "node:perf_hooks"
import { gauge, type Place } from "./Family.ts"

export const loopLag = gauge(
  "switchyard_event_loop_lag_seconds",
  "Delay of the event loop since the last scrape by quantile",
  "quantile"
)
export const loopUtilization = gauge(
  "switchyard_event_loop_utilization_ratio",
  "Part of the time since the last scrape in which the event loop worked"
)
export const memory = gauge("switchyard_process_memory_bytes", "Memory of the process by kind", "kind")
export const openFiles = gauge("switchyard_process_open_files", "File descriptors that the process has open")
export const uptime = gauge("switchyard_process_uptime_seconds", "Seconds since the process was started")
export const diskFree = gauge("switchyard_disk_free_bytes", "Space below DATA_DIR that the server can still use")
export const diskSize = gauge("switchyard_disk_size_bytes", "Size of the disk below DATA_DIR")

export const processMetrics = [loopLag, loopUtilization, memory, openFiles, uptime, diskFree, diskSize]

const NANOSECONDS = 1e9
const QUANTILES = [50, 99] as const

/** A function that tells how the process does; the event loop is watched from here on until the scope closes. */
export const watchProcess = Effect.fnUntraced(function* (dataDir: string) {
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: 20 })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => void histogram.disable())
  )
  let last = performance.eventLoopUtilization()

  const tellLoop = (place: Place): void => {
    for (const quantile of QUANTILES) {
      const seconds = delays.count === 0 ? 0 : delays.percentile(quantile) / NANOSECONDS
      loopLag.tell(place, seconds, String(quantile / 100))
    }
    delays.reset()
    const now = performance.eventLoopUtilization()
    loopUtilization.tell(place, performance.eventLoopUtilization(now, last).utilization)
    last = now
  }

  return (place: Place): Effect.Effect<void> =>
    Effect.gen(function* () {
      tellLoop(place)
      const { external, heapTotal, heapUsed, rss } = process.memoryUsage()
      for (const [kind, bytes] of Object.entries({ external, heap_total: heapTotal, heap_used: heapUsed, rss }))
        memory.tell(place, bytes, kind)
      uptime.tell(place, process.uptime())
      // other systems than Linux have no such folder
      yield* Effect.ignore(
        Effect.tryPromise(async () => openFiles.tell(place, (await readdir("/proc/self/fd")).length))
      )
      yield* Effect.ignore(
        Effect.tryPromise(async () => {
          const { bavail, blocks, bsize } = await statfs(dataDir)
          diskFree.tell(place, bavail * bsize)
          diskSize.tell(place, blocks * bsize)
        })
      )
    })
})
