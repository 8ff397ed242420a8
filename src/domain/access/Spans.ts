/** Spans of time, and what is in several lists of them. Lists are sorted, and their spans do not touch. Pure. */

/** From an instant until before another one, both in milliseconds since 1970. */
export interface Span {
  readonly from: number
  readonly to: number
}

export type Spans = ReadonlyArray<Span>

/** What is in any of these spans, in whatever order they come. */
export const union = (spans: Spans): Spans => {
  const joined: Array<Span> = []
  for (const span of spans.filter(({ from, to }) => from < to).toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && span.from <= last.to) {
      joined[joined.length - 1] = { from: last.from, to: Math.max(last.to, span.to) }
    } else joined.push(span)
  }
  return joined
}

/** What is in both lists. */
export const common = (a: Spans, b: Spans): Spans =>
  union(
    a.flatMap((one) => b.map((other) => ({ from: Math.max(one.from, other.from), to: Math.min(one.to, other.to) })))
  )

/** What is in the span and in none of the list. */
export const outside = (spans: Spans, { from, to }: Span): Spans => {
  const starts = [from, ...spans.map((span) => span.to)]
  const ends = [...spans.map((span) => span.from), to]
  return common(
    starts.map((start, index) => ({ from: start, to: ends[index] ?? to })),
    [{ from, to }]
  )
}

/** The span that an instant is in. */
export const spanAt = (spans: Spans, instant: number): Span | undefined =>
  spans.find(({ from, to }) => from <= instant && instant < to)
