import { configDefaults, defineConfig } from "vitest/config"
import { threadsOfBundle } from "./scripts/build-server.mjs"
import { calibrate } from "./test/support/Calibration.ts"
import { FailuresAtLast } from "./test/support/FailuresAtLast.ts"
import { LongestFirst } from "./test/support/LongestFirst.ts"
import { projects } from "./test/support/TestLists.ts"

// before anything asks how patient it is to be
calibrate()
const { HOOK, SLOWNESS, TEST } = await import("./test/support/Patience.ts")

/**
 * Most of the time of most files is waiting for switches and timers; where starts of processes take most of it, six files at once take longer
 * than four. Routers are processes of their own.
 */
const FILES_AT_ONCE = SLOWNESS > 2 ? 4 : 6
const WORKERS = { quick: FILES_AT_ONCE, long: FILES_AT_ONCE, routers: 3 } as const
const ORDER = { quick: 0, long: 0, routers: 1 } as const

export default defineConfig({
  plugins: [threadsOfBundle],
  test: {
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: TEST,
    hookTimeout: HOOK,
    pool: "forks",
    // what a file changes of a module it puts back: modules are loaded once by a worker, not once by each file
    isolate: false,
    sequence: { sequencer: LongestFirst },
    reporters: ["default", new FailuresAtLast()],
    // the log of a test is shown when it fails; TEST_LOGS=1 shows all of them
    silent: process.env["TEST_LOGS"] === undefined ? "passed-only" : false,
    projects: (["quick", "long", "routers"] as const).map((name) => ({
      extends: true,
      test: {
        name,
        include: [...projects[name].include],
        exclude: [...configDefaults.exclude, ...projects[name].exclude],
        maxWorkers: WORKERS[name],
        sequence: { groupOrder: ORDER[name] }
      }
    }))
  }
})
