/**
 * The form `$9$…` in which Junos shows secrets that it must be able to read itself: keys of RADIUS, BGP, OSPF and others. Its salt is
 * new each time a secret is given in clear, so one secret has many spellings. It needs no key and hides nothing from anybody, so two
 * spellings are compared by the secret that they say. Pure.
 */

const MARK = "$9$"

/** The characters of the form in their order. Those of a group are followed by as many random ones, as a salt. */
const GROUPS: ReadonlyArray<readonly [salt: number, characters: string]> = [
  [3, "QzF3n6/9CAtpu0O"],
  [2, "B1IREhcSyrleKvMW8LXx"],
  [1, "7N-dVbwsY2g4oaJZGUDj"],
  [0, "iHkq.mPf5T"]
]

/** The weights of the characters that stand for one byte of the secret, by its place; they repeat. */
const WEIGHTS: ReadonlyArray<ReadonlyArray<number>> = [
  [1, 4, 32],
  [1, 16, 32],
  [1, 8, 32],
  [1, 64],
  [1, 32],
  [1, 4, 16, 128],
  [1, 32, 64]
]

const characters = GROUPS.map(([, group]) => group).join("")
const places: ReadonlyMap<string, number> = new Map([...characters].map((character, place) => [character, place]))
const saltOf = (first: string): number => GROUPS.find(([, group]) => group.includes(first))?.[0] ?? 0

/** How many characters lie between this one and the next, around the end of the row. */
const distance = (from: string, to: string): number => {
  const [before, after] = [places.get(from) ?? 0, places.get(to) ?? 0]
  return ((after - before + characters.length) % characters.length) - 1
}

/** Each byte of the secret takes the next characters; undefined where the last of them are missing. */
const bytesOf = (first: string, said: string): Uint8Array | undefined => {
  const bytes: Array<number> = []
  let before = first
  for (let at = 0; at < said.length;) {
    const weights = WEIGHTS[bytes.length % WEIGHTS.length] ?? []
    if (at + weights.length > said.length) return undefined
    let sum = 0
    for (const weight of weights) {
      const character = said.charAt(at++)
      sum += distance(before, character) * weight
      before = character
    }
    bytes.push(((sum % 256) + 256) % 256)
  }
  return Uint8Array.from(bytes)
}

const utf8 = new TextDecoder("utf-8", { fatal: true })

/** The secret that a text of this form says; undefined for any other text, such as a hash of type 9 of another platform. */
export const readObscured = (text: string): string | undefined => {
  if (!text.startsWith(MARK)) return undefined
  const [first = "", ...rest] = text.slice(MARK.length)
  if (!places.has(first) || !rest.every((character) => places.has(character))) return undefined
  const bytes = bytesOf(first, rest.slice(saltOf(first)).join(""))
  if (bytes === undefined || bytes.length === 0 || rest.length < saltOf(first)) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return String.fromCodePoint(...bytes)
  }
}
