/**
 * A NETCONF session on the subsystem of an SSH connection: one request at a time, each with a deadline. Notifications are no
 * replies and are passed over. What cannot be understood ends the session, because no later answer could be told from it; so does a
 * missed deadline.
 */
import { Effect, Result, type Scope } from "effect"
import type { ClientChannel } from "ssh2"
import { type DriverTarget, insistOnClaim } from "../Driver.ts"
import { CommandTimeout, ConnectionException, type ExchangeError, UnexpectedAnswer } from "../DriverErrors.ts"
import { commandSpan } from "../ssh/Shell.ts"
import type { Transport } from "../ssh/Transport.ts"
import { framed, Framer } from "./Framing.ts"
import { type Hello, hello, readHello, readReply, type Reply, request, RpcRefused } from "./Messages.ts"
import { type Element, parse } from "./Xml.ts"

export type RpcFailure = ExchangeError | UnexpectedAnswer | RpcRefused

export interface NetconfOptions {
  /** The deadline of a request without its own. */
  readonly seconds: number
  /** Replaces texts that a release is known to break, in a message that is not well-formed. */
  readonly mend?: (message: string) => string
  /** Whether a message that is not UTF-8 is read, with marks in the place of such bytes. Left out: it ends the session. */
  readonly readsMarked?: (message: string) => boolean
  /** Default `netconf`. */
  readonly subsystem?: string
}

export interface NetconfSession {
  readonly target: DriverTarget
  readonly hello: Hello
  /**
   * Sends a request and waits for its reply. `label` names it in errors and is free of secrets. `behind`: further requests in the same
   * packet, which the server does even if it can be reached no more after the first one; what it answers to them is passed over.
   */
  readonly rpc: (
    label: string,
    body: string,
    seconds?: number,
    behind?: ReadonlyArray<string>
  ) => Effect.Effect<Reply, RpcFailure>
  /** Drops the connection without a goodbye. */
  readonly hangUp: () => void
}

type Answer = Effect.Effect<Element, ExchangeError | UnexpectedAnswer>

/** Why a session can no longer be used. */
interface Loss {
  readonly message: string
  /** The server answers, but not in a form that is understood. */
  readonly isUnclear: boolean
}

/** What is asked at the moment. */
interface Question {
  readonly label: string
  /** The message that is no answer to it; null for one that is. */
  readonly objects: (element: Element) => string | null
  /** The numbers of the requests that were sent behind it. Their replies are passed over. */
  readonly behind: ReadonlyArray<number>
  readonly finish: (answer: Answer) => void
}

/** A request with its number. */
interface Numbered {
  readonly id: number
  readonly message: string
}

class Exchange {
  readonly #target: DriverTarget
  readonly #channel: ClientChannel
  readonly #transport: Transport
  readonly #options: Pick<NetconfOptions, "mend" | "readsMarked">
  readonly #framer = new Framer()
  #question: Question | undefined
  #loss: Loss | undefined
  /** The numbers of the next replies that are to be passed over. */
  #unwanted: ReadonlyArray<number> = []
  #isListening = false

  constructor(
    target: DriverTarget,
    channel: ClientChannel,
    transport: Transport,
    options: Pick<NetconfOptions, "mend" | "readsMarked">
  ) {
    this.#target = target
    this.#channel = channel
    this.#transport = transport
    this.#options = options
    channel.stderr.resume()
    // the close that follows is what counts
    channel.on("error", () => undefined)
    channel.once("close", () =>
      transport.inTurn(() => this.#lose({ message: "the switch closed the session", isUnclear: false }))
    )
  }

  /** Begins to read, when the first question is put: the server's hello comes without being asked for. */
  #listen(): void {
    if (this.#isListening) return
    this.#isListening = true
    this.#channel.on("data", (bytes: Uint8Array) => this.#transport.inTurn(() => this.#receive(bytes)))
  }

  /** Everything behind the hellos is framed in this way. */
  agree({ framing }: Hello): void {
    this.#framer.framing = framing
  }

  /** Sends a message and those behind it, and waits for the next one that is no notification. */
  ask(
    label: string,
    message: string,
    seconds: number,
    objects: Question["objects"],
    behind: ReadonlyArray<Numbered> = []
  ): Answer {
    return Effect.callback<Element, ExchangeError | UnexpectedAnswer>((resume) => {
      if (this.#loss !== undefined) return resume(Effect.fail(this.#failure(this.#loss, label)))
      if (this.#question !== undefined) {
        return resume(Effect.die(new Error(`"${label}" while another request waits for its reply`)))
      }
      const { hostname } = this.#target
      const timer = setTimeout(() => {
        const late = new CommandTimeout({ hostname, command: label, seconds, message: `no answer in ${seconds} s` })
        this.#end(Effect.fail(late))
        this.#lose({ message: late.message, isUnclear: false })
      }, seconds * 1000)
      const finish = (answer: Answer) => {
        clearTimeout(timer)
        resume(answer)
      }
      this.#question = { label, objects, behind: behind.map(({ id }) => id), finish }
      this.#listen()
      const sent = [message, ...behind.map((one) => one.message)]
        .map((one) => framed(this.#framer.framing, one))
        .join("")
      if (this.#channel.writable) this.#channel.write(sent)
      return Effect.sync(() => {
        clearTimeout(timer)
        this.#question = undefined
        this.#lose({ message: `"${label}" was interrupted`, isUnclear: false })
      })
    })
  }

  #receive(bytes: Uint8Array): void {
    this.#framer.push(bytes)
    while (this.#loss === undefined) {
      const found = this.#framer.next()
      if (found === undefined) return
      if ("fault" in found) return this.#lose({ message: found.fault, isUnclear: true })
      if (found.notUtf8 === true && this.#options.readsMarked?.(found.message) !== true)
        return this.#lose({ message: "a message is not UTF-8", isUnclear: true })
      const read = this.#read(found.message)
      if (Result.isFailure(read)) return this.#lose({ message: read.failure, isUnclear: true })
      if (read.success.name !== "notification") this.#take(read.success)
    }
  }

  #read(message: string): Result.Result<Element, string> {
    const { mend } = this.#options
    const read = parse(message)
    const mended = Result.isFailure(read) && mend !== undefined ? parse(mend(message)) : read
    return Result.mapError(mended, (fault) => `its XML is refused at line ${fault.line}: ${fault.message}`)
  }

  #take(element: Element): void {
    const [next, ...later] = this.#unwanted
    if (next !== undefined && objectsToReply(next)(element) === null) {
      this.#unwanted = later
      return
    }
    const { objects } = this.#question ?? { objects: () => "nothing was asked" }
    const objection = objects(element)
    if (objection === null) {
      this.#unwanted = this.#question?.behind ?? []
      return this.#end(Effect.succeed(element))
    }
    this.#lose({ message: `the switch sent "${element.name}", but ${objection}`, isUnclear: true })
  }

  #end(answer: Answer): void {
    const question = this.#question
    this.#question = undefined
    question?.finish(answer)
  }

  /** The first reason stays. */
  #lose(loss: Loss): void {
    this.#loss ??= loss
    this.#end(Effect.fail(this.#failure(this.#loss, this.#question?.label ?? "session")))
    this.#transport.destroy()
  }

  #failure({ isUnclear, message }: Loss, whileDoing: string): ExchangeError | UnexpectedAnswer {
    const { address, hostname } = this.#target
    return isUnclear
      ? new UnexpectedAnswer({ hostname, command: whileDoing, message })
      : new ConnectionException({ hostname, address, whileDoing, message })
  }
}

/** A reply belongs to the request that waits; errors of some servers have no number. */
const objectsToReply =
  (id: number) =>
  ({ attributes, name }: Element): string | null => {
    if (name !== "rpc-reply") return "a reply belongs here"
    const given = attributes.get("message-id")
    return given === undefined || given === String(id) ? null : `it answers request ${given} and not ${id}`
  }

const HELLO = "netconf hello"

/** Opens the subsystem and exchanges the hellos. The session ends with the connection. */
export const openSession: (
  target: DriverTarget,
  transport: Transport,
  options: NetconfOptions
) => Effect.Effect<NetconfSession, ExchangeError, Scope.Scope> = Effect.fnUntraced(
  function* (target, transport, { seconds: usual, subsystem = "netconf", ...options }) {
    const { address, hostname } = target
    yield* insistOnClaim(target, HELLO)
    const exchange = new Exchange(target, yield* transport.subsystem(subsystem), transport, options)
    const said = yield* exchange.ask(HELLO, hello, usual, () => null)
    const announced = readHello(said)
    if (Result.isFailure(announced)) {
      const message = `the answer of the subsystem is not understood: ${announced.failure}`
      return yield* new ConnectionException({ hostname, address, whileDoing: HELLO, message })
    }
    exchange.agree(announced.success)
    let id = 0
    const numbered = (body: string): Numbered => {
      id += 1
      return { id, message: request(id, body) }
    }
    const rpc: NetconfSession["rpc"] = (label, body, seconds = usual, behind = []) =>
      Effect.gen(function* () {
        yield* insistOnClaim(target, label)
        const { id: number, message } = numbered(body)
        const element = yield* exchange.ask(label, message, seconds, objectsToReply(number), behind.map(numbered))
        return yield* Effect.fromResult(readReply(element))
      }).pipe(commandSpan(hostname, label))
    return { target, hello: announced.success, rpc, hangUp: transport.destroy }
  },
  (opening, target) =>
    Effect.catchTag(opening, "UnexpectedAnswer", ({ hostname, message }) =>
      Effect.fail(new ConnectionException({ hostname, address: target.address, whileDoing: HELLO, message }))
    )
)
