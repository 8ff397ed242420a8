/**
 * How a device with Junos is asked, and how its answers are read: of one routing engine or of several, with blanks around values, and
 * with errors in the newer and in the older form.
 */
import { Effect } from "effect"
import type { DriverTarget, DriverTimeouts } from "../Driver.ts"
import { CommandRejected, type ReadError, UnexpectedAnswer } from "../DriverErrors.ts"
import { describe, type RpcError, RpcRefused } from "../netconf/Messages.ts"
import type { NetconfSession } from "../netconf/Session.ts"
import { child, type Element, findAll, textOf } from "../netconf/Xml.ts"
import { maskSecrets } from "../SecretMask.ts"
import { MOST_SHOWN } from "../Verbs.ts"
import { asking, commandAsText, type Options, type Question } from "./Dialect.ts"

/** A login on a device. */
export interface Junos {
  readonly target: DriverTarget
  readonly timeouts: DriverTimeouts
  /** The device's number of this login: that of its process. */
  readonly sessionId: string
  /** Sends a request; an error in either form refuses it. `label` names it in errors. */
  readonly rpc: NetconfSession["rpc"]
  /** The same for what is shown; what routing engines do not answer is left out. */
  readonly ask: (label: string, body: string, seconds?: number) => Effect.Effect<Element, ReadError>
  readonly hangUp: () => void
}

/** Some releases, and tools in between, leave its namespace out. */
const isOlderForm = (element: Element): boolean =>
  element.uri.includes("/xnm/") || child(element, "message") !== undefined

/** Errors or warnings of the older form, which stand beside those of the protocol. */
const olderOnes = (reply: Element, severity: "error" | "warning"): ReadonlyArray<RpcError> =>
  findAll(reply, severity)
    .filter(isOlderForm)
    .map((error) => ({
      severity,
      tag: "operation-failed",
      path: textOf(error, "edit-path"),
      message: maskSecrets(textOf(error, "message")),
      badElement: textOf(error, "statement") || textOf(error, "token"),
      sessionId: ""
    }))

/** A routing engine, or a member of a virtual chassis, that is off or starts does not answer; the others do. */
const silentEngine = /^(?:error: )?could not connect to (\S+)/i

/**
 * What a device says in the place of the table of a protocol that its configuration does not switch on. Without the name of the protocol
 * it may also mean that the release has no such question for all instances.
 */
const idle = /\bOSPF3? instance is not running\b|\bBGP is not running\b|\bnot running - not needed by configuration\b/i

/** The answer of those that did answer, or that there is nothing to show, if nothing else is wrong. */
const partOf = ({ element, errors }: RpcRefused): Element | null => {
  if (errors.every(({ message }) => idle.test(message))) return element
  const isPart = findAll(element, "multi-routing-engine-item").length > 0
  return isPart && errors.every(({ message }) => silentEngine.test(message)) ? element : null
}

/** Whether an answer says that the device does not run the protocol: as a text, as a warning, or as an error. */
export const isIdle = (answer: Element): boolean =>
  ["output", "message", "error-message"].some((name) => findAll(answer, name).some(({ text }) => idle.test(text)))

const isDenied = ({ errors }: RpcRefused): boolean =>
  errors.some(({ message, tag }) => tag === "access-denied" || /permission denied|not authorized/i.test(message))

/** A refused question. */
export const refusal = (hostname: string, label: string, refused: RpcRefused): CommandRejected =>
  new CommandRejected({
    hostname,
    command: label,
    message: refused.message,
    ...(isDenied(refused) && { denied: true })
  })

export const makeJunos = (netconf: NetconfSession, timeouts: DriverTimeouts): Junos => {
  const { target } = netconf
  const { hostname } = target
  const rpc: Junos["rpc"] = Effect.fnUntraced(function* (label, body, seconds = timeouts.show, behind) {
    const reply = yield* netconf.rpc(label, body, seconds, behind)
    const errors = olderOnes(reply.element, "error")
    const [first] = errors
    if (first === undefined) return { ...reply, warnings: [...reply.warnings, ...olderOnes(reply.element, "warning")] }
    return yield* new RpcRefused({ message: describe(first), errors, element: reply.element })
  })
  const ask: Junos["ask"] = (label, body, seconds) =>
    rpc(label, body, seconds).pipe(
      Effect.map(({ element }) => element),
      Effect.catchTag("RpcRefused", (refused) => {
        const part = partOf(refused)
        return part === null ? Effect.fail(refusal(hostname, label, refused)) : Effect.succeed(part)
      })
    )
  return { target, timeouts, sessionId: netconf.hello.sessionId, rpc, ask, hangUp: netconf.hangUp }
}

/** Asks what is shown for a question. */
export const show = ({ ask }: Junos, question: Question, options?: Options): Effect.Effect<Element, ReadError> =>
  ask(question, asking(question, options))

/** The same, where a device may lack what is asked for: null when it refuses the question. */
export const showIfKnown = (junos: Junos, question: Question, options?: Options) =>
  Effect.catchTag(show(junos, question, options), "CommandRejected", (rejected) =>
    rejected.denied === true ? Effect.fail(rejected) : Effect.succeed(null)
  )

/** The error for an answer that lacks what decides. */
export const unexpected = ({ target }: Junos, label: string, message: string): UnexpectedAnswer =>
  new UnexpectedAnswer({
    hostname: target.hostname,
    command: label,
    message: `the answer to ${label} is not understood: ${message}`
  })

/** The part of an answer that comes from one routing engine or member, such as `re0` or `fpc1`; empty on a device with one. */
export interface EnginePart {
  readonly engine: string
  readonly element: Element
}

/** Whether a part is that of a member of a virtual chassis; `localre` is the member that answers. */
export const isMember = ({ engine }: EnginePart): boolean => /^(?:(?:fpc|member)\d|localre$)/.test(engine)

/** All elements of this name, with the engines that say them. */
export const partsOf = (reply: Element, name: string): ReadonlyArray<EnginePart> => {
  const items = findAll(reply, "multi-routing-engine-item")
  if (items.length === 0) return findAll(reply, name).map((element) => ({ engine: "", element }))
  return items.flatMap((item) => findAll(item, name).map((element) => ({ engine: textOf(item, "re-name"), element })))
}

/** The text at the end of a path of names; null where there is none. */
export const textAt = (element: Element | undefined, ...path: ReadonlyArray<string>): string | null => {
  const found = path.reduce<Element | undefined>((at, name) => child(at, name), element)
  const text = found?.text.trim() ?? ""
  return text === "" ? null : text
}

/** The first text of these names; null without any. */
export const firstText = (element: Element | undefined, ...names: ReadonlyArray<string>): string | null => {
  for (const name of names) {
    const text = textAt(element, name)
    if (text !== null) return text
  }
  return null
}

/** A number that a text begins with, with commas between its thousands or not; null for any other text. */
export const numberIn = (text: string | null): number | null => {
  const found = /^-?\d[\d,]*(?:\.\d+)?/.exec(text ?? "")?.[0]
  return found === undefined ? null : Number(found.replaceAll(",", ""))
}

/** Seconds that stand beside a time in words; null where the release gives none. */
export const secondsOf = (element: Element | undefined): number | null =>
  numberIn(element?.attributes.get("seconds") ?? null)

/** An interface without its unit 0. */
export const portOf = (name: string): string => name.trim().replace(/\.0$/, "")

/** The port of an interface, whatever its unit. */
export const physicalOf = (name: string): string => name.trim().replace(/\.\d+$/, "")

/** What a read-only command shows as text, of each routing engine or member below its name. */
export const shown = (junos: Junos, command: string): Effect.Effect<string, ReadError> =>
  Effect.gen(function* () {
    const label = maskSecrets(command)
    const reply = yield* junos.ask(label, commandAsText(command))
    const parts = ["output", "configuration-output"].flatMap((name) => partsOf(reply, name))
    if (parts.length === 0 && reply.children.length > 0) return yield* unexpected(junos, command, "it shows no text")
    const text = parts
      .map(({ element, engine }) => (engine === "" ? element.text : `${engine}:\n${element.text}`))
      .join("\n")
      .replace(/^\n/, "")
    if (text.length <= MOST_SHOWN) return text
    return yield* unexpected(junos, label, `it has more than ${MOST_SHOWN} characters`)
  })
