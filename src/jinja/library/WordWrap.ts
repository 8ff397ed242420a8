/**
 * Breaking a line into lines of a width the way Python's textwrap does it: at blanks, after hyphens inside words and at
 * dashes between words; words that are too long are broken.
 */
import { fail } from "../Failure.ts"
import { allocate, spend } from "../Meter.ts"

/** How to break. */
export interface WrapOptions {
  readonly width: number
  readonly breakLongWords: boolean
  readonly breakOnHyphens: boolean
}

const isSpace = (character: string): boolean => /[\t\n\v\f\r ]/.test(character)
const isLetter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character) && !/\d/.test(character)
const isWordPunctuation = (character: string): boolean => /[\p{L}\p{N}_!"'&.,?]/u.test(character)
const isWord = (character: string): boolean => /[\p{L}\p{N}_]/u.test(character)

// Does a run of at least two hyphens that a word character follows begin here?
const dashEnd = (line: string, at: number): number | undefined => {
  let end = at
  while (line.charAt(end) === "-") end++
  spend(end - at)
  return end - at >= 2 && isWord(line.charAt(end)) ? end : undefined
}

// May the word be broken after the hyphen at this place? Only between letters, as in "goof-ball" and "e-mail".
const breaksAfterHyphen = (line: string, hyphen: number): boolean => {
  const letter = (offset: number): boolean => isLetter(line.charAt(hyphen + offset))
  const before = letter(-1) && (letter(-2) || (line.charAt(hyphen - 2) === "-" && letter(-3)))
  return before && letter(1) && (letter(2) || (line.charAt(hyphen + 2) === "-" && letter(3)))
}

const wordEnd = (line: string, start: number): number => {
  for (let end = start + 1; end <= line.length; end++) {
    spend(1)
    if (end === line.length || isSpace(line.charAt(end))) return end
    if (line.charAt(end) === "-") {
      if (breaksAfterHyphen(line, end)) return end + 1
      if (isWordPunctuation(line.charAt(end - 1)) && dashEnd(line, end) !== undefined) return end
    }
  }
  return line.length
}

const spaceEnd = (line: string, start: number): number => {
  let end = start
  while (end < line.length && isSpace(line.charAt(end))) end++
  return end
}

const chunkEnd = (line: string, start: number, hyphens: boolean): number => {
  if (isSpace(line.charAt(start))) return spaceEnd(line, start)
  if (!hyphens) {
    let end = start
    while (end < line.length && !isSpace(line.charAt(end))) end++
    return end
  }
  const dash = start > 0 && isWordPunctuation(line.charAt(start - 1)) ? dashEnd(line, start) : undefined
  if (dash !== undefined) return dash
  if (line.charAt(start) === "-" && breaksAfterHyphen(line, start)) return start + 1
  return wordEnd(line, start)
}

const chunksOf = (line: string, hyphens: boolean): Array<string> => {
  const chunks: Array<string> = []
  for (let start = 0; start < line.length;) {
    const end = chunkEnd(line, start, hyphens)
    allocate(4)
    chunks.push(line.slice(start, end))
    start = end
  }
  return chunks
}

const isBlankChunk = (chunk: string | undefined): boolean => chunk !== undefined && chunk.trim() === ""

// Cuts a chunk that fits on no line, after its last hyphen that does fit if there is one.
const cutLength = (chunk: string, room: number, options: WrapOptions): number => {
  if (!options.breakOnHyphens || chunk.length <= room) return room
  const hyphen = chunk.slice(0, room).lastIndexOf("-")
  return hyphen > 0 && /[^-]/.test(chunk.slice(0, hyphen)) ? hyphen + 1 : room
}

/** The lines that a text without line ends is broken into. Fails with ValueError for widths below one. */
export const wrapLine = (text: string, options: WrapOptions): Array<string> => {
  const { width } = options
  if (width <= 0) return fail("ValueError", `invalid width ${width} (must be > 0)`)
  const chunks = chunksOf(text, options.breakOnHyphens).toReversed()
  const lines: Array<string> = []
  while (chunks.length > 0) {
    if (isBlankChunk(chunks.at(-1)) && lines.length > 0) chunks.pop()
    const line: Array<string> = []
    let length = 0
    for (let chunk = chunks.at(-1); chunk !== undefined && length + chunk.length <= width; chunk = chunks.at(-1)) {
      line.push(chunk)
      length += chunk.length
      chunks.pop()
    }
    const long = chunks.at(-1)
    if (long !== undefined && long.length > width) {
      if (options.breakLongWords) {
        const end = cutLength(long, width - length, options)
        line.push(long.slice(0, end))
        chunks[chunks.length - 1] = long.slice(end)
      } else if (line.length === 0) {
        line.push(long)
        chunks.pop()
      }
    }
    if (isBlankChunk(line.at(-1))) line.pop()
    allocate(4)
    if (line.length > 0) lines.push(line.join(""))
    spend(line.length + 1)
  }
  return lines
}
