/** The messages between the server and the process of a plugin: lines of JSON. Types alone, because that process imports nothing. */

/** The first line to the process. */
export interface SetupLine {
  readonly type: "setup"
  readonly name: string
  /** The module, as a URL. */
  readonly file: string
  readonly vars: Readonly<Record<string, unknown>>
  readonly hooks: ReadonlyArray<string>
  readonly seconds: number
  readonly megabytes: number
  /** The most characters of a line of answers. */
  readonly longest: number
}

/** A call of a hook. */
export interface CallLine {
  readonly type: "call"
  readonly id: number
  readonly hook: string
  readonly event: unknown
  readonly delivery: { readonly id: string; readonly attempt: number; readonly again: boolean }
}

/** A step of a check: the commands of a device, or the items in what they have shown. */
export interface CheckLine {
  readonly type: "check"
  readonly id: number
  readonly check: string
  readonly step: "commands" | "items"
  /** What the function gets, apart from its signal. */
  readonly given: Readonly<Record<string, unknown>>
}

/** The answers. */
export type Answer =
  | { readonly type: "loaded"; readonly hooks: ReadonlyArray<string>; readonly checks: ReadonlyArray<string> }
  | { readonly type: "refused"; readonly error: string }
  | { readonly type: "done"; readonly id: number; readonly value: boolean | null }
  /** Whatever a function of a check has answered. */
  | { readonly type: "found"; readonly id: number; readonly value: unknown }
  | { readonly type: "failed"; readonly id: number; readonly error: string; readonly retry: boolean }
  | { readonly type: "log"; readonly text: string }
  /** The thread has ended. */
  | { readonly type: "ended"; readonly reason: string }
