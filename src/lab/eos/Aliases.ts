/** Words of a site's own that stand for commands: `alias <name> <command>`, or a section of numbered commands. */
import type { Entry } from "./ConfigTree.ts"
import type { Shell } from "./Shell.ts"
import { firstWord } from "./Words.ts"

const LINE = /^alias (\S+) (.+)$/

/** Commands by alias, from a printed configuration. */
export const read = (text: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, ReadonlyArray<string>>()
  if (!/^alias /m.test(text)) return found
  const lines = text.split("\n")
  for (const [index, line] of lines.entries()) {
    if (!line.startsWith("alias ")) continue
    const single = LINE.exec(line)
    if (single !== null) found.set(single[1] ?? "", [single[2] ?? ""])
    else {
      const end = lines.findIndex((other, at) => at > index && !other.startsWith(" "))
      found.set(line.slice("alias ".length), numbered(lines.slice(index + 1, end < 0 ? undefined : end)))
    }
  }
  return found
}

const numbered = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line) => /^\s*\d+ (.+)$/.exec(line)?.[1] ?? [])

const inCandidate = (tree: Entry | undefined, name: string): ReadonlyArray<string> | undefined => {
  const entry = tree?.children?.get(`alias ${name}`)
  if (entry === undefined) return undefined
  const single = LINE.exec(entry.text)
  return single === null ? numbered([...(entry.children?.keys() ?? [])]) : [single[2] ?? ""]
}

/** The commands that a typed line stands for; undefined when its first word is no alias. */
export const commandsOf = ({ device, mode }: Shell, line: string): ReadonlyArray<string> | undefined => {
  const name = firstWord(line)
  const candidate = mode.kind === "session" ? mode.session.tree : undefined
  const commands = inCandidate(candidate, name) ?? device.facts.aliases.get(name)
  if (commands === undefined) return undefined
  const [, ...words] = line.split(/\s+/)
  return commands.map((command) =>
    command.includes("%")
      ? command.replaceAll(/%(\d)/g, (_, place: string) => words[Number(place) - 1] ?? "")
      : [command, ...words].join(" ")
  )
}
