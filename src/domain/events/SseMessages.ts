/** Reads the text of a stream of server-sent events, piece by piece. Pure. */

export interface StreamMessage {
  readonly event: string
  readonly data: string
  readonly id: string | undefined
}

const fieldOf = (line: string): readonly [name: string, value: string] => {
  const colon = line.indexOf(":")
  if (colon < 0) return [line, ""]
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")]
}

const messageOf = (block: string): StreamMessage => {
  let event = "message"
  let id: string | undefined
  const data: Array<string> = []
  for (const [name, value] of block.split("\n").map(fieldOf)) {
    if (name === "event") event = value
    if (name === "data") data.push(value)
    if (name === "id") id = value
  }
  return { event, data: data.join("\n"), id }
}

/** The messages that are whole by now, and the beginning of the next one. */
export const parseMessages = (
  text: string
): { readonly messages: ReadonlyArray<StreamMessage>; readonly rest: string } => {
  const blocks = text.replaceAll("\r\n", "\n").split("\n\n")
  const rest = blocks.pop() ?? ""
  return { messages: blocks.filter((block) => block !== "").map(messageOf), rest }
}
