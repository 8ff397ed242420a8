import { configDefaults, defineConfig } from "vitest/config"
import { FailuresAtLast } from "./test/support/FailuresAtLast.ts"
import { LongestFirst } from "./test/support/LongestFirst.ts"
import { HOOK, TEST } from "./test/support/Patience.ts"

/** Tests that work with routers and other daemons of others, which want the machine's processors for themselves. */
const REAL = ["test/scenarios/routers/**", "test/scenarios/bird/**", "test/drivers/frr/**", "test/fabric/**"].map(
  (folder) => `${folder}/*.test.ts`
)

export default defineConfig({
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
    projects: [
      {
        extends: true,
        test: {
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...REAL],
          // most of the time of most files is waiting for switches and timers
          maxWorkers: 6,
          sequence: { groupOrder: 0 }
        }
      },
      {
        extends: true,
        test: { name: "routers", include: REAL, maxWorkers: 3, sequence: { groupOrder: 1 } }
      }
    ]
  }
})
