/** Text filters behind `|`: include, exclude, begin, section, grep, no-more. */
import { expression } from "../Pattern.ts"

const FILTERS: Readonly<Record<string, (text: string, rest: string) => string>> = {
  "no-more": (text) => text,
  include: (text, rest) => keep(text, (line) => expression(rest).test(line)),
  exclude: (text, rest) => keep(text, (line) => !expression(rest).test(line)),
  begin: (text, rest) => {
    const lines = text.split("\n")
    const from = lines.findIndex((line) => expression(rest).test(line))
    return from < 0 ? "" : lines.slice(from).join("\n")
  },
  section: (text, rest) => sections(text, expression(rest)),
  grep: (text, rest) => grep(text, rest)
}

/** Applies `filter` (such as `include Ethernet`) to a text; an unknown filter is an error text. */
export const applyFilter = (text: string, filter: string): string => {
  const [, word = "", rest = ""] = /^(\S+)\s*(.*)$/.exec(filter) ?? []
  const names = Object.keys(FILTERS).filter((name) => name.startsWith(word))
  const apply = FILTERS[names.length === 1 ? (names[0] ?? "") : word]
  return apply === undefined || word === ""
    ? `% Invalid input (at token 0: '${word}')\n`
    : apply(text, unquote(rest.trim()))
}

const unquote = (text: string) => /^"(.*)"$/.exec(text)?.[1] ?? /^'(.*)'$/.exec(text)?.[1] ?? text

const keep = (text: string, test: (line: string) => boolean) =>
  text
    .split("\n")
    .filter((line) => line !== "" && test(line))
    .map((line) => `${line}\n`)
    .join("")

const grep = (text: string, rest: string): string => {
  const [, flags = "", pattern = ""] = /^((?:-\w+\s+)*)(.*)$/.exec(rest) ?? []
  const search = expression(unquote(pattern))
  if (flags.includes("o")) {
    const all = new RegExp(search.source, "g")
    return (text.match(all) ?? [])
      .filter((match) => match !== "")
      .map((match) => `${match}\n`)
      .join("")
  }
  return keep(text, (line) => search.test(line) !== flags.includes("v"))
}

const sections = (text: string, search: RegExp): string => {
  let inside = false
  return keep(text, (line) => {
    if (!line.startsWith(" ")) inside = search.test(line)
    return inside && line !== "!"
  })
}
