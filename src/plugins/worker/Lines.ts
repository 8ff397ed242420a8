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
}

/** A call of a hook. */
export interface CallLine {
  readonly type: "call"
  readonly id: number
  readonly hook: string
  readonly event: unknown
  readonly delivery: { readonly id: string; readonly attempt: number; readonly again: boolean }
}

/** The answers. */
export type Answer =
  | { readonly type: "loaded"; readonly hooks: ReadonlyArray<string> }
  | { readonly type: "refused"; readonly error: string }
  | { readonly type: "done"; readonly id: number; readonly value: boolean | null }
  | { readonly type: "failed"; readonly id: number; readonly error: string; readonly retry: boolean }
  | { readonly type: "log"; readonly text: string }
  /** The thread has ended. */
  | { readonly type: "ended"; readonly reason: string }
