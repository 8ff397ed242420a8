/** The form of an upgrade, as texts of the address and as the body of the request. Pure. */

import { upgradeStepWords } from "../../../src/domain/words/JobWords.ts"

type Words = Readonly<Record<string, string | undefined>>

export type Step = keyof typeof upgradeStepWords

/** In their order. */
export const STEPS = (["pre_flight", "download", "activate", "reboot", "post_flight"] as const).map((step) => ({
  step,
  label: upgradeStepWords[step].text
}))

/** The selected steps: all that are not left out. */
export const stepsOf = (words: Words): ReadonlySet<Step> =>
  new Set(STEPS.flatMap(({ step }) => (words[step] === "no" ? [] : [step])))

const given = (words: Words, name: string): string | undefined => {
  const text = words[name]?.trim()
  return text === "" ? undefined : text
}

/** The switches that are named, each once; none if a group is chosen. */
export const namesOf = (words: Words): ReadonlyArray<string> => [
  ...new Set((given(words, "hostnames") ?? "").split(/[\s,;]+/).filter((name) => name !== ""))
]

/** The missing fields, as a sentence. */
export const lackOf = (words: Words): string | undefined => {
  const steps = stepsOf(words)
  if (given(words, "group") === undefined && namesOf(words).length === 0) return "Choose a group, or name switches."
  if (steps.size === 0) return "Choose at least one step."
  if ((steps.has("download") || steps.has("activate")) && given(words, "filename") === undefined)
    return "Choose an image: it is copied or activated. There are images under Images."
  return undefined
}

/** The body of the request. */
export const bodyOf = (words: Words): Readonly<Record<string, unknown>> => {
  const steps = stepsOf(words)
  const names = namesOf(words)
  const reason = given(words, "skip_checks")
  const texts = {
    filename: given(words, "filename"),
    url: given(words, "url"),
    start_at: given(words, "start"),
    ticket_ref: given(words, "ticket"),
    comment: given(words, "comment")
  }
  return {
    ...(names.length === 0 ? { group: given(words, "group") } : { hostnames: names }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(STEPS.map(({ step }) => [step, steps.has(step)])),
    ...(reason === undefined ? {} : { skip_checks: { reason } }),
    staggered_upgrade: steps.has("reboot") && words["staggered"] !== "no" && names.length !== 1
  }
}
