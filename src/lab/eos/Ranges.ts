/** Ranges as people type them: of interfaces (`Et1-4,6`, `Ethernet1/1-4`, `Vlan10-20`) and of numbers (`10,20-22`). */
import { longName } from "./Words.ts"

/** Most names of one range. */
const MOST = 5000

const PART = /^(?:([A-Za-z][A-Za-z-]*?)\s*)?(\d+(?:[/.]\d+)*)(?:\s*-\s*(\d+(?:[/.]\d+)*))?$/

/** The interfaces that a typed list names, by their long names; undefined if it is no list of interfaces. */
export const interfacesOf = (typed: string): ReadonlyArray<string> | undefined => {
  const names: Array<string> = []
  let kind: string | undefined
  for (const part of typed.split(",")) {
    const [, typedKind, first, last] = PART.exec(part.trim()) ?? []
    kind = typedKind ?? kind
    const numbers = first === undefined ? undefined : between(first, last)
    if (numbers === undefined || kind === undefined || names.length + numbers.length > MOST) return undefined
    for (const number of numbers) names.push(longName(`${kind}${number}`))
  }
  return names
}

/** Lanes of a port. */
const LANES = 4

const between = (first: string, last: string | undefined): ReadonlyArray<string> | undefined => {
  if (last === undefined) return [first]
  const [, before = "", from = ""] = /^(.*?)(\d+)$/.exec(first) ?? []
  if (/^\d+$/.test(last)) return upTo(Number(from), Number(last))?.map((number) => before + String(number))
  const [port, lane] = first.split("/").map(Number)
  const [lastPort, lastLane] = last.split("/").map(Number)
  if (port === undefined || lane === undefined || lastPort === undefined || lastLane === undefined) return undefined
  const ports = upTo(port, lastPort)
  if (lane === lastLane) return ports?.map((each) => `${each}/${lane}`)
  return ports?.flatMap(
    (each) =>
      upTo(each === port ? lane : 1, each === lastPort ? lastLane : LANES)?.map((number) => `${each}/${number}`) ?? []
  )
}

const upTo = (first: number, last: number): ReadonlyArray<number> | undefined =>
  last < first || last - first >= MOST
    ? undefined
    : Array.from({ length: last - first + 1 }, (_, index) => first + index)

/** The numbers of a list such as `10,20-22`. */
export const numbersOf = (list: string): ReadonlyArray<number> =>
  list.split(",").flatMap((part) => {
    const [first = 0, last = first] = part.split("-").map(Number)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index)
  })

/** The shortest list of these numbers, in order. */
export const listOf = (numbers: Iterable<number>): string => {
  const runs: Array<[number, number]> = []
  for (const number of [...new Set(numbers)].toSorted((a, b) => a - b)) {
    const run = runs.at(-1)
    if (run !== undefined && run[1] + 1 === number) run[1] = number
    else runs.push([number, number])
  }
  return runs.map(([first, last]) => (first === last ? String(first) : `${first}-${last}`)).join(",")
}
