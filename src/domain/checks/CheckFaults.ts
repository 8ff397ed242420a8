/** The mistakes of `checks.yml` while it is read: each with the keys that lead to it. Pure. */
import { Result } from "effect"
import { searchFor } from "./Check.ts"

/** A mistake, and the keys that lead to it; `onKey`: it is about the last key itself. */
export interface CheckFault {
  readonly path: ReadonlyArray<string>
  readonly message: string
  readonly onKey?: boolean
}

type Path = ReadonlyArray<string>
type Data = Readonly<Record<string, unknown>>

/** A mapping of the file. */
export const isData = (value: unknown): value is Data =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A list of texts, with at least one. */
export const isTexts = (value: unknown): value is ReadonlyArray<string> =>
  Array.isArray(value) && value.length > 0 && value.every((text) => typeof text === "string" && text !== "")

/** A value for a message. */
export const shown = (value: unknown): string => {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "nothing")
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** Collects the faults of one check. */
export class CheckReader {
  readonly faults: Array<CheckFault> = []
  readonly #base: Path

  constructor(base: Path) {
    this.#base = base
  }

  fault(path: Path, message: string, onKey = false): undefined {
    this.faults.push({ path: [...this.#base, ...path], message, ...(onKey ? { onKey } : {}) })
    return undefined
  }

  unknownKeys(path: Path, data: Data, known: ReadonlyArray<string>): void {
    for (const key of Object.keys(data)) {
      if (!known.includes(key)) this.fault([...path, key], `unknown key, known are ${known.join(", ")}`, true)
    }
  }

  oneOf<A extends string>(path: Path, value: unknown, known: ReadonlyArray<A>): A | undefined {
    const found = known.find((one) => one === value)
    return found ?? this.fault(path, `${shown(value)} is not one of ${known.join(", ")}`)
  }

  pattern(path: Path, value: unknown): string | null | undefined {
    if (value === undefined) return null
    if (typeof value !== "string" || value === "") return this.fault(path, "must be a regular expression")
    const compiled = searchFor(value)
    return Result.isFailure(compiled) ? this.fault(path, `is no regular expression: ${compiled.failure}`) : value
  }
}
