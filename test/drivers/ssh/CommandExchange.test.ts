import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChunkSizes, drive } from "../../support/ScriptedSwitch.ts"
import { commandExchange } from "../../../src/drivers/ssh/CommandExchange.ts"
import type { CommandRequest } from "../../../src/drivers/ssh/CommandExchange.ts"
import { TerminalText } from "../../../src/drivers/ssh/TerminalText.ts"
import { dialect } from "../../../src/drivers/eos/Dialect.ts"

const prompt = "acc-b2-01#"
const request = (command: string, more: Partial<CommandRequest> = {}): CommandRequest => ({
  command,
  prompt: dialect.prompt,
  current: prompt,
  expected: [prompt],
  logLine: dialect.logLine,
  pager: dialect.pager,
  ...more
})
const answering = (text: string, next = prompt) => ({ prompt, answer: () => ({ text, prompt: next }) })

const broadcasts = [
  "\nBroadcast message from root@acc-b2-01 (pts/0) (Thu Nov 26 10:00:00 2026):\n\nThe upgrade has failed\nError: go\n\n",
  "\nBroadcast Message from root@acc-b2-01      \n        (/dev/pts/0) at 10:00 ...      \n      \nNo entry     \n      \n",
  "\nMessage from syslogd@acc-b2-01 at Nov 26 10:00:00 ...\n kernel:[ 12.3] bad page\n\n"
]

// Everything that an answer may contain and that looks like something else.
const OutputLine = Schema.Literals([
  "",
  "Pagination disabled.",
  "dist-b2-1# is what a prompt looks like",
  " acc-b2-01#",
  "# not a prompt #",
  "% Invalid input",
  "Authorised users only >",
  "Gerät für Zürich ✓",
  "   description x#"
])

describe("a command", () => {
  it.prop(
    "returns its whole answer, however the bytes are cut",
    { lines: Schema.Array(OutputLine), sizes: ChunkSizes },
    ({ lines, sizes }) => {
      const text = lines.map((line) => `${line}\n`).join("")
      const { value } = drive(commandExchange(request("show banner")), answering(text), sizes)
      expect(value).toEqual({ lines, prompt, repeatedQuestion: false })
    }
  )

  it.prop("returns its answer without the echo when EOS echoes twice", { sizes: ChunkSizes }, ({ sizes }) => {
    const device = { ...answering("4.31.4M\n"), echo: (line: string, shown: string) => `${line}\n${shown}${line}` }
    expect(drive(commandExchange(request("show version")), device, sizes).value.lines).toEqual(["4.31.4M"])
  })

  it("extends its time while a long answer arrives, but not for log messages of a switch that sends nothing else", () => {
    const heard = (text: string, long: boolean) => {
      const terminal = new TerminalText()
      const exchange = commandExchange(request("show running-config", { long }))
      exchange.begin(terminal)
      terminal.feed(Buffer.from(`${prompt}show running-config\n`))
      exchange.chunk(terminal)
      terminal.feed(Buffer.from(text))
      return exchange.chunk(terminal)
    }
    expect(heard("interface Ethernet1\n", true)).toMatchObject({ progress: true })
    expect(heard("interface Eth", true)).toMatchObject({ progress: true })
    expect(heard("interface Ethernet1\n", false)).not.toHaveProperty("progress")
    const log = "Mar  4 10:22:01 acc1 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet4\n"
    expect(heard(log, true)).not.toHaveProperty("progress")
    expect(heard(`${log}vlan 10\n`, true)).toMatchObject({ progress: true })
  })

  it("accepts a line of megabytes, in however small pieces it arrives", () => {
    const line = "x".repeat(2_000_000)
    const { value } = drive(commandExchange(request("show tech")), answering(`${line}\n`), [1_400])
    expect(value.lines).toEqual([line])
  })

  it("accepts a prompt of another mode and another host name", () => {
    for (const next of ["new-name#", "core-1(s1)(config-s-job412)#", "acc-b2-01>"]) {
      expect(drive(commandExchange(request("x")), answering("", next), [5]).value.prompt).toBe(next)
    }
  })

  it("accepts a prompt of another form only when an empty line repeats it", () => {
    const next = "{new, name}#"
    const device = { prompt, answer: (line: string) => ({ text: line === "x" ? "done\n" : "", prompt: next }) }
    const renamed = drive(commandExchange(request("x")), device, [5])
    expect(renamed.value).toEqual({ lines: ["done"], prompt: "{new, name}#", repeatedQuestion: false })
    expect(renamed.received).toEqual(["x", ""])
    const busy = { prompt, answer: (line: string) => ({ text: "", prompt: line === "x" ? "[####" : "] done#" }) }
    expect(() => drive(commandExchange(request("x")), busy, [5])).toThrow("waits for ever")
  })

  it("answers a question once and reports when it is asked again", () => {
    const question = { question: /assword:\s*$/i, answer: "wrong" }
    const device = { prompt, answer: () => ({ text: "", prompt: "Password: " }) }
    const { value, received } = drive(commandExchange(request("enable", { questions: [question] })), device, [3])
    expect(received).toEqual(["enable", "wrong"])
    expect(value.repeatedQuestion).toBe(true)
  })

  it.each([
    "Mar  4 10:22:01 acc-b2-01 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "2026-11-26T10:00:00.123456+01:00 acc-b2-01 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "Nov 26 10:00:00 acc-b2-01 Ebra: 123: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "000123: Nov 26 10:00:00 acc-b2-01 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "000123: Nov 26 10:00:00.123: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "<189>Nov 26 10:00:00 acc-b2-01 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "<189>Nov 26 10:00:00 acc-b2-01 sshd[4711]: error: maximum authentication attempts exceeded",
    "<189>000123: Nov 26 10:00:00 acc-b2-01 Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1",
    "<134>1 2026-11-26T10:00:00.000Z acc-b2-01 Ebra 4711 - - %LINEPROTO-5-UPDOWN: Line protocol",
    '<134>1 2026-11-26T10:00:00.000Z acc-b2-01 Ebra - ID47 [a@1 b="c d"] the line failed',
    "000123: <134>1 2026-11-26T10:00:00.000Z acc-b2-01 Ebra 4711 - - the line failed",
    "2026-11-26T10:00:00.000000+00:00 acc-b2-01 Ebra - - - %LINEPROTO-5-UPDOWN: Line protocol"
  ])("ignores the log message %s", (log) => {
    const answer = `a\n${log}\nb\n`
    expect(drive(commandExchange(request("show x")), answering(answer), [100]).value.lines).toEqual(["a", "b"])
  })

  it.each(["   description <189> of 12: Nov 26", "<none>", "12: on", "Nov 26 is the day", "2026-11-26T10:00:00Z on"])(
    "keeps the line %s",
    (line) => {
      expect(drive(commandExchange(request("show x")), answering(`${line}\n`), [100]).value.lines).toEqual([line])
    }
  )

  it.each(broadcasts)("leaves out a message to all users: %j", (text) => {
    const { value } = drive(commandExchange(request("show x")), answering(`a\n${text}b\nc\n`), [7, 100])
    expect(value.lines).toEqual(["a", "b", "c"])
  })

  it.each(broadcasts)("ends when a message to all users follows its prompt: %j", (text) => {
    let shown = `${prompt}\n${text}`
    const device = {
      prompt,
      answer: () => {
        const next = shown
        shown = prompt
        return { text: "", prompt: next }
      }
    }
    expect(drive(commandExchange(request("show x")), device, [500]).value).toEqual({
      lines: [],
      prompt,
      repeatedQuestion: false
    })
  })
})
