/** Memory and time of everything that templates can call, with arguments that were chosen to use them up. */
import { spawn } from "node:child_process"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { allDeeds, callText, hostileCalls } from "./HostileCalls.ts"
import { seconds } from "../support/Patience.ts"

const rounds = Number(process.env["JINJA_HOSTILE_ROUNDS"] ?? 8)
const seed = Number(process.env["JINJA_SEED"] ?? 1)

/** Megabytes of values that the process may have: its program and the arguments, 8 MB of metered values, what is in passing. */
const MEMORY = 160

/** Milliseconds of processor time that a call may take; it should end after 200, and making its arguments takes some. */
const LONG = seconds(10)

/** Milliseconds after which a call that does not end is given up. */
const ENDLESS = seconds(60)

const program = fileURLToPath(new URL("./hostileCallsMain.ts", import.meta.url))

// Does the calls from `first` on; yields the one in which the process died or was given up, or null after the last one.
const work = (first: number, told: (index: number, millis: number, answer: string) => void): Promise<number | null> =>
  new Promise((resolve) => {
    const args = [`--max-old-space-size=${MEMORY}`, program, `${rounds}`, `${seed}`, `${first}`]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] })
    let last: number | null = first
    const giveUp = setTimeout(() => child.kill("SIGKILL"), ENDLESS)
    createInterface(child.stdout).on("line", (line) => {
      giveUp.refresh()
      const [, index, millis, answer] = /^(\d+) (\d+) (.*)$/.exec(line) ?? []
      if (answer !== undefined) told(Number(index), Number(millis), answer)
      else last = line === "done" ? null : Number(line)
    })
    child.on("close", () => {
      clearTimeout(giveUp)
      resolve(last)
    })
  })

describe("any call of a template with any arguments", () => {
  it("stays within its memory and ends soon after its time", { timeout: seconds(1_800) }, async () => {
    const calls = hostileCalls(rounds, seed)
    const wrong: Array<string> = []
    const say = (index: number, what: string) => {
      const call = calls[index]
      if (call !== undefined) wrong.push(`${index}: ${what}: ${callText(call)}`)
    }
    const told = (index: number, millis: number, answer: string) => {
      if (millis > LONG || answer.startsWith("InternalError")) say(index, `${millis} ms, ${answer}`)
    }
    for (let next: number | null = 0; next !== null;) {
      const ended: number | null = await work(next, told)
      if (ended !== null) say(ended, "used up the memory of its process or did not end")
      next = ended === null ? null : ended + 1
    }
    expect(wrong).toEqual([])
  })

  it("is tested with every filter, test, global, operator and method", () => {
    const names = new Set(allDeeds.map(({ name }) => name))
    for (const name of ["filter batch", "global lipsum", "operator **", "method zfill of text", "construct slice"]) {
      expect(names).toContain(name)
    }
    expect(names.size).toBeGreaterThan(200)
  })
})
