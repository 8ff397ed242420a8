/**
 * Plays a recorded conversation (`test/drivers/recordings/README.md`) as the far end of a terminal: waits for the lines that
 * the recording says, and prints the rest in random pieces with random delays, so that prompts, characters and escape
 * sequences are cut at any byte.
 */
import type { Wire } from "../../src/drivers/ssh/Shell.ts"

export type Act =
  | { readonly kind: "expect"; readonly line: string }
  | { readonly kind: "print"; readonly bytes: Buffer }
  | { readonly kind: "pause"; readonly millis: number }
  | { readonly kind: "close" }

/** The text of `{long}`. */
export const LONG = "a description of two thousand characters ".repeat(50).slice(0, 2_000).trimEnd()

const escapes: Readonly<Record<string, string>> = {
  "\\e": "\u001b",
  "\\a": "\u0007",
  "\\b": "\b",
  "\\r": "\r",
  "\\0": "\u0000"
}

const text = (raw: string): string =>
  raw.replaceAll("{long}", LONG).replaceAll(/\\[eabr0]/g, (code) => escapes[code] ?? code)

const actOf = (line: string): Act | undefined => {
  const rest = line.slice(2)
  switch (line.charAt(0)) {
    case ">":
      return { kind: "expect", line: text(rest) }
    case "<":
      return { kind: "print", bytes: Buffer.from(`${text(rest)}\r\n`) }
    case "_":
      return { kind: "print", bytes: Buffer.from(text(rest)) }
    case "~":
      return { kind: "pause", millis: Number(rest) }
    case "x":
      return { kind: "close" }
    default:
      return undefined
  }
}

const unrolled = (lines: ReadonlyArray<string>): ReadonlyArray<string> => {
  const start = lines.findIndex((line) => line.startsWith("* "))
  if (start < 0) return lines
  const end = lines.indexOf(".", start)
  const body = lines.slice(start + 1, end)
  const times = Number(lines[start]?.slice(2))
  const repeated = Array.from({ length: times }, (_, index) =>
    body.map((line) => line.replaceAll("{n}", String(index + 1)))
  ).flat()
  return [...lines.slice(0, start), ...repeated, ...unrolled(lines.slice(end + 1))]
}

/** Output without a pause in between is one text, so that it may be cut anywhere. */
const joined = (acts: ReadonlyArray<Act>): ReadonlyArray<Act> => {
  const found: Array<Act> = []
  let printed: Array<Buffer> = []
  const flush = () => {
    if (printed.length > 0) found.push({ kind: "print", bytes: Buffer.concat(printed) })
    printed = []
  }
  for (const act of acts) {
    if (act.kind === "print") printed.push(act.bytes)
    else {
      flush()
      found.push(act)
    }
  }
  flush()
  return found
}

/** The acts of a recording. */
export const parse = (recording: string): ReadonlyArray<Act> =>
  joined(
    unrolled(recording.split("\n")).flatMap((line) => {
      const act = actOf(line)
      return act === undefined ? [] : [act]
    })
  )

/** How the line between us and the switch behaves: pieces of 1 to `piece` bytes, and some of them late. */
export interface Line {
  readonly random: () => number
  readonly piece: number
  /** How many of 1 are late, and the longest delay in milliseconds. */
  readonly late: number
  readonly delay: number
}

/** A terminal's far end. `complaint` names input that is not in the recording. */
export interface RecordedSwitch {
  readonly wire: Wire
  readonly complaint: () => string | undefined
  /** Lines that the switch still waits for. */
  readonly left: () => number
}

/** Plays the acts; each timer is one of the (virtual) clock. */
export const play = (acts: ReadonlyArray<Act>, { delay, late, piece, random }: Line): RecordedSwitch => {
  let next = 0
  let offset = 0
  let unread = ""
  let prompt = ""
  let complaint: string | undefined
  const state = { gone: false, waiting: false }
  let data: (chunk: Uint8Array) => void = () => undefined
  let closed: (reason: string) => void = () => undefined

  const later = (millis: number) => {
    state.waiting = true
    setTimeout(() => {
      state.waiting = false
      run()
    }, millis)
  }

  const read = (): string | undefined => {
    const end = unread.indexOf("\n")
    if (end < 0) return undefined
    const line = unread.slice(0, end)
    unread = unread.slice(end + 1)
    return line
  }

  /** An empty line brings the prompt again, wherever the conversation stands. */
  const empty = (): boolean => {
    data(Buffer.from(`\r\n${prompt}`))
    return true
  }

  /** True when the recording can continue at once. */
  const step = (act: Act): boolean => {
    if (act.kind === "expect") {
      const line = read()
      if (line === undefined) return false
      if (line === "" && act.line !== "") return empty()
      next += 1
      if (line !== act.line) complaint ??= `"${line}" was sent instead of "${act.line}"`
      return true
    }
    if (act.kind === "pause") {
      next += 1
      later(act.millis)
      return false
    }
    if (act.kind === "close") {
      next += 1
      state.gone = true
      closed("the switch closed the connection")
      return false
    }
    const size = 1 + Math.floor(random() * piece)
    const chunk = act.bytes.subarray(offset, offset + size)
    offset += size
    if (offset >= act.bytes.length) {
      prompt = `${prompt}${act.bytes.toString("utf8")}`.split("\n").at(-1) ?? ""
      offset = 0
      next += 1
    }
    data(chunk)
    if (random() >= late) return true
    later(1 + Math.floor(random() * delay))
    return false
  }

  function run(): void {
    while (!state.gone && !state.waiting) {
      const act = acts[next]
      if (act === undefined ? read() !== "" || !empty() : !step(act)) return
    }
  }

  return {
    wire: {
      write: (written) => {
        unread += written
        // a switch never answers within the call that sends
        if (!state.waiting) later(0)
      },
      listen: (onData, onClosed) => {
        data = onData
        closed = onClosed
        later(0)
      },
      destroy: () => {
        state.gone = true
      }
    },
    complaint: () => complaint ?? (unread === "" ? undefined : `"${unread}" was sent after the end`),
    left: () => acts.slice(next).filter(({ kind }) => kind === "expect").length
  }
}
