/**
 * The long campaigns: `npm run chaos -- kill|database|own|replicas|world|personalities|routers|all`. CHAOS_RUNS is how many faults
 * each makes (`world`: CHAOS_MINUTES (10), CHAOS_SWITCHES (2,000), about a quarter of an hour), CHAOS_SEED repeats one. Prints what each campaign has counted, and ends with 1 when a promise was broken.
 */
import { spawn } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..")

const campaigns = {
  kill: { runs: "200", files: ["test/scenarios/chaos/KillSync.test.ts"] },
  database: {
    runs: "200",
    files: ["test/scenarios/chaos/DatabaseFaults.test.ts", "test/scenarios/chaos/DatabaseInit.test.ts"]
  },
  // one at a time: each lasts some seconds on a machine that lacks something
  own: { runs: "40", files: ["test/scenarios/chaos/Own.test.ts"] },
  replicas: { runs: "60", files: ["test/scenarios/chaos/Replicas.test.ts"] },
  world: { minutes: "10", switches: "2000", files: ["test/scenarios/chaos/World.test.ts"] },
  personalities: { runs: "400", files: ["test/scenarios/personalities/AnyTwo.test.ts"] },
  // the whole table, whatever the number
  routers: { runs: "125", files: ["test/scenarios/routers/RouterFaults.test.ts"] }
}
const say = (line) => process.stdout.write(`${line}\n`)
const names = Object.keys(campaigns)

const run = (name) =>
  new Promise((resolve) => {
    const { files, minutes, runs, switches } = campaigns[name]
    const vitest = path.join("node_modules", "vitest", "vitest.mjs")
    const node = path.join("node_modules", ".bin", "node")
    // what campaigns have counted is shown, even if nothing is wrong
    const env = { TEST_LOGS: "1", ...process.env, CHAOS_RUNS: process.env.CHAOS_RUNS ?? runs }
    if (minutes !== undefined) {
      env.CHAOS_MINUTES ??= minutes
      env.CHAOS_SWITCHES ??= switches
    }
    const size =
      minutes === undefined
        ? `${env.CHAOS_RUNS} faults`
        : `${env.CHAOS_SWITCHES} switches, ${env.CHAOS_MINUTES} minutes`
    say(`Campaign ${name}: ${size}`)
    const since = Date.now()
    // one file after the other: what one does to its machine must not look like a fault of the other
    const child = spawn(node, [vitest, "run", "--no-file-parallelism", ...files], { cwd: root, env, stdio: "inherit" })
    child.once("exit", (code) => resolve({ name, ok: code === 0, minutes: (Date.now() - since) / 60_000 }))
  })

const [wanted = "all"] = process.argv.slice(2)
if (wanted !== "all" && !names.includes(wanted)) {
  say(`usage: npm run chaos -- ${[...names, "all"].join("|")}`)
  process.exit(2)
}
const outcomes = []
for (const name of wanted === "all" ? names : [wanted]) outcomes.push(await run(name))
for (const { minutes, name, ok } of outcomes) {
  say(`${name}: ${ok ? "no promise was broken" : "FAILED"} (${minutes.toFixed(1)} min)`)
}
process.exit(outcomes.every(({ ok }) => ok) ? 0 : 1)
