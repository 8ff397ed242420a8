/**
 * `str.split` and `str.rsplit`, on a separator or on runs of white space, at most so many times (negative: always).
 */
import { fail } from "../Failure.ts"
import { allocate } from "../Meter.ts"
import { isBlank, occurrences } from "./Text.ts"

/** Splits on runs of white space from the left; the rest keeps its inner and trailing blanks. */
export const splitBlanks = (text: string, most: number): Array<string> => {
  const words: Array<string> = []
  let i = 0
  while (i < text.length) {
    while (i < text.length && isBlank(text.charAt(i))) i++
    if (i >= text.length) break
    allocate(4)
    if (most >= 0 && words.length >= most) {
      words.push(text.slice(i))
      return words
    }
    const start = i
    while (i < text.length && !isBlank(text.charAt(i))) i++
    words.push(text.slice(start, i))
  }
  return words
}

/** The same from the right. */
export const splitBlanksRight = (text: string, most: number): Array<string> => {
  const words: Array<string> = []
  let end = text.length
  while (end > 0) {
    while (end > 0 && isBlank(text.charAt(end - 1))) end--
    if (end === 0) break
    allocate(4)
    if (most >= 0 && words.length >= most) {
      words.push(text.slice(0, end))
      break
    }
    const stop = end
    while (end > 0 && !isBlank(text.charAt(end - 1))) end--
    words.push(text.slice(end, stop))
  }
  return words.toReversed()
}

/** The texts between the separators, all of them. Fails with ValueError when the separator is empty. */
export const pieces = (text: string, separator: string): Array<string> => {
  if (separator === "") return fail("ValueError", "empty separator")
  allocate((occurrences(text, separator) + 1) * 4)
  return text.split(separator)
}

/** Splits on a separator from the left. Fails with ValueError when it is empty. */
export const splitOn = (text: string, separator: string, most: number): Array<string> => {
  const parts = pieces(text, separator)
  if (most < 0 || parts.length <= most + 1) return parts
  return [...parts.slice(0, most), parts.slice(most).join(separator)]
}

/** The same from the right. */
export const splitOnRight = (text: string, separator: string, most: number): Array<string> => {
  if (separator === "") return fail("ValueError", "empty separator")
  const parts: Array<string> = []
  let end = text.length
  for (let left = most; left !== 0; left--) {
    const at = end < separator.length ? -1 : text.lastIndexOf(separator, end - separator.length)
    if (at < 0) break
    allocate(4)
    parts.push(text.slice(at + separator.length, end))
    end = at
  }
  parts.push(text.slice(0, end))
  return parts.toReversed()
}
