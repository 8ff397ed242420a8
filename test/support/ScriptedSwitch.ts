/**
 * A switch in a few lines, without sockets or time, for tests of the shell engine: it echoes, answers line by line, and
 * its output is cut into chunks of chosen sizes. `drive` runs a conversation against it to the end; silence is when the
 * switch has nothing left to say.
 */
import { Schema } from "effect"
import type { Conversation, Step } from "../../src/drivers/ssh/Shell.ts"
import { TerminalText } from "../../src/drivers/ssh/TerminalText.ts"

/** Sizes of the chunks in which output arrives, repeated. */
export const ChunkSizes = Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 40 })))

export interface ScriptedSwitch {
  /** Prompt after each line, and the answer (with `\n` line ends) to it. */
  readonly answer: (line: string) => { readonly text: string; readonly prompt: string }
  /** The echo of a line that was read; by default the line itself. */
  readonly echo?: (line: string, prompt: string) => string
  readonly prompt: string
}

export interface Driven<A> {
  readonly value: A
  /** The most bytes of input that waited unread. */
  readonly mostUnread: number
  readonly received: ReadonlyArray<string>
}

const cut = (bytes: Buffer, sizes: ReadonlyArray<number>): Array<Buffer> => {
  const chunks: Array<Buffer> = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % Math.max(1, sizes.length)] ?? bytes.length)
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return chunks
}

/** Runs a conversation; `sizes` are the chunk sizes, repeated. Throws when it neither ends nor waits for anything. */
export const drive = <A>(
  conversation: Conversation<A>,
  device: ScriptedSwitch,
  sizes: ReadonlyArray<number>,
  greeting = ""
): Driven<A> => {
  const terminal = new TerminalText()
  const received: Array<string> = []
  let unread = ""
  let mostUnread = 0
  let prompt = device.prompt
  let output = cut(Buffer.from(greeting), sizes)

  const accept = (step: Step<A>): Step<A> => {
    if (!step.done && step.write !== undefined) unread += step.write
    mostUnread = Math.max(mostUnread, Buffer.byteLength(unread))
    return step
  }
  const readLine = (): void => {
    const end = unread.indexOf("\n")
    const line = unread.slice(0, end)
    unread = unread.slice(end + 1)
    received.push(line)
    const { text, prompt: next } = device.answer(line)
    const echoed = device.echo?.(line, prompt) ?? line
    prompt = next
    output = cut(Buffer.from(`${echoed}\n${text}${next}`.replaceAll("\n", "\r\n")), sizes)
  }

  let step = accept(conversation.begin(terminal))
  for (let turns = 0; turns < 1_000_000; turns++) {
    if (step.done) return { value: step.value, mostUnread, received }
    const chunk = output.shift()
    if (chunk !== undefined) {
      terminal.feed(chunk)
      step = accept(conversation.chunk(terminal))
    } else if (unread.includes("\n")) readLine()
    else if (step.settle !== undefined) step = accept(conversation.quiet(terminal))
    else break
  }
  throw new Error(`the conversation waits for ever; unread: ${JSON.stringify(unread)}, shown: ${terminal.partial}`)
}
