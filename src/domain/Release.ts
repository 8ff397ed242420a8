/** Releases of this program: the one that runs, and the order of two (semantic versioning). */
import manifest from "../../package.json" with { type: "json" }

/** The running release: the version of the package. */
export const release: string = manifest.version

/** The commit from which a package was made; a clone asks git (runtime/Build.ts). */
export const packedCommit: string | undefined =
  "gitHead" in manifest && typeof manifest.gitHead === "string" ? manifest.gitHead : undefined

/** `1.4.2-rc.1` as numbers and words; only a preview has words. */
const parse = (
  version: string
): { readonly numbers: ReadonlyArray<number>; readonly preview: ReadonlyArray<string> } => {
  const [core = "", ...rest] = (version.split("+")[0] ?? "").split("-")
  const preview = rest.join("-")
  return { numbers: core.split(".").map(Number), preview: preview === "" ? [] : preview.split(".") }
}

const isNumber = (word: string) => /^\d+$/.test(word)

/** Numbers come before words. */
const compareWords = (a: string, b: string): number => {
  if (isNumber(a) && isNumber(b)) return Number(a) - Number(b)
  if (isNumber(a) !== isNumber(b)) return isNumber(a) ? -1 : 1
  return a < b ? -1 : a > b ? 1 : 0
}

const comparePreviews = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): number => {
  // a preview is older than its release
  if (a.length === 0 || b.length === 0) return b.length - a.length
  for (const [index, word] of a.entries()) {
    const other = b[index]
    if (other === undefined) return 1
    const order = compareWords(word, other)
    if (order !== 0) return order
  }
  return a.length - b.length
}

/** Negative when `a` is older than `b`, 0 when they are the same release, positive when it is newer. */
export const compareReleases = (a: string, b: string): number => {
  const [left, right] = [parse(a), parse(b)]
  for (let place = 0; place < 3; place++) {
    const order = (left.numbers[place] ?? 0) - (right.numbers[place] ?? 0)
    if (order !== 0) return order
  }
  return comparePreviews(left.preview, right.preview)
}
