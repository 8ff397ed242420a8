/** The agreement of planned cables with what their ends hear, the most urgent first. Pure. */
import { cableWords } from "../../../src/domain/words/DeviceWords.ts"

export type Agreement = keyof typeof cableWords

/** The most urgent first, each with its word. */
export const AGREEMENTS: ReadonlyArray<readonly [name: string, text: string]> = Object.entries(cableWords).map(
  ([name, { text }]) => [name, text]
)

const placeOf = (agreement: Agreement): number => AGREEMENTS.findIndex(([name]) => name === agreement)

/** The more urgent of two. */
export const worse = (one: Agreement, other: Agreement): Agreement => (placeOf(one) <= placeOf(other) ? one : other)

/** Whether plan and hearing differ. */
export const differs = (agreement: Agreement): boolean => agreement !== "agreed" && agreement !== "unread"
