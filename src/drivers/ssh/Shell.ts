/**
 * Runs conversations on an interactive shell (docs/switch-dialogues.md#shell): one at a time, each with a deadline and a limit on
 * what it may receive. A conversation that times out, is interrupted or exceeds its limit leaves the shell unusable, because later
 * answers can no longer be matched to their commands.
 *
 * Settle time. Waiting 20–50 ms after every prompt, to be sure that it is one, would cost more than the commands. A conversation
 * may instead finish at once when the last line is exactly the prompt that the mode has, the echo of the command has been seen and
 * everything received has been consumed. Text that merely looks like a prompt, or that comes without echo, waits. (One case
 * remains: an answer with a line that begins with our own prompt, cut by the network directly after it; the end of a running
 * configuration is checked for this reason.) Late output is dropped before the next command, whose own echo is awaited in turn.
 */
import { Effect } from "effect"
import { CommandTimeout, ConnectionException, type ExchangeError } from "../DriverErrors.ts"
import { TerminalText } from "./TerminalText.ts"
import { spannedAs } from "../../runtime/Spans.ts"

// A part of a dialogue with a switch as a plain state machine: it gets the terminal after every chunk and returns the text to write
// and whether it has ended. No timers, no sockets, no effects, so it can be tested with any chunking; `Shell` runs it.

/**
 * The next step of a conversation. `write` is sent; `settle` requests a call of `quiet` after that many milliseconds without data;
 * `progress` restarts the deadline.
 */
export type Step<A> =
  | { readonly done: false; readonly write?: string; readonly settle?: number; readonly progress?: boolean }
  | { readonly done: true; readonly value: A }

export interface Conversation<A> {
  /** Most characters that it may receive between two `takeLines`; default `mostOfAnswer`. */
  readonly limit?: number
  /** Whether earlier output belongs to it, as the greeting belongs to a login. */
  readonly keepsEarlier?: boolean
  /** The first step. */
  readonly begin: (terminal: TerminalText) => Step<A>
  /** Called after each chunk was added to the terminal. */
  readonly chunk: (terminal: TerminalText) => Step<A>
  /** Called when nothing came for as long as the last step asked. */
  readonly quiet: (terminal: TerminalText) => Step<A>
  /** Called when the connection closes; a value makes that a success. `loggedOut`: the switch has ended the session on its own. */
  readonly closed?: (terminal: TerminalText, loggedOut: boolean) => { readonly value: A } | undefined
}

/** Most characters of an answer that are kept. */
export const mostOfAnswer = 16 * 1024 * 1024

/** Keeps waiting. */
export const waiting = { done: false } as const

// The span of one command (docs/monitoring.md#traces). Its name is the kind of the command: the leading words of it that are in the
// vocabulary below, and nothing else, because a line of a configuration may hold a secret anywhere.

/** Words of commands and of our labels that name the action and never a value. */
const VOCABULARY: ReadonlySet<string> = new Set(
  (
    "login prepare load enable show running-config startup-config session-config sessions configure session terminal commit timer " +
    "abort end exit copy write erase now reload force boot-config boot version inventory lldp neighbors detail interfaces status " +
    "diffs json dir verify delete security pki clock hostname bash install extensions flash " +
    "vtysh change set sh cat sha256sum ip ethtool uname uptime id rm mv cp mkdir for command lldpcli observe candidate check " +
    "commit-timed confirm discard save sessions-while-timed netconf hello lock unlock discard-changes edit-config get-config " +
    "cancel-commit copy-config"
  ).split(" ")
)

const MOST_WORDS = 3

/** The kind of a command, such as `show running-config`; `other` when its first word says nothing. */
export const kindOf = (line: string): string => {
  const words = line
    .slice(0, 100)
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll("'", "").replace(/^.*\//, "").replace(/;$/, ""))
  const unknown = words.findIndex((word) => !VOCABULARY.has(word))
  const known = words.slice(0, Math.min(unknown < 0 ? words.length : unknown, MOST_WORDS))
  return known.length === 0 ? "other" : known.join(" ")
}

/** Makes a span of a command that is given to this device. */
export const commandSpan = (hostname: string, line: string) =>
  spannedAs(() => {
    const kind = kindOf(line)
    return { name: `ssh ${kind}`, attributes: { "device.hostname": hostname, "ssh.command": kind } }
  })

/** A deadline that restarts with progress does so for at most this many times its length. */
const mostDeadlines = 40

const mebibyte = 1024 * 1024

/** The two ends of a terminal, as far as the engine needs them. */
export interface Wire {
  readonly write: (text: string) => void
  /** `loggedOut`: the switch has ended the session on its own, and the connection did not break. */
  readonly listen: (data: (chunk: Uint8Array) => void, closed: (reason: string, loggedOut?: boolean) => void) => void
  readonly destroy: () => void
}

export interface Shell {
  /** Runs a conversation. `label` names it in errors and must be free of secrets; `seconds` is its deadline. */
  readonly converse: <A>(
    label: string,
    seconds: number,
    conversation: Conversation<A>
  ) => Effect.Effect<A, ExchangeError>
  /** Ends the shell and its connection at once. */
  readonly destroy: () => void
}

/** Why a shell can no longer be used, for its errors. */
type Loss = Pick<ConnectionException, "whileDoing" | "message">

interface Listener {
  readonly limit: number
  readonly chunk: () => void
  readonly closed: (error: ConnectionException, loggedOut: boolean) => void
}

/** One run of a conversation: its two timers and the way back to the fiber that waits for it. */
class Run<A> implements Listener {
  readonly limit: number
  readonly #terminal: TerminalText
  readonly #wire: Wire
  readonly #conversation: Conversation<A>
  readonly #timeout: () => ExchangeError
  readonly #finish: (result: Effect.Effect<A, ExchangeError>, usable: boolean) => void
  readonly #deadline: NodeJS.Timeout
  readonly #until: number
  #settle: NodeJS.Timeout | undefined

  constructor(options: {
    readonly terminal: TerminalText
    readonly wire: Wire
    readonly conversation: Conversation<A>
    readonly timeout: () => ExchangeError
    readonly millis: number
    readonly finish: (result: Effect.Effect<A, ExchangeError>, usable: boolean) => void
  }) {
    this.#terminal = options.terminal
    this.#wire = options.wire
    this.#conversation = options.conversation
    this.#timeout = options.timeout
    this.#finish = options.finish
    this.limit = options.conversation.limit ?? mostOfAnswer
    this.#until = performance.now() + options.millis * mostDeadlines
    this.#deadline = setTimeout(() => this.#end(Effect.fail(this.#timeout()), false), options.millis)
  }

  begin(): void {
    this.#follow(this.#conversation.begin(this.#terminal))
  }

  chunk(): void {
    clearTimeout(this.#settle)
    this.#follow(this.#conversation.chunk(this.#terminal))
  }

  closed(error: ConnectionException, loggedOut: boolean): void {
    const accepted = this.#conversation.closed?.(this.#terminal, loggedOut)
    this.#end(accepted === undefined ? Effect.fail(error) : Effect.succeed(accepted.value), false)
  }

  stop(): void {
    clearTimeout(this.#deadline)
    clearTimeout(this.#settle)
  }

  #follow(step: Step<A>): void {
    if (step.done) return this.#end(Effect.succeed(step.value), true)
    if (step.progress === true && performance.now() < this.#until) this.#deadline.refresh()
    if (step.write !== undefined) this.#wire.write(step.write)
    if (step.settle !== undefined) {
      this.#settle = setTimeout(() => this.#follow(this.#conversation.quiet(this.#terminal)), step.settle)
    }
  }

  #end(result: Effect.Effect<A, ExchangeError>, usable: boolean): void {
    this.stop()
    this.#finish(result, usable)
  }
}

class Engine implements Shell {
  readonly #hostname: string
  readonly #address: string
  readonly #wire: Wire
  readonly #terminal = new TerminalText()
  #current: Listener | undefined
  /** The current command, for errors. */
  #label = "session"
  /** An error is made of it for the next caller. */
  #broken: Loss | undefined

  constructor(hostname: string, address: string, wire: Wire) {
    this.#hostname = hostname
    this.#address = address
    this.#wire = wire
    wire.listen(
      (chunk) => this.#receive(chunk),
      (reason, loggedOut) => this.#closed(reason, loggedOut)
    )
  }

  readonly converse = <A>(label: string, seconds: number, conversation: Conversation<A>) =>
    commandSpan(this.#hostname, label)(this.#converse(label, seconds, conversation))

  readonly #converse = <A>(label: string, seconds: number, conversation: Conversation<A>) =>
    Effect.callback<A, ExchangeError>((resume) => {
      if (this.#broken !== undefined) return resume(Effect.fail(this.#lost(this.#broken)))
      if (this.#current !== undefined) {
        return resume(Effect.die(new Error(`"${label}" while another command is running`)))
      }
      const run = this.#start(label, seconds, conversation, resume)
      return Effect.sync(() => {
        this.#current = undefined
        run.stop()
        this.#abandon(label, `"${label}" was interrupted`)
      })
    })

  readonly destroy = (): void => this.#abandon("session", "the session was closed")

  #start<A>(
    label: string,
    seconds: number,
    conversation: Conversation<A>,
    resume: (result: Effect.Effect<A, ExchangeError>) => void
  ): Run<A> {
    if (conversation.keepsEarlier !== true) this.#terminal.clear()
    const hostname = this.#hostname
    const message = `no answer to "${label}" in ${seconds} s`
    const run = new Run<A>({
      terminal: this.#terminal,
      wire: this.#wire,
      conversation,
      millis: seconds * 1000,
      timeout: () => new CommandTimeout({ hostname, command: label, seconds, message }),
      finish: (result, usable) => {
        this.#current = undefined
        this.#label = "session"
        if (!usable) this.#abandon(label, `the session ended during "${label}"`)
        resume(result)
      }
    })
    this.#current = run
    this.#label = label
    run.begin()
    return run
  }

  #receive(chunk: Uint8Array): void {
    if (this.#broken !== undefined) return
    this.#terminal.feed(chunk)
    const limit = this.#current?.limit ?? mostOfAnswer
    if (this.#terminal.size <= limit) return this.#current?.chunk()
    if (this.#current === undefined) return this.#terminal.clear()
    this.#closed(`the answer to "${this.#label}" is longer than ${limit / mebibyte} MiB, and no more is read of it`)
    this.#wire.destroy()
  }

  #closed(reason: string, loggedOut = false): void {
    const broken = this.#break(this.#label, reason)
    this.#current?.closed(this.#lost(broken), loggedOut)
  }

  #abandon(whileDoing: string, message: string): void {
    this.#break(whileDoing, message)
    this.#wire.destroy()
  }

  /** The first reason stays. */
  #break(whileDoing: string, message: string): Loss {
    this.#broken ??= { whileDoing, message }
    return this.#broken
  }

  #lost(loss: Loss): ConnectionException {
    return new ConnectionException({ hostname: this.#hostname, address: this.#address, ...loss })
  }
}

/** A shell on a wire. `hostname` and `address` are for errors. */
export const makeShell = (hostname: string, address: string, wire: Wire): Shell => new Engine(hostname, address, wire)
