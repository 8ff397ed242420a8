/** The devices of a change, as the address and the API express them. Pure. */
import { switches } from "../../../src/domain/words/Units.ts"
import { inSentence, textOf } from "../../../src/domain/words/Word.ts"
import { typeWords } from "../../../src/domain/words/DeviceWords.ts"

type Words = Readonly<Record<string, string | undefined>>

/** Ways to choose devices. */
export const ways = ["all", "group", "device_type", "hostnames"] as const
export type Way = (typeof ways)[number]

export interface Chosen {
  readonly way: Way
  readonly what: string
}

/** The selection in the address: names, a group or a type; otherwise all devices that are not synchronized. */
export const chosenIn = (words: Words): Chosen => {
  for (const way of ["hostnames", "group", "device_type"] as const) {
    const what = words[way]
    if (what !== undefined && what !== "") return { way, what }
  }
  return { way: "all", what: "" }
}

/** The names in a text, whatever separates them. */
export const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(text.split(/[\s,;]+/).filter((name) => name !== ""))
]

/** The selector of the API's body. */
export const selectorOf = ({ way, what }: Chosen): Readonly<Record<string, unknown>> => {
  if (way === "all") return { all: true }
  return way === "hostnames" ? { hostnames: namesIn(what) } : { [way]: what }
}

/** The selection as a sentence. */
export const sentenceOf = ({ way, what }: Chosen): string => {
  if (way === "all") return "everything out of sync"
  if (way === "group") return `group ${what}`
  if (way === "device_type") return `all ${inSentence(textOf(typeWords, what))} switches out of sync`
  const names = namesIn(what)
  return names.length === 1 ? (names[0] ?? "") : switches(names.length)
}

/** The selection with which a job was started, by its arguments. */
export const chosenBy = (given: Readonly<Record<string, unknown>> | null): Chosen => {
  const names = given?.["hostnames"]
  if (Array.isArray(names)) return { way: "hostnames", what: names.join(",") }
  if (typeof given?.["group"] === "string") return { way: "group", what: given["group"] }
  if (typeof given?.["device_type"] === "string") return { way: "device_type", what: given["device_type"] }
  return { way: "all", what: "" }
}
