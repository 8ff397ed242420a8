/** Names of many devices in few words: names that differ in a number only, and follow each other, become a range. Pure. */
import { namesInOrder } from "./Natural.ts"

interface Numbered {
  readonly name: string
  /** The name without the digits of its last number. */
  readonly shape: string
  readonly digits: string
}

const LAST_NUMBER = /^(.*?)(\d{1,9})(\D*)$/

const numberedOf = (name: string): Numbered => {
  const [, before = name, digits = "", after = ""] = LAST_NUMBER.exec(name) ?? []
  return { name, shape: `${before}\0${after}`, digits }
}

/** `a9` and `a10` follow each other, also `a09` and `a10`; `a9` and `a010` do not. */
const follows = (one: Numbered, next: Numbered): boolean =>
  one.digits !== "" &&
  one.shape === next.shape &&
  Number(next.digits) === Number(one.digits) + 1 &&
  (one.digits.length === next.digits.length || !/^0\d/.test(next.digits))

const textOf = (run: ReadonlyArray<Numbered>): ReadonlyArray<string> => {
  const [first] = run
  const last = run.at(-1)
  return first === undefined || last === undefined || run.length < 3
    ? run.map(({ name }) => name)
    : [`${first.name} to ${last.name}`]
}

/** `lhv-acc1 to lhv-acc40, lhv-core1`; after `most` parts the number of the names that are left. */
export const foldNames = (names: ReadonlyArray<string>, most = 10): string => {
  const runs: Array<Array<Numbered>> = []
  for (const name of namesInOrder(names).map(numberedOf)) {
    const run = runs.at(-1)
    const before = run?.at(-1)
    if (run !== undefined && before !== undefined && follows(before, name)) run.push(name)
    else runs.push([name])
  }
  const parts = runs.flatMap((run) => textOf(run).map((text) => ({ text, count: run.length < 3 ? 1 : run.length })))
  const left = parts.slice(most).reduce((sum, { count }) => sum + count, 0)
  const shown = parts.slice(0, most).map(({ text }) => text)
  return [...shown, ...(left === 0 ? [] : [`and ${left} more`])].join(", ")
}
