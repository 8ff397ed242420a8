import { defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/LongestFirst.ts"
import { HOOK, TEST } from "./test/support/Patience.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/globalSetup.ts"],
    testTimeout: TEST,
    hookTimeout: HOOK,
    pool: "forks",
    // what a file changes of a module it puts back: modules are loaded once by a worker, not once by each file
    isolate: false,
    // most of the time of most files is waiting for switches and timers
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // the log of a test is shown when it fails; TEST_LOGS=1 shows all of them
    silent: process.env["TEST_LOGS"] === undefined ? "passed-only" : false
  }
})
