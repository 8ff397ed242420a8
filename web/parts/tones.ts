/** The tones of words and drawings. */
export type { Tone as ToneName } from "../../src/domain/words/Word.ts"
