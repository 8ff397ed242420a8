/** A value of the program as its word; the value itself is in the tooltip, for support and for scripts. */
import { type Word, wordOf, type Words } from "../../src/domain/words/Word.ts"
import { Tone } from "./Tone.tsx"

interface Props {
  readonly of: Words<string>
  readonly value: string
}

export const Worded = ({ of, value }: Props) => <WordShown word={wordOf(of, value)} raw={value} />

/** A word that was chosen from several values. */
export const WordShown = ({ raw, word }: { readonly word: Word; readonly raw: string }) => (
  <span title={raw}>
    <Tone tone={word.tone}>{word.text}</Tone>
  </span>
)
