/**
 * Names of interfaces: natural order, and short to long names (docs/switch-dialogues.md#facts and
 * docs/switch-dialogues.md#interfaces). Pure.
 */
import { commonShortNames } from "./CommonWords.ts"
import { platformOf } from "./Platforms.ts"

const shape = /^([A-Za-z]+)(\d[\d/.:]*)$/

/**
 * The long name of an interface on a platform, such as `Ethernet51` for `Et51`. Long, Junos and unknown names stay as they
 * are; on a platform that is not known the common names count.
 */
export const longName = (platform: string, name: string): string => {
  const match = shape.exec(name)
  if (match === null) return name
  const [, prefix, numbers] = match
  const names = platformOf(platform)?.interfaces.short ?? commonShortNames
  const found = names.find(([short]) => short === prefix)
  return found === undefined ? name : `${found[1]}${numbers}`
}

const pieces = (name: string): ReadonlyArray<string> => name.match(/\d+|\D+/g) ?? []

const comparePieces = (a: string, b: string): number => {
  const difference = Number(a) - Number(b)
  if (!Number.isNaN(difference)) return difference
  return a < b ? -1 : a > b ? 1 : 0
}

/** Natural order: numbers inside names compare as numbers, so Ethernet2 comes before Ethernet10. For `sort`. */
export const compareNames = (a: string, b: string): number => {
  const left = pieces(a)
  const right = pieces(b)
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = comparePieces(left[index] ?? "", right[index] ?? "")
    if (order !== 0) return order
  }
  return left.length - right.length || (a < b ? -1 : a > b ? 1 : 0)
}

/** Whether the name is a subinterface's, such as `Ethernet1.100`. */
export const isSubinterface = (name: string): boolean => name.includes(".")
