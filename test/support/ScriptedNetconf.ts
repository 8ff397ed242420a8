/**
 * A NETCONF server that answers as a test says, also wrongly. It frames with end marks, and shares nothing with the driver.
 */
import { Effect, Redacted } from "effect"
import type { ServerChannel } from "ssh2"
import type { DriverTarget } from "../../src/drivers/Driver.ts"
import { sshServer } from "./SshServer.ts"

const MARK = "]]>]]>"

/** A request, and how to send bytes. */
export interface Asked {
  readonly id: string
  /** The request between the tags of `rpc`. */
  readonly body: string
  readonly send: (text: string | Buffer) => void
  readonly close: () => void
}

/** The reply to a request, with the mark of its end. */
export const replyTo = ({ id }: Pick<Asked, "id">, inside: string): string =>
  `<rpc-reply xmlns="urn:ietf:params:xml:ns:netconf:base:1.0" message-id="${id}">${inside}</rpc-reply>${MARK}`

export const helloOf = (...capabilities: ReadonlyArray<string>): string => {
  const all = [
    "urn:ietf:params:netconf:base:1.0",
    ...capabilities.map((one) => `urn:ietf:params:netconf:capability:${one}`)
  ]
  const listed = all.map((one) => `<capability>${one}</capability>`).join("")
  return `<hello xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><capabilities>${listed}</capabilities><session-id>4</session-id></hello>${MARK}`
}

/** Starts one; `answer` is called for each request. */
export const make = Effect.fnUntraced(function* (hello: string, answer: (asked: Asked) => void) {
  const serve = (channel: ServerChannel): void => {
    let waiting = ""
    channel.on("error", () => undefined)
    channel.write(hello)
    channel.on("data", (bytes: Buffer) => {
      waiting += bytes.toString("utf8")
      const messages = waiting.split(MARK)
      waiting = messages.pop() ?? ""
      for (const message of messages) {
        const [, id, body] = /<rpc[^>]* message-id="(\d+)">(.*)<\/rpc>/s.exec(message) ?? []
        if (id === undefined || body === undefined) continue
        answer({ id, body, send: (text) => void channel.write(text), close: () => channel.end() })
      }
    })
  }
  const server = yield* sshServer({
    authenticate: (context) => context.accept(),
    subsystem: (_, channel) => serve(channel)
  })
  const target: DriverTarget = {
    hostname: "netconf1",
    address: "127.0.0.1",
    port: server.port,
    username: "switch",
    password: Redacted.make("sesame"),
    hostKey: { _tag: "accept" }
  }
  return { port: server.port, target }
})
