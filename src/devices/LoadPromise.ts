/**
 * The promise of a loaded candidate: the configuration that the device will run after the commit, and its difference to the running
 * one, in our own words (docs/changes.md#the-promise). It is read back from the device where the platform has a statement of it;
 * otherwise it follows from the device's own difference. Pure.
 */
import { Option } from "effect"
import type { ChangeRow, LoadPromise } from "../../machines/change/ChangeRow.ts"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import type { ConfigNotation, Platform } from "../domain/platforms/Platform.ts"
import type { Driver, LoadResult } from "../drivers/Driver.ts"
import { reduceDiff, setsSecrets, withoutSecrets } from "../drivers/SecretEquivalence.ts"
import * as UnifiedDiff from "../drivers/UnifiedDiff.ts"
import type { KnownSecrets } from "./KnownSecrets.ts"

/**
 * The promised configuration. `readBack`: the device has stated it as a whole. `exact`: its lines are in the order in which the
 * device will show them, so that it can be compared by its hash.
 */
export interface Promised {
  readonly text: string
  /** Its difference to the running configuration; empty when only lines differ that the device writes on its own. */
  readonly diff: string
  readonly readBack: boolean
  readonly exact: boolean
}

/** Whether a difference changes lines other than those that the device writes on its own. */
const changesMore = ({ own }: ConfigNotation, diff: string): boolean =>
  diff.split("\n").some((line) => /^[-+]/.test(line) && line.slice(1).trim() !== "" && !own.test(line.slice(1)))

/** The lines at the beginning that a device writes on its own, such as the time and the image that it has booted. */
const headLength = ({ own }: ConfigNotation, lines: ReadonlyArray<string>): number => {
  const first = lines.findIndex((line) => line.trim() !== "" && !own.test(line))
  return first < 0 ? lines.length : first
}

/** The stated configuration below the first lines of the running one: the two commands print others. */
const belowHeadOf = (notation: ConfigNotation, running: string, stated: string): string => {
  const [before, after] = [running.split("\n"), stated.split("\n")]
  return [...before.slice(0, headLength(notation, before)), ...after.slice(headLength(notation, after))].join("\n")
}

/** The difference between two texts; empty when only lines differ that the device writes on its own. */
const toward = (notation: ConfigNotation, running: string, text: string): string => {
  const diff = UnifiedDiff.diff(running, text)
  return diff === "" || changesMore(notation, diff) ? diff : ""
}

/** The promise of a load, by the running configuration before it; none if the device's difference does not fit that. */
export const promisedBy = (
  { configuration }: Pick<Platform, "configuration">,
  running: string,
  { diff, willRun }: Pick<LoadResult, "diff" | "willRun">
): Option.Option<Promised> => {
  if (willRun !== null) {
    const text = belowHeadOf(configuration, running, willRun)
    return Option.some({ text, diff: toward(configuration, running, text), readBack: true, exact: true })
  }
  const applied = UnifiedDiff.apply(running, diff)
  if (Option.isSome(applied)) return Option.some({ text: applied.value, diff, readBack: false, exact: true })
  return Option.map(UnifiedDiff.applySections(configuration, running, diff), (text) => ({
    text,
    diff: toward(configuration, running, text),
    readBack: false,
    exact: false
  }))
}

/**
 * Whether a device that states no change at all shows one in its difference. Such a device would count as done although one of its
 * two answers is wrong.
 */
export const contradicts = (
  { configuration }: Pick<Platform, "configuration">,
  promised: Promised,
  { diff }: Pick<LoadResult, "diff">
): boolean => promised.readBack && promised.diff === "" && changesMore(configuration, diff)

/** A configuration without the lines that the device writes on its own and without its salted secrets. */
export const comparable = (platform: Platform, text: string): string =>
  withoutOwnLines(platform.configuration, withoutSecrets(platform, text))

/** The hash of what can be compared of a configuration. */
export const shapeOf = ({ configHash, platform }: Driver, text: string): string =>
  configHash(comparable(platform, text))

/** The stored part of a promise, and its secrets that cannot be compared. */
export const storedPromise = (
  secrets: KnownSecrets,
  driver: Driver,
  running: string,
  { diff, exact, readBack, text }: Promised
): Required<LoadPromise> & Pick<ChangeRow, "candidateHash"> => {
  const found = setsSecrets(driver.platform, diff) ? secrets.compare(running, text) : { setSecrets: [], remarks: [] }
  return {
    candidateHash: exact ? driver.configHash(text) : null,
    promised: exact,
    readBack,
    shape: exact && (readBack || found.setSecrets.length > 0) ? shapeOf(driver, text) : null,
    setSecrets: found.setSecrets,
    remarks: found.remarks
  }
}

/** The difference to show and to push: without lines that only show a secret differently. */
export const shownDiff = (
  { platform }: Driver,
  secrets: KnownSecrets,
  running: string,
  { diff }: Pick<Promised, "diff">
): string => reduceDiff(platform, running, diff, secrets.isSame)
