/**
 * What the main thread and an SSH worker say to each other, as plain data. A call has a number that its answer, its log
 * lines and its interruption bear. The main thread numbers the sessions; `open` and `close` are calls as well.
 */
import type { LogLevel } from "effect"
import type { Answer } from "./Operation.ts"

/** To the worker. `Stop` ends all calls and sessions, and then the worker. */
export type ToWorker =
  | {
      readonly _tag: "Call"
      readonly id: number
      readonly session: number
      readonly operation: string
      readonly args: unknown
    }
  | { readonly _tag: "Interrupt"; readonly id: number }
  | { readonly _tag: "Stop" }

export type Call = Extract<ToWorker, { _tag: "Call" }>

/** Details of a log line under their names. */
export type LogDetails = Readonly<Record<string, string | number | boolean>>

/** A part of a log line. */
export type LogPart = string | LogDetails

/** A line that was logged during a call; null when none can be named. */
export interface LogLine {
  readonly _tag: "Log"
  readonly call: number | null
  readonly level: LogLevel.Severity
  readonly parts: ReadonlyArray<LogPart>
  readonly annotations: LogDetails
}

/** From the worker. Every call is answered once, an interrupted one when its work has ended. */
export type FromWorker = LogLine | { readonly _tag: "Answer"; readonly id: number; readonly answer: Answer }

/** What a worker is started with. */
export interface WorkerStart {
  readonly logLevel: LogLevel.LogLevel
  readonly limits: WorkerLimits
}

/** The part of the connection limits that a worker keeps itself; how many sessions may be open the main thread sees to. */
export interface WorkerLimits {
  /** Handshakes at once in this worker. */
  readonly maxHandshakes: number
  /** Port of a target without one. */
  readonly port: number
  /** Rules as in `SSH_ADDRESS_MAP`. */
  readonly addressMap: string
  /** Further attempts after a refused TCP connection, and the seconds between. */
  readonly refusedRetries?: number
  readonly refusedDelay?: number
}
