/** The meaning of a device's colour and shape in each overlay, and the words for a block of devices. Pure. */
import { inSentence, joined, type Word, wordOf } from "../../../src/domain/words/Word.ts"
import { stateWords } from "../../../src/domain/words/DeviceWords.ts"
import type { ToneName } from "../../parts/tones.ts"

export interface ColoredDevice {
  readonly hostname: string
  readonly state: string
  readonly synchronized: boolean
  readonly os_version: string | null
  readonly unreachable: boolean
  readonly job_id: number | null
}

export const colorings = ["synchronized", "state", "version", "job", "errors"] as const
export type Coloring = (typeof colorings)[number]

/** As the cells of `DeviceGrid`: what moves is striped, what waits is hollow, what failed is crossed. */
type CellShape = "filled" | "striped" | "hollow" | "crossed"

/** How a device stands in an overlay. */
export interface Standing {
  readonly tone: ToneName
  readonly word: string
  readonly shape: CellShape
}

/** What an overlay compares a device with. */
export interface Compared {
  /** The version that most devices have. */
  readonly usual: string | null
  /** How devices stand in the shown job. */
  readonly inJob: ReadonlyMap<string, Standing>
  /** The number of cables of a device that differ from the plan. */
  readonly differing: ReadonlyMap<string, number>
}

/** The most urgent first. */
const ORDER: ReadonlyArray<ToneName> = ["bad", "warn", "wait", "info", "quiet", "good"]

const SHAPES: Readonly<Record<ToneName, CellShape>> = {
  bad: "crossed",
  warn: "filled",
  wait: "filled",
  info: "striped",
  quiet: "hollow",
  good: "filled"
}

export const standing = (tone: ToneName, word: string): Standing => ({ tone, word, shape: SHAPES[tone] })

const standingIn = ({ text, tone }: Word): Standing => standing(tone, inSentence(text))

const SILENT = standing("bad", "not answering")

const inSync = ({ job_id, state, synchronized, unreachable }: ColoredDevice): Standing => {
  if (unreachable) return SILENT
  if (job_id !== null) return standing("info", "changing")
  if (state !== "MANAGED") return standing("quiet", "not managed")
  return synchronized ? standing("good", "in sync") : standing("warn", "out of sync")
}

/** How a device stands in an overlay. */
export const standingOf = (device: ColoredDevice, coloring: Coloring, compared: Compared): Standing => {
  const { hostname, job_id, os_version, state, unreachable } = device
  switch (coloring) {
    case "synchronized":
      return inSync(device)
    case "state":
      return unreachable ? SILENT : standingIn(wordOf(stateWords, state))
    case "version":
      return standing(os_version === compared.usual ? "good" : "warn", os_version ?? "version not known")
    case "job":
      return (
        compared.inJob.get(hostname) ??
        (job_id === null ? standing("quiet", "no job") : standing("info", `job ${job_id}`))
      )
    case "errors": {
      if (unreachable) return SILENT
      const count = compared.differing.get(hostname) ?? 0
      if (count > 0) return standing("warn", count === 1 ? "1 cable differs" : `${count} cables differ`)
      return standing("good", "no error known")
    }
  }
}

/** Words with their number, the most urgent first. */
export const summed = (standings: ReadonlyArray<Standing>): ReadonlyArray<Standing & { readonly count: number }> =>
  [...Map.groupBy(standings, ({ word }) => word).values()]
    .flatMap((alike) => alike.slice(0, 1).map((first) => ({ ...first, count: alike.length })))
    .toSorted((one, other) => ORDER.indexOf(one.tone) - ORDER.indexOf(other.tone) || other.count - one.count)

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

/** The share of a block's switches that must be in one group, so that the block has its name. */
const MOST = 0.8

/** `East`, the group of nearly all of them; or `Below lhv-e-dist1 and lhv-e-dist2`. */
export const blockName = (groups: ReadonlyArray<string>, uplinks: ReadonlyArray<string>): string => {
  const usual = mostFrequent(groups)
  const share = groups.filter((group) => group === usual).length / Math.max(1, groups.length)
  if (usual !== null && usual !== "DEFAULT" && share >= MOST) return usual
  if (uplinks.length === 0) return "Without known uplinks"
  return `Below ${joined(uplinks)}`
}
