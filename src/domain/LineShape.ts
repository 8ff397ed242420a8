/**
 * The shape of a line: its words with `#` for each number, so that what is learnt of one line counts for all that differ in
 * numbers only. A spelling is remembered as the shape that is shown, with the numbers in the order in which they were given.
 */

const number = /\d+/g

/** The line with `#` for each number. */
export const shapeOf = (line: string): string => line.replaceAll(number, "#")

/** A line below its headings, as one text. The numbers of headings never matter. */
export const placed = (sections: ReadonlyArray<string>, line: string): string =>
  [...sections.map(shapeOf), line].join("\n")

/**
 * What is remembered when `line` is shown as these lines: a shape where all numbers of the line come back in their order, else
 * the lines themselves, which count for just this line.
 */
export const learnt = (
  line: string,
  shown: ReadonlyArray<string>
): { readonly line: string; readonly shown: string } => {
  const given = line.match(number) ?? []
  const text = shown.join("\n")
  // that one value is a default says nothing of others
  if (shown.length === 0) return { line, shown: "" }
  const isSame = (text.match(number) ?? []).join(" ") === given.join(" ")
  return isSame && !line.includes("#") ? { line: shapeOf(line), shown: shapeOf(text) } : { line, shown: text }
}

/** The lines that are shown for `line` by a remembered spelling of its shape. */
export const filled = (line: string, shown: string): ReadonlyArray<string> => {
  const given = line.match(number) ?? []
  let next = 0
  return shown.replaceAll("#", () => given[next++] ?? "#").split("\n")
}
