/**
 * The messages of NETCONF (RFC 6241), without a connection: hello with its capabilities, requests, and replies with their errors. A
 * server may put an error at any depth of its reply, and `ok` beside it: every error that is no warning refuses the request. Pure.
 */
import { Data, Result } from "effect"
import { maskSecrets } from "../SecretMask.ts"
import type { Framing } from "./Framing.ts"
import { child, type Element, findAll, textOf } from "./Xml.ts"

/** The namespace of the protocol. */
export const NAMESPACE = "urn:ietf:params:xml:ns:netconf:base:1.0"

const BASE = "urn:ietf:params:netconf:base"
const CAPABILITY = "urn:ietf:params:netconf:capability"
/** How some releases begin the names of capabilities. */
const otherBeginning = /^urn:ietf:params:xml:ns:netconf:/

const declaration = `<?xml version="1.0" encoding="UTF-8"?>\n`

const helloWith = (versions: ReadonlyArray<string>): string => {
  const listed = versions.map((version) => `<capability>${BASE}:${version}</capability>`).join("")
  return `${declaration}<hello xmlns="${NAMESPACE}"><capabilities>${listed}</capabilities></hello>`
}

/** What we announce: both framings. */
export const hello = helloWith(["1.0", "1.1"])

/** What a server announces. */
export interface Hello {
  readonly capabilities: ReadonlySet<string>
  /** The server's number of this session; empty where it gives none. */
  readonly sessionId: string
  /** The framing of everything behind the hellos. */
  readonly framing: Framing
}

const capabilityOf = (said: string): string =>
  said.trim().replace(/\?.*$/s, "").replace(otherBeginning, "urn:ietf:params:netconf:")

/** Reads the server's hello, or says why it is none. */
export const readHello = (element: Element): Result.Result<Hello, string> => {
  if (element.name !== "hello") return Result.fail(`it begins with "${element.name}" where a hello belongs`)
  const listed = child(element, "capabilities")?.children ?? []
  const capabilities = new Set(listed.map(({ text }) => capabilityOf(text)))
  const isChunked = capabilities.has(`${BASE}:1.1`)
  if (!isChunked && !capabilities.has(`${BASE}:1.0`)) return Result.fail("it announces no version of NETCONF")
  return Result.succeed({
    capabilities,
    sessionId: textOf(element, "session-id"),
    framing: isChunked ? "chunks" : "end-mark"
  })
}

/** Whether the server has a capability, such as `candidate:1.0`. */
export const offers = ({ capabilities }: Hello, capability: string): boolean =>
  capabilities.has(`${CAPABILITY}:${capability}`)

/** A request with this body. */
export const request = (id: number, body: string): string =>
  `${declaration}<rpc xmlns="${NAMESPACE}" message-id="${id}">${body}</rpc>`

/** An error or a warning of a server; parts that it leaves out are empty. */
export interface RpcError {
  /** `warning`, or anything else for an error. */
  readonly severity: string
  /** The kind of the error, such as `lock-denied`. */
  readonly tag: string
  /** Where in the request or in the configuration. */
  readonly path: string
  /** The server's words, with secrets masked. */
  readonly message: string
  readonly badElement: string
  /** The session that holds a lock. */
  readonly sessionId: string
}

const errorOf = (element: Element): RpcError => {
  const details = child(element, "error-info")
  return {
    severity: textOf(element, "error-severity"),
    tag: textOf(element, "error-tag"),
    path: textOf(element, "error-path"),
    message: maskSecrets(textOf(element, "error-message")),
    badElement: textOf(details, "bad-element"),
    sessionId: textOf(details, "session-id")
  }
}

/** One error for people: the server's words, and what it objects to. */
export const describe = ({ badElement, message, tag }: RpcError): string => {
  const words = message === "" ? tag : message
  return badElement === "" ? words : `${words}: ${maskSecrets(badElement)}`
}

/** The server refuses a request: it has at least one error. */
export class RpcRefused extends Data.TaggedError("RpcRefused")<{
  readonly message: string
  readonly errors: ReadonlyArray<RpcError>
  /** The whole reply: a device may answer in part, and say in an error which part is missing. */
  readonly element: Element
}> {}

/** An answered request. */
export interface Reply {
  readonly element: Element
  readonly warnings: ReadonlyArray<RpcError>
}

/** Reads a reply; any error in it refuses, whatever stands beside it. */
export const readReply = (element: Element): Result.Result<Reply, RpcRefused> => {
  const found = findAll(element, "rpc-error").map(errorOf)
  const errors = found.filter(({ severity }) => severity !== "warning")
  const [first] = errors
  if (first === undefined) return Result.succeed({ element, warnings: found })
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ""
  return Result.fail(new RpcRefused({ message: `${describe(first)}${more}`, errors, element }))
}

/** Whether the server says that it has done what was asked. It proves nothing of what it did. */
export const isOk = ({ element }: Reply): boolean => child(element, "ok") !== undefined
