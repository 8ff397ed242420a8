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

/** The missing fields, as a sentence. */
export const lackOf = (words: Words): string | undefined => {
  const steps = stepsOf(words)
  if (given(words, "group") === undefined && given(words, "hostname") === undefined)
    return "Choose a group, or name a device."
  if (steps.size === 0) return "Choose a step at least."
  if ((steps.has("download") || steps.has("activate")) && given(words, "filename") === undefined)
    return "Choose an image: it is copied or activated. There are images under Images."
  return undefined
}

/** The body of the request. */
export const bodyOf = (words: Words): Readonly<Record<string, unknown>> => {
  const steps = stepsOf(words)
  const hostname = given(words, "hostname")
  const texts = {
    filename: given(words, "filename"),
    url: given(words, "url"),
    start_at: given(words, "start"),
    ticket_ref: given(words, "ticket"),
    comment: given(words, "comment")
  }
  return {
    ...(hostname === undefined ? { group: given(words, "group") } : { hostname }),
    ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(STEPS.map(({ step }) => [step, steps.has(step)])),
    staggered_upgrade: steps.has("reboot") && words["staggered"] !== "no" && hostname === undefined
  }
}
