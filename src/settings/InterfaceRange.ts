/**
 * Names of several interfaces in one: `Ethernet[1-4]`, `Ethernet[49-52]/1`, `Ethernet[1-2]/[1-2]`
 * (docs/settings-repository.md#interface-ranges).
 */

/** More interfaces than any switch has. */
const MAX_EXPANSION = 4_096

const BRACKET = /\[([0-9]+)(?:-([0-9]+))?\]/g

interface Span {
  readonly before: string
  readonly low: number
  readonly high: number
}

/** The brackets of a name with the text before each, and the text after the last. */
const parse = (name: string): { readonly spans: ReadonlyArray<Span>; readonly rest: string } => {
  let end = 0
  const spans = [...name.matchAll(BRACKET)].map((match) => {
    const before = name.slice(end, match.index)
    end = match.index + match[0].length
    return { before, low: Number(match[1]), high: Number(match[2] ?? match[1]) }
  })
  return { spans, rest: name.slice(end) }
}

const sizeOf = ({ high, low }: Span): number => Math.max(0, high - low + 1)

/** Nothing, or the message for a name that stands for more interfaces than can exist. */
export const interfaceRangeFault = (name: string): string | undefined => {
  const size = parse(name).spans.reduce((product, span) => product * sizeOf(span), 1)
  return size > MAX_EXPANSION
    ? `Value error, Interface range stands for more than ${MAX_EXPANSION} interfaces`
    : undefined
}

/**
 * The names that a range stands for, in order; several brackets multiply out, the last one running fastest. A name
 * without brackets stands for itself, a range that runs backwards for nothing.
 */
export const expandInterfaceRange = (name: string): ReadonlyArray<string> => {
  if (interfaceRangeFault(name) !== undefined) return []
  const { rest, spans } = parse(name)
  return spans
    .reduce<ReadonlyArray<string>>(
      (heads, span) =>
        heads.flatMap((head) =>
          Array.from({ length: sizeOf(span) }, (_, step) => `${head}${span.before}${span.low + step}`)
        ),
      [""]
    )
    .map((head) => head + rest)
}

/** The interfaces of a device's settings, one entry for each name, in the order of the file. */
export const expandInterfaces = <A extends { readonly name: string }>(interfaces: ReadonlyArray<A>): ReadonlyArray<A> =>
  interfaces.flatMap((one) => expandInterfaceRange(one.name).map((name) => ({ ...one, name })))
