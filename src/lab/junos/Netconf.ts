/**
 * NETCONF as the device speaks it over a channel of SSH: hello, frames of base 1.0 (and 1.1 where it offers it), one request after
 * the other, errors in the forms that releases have. What a request does stands in `rpc/`.
 */
import { StringDecoder } from "node:string_decoder"
import { setTimeout as sleep } from "node:timers/promises"
import * as Faults from "../Faults.ts"
import { makePrinter, type Printer } from "../Terminal.ts"
import { type Channel, pushRecord, type Switch } from "../Switch.ts"
import * as Commits from "./Commits.ts"
import * as Database from "./Database.ts"
import { issuesAsXml, type Reply, refusal } from "./rpc/Reply.ts"
import { isSynchronized } from "./rpc/Committing.ts"
import { find } from "./rpc/Requests.ts"
import * as Facts from "./Facts.ts"
import * as Xml from "./Xml.ts"

const BASE = "urn:ietf:params:xml:ns:netconf:base:1.0"
const END = "]]>]]>"

const CAPABILITIES = ["candidate:1.0", "confirmed-commit:1.0", "validate:1.0", "url:1.0?scheme=http,ftp,file"]
const VENDOR = ["http://xml.juniper.net/netconf/junos/1.0", "http://xml.juniper.net/dmi/system/1.0"]

const capabilities = ({ behaviour: { junos } }: Switch): ReadonlyArray<string> => [
  BASE,
  ...(junos.chunked ? ["urn:ietf:params:netconf:base:1.1"] : []),
  ...CAPABILITIES.map((name) => `urn:ietf:params:netconf:capability:${name}`),
  ...(junos.oldCapabilities ? CAPABILITIES.map((name) => `urn:ietf:params:xml:ns:netconf:capability:${name}`) : []),
  ...VENDOR
]

const COMMENTS = "<!-- No zombies were killed during the creation of this user interface -->\n"

const hello = (device: Switch, login: Database.Login): string => {
  const { junos } = device.behaviour
  const list = capabilities(device).map((uri) =>
    junos.oldCapabilities ? Xml.wide("capability", uri) : Xml.leaf("capability", uri)
  )
  const name = junos.prefixed ? "nc:" : ""
  const attributes = junos.prefixed ? { "xmlns:nc": BASE } : { xmlns: BASE }
  const inside = [Xml.around("capabilities", list), Xml.leaf("session-id", login.pid)].join("")
  const before = junos.comments
    ? `${COMMENTS}<!-- user ${login.user}, class j-${Facts.classOf(device.running, login.user)} -->\n`
    : ""
  return before + prefixed(Xml.around(`${name}hello`, inside, attributes), junos.prefixed)
}

/** Words of the protocol, which have a prefix on a device that keeps to the standard. */
const PROTOCOL =
  /<(\/?)(capabilities|capability|session-id|rpc-error|error-type|error-tag|error-severity|error-path|error-info|bad-element|error-message|ok|data)(?=[\s/>])/g

const prefixed = (text: string, isOn: boolean): string => (isOn ? text.replaceAll(PROTOCOL, "<$1nc:$2") : text)

// The session.

interface Session {
  readonly device: Switch
  readonly login: Database.Login
  readonly channel: Channel
  readonly decoder: StringDecoder
  readonly printer: Printer
  received: string
  chunked: boolean
  isGreeted: boolean
  isOver: boolean
  queue: Promise<void>
}

const send = (session: Session, text: string) => {
  if (session.isOver) return
  session.printer.print(session.chunked ? `\n#${Buffer.byteLength(text)}\n${text}\n##\n` : `${text}${END}\n`)
  session.printer.flush()
}

const finish = (session: Session) => {
  if (session.isOver) return
  session.isOver = true
  session.channel.channel.exit(0)
  session.channel.channel.end()
}

const CHUNK = /^\n#(?:(\d{1,10})|#)\n/

/** The next whole message, taken from what was received. */
const nextMessage = (session: Session): string | undefined => {
  if (!session.chunked) {
    const end = session.received.indexOf(END)
    if (end < 0) return undefined
    const message = session.received.slice(0, end)
    session.received = session.received.slice(end + END.length)
    return message
  }
  let bytes = Buffer.from(session.received)
  const parts: Array<Buffer> = []
  for (;;) {
    const match = CHUNK.exec(bytes.subarray(0, 16).toString("latin1"))
    if (match === null) return undefined
    bytes = bytes.subarray(match[0].length)
    if (match[1] === undefined) break
    const size = Number(match[1])
    if (bytes.length < size) return undefined
    parts.push(bytes.subarray(0, size))
    bytes = bytes.subarray(size)
  }
  session.received = bytes.toString()
  return Buffer.concat(parts).toString()
}

const receive = (session: Session, chunk: Buffer): void => {
  session.received += session.decoder.write(chunk)
  for (let message = nextMessage(session); message !== undefined; message = nextMessage(session)) take(session, message)
}

const take = (session: Session, message: string): void => {
  const request = Xml.read(message.trim())
  if (request === undefined) return finish(session)
  if (!session.isGreeted) {
    session.isGreeted = true
    const offered = (Xml.child(request, "capabilities")?.children ?? []).map(({ text }) => text.trim())
    session.chunked =
      session.device.behaviour.junos.chunked && offered.some((uri) => uri === "urn:ietf:params:netconf:base:1.1")
    return undefined
  }
  session.queue = session.queue.then(() => answer(session, request)).catch(() => finish(session))
  return undefined
}

const answer = async (session: Session, rpc: Xml.Element): Promise<void> => {
  if (session.isOver) return
  const { device, login } = session
  const [request] = rpc.children
  if (request === undefined) return finish(session)
  pushRecord(device.history, device.history.commands, { user: login.user, command: request.name, at: Date.now() })
  const known = find(request.name)
  const step = known?.step(device, request) ?? "other"
  const reply =
    known === undefined
      ? { body: issuesAsXml(device, [{ severity: "error", message: "syntax error", badElement: request.name }]) }
      : await withFaults(session, step, request, () => known.run({ device, login, request }))
  if (reply === undefined) return
  const text = envelope(session, rpc, reply)
  if (breaksAmid(session, step, request, text)) return
  send(session, text)
  if (reply.closes === true) finish(session)
}

const release = (version: string) => version.replace(/-S\d.*$/, "")

const envelope = ({ device }: Session, rpc: Xml.Element, { body }: Reply): string => {
  const { junos } = device.behaviour
  const isError = /<(?:rpc|xnm:)-?error/.test(body)
  const id = rpc.attributes["message-id"]
  const attributes = {
    [junos.prefixed ? "xmlns:nc" : "xmlns"]: BASE,
    "xmlns:junos": `http://xml.juniper.net/junos/${release(device.version)}/junos`,
    ...(id === undefined || (junos.bareErrors && isError) ? {} : { "message-id": id })
  }
  const text = prefixed(Xml.around(`${junos.prefixed ? "nc:" : ""}rpc-reply`, body, attributes), junos.prefixed)
  return junos.comments ? `${text}<!-- session end at ${Database.moment(Date.now())} -->\n` : text
}

// Faults of the request's step.

const GARBAGE = "<rpc-reply><<< 0x7f 0x45 corrupted"

/** Runs a request with the faults that are armed for its step; undefined when nothing may be answered. */
const withFaults = async (
  session: Session,
  step: Faults.Step,
  request: Xml.Element,
  run: () => Reply | Promise<Reply>
): Promise<Reply | undefined> => {
  const { behaviour, faults } = session.device
  if (breaksAt(session, step, "before", request)) return undefined
  const slow =
    (faults.length > 0 ? Faults.takeAt(faults, "slow", step)?.milliseconds : undefined) ?? behaviour.commandMs
  if (slow > 0) await sleep(slow)
  // the login has ended meanwhile, and what it has asked for is not begun any more
  if (session.isOver) return undefined
  if (faults.length === 0) return run()
  const refused = Faults.takeAt(faults, "error", step)
  if (refused !== undefined) return refusedWith(session.device, request, refused.message)
  if (Faults.takeAt(faults, "lie", step) !== undefined) return { body: Xml.leaf("ok") }
  if (Faults.takeAt(faults, "garbage", step) !== undefined) {
    send(session, GARBAGE)
    return undefined
  }
  const reply = await run()
  return breaksAt(session, step, "after", request) ? undefined : reply
}

/** The second routing engine refuses a commit that the first one has taken: both go back. */
const refusedWith = (device: Switch, request: Xml.Element, message: string): Reply => {
  const isForBoth = request.name === "commit-configuration" && isSynchronized(device, request)
  if (!isForBoth || device.behaviour.junos.routingEngines < 2) return refusal(device, message)
  const engine = (name: string, inside: string) => Xml.around("routing-engine", [Xml.leaf("name", name), inside])
  return {
    body: Xml.around("commit-results", [
      engine("re0", Xml.leaf("commit-check-success")),
      engine("re1", issuesAsXml(device, [{ severity: "error", message }]))
    ])
  }
}

const linesOf = (step: Faults.Step, request: Xml.Element): number =>
  step === "load" ? request.children.reduce((sum, { text }) => sum + text.split("\n").length, 0) : 0

const breaksAt = (session: Session, step: Faults.Step, when: "before" | "after", request: Xml.Element): boolean => {
  const { faults } = session.device
  if (faults.length === 0) return false
  const lines = linesOf(step, request)
  if (Faults.strikes(faults, "cut", step, when, lines)) session.channel.connection.drop()
  else if (Faults.strikes(faults, "silent", step, when, lines)) session.channel.connection.silence()
  else return false
  session.isOver = true
  return true
}

/** Half of the answer goes out, and then nothing any more. */
const breaksAmid = (session: Session, step: Faults.Step, request: Xml.Element, text: string): boolean => {
  const { channel, device, printer } = session
  if (device.faults.length === 0) return false
  const lines = linesOf(step, request)
  const isCut = Faults.strikes(device.faults, "cut", step, "amid", lines)
  if (!isCut && !Faults.strikes(device.faults, "silent", step, "amid", lines)) return false
  printer.print(text.slice(0, Math.ceil(text.length / 2)))
  printer.flush()
  session.isOver = true
  setImmediate(isCut ? channel.connection.drop : channel.connection.silence)
  return true
}

/** Serves a conversation until its channel ends. */
export const serve = (device: Switch, channel: Channel): void => {
  const stream = channel.channel
  const login = Database.logIn(device, {
    user: channel.user,
    client: "netconf",
    terminal: "",
    drop: () => finish(session),
    tell: () => undefined
  })
  const session: Session = {
    device,
    login,
    channel,
    decoder: new StringDecoder("utf8"),
    printer: makePrinter(device, (bytes) => {
      if (stream.writable) stream.write(bytes)
    }),
    received: "",
    chunked: false,
    isGreeted: false,
    isOver: false,
    queue: Promise.resolve()
  }
  if (breaksAt(session, "login", "after", { name: "", attributes: {}, children: [], text: "" })) return
  send(session, hello(device, login))
  stream.on("data", (chunk: Buffer) => {
    if (!session.isOver) receive(session, chunk)
  })
  stream.on("end", () => finish(session))
  stream.on("close", () => {
    session.isOver = true
    if (Database.of(device).logins.has(login.pid)) Commits.loginEnded(device, login, "lost")
  })
  stream.on("error", () => channel.connection.drop())
}
