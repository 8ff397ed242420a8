/**
 * Which secrets of a device are known to be those of its candidate although the device shows them with another salt each time
 * (docs/changes.md#salted-secrets). What is known is kept as keyed digests: at each proof the value in the candidate and the one
 * that the device shows are noted as two forms of one secret. Pure but for the key in `digest`.
 */
import { hash } from "node:crypto"
import type { Platform } from "../domain/platforms/Platform.ts"
import { type SecretLine, secretLines, type SecretPair } from "../drivers/SecretEquivalence.ts"
import type { SecretDigests } from "../store/ChangeStore.ts"

/** Forms of one secret that are remembered; an undo brings back an earlier one. */
const MOST_FORMS = 8
const MOST_REMARKS = 20
const MARK_LENGTH = 12

export interface KnownSecretsOptions {
  /** Nothing is known of the secrets of another one. */
  readonly platform: Platform | undefined
  readonly deviceId: number
  /** The configuration that the device is to have. */
  readonly candidate: string
  /** As they were stored at the last proof. */
  readonly known: SecretDigests | null
  /** A keyed digest. */
  readonly digest: (text: string) => string
}

/** What a load does with the secrets of a device. */
export interface LoadedSecrets {
  /** Marks of the lines whose secrets it sets, or only shows otherwise. */
  readonly setSecrets: ReadonlyArray<string>
  /** Sentences about those that could not be compared; what is known already is left out. */
  readonly remarks: ReadonlyArray<string>
}

export interface KnownSecrets {
  /** Whether the shown value of this line is the secret that the candidate has there, as far as the last proof tells. */
  readonly isKnown: (line: string, shown: string) => boolean
  /** Whether a pair of the difference means the same secret, so that there is nothing to push. */
  readonly isSame: (pair: SecretPair) => boolean
  /** What a load has done, by what runs and what would run. */
  readonly compare: (running: string, promised: string) => LoadedSecrets
  /** What is known once the device is proved to run this text; null when it shows all secrets as they were given. */
  readonly provedBy: (running: string) => SecretDigests | null
}

const byLine = (lines: ReadonlyArray<SecretLine>): ReadonlyMap<string, ReadonlyArray<SecretLine>> =>
  Map.groupBy(lines, ({ line }) => line)

/** Stands for a line where many are kept. */
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

/** What is known of the secrets of a device and its candidate. */
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

  /** All secrets together where the device spells the line otherwise, so that any other secret is another one. */
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
    // a switch that salts a given line may hit upon the salt that it has; the next one of its own is another again
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
    // an undo gives the shown form itself, which is none that the settings have
    const salted = linesIn(running).filter(
      ({ line, value }) => !given().values.has(value) || formsBefore(line).length > 0
    )
    return salted.length === 0 ? null : Object.fromEntries(salted.map((secret) => [secret.line, formsNow(secret)]))
  }

  return { isKnown, isSame: ({ line, removed }) => isKnown(line, removed), compare, provedBy }
}
