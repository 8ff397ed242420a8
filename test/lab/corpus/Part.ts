/** Parts of a configuration: lines, and sections of lines, written as a switch prints them. */

/** A line, or a section: its first line and what is inside. */
export type Part = string | Section
export interface Section {
  readonly head: string
  readonly inside: ReadonlyArray<Part>
}

/** A section. */
export const section = (head: string, ...inside: ReadonlyArray<Part | ReadonlyArray<Part>>): Section => ({
  head,
  inside: inside.flat()
})

/** One part for each number from `first` on. */
export const each = <A>(count: number, make: (index: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, index) => make(index))

const written = (part: Part, indent: string): ReadonlyArray<string> => {
  if (typeof part === "string") return part.split("\n").map((line, index) => (index === 0 ? indent + line : line))
  const lines = part.inside.filter((inner) => typeof inner === "string")
  const sections = part.inside.filter((inner) => typeof inner !== "string")
  const inner = `${indent}   `
  return [
    indent + part.head,
    ...lines.flatMap((line) => written(line, inner)),
    ...sections.flatMap((each) => [`${inner}!`, ...written(each, inner)])
  ]
}

/** The parts as the text of a configuration. */
export const textOf = (parts: ReadonlyArray<Part>): string =>
  `${parts.flatMap((part) => ["!", ...written(part, "")]).join("\n")}\n!\n`
