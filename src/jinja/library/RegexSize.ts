/**
 * How many states a regular expression has, by its text alone: `a{1000}` stands for a thousand. To be asked before an
 * expression is compiled, because compiling takes time and memory for each of them. Too many rather than too few are counted.
 */

const REPEAT = /^\{(\d+)(?:,(\d*))?\}/
const CODE = /^\\[xpP]\{[^}]*\}/

/** The position after the bracket that ends the character class at `start`. */
const afterClass = (source: string, start: number): number => {
  const first = source[start + 1] === "^" ? start + 2 : start + 1
  for (let position = first; position < source.length; position += 1) {
    if (source[position] === "\\") position += 1
    else if (source[position] === "]" && position > first) return position + 1
  }
  return source.length
}

/** The part of an expression inside one pair of brackets: the states of what is complete, and of the last piece. */
interface Part {
  before: number
  last: number
}

const begin = (part: Part, states: number): void => {
  part.before += part.last
  part.last = states
}

const totalOf = ({ before, last }: Part): number => before + last

/** Counts the piece at `position` into the open parts; answers with its length. */
const count = (source: string, position: number, open: Array<Part>): number => {
  const part = open.at(-1) ?? { before: 0, last: 0 }
  const character = source[position]
  if (character === "\\") {
    begin(part, 1)
    return CODE.exec(source.slice(position, position + 100))?.[0].length ?? 2
  }
  if (character === "[") {
    begin(part, 1)
    return afterClass(source, position) - position
  }
  if (character === "(") {
    open.push({ before: 1, last: 0 })
    return 1
  }
  if (character === ")" && open.length > 1) {
    open.pop()
    begin(open.at(-1) ?? part, totalOf(part) + 1)
    return 1
  }
  const repeat = character === "{" ? REPEAT.exec(source.slice(position, position + 24)) : null
  if (repeat === null) {
    begin(part, 1)
    return 1
  }
  const [text, least, most] = repeat
  part.last *= Math.max(1, Number(least), Number(most ?? 0)) + 1
  return text.length
}

/** States of the expression. */
export const regexSize = (source: string): number => {
  const open: Array<Part> = [{ before: 0, last: 0 }]
  for (let position = 0; position < source.length;) position += count(source, position, open)
  return open.reduce((sum, part) => sum + totalOf(part), 0)
}
