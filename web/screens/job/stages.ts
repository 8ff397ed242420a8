/** The stage of a switch in a job, for people: few stages, in order; and the result of a job in a sentence. Pure. */
import type { ChangePhase } from "../../../machines/change/ChangeRow.ts"
import { stageWords } from "../../../src/domain/words/JobWords.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { inSentence } from "../../../src/domain/words/Word.ts"
import type { ToneName } from "../../parts/tones.ts"

/** As the cells of the grid are drawn. */
type Shape = "filled" | "striped" | "hollow" | "crossed"

interface Standing {
  readonly phase: string | null
  readonly failed: boolean | null
  readonly silent_since: string | null
  readonly not_begun: boolean
}

type StageKey = keyof typeof stageWords

/** All stages in the order of the bar, with their shapes. */
const SHAPES = {
  confirmed: "filled",
  done: "filled",
  proved: "filled",
  committed: "filled",
  loaded: "striped",
  reverting: "striped",
  silent: "hollow",
  waiting: "hollow",
  not_begun: "hollow",
  back: "crossed",
  unknown: "striped",
  failed: "crossed"
} as const satisfies Readonly<Record<StageKey, Shape>>

const ofPhase = {
  planned: "waiting",
  loading: "loaded",
  discarding: "loaded",
  committing: "committed",
  committed: "committed",
  looking: "committed",
  checking: "committed",
  proved: "proved",
  confirming: "proved",
  outlasting: "proved",
  saving: "proved",
  restoring: "reverting",
  withdrawing: "reverting",
  expiring: "reverting",
  confirmed: "confirmed",
  unchanged: "done",
  discarded: "done",
  reverted: "back",
  unknown: "unknown"
} as const satisfies Readonly<Record<ChangePhase, StageKey>>

const stageIn = (phase: string): StageKey | undefined => Object.entries(ofPhase).find(([known]) => known === phase)?.[1]

/** The stage of a switch. A phase that is not listed here is unknown, never a success. */
export const stageOf = ({ failed, not_begun, phase, silent_since }: Standing): StageKey => {
  if (not_begun) return "not_begun"
  if (phase === "unknown") return "unknown"
  if (silent_since !== null) return "silent"
  if (failed === true) return phase === "reverted" ? "back" : "failed"
  if (phase === null) return failed === null ? "waiting" : "done"
  return stageIn(phase) ?? "unknown"
}

/** How a switch is drawn. */
export const cellOf = (
  device: Standing & { readonly hostname: string }
): { readonly hostname: string; readonly said: string; readonly tone: ToneName; readonly shape: Shape } => {
  const stage = stageOf(device)
  const { text, tone } = stageWords[stage]
  return { hostname: device.hostname, said: inSentence(text), tone, shape: SHAPES[stage] }
}

const orderedStages = Object.entries(SHAPES).flatMap(([key, shape]) => {
  const stage = Object.keys(stageWords).find((known): known is StageKey => known === key)
  return stage === undefined ? [] : [{ stage, shape }]
})

/** The switches by their stage, in the order of the bar. */
export const byStage = <Device extends Standing>(devices: ReadonlyArray<Device>) => {
  const grouped = Map.groupBy(devices, stageOf)
  return orderedStages.flatMap(({ shape, stage }) => {
    const here = grouped.get(stage)
    return here === undefined ? [] : [{ key: stage, ...stageWords[stage], shape, devices: here }]
  })
}

/** The parts of the bar. */
export const partsOf = (devices: ReadonlyArray<Standing>) =>
  byStage(devices).map(({ devices: here, key, shape, text, tone }) => ({
    key,
    count: here.length,
    label: inSentence(text),
    tone,
    striped: shape === "striped"
  }))

const counted = (devices: ReadonlyArray<Standing & { readonly changed: boolean }>, isPreview: boolean) => {
  const keys = devices.map((device) => ({ stage: stageOf(device), changed: device.changed }))
  const of = (...stages: ReadonlyArray<StageKey>) => keys.filter(({ stage }) => stages.includes(stage)).length
  const changing = isPreview ? keys.filter(({ changed, stage }) => changed && stage === "done").length : 0
  return [
    [of("confirmed"), "confirmed"],
    [changing, "would change"],
    [of("done") - changing, isPreview ? "already so" : "done"],
    [of("back"), "went back"],
    [of("silent"), "not answering"],
    [of("unknown"), "unclear"],
    [of("failed"), isPreview ? "could not be compared" : "failed"],
    [of("not_begun"), "not begun"]
  ] as const
}

/** `97 confirmed, 3 went back`: how a job ended for its switches. */
export const resultSentence = (
  devices: ReadonlyArray<Standing & { readonly changed: boolean }>,
  isPreview: boolean
): string =>
  counted(devices, isPreview)
    .filter(([count]) => count > 0)
    .map(([count, words]) => `${count} ${words}`)
    .join(", ") || `0 of ${switches(devices.length)}`
