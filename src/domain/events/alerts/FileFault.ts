/** What is wrong with `alerts.yml`, by the keys that lead to it; its place in the text is found by whoever has the text. Pure. */
import { Result } from "effect"

export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** A refusal of what is at these keys. */
export const fault = (path: ReadonlyArray<string>, message: string): Result.Result<never, Fault> =>
  Result.fail({ path, message })

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const MOST = 30 * 86_400_000

/** Milliseconds of a time such as `30s`, `10m`, `2h` or `1d`; at most 30 days. */
export const readDuration = (path: ReadonlyArray<string>, text: string): Result.Result<number, Fault> => {
  const [, count, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const found = Number(count) * (UNITS[unit] ?? Number.NaN)
  return found <= MOST
    ? Result.succeed(found)
    : fault(path, `${text} is no time such as 30s, 10m, 2h or 1d, of 30 days at most`)
}
