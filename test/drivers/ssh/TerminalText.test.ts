import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { ChunkSizes } from "../../support/ScriptedSwitch.ts"
import { TerminalText } from "../../../src/drivers/ssh/TerminalText.ts"

const read = (...chunks: ReadonlyArray<Uint8Array | string>) => {
  const terminal = new TerminalText()
  for (const chunk of chunks) terminal.feed(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
  return { lines: terminal.lines, partial: terminal.partial }
}

const cases: ReadonlyArray<readonly [string, string, ReadonlyArray<string>, string]> = [
  ["line ends of all sorts", "a\r\nb\r\r\nc\n\rsw#", ["a", "b", "c"], "sw#"],
  ["colours and cursor movements", "\u001b[1;31mred\u001b[0m\u001b[K\r\n\u001b[?25lsw#", ["red"], "sw#"],
  ["bracketed paste around bash output", "\u001b[?2004h\r\n\u001b[?2004l1476504\r\nsw#", ["", "1476504"], "sw#"],
  ["window titles", "\u001b]0;title\u0007sw#", [], "sw#"],
  ["keypad modes, bells and nulls", "\u001b=\u001b>a\u0007b\u0000c\r\n", ["abc"], ""],
  ["backspaces of a spinner", "-\b\\\b|\bdone\r\n", ["done"], ""],
  ["more backspaces than characters", "a\b\b\bb\n", ["b"], ""],
  ["a progress bar that redraws its line", " 10%\r 100%\r\nsw#", [" 10% 100%"], "sw#"]
]

describe("TerminalText", () => {
  it.each(cases)("cleans %s", (_name, text, lines, partial) => {
    expect(read(text)).toEqual({ lines, partial })
  })

  it("joins a character that is cut between two chunks", () => {
    const bytes = Buffer.from("Gerät\r\n")
    expect(read(bytes.subarray(0, 4), bytes.subarray(4))).toEqual({ lines: ["Gerät"], partial: "" })
  })

  it("applies a backspace that arrives in the next chunk", () => {
    expect(read("ab", "\bc\n")).toEqual({ lines: ["ac"], partial: "" })
  })

  it("forgets the text that was read and keeps the unfinished line", () => {
    const terminal = new TerminalText()
    terminal.feed(Buffer.from("a\nb\nsw"))
    expect(terminal.takeLines()).toEqual(["a", "b"])
    terminal.feed(Buffer.from("#"))
    expect([terminal.lines, terminal.partial, terminal.size]).toEqual([[], "sw#", 3])
  })

  it.prop(
    "gives the same text however the bytes are cut",
    { text: Schema.String, sizes: ChunkSizes },
    ({ text, sizes }) => {
      const bytes = Buffer.from(`\u001b[31m${text}\u001b[0m\r\nsw#`)
      const chunks: Array<Uint8Array> = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? 1
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      expect(read(...chunks)).toEqual(read(bytes))
    }
  )
})
