/** Documents with parts that are made from the code: each part stands between two marks, and everything around it is written by hand. */

const opening = (part: string) => `<!-- made by \`npm run docs\`: ${part} -->`
const CLOSING = "<!-- end -->"

/** The document with new text between the marks of a part. Throws when the marks are missing: they were deleted by mistake. */
export const withPart = (document: string, part: string, text: string): string => {
  const mark = opening(part)
  const start = document.indexOf(mark)
  const end = document.indexOf(CLOSING, start)
  if (start < 0 || end < 0) throw new Error(`The marks ${mark} … ${CLOSING} are missing`)
  return `${document.slice(0, start + mark.length)}\n\n${text.trim()}\n\n${document.slice(end)}`
}

/** A table in Markdown. Bars inside cells are escaped. */
export const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`)
    .join("\n")
