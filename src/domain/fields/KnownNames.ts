/**
 * Names that a request has and its endpoint does not know: a misspelt option must not be taken for an absent one. Finds the known name
 * that was probably meant, and makes the sentences about it (docs/api.md#unknown-keys-and-parameters).
 */

/** Upper and lower case, `-` and `_` make no difference to a person who types a name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_ .]/g, "")

/** Longer names are not misspelt, but something else. */
const LONGEST = 64

/** Letters that must be changed, added, left out or exchanged with the next one to make one name from the other. */
const distance = (a: string, b: string): number => {
  let before: ReadonlyArray<number> = []
  let row: ReadonlyArray<number> = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const changed = (row[j - 1] ?? 0) + (isSame ? 0 : 1)
      const exchanged =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : changed
      next.push(Math.min(changed, exchanged, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}

/** The known name that was probably meant: at most a third of its letters differ. The first of equally near names wins. */
export const nearestName = (name: string, known: Iterable<string>): string | undefined => {
  const asked = plain(name)
  if (asked === "" || asked.length > LONGEST) return undefined
  let best: { readonly name: string; readonly letters: number } | undefined
  for (const candidate of known) {
    const other = plain(candidate)
    const letters = distance(asked, other)
    if (letters <= Math.max(asked.length, other.length) / 3 && (best === undefined || letters < best.letters))
      best = { name: candidate, letters }
  }
  return best?.name
}

/** More names would hide the sentence. */
const MOST_SHOWN = 8

/** `, did you mean canary?`, the known names if there are few, or nothing. */
export const nameHint = (name: string, known: Iterable<string>): string => {
  const nearest = nearestName(name, known)
  if (nearest !== undefined) return `, did you mean ${nearest}?`
  const names = [...known]
  return names.length === 0 || names.length > MOST_SHOWN ? "" : `, known are ${names.join(", ")}`
}

/** A name as it can be shown: it may have been sent by anyone, in any length. */
export const shownName = (name: string): string => (name.length > LONGEST ? `${name.slice(0, LONGEST)}…` : name)

/** `canari: there is no such field, did you mean canary?` */
export const noSuchField = (name: string, known: Iterable<string>): string =>
  `${shownName(name)}: there is no such field${nameHint(name, known)}`

/** `colur: there is no such parameter, did you mean color?` */
export const noSuchParameter = (name: string, known: Iterable<string>): string =>
  `${shownName(name)}: there is no such parameter${nameHint(name, known)}`
