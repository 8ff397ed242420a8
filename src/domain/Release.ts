/**
 * Releases of this program: the one that runs, and the order of two (semantic versioning). Also the times by which replicas take over from
 * each other, which must be the same in every replica of a release.
 */
import manifest from "../../package.json" with { type: "json" }

/** The release that runs: the version of the package. */
export const release: string = manifest.version

/** The commit that a package was made of; a clone asks git (runtime/Build.ts). */
export const packedCommit: string | undefined =
  "gitHead" in manifest && typeof manifest.gitHead === "string" ? manifest.gitHead : undefined

/** `1.4.2-rc.1` as numbers and words; a release that is no preview has no words. */
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
  // a preview is older than what it is a preview of
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

// How soon the work of a replica that has ended, stands still or has lost its database goes on at another one, and by when the
// first one sends nothing more (promise 1). All in seconds; the same in every replica. They belong together:
// - What is silent is taken over within `TAKE_OVER`: the silence, then a look at who is silent, then a look for messages.
// - A claim is believed for less time than others wait. The last sign of life may be `SIGN` old when the claim is found good, so
//   nobody takes the work over before `SILENT_REPLICA - SIGN` more; a process that is paused and goes on later asks first.
// - Who cannot give signs stops its work after one more of them was not taken: `2 * SIGN`, before others begin with it.
// - What it had locked in the database is free within `TAKE_OVER`, also when two of its transactions had waited for each other:
//   `2 * IDLE_TRANSACTION`.
// - A replica whose port refuses connections counts as gone after `REFUSED`, whatever its signs say. A claim is not believed for
//   that long either.

/** Between two signs of life of a replica and of a job that is worked on; a sign that takes as long again counts as not given. */
export const HEARTBEAT = 2

/** Without a sign for so long a replica loses its devices and executions to the others. */
export const SILENT_REPLICA = 6

/** Without a sign for so long a job gets a new attempt, whatever its replica says. */
export const SILENT_JOB = 7

/** Between two looks at which replicas there are. */
export const LOOK_FOR_REPLICAS = 1

/** Between two looks for jobs that nobody works on. */
export const LOOK_FOR_JOBS = 2

/** Between two looks for messages that are to be worked on. */
export const LOOK_FOR_MESSAGES = 1

/** Pings of a replica that refuses them, half a second apart (`effect/cluster/RunnerHealth`), until it counts as gone. */
export const REFUSED = 2.5

/** A claim that was found good is believed for so long (`WorkClaim` of `drivers/Driver.ts`). */
export const CLAIM_VALID = 2

/** PostgreSQL ends a transaction of which it has heard nothing for so long. */
export const IDLE_TRANSACTION = 4

/** By then another replica goes on with the work. */
export const TAKE_OVER = 10
