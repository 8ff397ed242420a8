/** The contents of an event, field by field. Pure. */

/** A changed field: its values before and after; texts verbatim, everything else as JSON, `""` for nothing. */
export interface Changed {
  readonly field: string
  readonly before: string
  readonly after: string
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value : JSON.stringify(value)
}

type Data = Readonly<Record<string, unknown>>

/** Fields with their values before and after. */
export const changedIn = ({ after, before }: Data): ReadonlyArray<Changed> => {
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  const fields = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...fields].map((field) => ({ field, before: textOf(old[field]), after: textOf(now[field]) }))
}

/** The other contents of the event. */
export const restOf = (data: Data): ReadonlyArray<readonly [name: string, text: string]> =>
  Object.entries(data).flatMap(([name, value]) => {
    if ((name === "before" || name === "after") && (isRecord(value) || value === null)) return []
    const text = textOf(value)
    return text === "" ? [] : [[name, text] as const]
  })

const LONGEST = 90

/** The event in a line. */
export const inShort = (data: Data): string => {
  const changed = changedIn(data).map(({ after, before, field }) => `${field}: ${before || "–"} → ${after || "–"}`)
  const rest = restOf(data)
    .filter(([name]) => name !== "key")
    .map(([name, text]) => `${name}: ${text}`)
  const text = [...changed, ...rest].join(", ")
  return text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text
}
