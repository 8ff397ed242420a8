/**
 * A process with little memory that does hostile calls, one after the other: `hostileCallsMain.ts ROUNDS SEED FIRST`. It
 * writes the number of each call before it begins, and a line more when the call took long or ended in an unexpected way.
 */
import { writeSync } from "node:fs"
import { hostileCalls, run } from "./HostileCalls.ts"

const [rounds = 1, seed = 1, first = 0] = process.argv.slice(2).map(Number)

const processorMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

// Written at once, because the next call may be the last.
const say = (line: string): void => {
  writeSync(1, `${line}\n`)
}

hostileCalls(rounds, seed).forEach((call, index) => {
  if (index < first) return
  say(`${index}`)
  const before = processorMillis()
  const answer = run(call)
  const millis = Math.round(processorMillis() - before)
  if (millis > 500 || answer.startsWith("InternalError")) say(`${index} ${millis} ${answer.slice(0, 200)}`)
})
say("done")
