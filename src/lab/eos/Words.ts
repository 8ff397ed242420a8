/** Words of typed lines and configurations: the first word, names of interfaces and their order, and patterns. */

/** The first word; a line without a blank is one. */
export const firstWord = (text: string): string => {
  const end = text.indexOf(" ")
  return end < 0 ? text : text.slice(0, end)
}

// Names of interfaces: short and long forms, and their natural order.

const NAMES: ReadonlyArray<readonly [string, string]> = [
  ["Ethernet", "Et"],
  ["Management", "Ma"],
  ["Port-Channel", "Po"],
  ["Vlan", "Vl"],
  ["Loopback", "Lo"],
  ["Vxlan", "Vx"],
  ["Tunnel", "Tu"],
  ["Recirc-Channel", "Rc"],
  ["Dps", "Dp"]
]

/** `Ethernet51` → `Et51`. */
export const shortName = (name: string): string => {
  const found = NAMES.find(([long]) => name.startsWith(long))
  return found === undefined ? name : found[1] + name.slice(found[0].length)
}

/** `et 51`, `Eth51`, `ethernet51` → `Ethernet51`; unknown names stay. */
export const longName = (name: string): string => {
  const match = /^([A-Za-z-]+?)\s*(\d[\d/.]*)$/.exec(name.trim())
  const typed = match?.[1]?.toLowerCase()
  if (typed === undefined || typed.length < 2) return name
  const found = NAMES.find(([long]) => long.toLowerCase().startsWith(typed))
  return found === undefined ? name : `${found[0]}${match?.[2] ?? ""}`
}

const INTERFACE_KINDS = [
  "Port-Channel",
  "Recirc-Channel",
  "Dps",
  "Ethernet",
  "Loopback",
  "Management",
  "Tunnel",
  "Vlan",
  "Vxlan"
]

/** Weights of kind, first, second and third number; each number stays below the next weight. */
const WEIGHTS = [1e8, 1e4, 1] as const
const KIND_WEIGHT = 1e15

/** A number that grows in natural order: by kind, then by each number of the name (`Ethernet2` before `Ethernet10/1`). */
export const interfaceOrder = (name: string): number => {
  let order = 0
  let digits = 0
  let level = 0
  let kind = name
  for (let index = 0; index <= name.length; index++) {
    const digit = name.charCodeAt(index) - ZERO
    if (digit >= 0 && digit <= 9) {
      if (digits === 0 && level === 0) kind = name.slice(0, index)
      digits = digits * 10 + digit + (digits === 0 ? 1 : 0)
    } else if (digits > 0) {
      order += digits * (WEIGHTS[level] ?? 0)
      level += 1
      digits = 0
    }
  }
  const known = INTERFACE_KINDS.indexOf(kind)
  return order + KIND_WEIGHT * (known < 0 ? INTERFACE_KINDS.length : known)
}

const ZERO = 48

/** Compares two interface names in natural order. */
export const compareInterfaces = (a: string, b: string): number =>
  interfaceOrder(a) - interfaceOrder(b) || (a < b ? -1 : a > b ? 1 : 0)

// Regular expressions of a user.

/** A pattern that does not compile is taken literally. */
export const expression = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern)
  } catch {
    return new RegExp(pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`))
  }
}

// A cache by text: thousands of switches in one process get nearly the same lines.

/** More texts than this are not kept: then all are forgotten. */
const MOST = 20_000

/** The same function, which is asked once for each text that comes often. It must depend on nothing else. */
export const remembered = <A>(of: (text: string) => A): ((text: string) => A) => {
  const known = new Map<string, { readonly value: A }>()
  return (text) => {
    const found = known.get(text)
    if (found !== undefined) return found.value
    if (known.size >= MOST) known.clear()
    const value = of(text)
    known.set(text, { value })
    return value
  }
}
