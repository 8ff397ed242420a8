/**
 * Hides secrets in configuration text, sentences and answers of devices before they enter an error, a log or a table
 * (docs/security.md#forms-of-secrets, promise 7). Works line by line, in time proportional to the text. The words before a secret
 * stay, so the line can be recognised; the words after it stay only if they are known to be harmless. The forms of all platforms
 * count everywhere, because a text may quote another device.
 */
import { platforms } from "../domain/platforms/Platforms.ts"
import { harmlessAfter, secretHints, secretShapes } from "../domain/platforms/SecretWords.ts"

const mask = "********"

type Replace = (secret: string) => string

/** The words before a secret on any platform, and the secret's first word. The first form that fits at a place wins. */
const before = new Set(platforms.flatMap(({ secrets }) => secrets))
const value = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'(?=\s|;|$)|\{\{[^}]*\}\}|(?![{}\][]+(?:\s|$))[^\s"]+|"\S*`
const command = new RegExp(String.raw`(?<![a-z\d])(${[...before].join("|")})(${value})`, "gi")
const commandHere = new RegExp(String.raw`\s+(?:${[...before].join("|")})(?=\S)`, "iy")

const shape = new RegExp(secretShapes.map(([words, secret]) => `(${words})(${secret})`).join("|"), "gi")
const harmless = new RegExp(String.raw`\s+(?:${harmlessAfter.join("|")})(?![\w-])`, "iy")
/** The end of a statement, the rest of a comment of Junos, or the end of a line that a sentence quotes. */
const end = /[;,)]*\s*(?:[{}\]]*\s*$|##\s|\}\s*)/y
const quoteEnd = /["'`](?=[\s:;,.)\]]|$)/y

/** Where the pattern leads from a place; the place itself if it does not fit there. */
const past = (pattern: RegExp, line: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(line) ? pattern.lastIndex : at
}

const fits = (pattern: RegExp, line: string, at: number): boolean => {
  pattern.lastIndex = at
  return pattern.test(line)
}

const MOST_WORDS = 12

/** Whether all that follows a secret is known to be harmless, up to the next secret. */
const isHarmless = (line: string, from: number, isQuoted: boolean): boolean => {
  let at = from
  for (let words = 0; words < MOST_WORDS; words++) {
    if (at >= line.length || fits(end, line, at) || (isQuoted && fits(quoteEnd, line, at))) return true
    if (fits(commandHere, line, at)) return true
    const next = past(harmless, line, at)
    if (next === at) return false
    at = next
  }
  return false
}

/** How many quotes are open before this place decides whether the line is one that a sentence quotes. */
const isInQuotes = (line: string, at: number): boolean => {
  let quotes = 0
  for (let place = line.indexOf('"'); place >= 0 && place < at; place = line.indexOf('"', place + 1)) quotes += 1
  return quotes % 2 === 1
}

const replaceCommands = (line: string, replace: Replace): string => {
  let out = ""
  let done = 0
  for (command.lastIndex = 0; ;) {
    const found = command.exec(line)
    if (found === null) return out + line.slice(done)
    const words = found[1] ?? ""
    const from = found.index + words.length
    const secret = (found[2] ?? "").replace(/[;,]+$/, "")
    const until = from + secret.length
    out += line.slice(done, from)
    if (secret === "" || !isHarmless(line, until, isInQuotes(line, found.index))) {
      const rest = line.slice(from).trimEnd()
      return out + replace(rest) + line.slice(from + rest.length)
    }
    out += replace(secret)
    done = until
    command.lastIndex = until
  }
}

const replaceShapes = (line: string, replace: Replace): string =>
  line.replace(shape, (...found: ReadonlyArray<unknown>) => {
    const group = found.findIndex((part, place) => place > 0 && place % 2 === 1 && part !== undefined)
    return `${String(found[group])}${replace(String(found[group + 1]))}`
  })

const replaceLine = (line: string, replace: Replace): string => replaceShapes(replaceCommands(line, replace), replace)

const hint = new RegExp(secretHints, "gi")

/** The text with its lines replaced that may hold a secret. */
const mapLines = (text: string, replace: (line: string) => string): string => {
  let out = ""
  let done = 0
  for (hint.lastIndex = 0; ;) {
    const found = hint.exec(text)
    if (found === null) return out + text.slice(done)
    const begin = text.lastIndexOf("\n", found.index) + 1
    const stop = text.indexOf("\n", found.index)
    const until = stop < 0 ? text.length : stop
    out += text.slice(done, begin) + replace(text.slice(begin, until))
    done = until
    hint.lastIndex = until
  }
}

const keyBegins = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----/
const keyEnds = "PRIVATE KEY-----"
/** A line of a key, with the sign of a difference and the indentation apart. */
const keyLine = /^([+\- ]?\s*)((?:[A-Za-z\d+/=]+|(?:Proc-Type|DEK-Info): .*)\s*)$/
/** A line of base64 without the line that names its content: part of a key in a difference. No ordinary long word has both cases. */
const looseKeyLine = /^[+\- ]?[ \t]*(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[A-Za-z\d+/]{64,76}\r?$/
const SHORTEST_LOOSE = 64

/** Whether a line may be part of a key. Few lines are that long, so this is quicker than a pattern for the whole text. */
const hasLooseKey = (text: string): boolean => {
  for (let begin = 0; begin < text.length;) {
    const stop = text.indexOf("\n", begin)
    const until = stop < 0 ? text.length : stop
    if (until - begin >= SHORTEST_LOOSE && looseKeyLine.test(text.slice(begin, until))) return true
    begin = until + 1
  }
  return false
}
/** The whole of a key in one line, with its line breaks written out. */
const keyInLine = /(-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY-----)([^-]+)/g

/** The text without the private keys in it. Every line stays in its place. */
const replaceKeys = (text: string, replace: Replace): string => {
  const hasKeys = text.includes(keyEnds)
  if (!hasKeys && !hasLooseKey(text)) return text
  let isKey = false
  let isCertificate = false
  const hideLine = (line: string) => {
    const [, indent = "", part = ""] = keyLine.exec(line) ?? []
    return part === "" ? line : indent + replace(part.trim())
  }
  return text
    .split("\n")
    .map((line) => {
      const hasEnd = line.includes("-----END ")
      if (keyBegins.test(line)) {
        isKey = !hasEnd
        return line.replaceAll(keyInLine, (_, heading: string, rest: string) =>
          rest.trim() === "" ? heading + rest : heading + replace(rest.trim())
        )
      }
      if (hasEnd) isKey = isCertificate = false
      else if (line.includes("-----BEGIN ")) isCertificate = true
      else if (isKey) {
        isKey = line.trim() === "" || line.includes(mask) || line.includes("<hidden") || keyLine.test(line)
        return isKey ? hideLine(line) : line
      } else if (!isCertificate && looseKeyLine.test(line)) return hideLine(line)
      return line
    })
    .join("\n")
}

/** The text with what stands for each secret of a configuration, a difference or a sentence in its place. */
export const replaceSecrets = (text: string, replacement: Replace): string =>
  mapLines(replaceKeys(text, replacement), (line) => replaceLine(line, replacement))

const toMask = () => mask

/** The text with every secret replaced by asterisks. Idempotent. */
export const maskSecrets = (text: string): string => replaceSecrets(text, toMask)

/** As `maskSecrets`, for what a switch said about `line`: it may quote that line's secret without the words before it. */
export const maskAnswer = (line: string, answer: string): string => {
  const masked = maskSecrets(line)
  const kept = new Set(masked.split(/\s+/))
  const secrets = masked === line ? [] : line.split(/\s+/).filter((word) => word !== "" && !kept.has(word))
  return secrets.reduce((text, word) => {
    const bare = word.replaceAll(/^["']|["';]+$/g, "")
    const quoted = new RegExp(String.raw`(?<!\w)${RegExp.escape(bare)}(?!\w)`, "g")
    return bare.length > 3 ? text.replaceAll(bare, mask) : bare === "" ? text : text.replace(quoted, mask)
  }, maskSecrets(answer))
}
