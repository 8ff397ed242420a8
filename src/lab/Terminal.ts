/**
 * The pseudo terminal in front of a command line: collects input while the command line is busy (and loses what does not fit),
 * finds lines and control keys, echoes, and prints answers and prompts. A few lines are taken per turn of the event loop, so
 * that a client which pastes blindly overruns the buffer as it would on a real switch. See docs/switch-dialogues.md#echo and
 * docs/switch-dialogues.md#the-simulated-switch.
 */
import { StringDecoder } from "node:string_decoder"
import * as Faults from "./Faults.ts"
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises"
import type { Switch } from "./Switch.ts"

/** Lines that the command line takes before it lets others work. */
const LINES_PER_TURN = 64
const WRAP_FAULT_WIDTH = 80
/** The pager of a switch with the quirk `pages`. */
const PAGE_LINES = 23
const PAGE_MARK = "\u001B[7m--More--\u001B[m"
const PAGE_MARK_GONE = "\r\u001B[K"

/** An answer, now or later. */
export type Output = string | Promise<string>

/** Reads the input in place of the command line. */
export interface Reader {
  /** Input is shown. */
  readonly echo: boolean
  /** Takes everything that comes, up to Ctrl-D, without the terminal's limit. */
  readonly stream: boolean
  readonly line: (text: string) => Output
  /** Ctrl-D. */
  readonly end: () => Output
}

/** The command line behind a terminal. */
export interface CommandLine {
  readonly device: Switch
  readonly width: number
  reader: Reader | undefined
  /** Nothing more is answered. */
  readonly gone: boolean
}

/** How a platform takes a typed line, and what stands before the next one. */
export interface Language<Shell extends CommandLine = CommandLine> {
  readonly run: (shell: Shell, line: string) => Output
  readonly prompt: (shell: Shell) => string
  /** Long answers wait for a key after each page. */
  readonly pages: boolean
}

/** A command line and its language. */
interface Speaker extends CommandLine {
  readonly run: (line: string) => Output
  readonly prompt: () => string
  readonly pages: boolean
}

export interface Terminal {
  readonly shell: Speaker
  readonly printer: Printer
  readonly decoder: StringDecoder
  /** The prompt at which it stands. */
  prompt: string
  /** Input that has not been read. */
  input: string
  /** How much of the unfinished line has been echoed. */
  echoed: number
  /** Lines of an answer that wait for a key, while it pages. */
  unshown: ReadonlyArray<string>
  busy: boolean
  scheduled: boolean
  /** Characters that did not fit. */
  lost: number
}

/** A terminal that has just printed its first prompt. */
export const make = <Shell extends CommandLine>(
  shell: Shell,
  language: Language<Shell>,
  printer: Printer,
  greeting: string
): Terminal => {
  const terminal: Terminal = {
    shell: speaker(shell, language),
    printer,
    decoder: new StringDecoder("utf8"),
    prompt: "",
    input: "",
    echoed: 0,
    unshown: [],
    busy: false,
    scheduled: false,
    lost: 0
  }
  print(terminal, greeting)
  printPrompt(terminal)
  printer.flush()
  return terminal
}

const speaker = <Shell extends CommandLine>(shell: Shell, language: Language<Shell>): Speaker => ({
  device: shell.device,
  get width() {
    return shell.width
  },
  get reader() {
    return shell.reader
  },
  set reader(reader) {
    shell.reader = reader
  },
  get gone() {
    return shell.gone
  },
  run: (line) => language.run(shell, line),
  prompt: () => language.prompt(shell),
  pages: language.pages
})

/** Takes bytes from the connection. */
export const receive = (terminal: Terminal, chunk: Buffer): void => {
  if (terminal.shell.gone) return
  const text = terminal.decoder.write(chunk)
  const limit = terminal.shell.device.behaviour.inputBuffer
  const streaming = terminal.shell.reader?.stream === true && !terminal.busy
  const room = limit === 0 || streaming ? text.length : Math.max(0, limit - terminal.input.length)
  terminal.lost += Math.max(0, text.length - room)
  terminal.input += room < text.length ? text.slice(0, room) : text
  if (!terminal.busy && !terminal.scheduled) drain(terminal)
}

const drain = (terminal: Terminal): void => {
  terminal.scheduled = false
  for (let budget = LINES_PER_TURN; budget > 0 && !terminal.busy && !terminal.shell.gone;) {
    if (terminal.unshown.length > 0) {
      if (!turnPage(terminal)) break
      continue
    }
    const end = lineEnd(terminal.input)
    if (end < 0) break
    take(terminal, end)
    if (terminal.shell.reader?.stream !== true) budget -= 1
  }
  if (terminal.shell.gone) return
  if (!terminal.busy && terminal.unshown.length === 0 && lineEnd(terminal.input) >= 0) {
    terminal.scheduled = true
    setImmediate(drain, terminal)
  } else if (!terminal.busy && terminal.unshown.length === 0) echoPartial(terminal)
  terminal.printer.flush()
}

const CTRL_C = "\u0003"
const CTRL_D = "\u0004"
const CTRL_Z = "\u001A"
const DELETE = "\u007F"
const ESCAPE = "\u001B"
const ENDS = new Set(["\n", "\r", CTRL_C, CTRL_D, CTRL_Z])

const lineEnd = (input: string): number => {
  for (let index = 0; index < input.length; index++) {
    const code = input.charCodeAt(index)
    if (code < 32 && ENDS.has(input.charAt(index))) return index
  }
  return -1
}

const take = (terminal: Terminal, end: number): void => {
  const key = terminal.input.charAt(end)
  const raw = terminal.input.slice(0, end)
  const seen = terminal.echoed
  terminal.input = terminal.input.slice(end + 1)
  terminal.echoed = 0
  const { reader } = terminal.shell
  if (key === CTRL_C) return answer(terminal, raw.slice(seen), interrupt(terminal.shell))
  if (key === CTRL_D)
    return answer(
      terminal,
      raw.slice(seen),
      reader === undefined ? terminal.shell.run("exit") : endOfInput(reader, raw)
    )
  const line = key === CTRL_Z ? "end" : erase(raw)
  if (reader !== undefined) {
    if (reader.echo) print(terminal, `${raw.slice(seen)}\n`)
    else print(terminal, "\n")
    return settle(
      terminal,
      guarded(() => reader.line(line))
    )
  }
  return answer(
    terminal,
    echo(terminal, raw, seen),
    guarded(() => terminal.shell.run(line))
  )
}

/** A defect of the lab ends one command, not the lab. */
const guarded = (command: () => Output): Output => {
  try {
    return command()
  } catch (error) {
    return `% Internal error: ${String(error)}\n`
  }
}

const endOfInput = (reader: Reader, raw: string): Output => {
  if (raw !== "") {
    const output = reader.line(raw)
    if (typeof output !== "string") return output.then(() => reader.end())
  }
  return reader.end()
}

const interrupt = (shell: Speaker): Output => {
  shell.reader = undefined
  return ""
}

const answer = (terminal: Terminal, echoed: string, output: Output): void => {
  print(terminal, echoed)
  terminal.printer.print("\r\n")
  settle(terminal, output)
}

const settle = (terminal: Terminal, output: Output): void => {
  if (typeof output === "string") return finish(terminal, output)
  terminal.busy = true
  terminal.printer.flush()
  output.then(
    (text) => {
      terminal.busy = false
      if (terminal.shell.gone) return
      finish(terminal, text)
      drain(terminal)
    },
    (error: unknown) => {
      terminal.busy = false
      finish(terminal, `% Internal error: ${String(error)}\n`)
      drain(terminal)
    }
  )
}

const finish = (terminal: Terminal, output: string): void => {
  const { gone, pages, reader } = terminal.shell
  if (gone) return
  const lines = pages && reader === undefined ? output.split("\n") : []
  if (lines.length > PAGE_LINES) return showPage(terminal, lines, PAGE_LINES)
  print(terminal, output)
  if (reader === undefined) printPrompt(terminal)
}

/** Prints so many lines, then the mark of the pager or the prompt. */
const showPage = (terminal: Terminal, lines: ReadonlyArray<string>, count: number): void => {
  terminal.unshown = lines.slice(count)
  const isLast = terminal.unshown.length === 0
  print(terminal, lines.slice(0, count).join("\n") + (isLast ? "" : "\n"))
  if (isLast) printPrompt(terminal)
  else terminal.printer.print(PAGE_MARK)
}

/** Takes one key for the pager: a blank shows a page, a line end a line, `q` and Ctrl-C nothing more. False without a key. */
const turnPage = (terminal: Terminal): boolean => {
  const key = terminal.input.charAt(0)
  if (key === "") return false
  terminal.input = terminal.input.slice(1)
  terminal.printer.print(PAGE_MARK_GONE)
  const { unshown } = terminal
  if (key === " ") showPage(terminal, unshown, PAGE_LINES)
  else if (key === "\n" || key === "\r") showPage(terminal, unshown, 1)
  else if (key === "q" || key === CTRL_C) showPage(terminal, [""], 1)
  else terminal.printer.print(PAGE_MARK)
  return true
}

const printPrompt = (terminal: Terminal) => {
  terminal.prompt = terminal.shell.prompt()
  terminal.printer.prompt(terminal.prompt)
}

const print = (terminal: Terminal, text: string) => {
  if (text !== "") terminal.printer.print(text.includes("\n") ? text.replaceAll("\n", "\r\n") : text)
}

/** The echo of a whole line, wrapped at the terminal's width, twice when that fault is armed. */
const echo = (terminal: Terminal, raw: string, seen: number): string => {
  const { prompt: shown, shell } = terminal
  const { faults } = shell.device
  const width = faults.length > 0 && Faults.has(faults, "wrappedEcho") ? WRAP_FAULT_WIDTH : shell.width
  const text = wrap(raw, shown.length, width).slice(seen)
  const twice = faults.length > 0 && Faults.take(faults, "doubledEcho") !== undefined
  return twice ? `${text}\n${shown}${raw}` : text
}

const wrap = (line: string, column: number, width: number): string => {
  if (column + line.length < width) return line
  const parts: Array<string> = []
  let rest = line
  let room = Math.max(1, width - column)
  while (rest.length >= room) {
    parts.push(rest.slice(0, room))
    rest = rest.slice(room)
    room = width
  }
  return [...parts, rest].join(" \r")
}

/** Shows what has been typed of an unfinished line. */
const echoPartial = (terminal: Terminal) => {
  const { reader } = terminal.shell
  if (reader !== undefined && !reader.echo) return
  const typed = terminal.input.slice(terminal.echoed)
  if (typed === "") return
  if (typed.includes("\b") || typed.includes(DELETE)) {
    const before = erase(terminal.input.slice(0, terminal.echoed))
    terminal.input = erase(terminal.input)
    const removed = Math.max(0, before.length - terminal.input.length)
    terminal.printer.print("\b \b".repeat(removed) + terminal.input.slice(before.length))
  } else terminal.printer.print(typed)
  terminal.echoed = terminal.input.length
}

const ARROW_LENGTH = 3

/** Applies backspaces and drops arrow keys. */
const erase = (raw: string): string => {
  if (!raw.includes("\b") && !raw.includes(DELETE) && !raw.includes(ESCAPE)) return raw
  let line = ""
  for (let index = 0; index < raw.length; index++) {
    const character = raw.charAt(index)
    if (character === "\b" || character === DELETE) line = line.slice(0, -1)
    else if (character === ESCAPE) index += ARROW_LENGTH - 1
    else line += character
  }
  return line
}

// The printer: output on its way to the connection, gathered into one packet per turn, and spoilt on demand (escape
// codes, random pieces, slow lines) when such a fault is armed.

export interface Printer {
  readonly print: (text: string) => void
  readonly prompt: (text: string) => void
  /** Sends what was gathered. */
  readonly flush: () => void
}

const MAX_PIECE = 7

/** A printer for one connection; `write` sends bytes. */
export const makePrinter = (device: Switch, write: (bytes: Buffer) => void): Printer => {
  let gathered = ""
  let queue: Promise<void> = Promise.resolve()
  let queued = 0
  const later = (text: string, rate: number | undefined) => {
    queued += 1
    queue = queue
      .then(() => trickle(text, rate, write))
      .then(() => {
        queued -= 1
      })
  }
  const flush = () => {
    if (gathered === "") return
    const text = gathered
    gathered = ""
    const { faults } = device
    const rate = faults.length > 0 ? rateOf(faults) : undefined
    if (rate !== undefined || queued > 0 || (faults.length > 0 && Faults.has(faults, "chunks"))) later(text, rate)
    else write(Buffer.from(text, "utf8"))
  }
  return {
    print: (text) => {
      gathered += text
    },
    prompt: (text) => {
      gathered +=
        device.faults.length > 0 && Faults.has(device.faults, "ansi") ? `\u001B[K\u001B[1m${text}\u001B[0m` : text
    },
    flush
  }
}

const rateOf = (faults: Faults.Faults): number | undefined => {
  for (const fault of Faults.list(faults))
    if (fault.kind === "slow" && fault.bytesPerSecond !== undefined) return fault.bytesPerSecond
  return undefined
}

const trickle = async (text: string, rate: number | undefined, write: (bytes: Buffer) => void): Promise<void> => {
  const bytes = Buffer.from(text, "utf8")
  for (let at = 0; at < bytes.length;) {
    const size = rate === undefined ? 1 + Math.floor(Math.random() * MAX_PIECE) : Math.max(1, Math.ceil(rate / 50))
    write(bytes.subarray(at, at + size))
    at += size
    await (rate === undefined ? nextTurn() : sleep(20))
  }
}
