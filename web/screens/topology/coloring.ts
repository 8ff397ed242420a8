/** The meaning of a device's colour. Pure. */
import { inSentence, type Word, wordOf } from "../../../src/domain/words/Word.ts"
import { stateWords, syncWord } from "../../../src/domain/words/DeviceWords.ts"
import type { ToneName } from "../../parts/tones.ts"

export interface ColoredDevice {
  readonly hostname: string
  readonly state: string
  readonly synchronized: boolean
  readonly os_version: string | null
  readonly unreachable: boolean
  readonly job_id: number | null
}

export const colorings = ["state", "synchronized", "version", "job"] as const
export type Coloring = (typeof colorings)[number]

/** The most urgent first. */
const ORDER: ReadonlyArray<ToneName> = ["bad", "warn", "wait", "info", "quiet", "good"]

const standingIn = ({ text, tone }: Word): readonly [tone: ToneName, word: string] => [tone, inSentence(text)]

/** The tone of a device, and the word for it. `usual` is the version that most devices have. */
export const standingOf = (
  device: ColoredDevice,
  coloring: Coloring,
  usual: string | null
): readonly [tone: ToneName, word: string] => {
  if (coloring === "job") return device.job_id === null ? ["quiet", "no job"] : ["info", `job ${device.job_id}`]
  if (device.unreachable && coloring === "state") return ["bad", "not answering"]
  if (coloring === "state") return standingIn(wordOf(stateWords, device.state))
  if (coloring === "version")
    return [device.os_version === usual ? "good" : "warn", device.os_version ?? "unknown version"]
  return standingIn(syncWord(device))
}

/** The worst of several. */
export const worst = (
  standings: ReadonlyArray<readonly [tone: ToneName, word: string]>
): readonly [tone: ToneName, word: string] =>
  standings.toSorted(([one], [other]) => ORDER.indexOf(one) - ORDER.indexOf(other))[0] ?? ["quiet", ""]

/** The value that most devices have. */
export const mostFrequent = (values: ReadonlyArray<string | null>): string | null => {
  const groups = [
    ...Map.groupBy(
      values.filter((value) => value !== null),
      (value) => value
    )
  ]
  return groups.toSorted(([, one], [, other]) => other.length - one.length)[0]?.[0] ?? null
}
