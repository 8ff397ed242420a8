/**
 * The meaning of the first word of a line in a configuration mode. EOS takes the commands of privileged mode there too, at once and
 * with all effects, and unambiguous abbreviations. If a word abbreviates both a command and a configuration word, this switch takes
 * the command, as a release with fewer words would. See docs/switch-dialogues.md#words-that-are-no-configuration.
 */
import { isRootWord } from "./ConfigGrammar.ts"
import { firstWord, remembered } from "./Words.ts"

/** First words of commands of privileged mode. */
export const execWords: ReadonlyArray<string> = [
  "agent",
  "attach",
  "bash",
  "cd",
  "clear",
  "clock",
  "configure",
  "copy",
  "debug",
  "delete",
  "diff",
  "dir",
  "disable",
  "enable",
  "erase",
  "extension",
  "format",
  "install",
  "logout",
  "mkdir",
  "more",
  "ping",
  "pwd",
  "python-shell",
  "quit",
  "redundancy",
  "reload",
  "rename",
  "reset",
  "rmdir",
  "send",
  "show",
  "ssh",
  "tcpdump",
  "telnet",
  "terminal",
  "traceroute",
  "undebug",
  "verify",
  "watch",
  "who",
  "write",
  "zerotouch"
]

/** Words that leave a configuration mode, or end a session. */
export const modeWords = {
  config: ["end", "exit", "abort"],
  session: ["end", "exit", "abort", "commit", "rollback"]
} as const

/** Words that configuration has too are commands with these words behind them. */
const COMMANDS_OF_HOMONYMS =
  /^(?:agent \S+ (?:terminate|shutdown)|clock set|enable(?= \d|$)|redundancy force-switchover|terminal [lmw]|zerotouch (?:cancel|disable))/i

/** Words that are used short although others begin alike. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["sh", "show"],
  ["sho", "show"],
  ["conf", "configure"],
  ["config", "configure"],
  ["wr", "write"]
])

/** The meaning of a line in a configuration mode. `word` is its first word, written out. */
type Meaning =
  | { readonly kind: "configuration" }
  | { readonly kind: "leaving" | "command"; readonly word: string }
  | { readonly kind: "ambiguous" }

const CONFIGURATION: Meaning = { kind: "configuration" }

/** A homonym is judged by the whole line. */
interface WordMeaning {
  readonly meaning: Meaning
  readonly isHomonym: boolean
}

const lookUp = (mode: keyof typeof modeWords) =>
  remembered((typed): WordMeaning => {
    const word = SHORT.get(typed) ?? typed
    const own: ReadonlyArray<string> = modeWords[mode]
    if (own.includes(word)) return { meaning: { kind: "leaving", word }, isHomonym: false }
    if (execWords.includes(word)) return { meaning: { kind: "command", word }, isHomonym: isRootWord(word) }
    if (isRootWord(word)) return { meaning: CONFIGURATION, isHomonym: false }
    const [only, other] = [...own, ...execWords].filter((candidate) => candidate.startsWith(word))
    if (only === undefined) return { meaning: CONFIGURATION, isHomonym: false }
    if (other !== undefined) return { meaning: { kind: "ambiguous" }, isHomonym: false }
    const isLeaving = own.includes(only)
    return {
      meaning: { kind: isLeaving ? "leaving" : "command", word: only },
      isHomonym: !isLeaving && isRootWord(only)
    }
  })

const MEANINGS = { config: lookUp("config"), session: lookUp("session") }

/** The meaning of this line in `configure terminal` or in a session. */
export const meaningOf = (mode: keyof typeof modeWords, line: string): Meaning => {
  const typed = firstWord(line)
  const { isHomonym, meaning } = MEANINGS[mode](typed.toLowerCase())
  if (!isHomonym || meaning.kind !== "command") return meaning
  const written = meaning.word + line.slice(typed.length)
  return COMMANDS_OF_HOMONYMS.test(written) ? meaning : CONFIGURATION
}
