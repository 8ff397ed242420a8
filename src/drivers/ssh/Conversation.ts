/**
 * A piece of dialogue with a switch as a plain state machine: it is shown the terminal after every chunk and says what to
 * write and whether it is over. No timers, no sockets, no effects, so that it can be tested with any chunking; `Shell`
 * runs it.
 */
import type { TerminalText } from "./TerminalText.ts"

/**
 * What a conversation wants next. `write` is sent; `settle` asks for `quiet` to be called after that many milliseconds
 * without data; `progress` starts the deadline afresh.
 */
export type Step<A> =
  | { readonly done: false; readonly write?: string; readonly settle?: number; readonly progress?: boolean }
  | { readonly done: true; readonly value: A }

export interface Conversation<A> {
  /** Most characters that it may receive between two `takeLines`; default `mostOfAnswer`. */
  readonly limit?: number
  /** Whether what arrived before it began belongs to it, as the greeting belongs to a login. */
  readonly keepsEarlier?: boolean
  /** What to write first. */
  readonly begin: (terminal: TerminalText) => Step<A>
  /** Called after each chunk was added to the terminal. */
  readonly chunk: (terminal: TerminalText) => Step<A>
  /** Called when nothing came for as long as the last step asked. */
  readonly quiet: (terminal: TerminalText) => Step<A>
  /** Called when the connection closes; a value makes that a success. `loggedOut`: the switch has ended the session by itself. */
  readonly closed?: (terminal: TerminalText, loggedOut: boolean) => { readonly value: A } | undefined
}

/** Most characters of an answer that are kept. */
export const mostOfAnswer = 16 * 1024 * 1024

/** Keeps waiting. */
export const waiting = { done: false } as const
