/**
 * Which commands of a device only read (docs/plugins.md#a-check-of-your-own): an allow list by platform, because such a command comes from
 * outside and must change nothing on the device, whatever else is wrong with it. Pure.
 */
import type { ReadOnlyWords } from "./Platform.ts"

/** The longest command, in characters. */
export const LONGEST_COMMAND = 200

/** No quotes, redirections, control characters or signs of a shell, and no `?`, by which a command line asks back at once. */
const CHARACTERS = /^[\w .:/,*+=@()[\]^|-]+$/

const wordsOf = (text: string): ReadonlyArray<string> => text.trim().split(/ +/)

/** Whether the words, each of which may be an abbreviation, begin with those of a command. */
const means = (words: ReadonlyArray<string>, command: ReadonlyArray<string>): boolean =>
  command.every((whole, place) => {
    const word = words[place]?.toLowerCase() ?? ""
    return word !== "" && whole.startsWith(word)
  })

/** Why a command is not sent, as half a sentence; null if it only reads. `words` are undefined for a platform without such commands. */
export const readOnlyFault = (words: ReadOnlyWords | undefined, command: string): string | null => {
  if (words === undefined) return "the platform has no read-only commands for checks"
  if (command.length > LONGEST_COMMAND) return `it is longer than ${LONGEST_COMMAND} characters`
  const [shown = "", ...filters] = command.split("|")
  if (!/^show +\S/.test(shown)) return "a read-only command begins with the word show"
  if (!CHARACTERS.test(command)) return "it has characters that a read-only command cannot have"
  const [, ...what] = wordsOf(shown)
  const never = words.never.find((one) => means(what, one))
  if (never !== undefined) return `show ${never.join(" ")} is not for checks`
  const unknown = filters.map((text) => wordsOf(text)[0] ?? "").find((filter) => !words.filters.includes(filter))
  return unknown === undefined ? null : `"| ${unknown}" is not one of | ${words.filters.join(", | ")}`
}
