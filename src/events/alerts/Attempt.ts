/** What came of one attempt to hand a message to a receiver. `answer` has no secrets once it is kept. */
export type Attempt =
  | { readonly _tag: "Sent"; readonly answer: string }
  /** Trying again may help; the receiver may ask for a time, in milliseconds. */
  | { readonly _tag: "Failed"; readonly answer: string; readonly retryAfter: number | null }
  /** Trying again does not help. */
  | { readonly _tag: "Refused"; readonly answer: string }

/** An attempt that came to nothing, for now. */
export const failed = (answer: string): Attempt => ({ _tag: "Failed", answer, retryAfter: null })
