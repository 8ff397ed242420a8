/** Reads a line of the manual: code, links, strong and emphasized words. Pure. */

export type Inline =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "code"; readonly text: string }
  | { readonly type: "break" }
  | { readonly type: "strong" | "em"; readonly parts: ReadonlyArray<Inline> }
  | { readonly type: "link"; readonly link: string; readonly parts: ReadonlyArray<Inline> }

const PATTERN =
  /(`+)(?<code>.+?)\1(?!`)|\[(?<label>(?:[^[\]]|\[[^\]]*\])+)\]\((?<link>[^)\s]+)\)|\*\*(?<strong>.+?)\*\*|(?<![\w*])\*(?<em>[^*\s](?:[^*]*[^*\s])?)\*(?!\w)|<(?<url>https?:[^>\s]+)>|(?<br><br>)/g

const partOf = (groups: Readonly<Record<string, string | undefined>>): Inline => {
  const { code, em, label, link, strong, url } = groups
  if (code !== undefined) return { type: "code", text: code.replace(/^ (`.*`) $/, "$1") }
  if (label !== undefined && link !== undefined) return { type: "link", link, parts: inlineOf(label) }
  if (strong !== undefined) return { type: "strong", parts: inlineOf(strong) }
  if (em !== undefined) return { type: "em", parts: inlineOf(em) }
  if (url !== undefined) return { type: "link", link: url, parts: [{ type: "text", text: url }] }
  return { type: "break" }
}

/** The parts of a line. */
export const inlineOf = (line: string): ReadonlyArray<Inline> => {
  const parts: Array<Inline> = []
  let at = 0
  for (const found of line.matchAll(PATTERN)) {
    if (found.index > at) parts.push({ type: "text", text: line.slice(at, found.index) })
    parts.push(partOf(found.groups ?? {}))
    at = found.index + found[0].length
  }
  if (at < line.length) parts.push({ type: "text", text: line.slice(at) })
  return parts
}

/** The line without its markup. */
export const plainOf = (line: string): string =>
  inlineOf(line)
    .map((part) => (part.type === "break" ? " " : "text" in part ? part.text : part.parts.map(textOf).join("")))
    .join("")

const textOf = (part: Inline): string =>
  part.type === "break" ? " " : "text" in part ? part.text : part.parts.map(textOf).join("")
