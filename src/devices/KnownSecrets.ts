/**
 * Recognises the secrets of a candidate in a device's configuration although the device shows them with another salt each time
 * (docs/changes.md#salted-secrets). At each proof, the value in the candidate and the shown value are stored as two forms of one
 * secret, as keyed digests. Pure except for the key in `digest`.
 */
import { hash } from "node:crypto"
import type { Platform } from "../domain/platforms/Platform.ts"
import { type SecretLine, secretLines, type SecretPair } from "../drivers/SecretEquivalence.ts"
import type { SecretDigests } from "../store/ChangeStore.ts"

/** How many forms of one secret are remembered; an undo restores an earlier one. */
const MOST_FORMS = 8
const MOST_REMARKS = 20
const MARK_LENGTH = 12

export interface KnownSecretsOptions {
  /** The digests of another device do not apply. */
  readonly platform: Platform | undefined
  readonly deviceId: number
  /** The configuration that the device must have. */
  readonly candidate: string
  /** The digests of the last proof. */
  readonly known: SecretDigests | null
  /** A keyed digest. */
  readonly digest: (text: string) => string
}

/** The effect of a load on the secrets of a device. */
export interface LoadedSecrets {
  /** Marks of the lines whose secrets it sets, or only shows differently. */
  readonly setSecrets: ReadonlyArray<string>
  /** Sentences about secrets that could not be compared; known ones are omitted. */
  readonly remarks: ReadonlyArray<string>
}

export interface KnownSecrets {
  /** Whether the shown value of this line is the candidate's secret, by the last proof. */
  readonly isKnown: (line: string, shown: string) => boolean
  /** Whether a pair of the difference means the same secret, so nothing must be pushed. */
  readonly isSame: (pair: SecretPair) => boolean
  /** The effect of a load, by the running and the promised configuration. */
  readonly compare: (running: string, promised: string) => LoadedSecrets
  /** The digests once the device is proved to run this text; null if it shows all secrets in their given form. */
  readonly provedBy: (running: string) => SecretDigests | null
}

const byLine = (lines: ReadonlyArray<SecretLine>): ReadonlyMap<string, ReadonlyArray<SecretLine>> =>
  Map.groupBy(lines, ({ line }) => line)

/** A short key for a line. */
export const markOf = (line: string): string => hash("sha256", line, "base64url").slice(0, MARK_LENGTH)

/** A sentence about a line of the candidate, or about the command when its place there is not known. */
const notCompared = (line: string, given: ReadonlyArray<SecretLine> | undefined): string => {
  const command = line.split("\n").at(-1) ?? line
  const [first] = given ?? []
  const name = first === undefined ? `"${command}"` : `Line ${first.lineNumber} "${command}"`
  return `${name}: the device shows this secret otherwise each time it is given, so its value could not be compared`
}

const inShort = (remarks: ReadonlyArray<string>): ReadonlyArray<string> =>
  remarks.length <= MOST_REMARKS
    ? remarks
    : [...remarks.slice(0, MOST_REMARKS), `So it is with ${remarks.length - MOST_REMARKS} lines more`]

/** The knowledge about the secrets of a device and its candidate. */
export const make = ({ candidate, deviceId, digest, known, platform }: KnownSecretsOptions): KnownSecrets => {
  const linesIn = (text: string) => (platform === undefined ? [] : secretLines(platform, text))
  // most changes set no secret, and then this is never read
  let lines: ReturnType<typeof givenLines> | undefined
  const givenLines = () => {
    const all = linesIn(candidate)
    return { all, byLine: byLine(all), values: new Set(all.map(({ value }) => value)) }
  }
  const given = () => (lines ??= givenLines())
  const digestOf = (line: string, value: string) => digest(`${deviceId}\n${line}\n${value}`)

  /** All secrets together if the device spells the line differently, so any different secret counts as new. */
  const wanted = (line: string): string => {
    const own = given().byLine.get(line) ?? given().all
    return own.map(({ value }) => value).join("\n")
  }

  /** The forms in which the secret of a line was seen, as digests. */
  const formsBefore = (line: string): ReadonlyArray<string> =>
    known !== null && Object.hasOwn(known, line) ? (known[line] ?? []) : []

  const isKnown = (line: string, shown: string) => {
    const values = given().byLine.get(line) ?? []
    if (values.some(({ value }) => value === shown)) return true
    const forms = formsBefore(line)
    return forms.length > 0 && [shown, wanted(line)].every((value) => forms.includes(digestOf(line, value)))
  }

  const formsNow = ({ line, value }: SecretLine): ReadonlyArray<string> => {
    const now = [digestOf(line, value), digestOf(line, wanted(line))]
    const before = formsBefore(line)
    const isGoingOn = now.some((form) => before.includes(form))
    return [...new Set(isGoingOn ? [...now, ...before] : now)].slice(0, MOST_FORMS)
  }

  const compare = (running: string, promised: string): LoadedSecrets => {
    const shown = byLine(linesIn(running))
    const wasShown = (line: string, test: (value: string) => boolean) =>
      shown.get(line)?.some(({ value }) => test(value)) === true
    // a switch may salt a given line with the same salt by chance; the next one differs again
    const isSalted = ({ line, value }: SecretLine) => given().byLine.has(line) && !given().values.has(value)
    const set = linesIn(promised).filter(
      (secret) => isSalted(secret) || !wasShown(secret.line, (old) => old === secret.value)
    )
    const isNew = ({ line, value }: SecretLine) =>
      !given().values.has(value) && !wasShown(line, (old) => isKnown(line, old))
    return {
      setSecrets: [...new Set(set.map(({ line }) => markOf(line)))],
      remarks: inShort(set.filter(isNew).map(({ line }) => notCompared(line, given().byLine.get(line))))
    }
  }

  const provedBy = (running: string) => {
    // an undo gives the shown form itself, which the settings do not have
    const salted = linesIn(running).filter(
      ({ line, value }) => !given().values.has(value) || formsBefore(line).length > 0
    )
    return salted.length === 0 ? null : Object.fromEntries(salted.map((secret) => [secret.line, formsNow(secret)]))
  }

  return { isKnown, isSame: ({ line, removed }) => isKnown(line, removed), compare, provedBy }
}
