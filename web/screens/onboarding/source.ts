/** What a list of switches is, guessed from the name of its file, and the files of a chosen folder. Pure. */
import { sourceWords } from "../../../src/domain/words/OnboardingWords.ts"

export type Source = keyof typeof sourceWords

export const isSource = (value: string | undefined): value is Source =>
  value !== undefined && Object.hasOwn(sourceWords, value)

/** The sources, for a choice. */
export const sourceChoices = Object.entries(sourceWords).map(([value, { text }]) => ({ value, label: text }))

/** The source of a file by its name; undefined if the name says nothing. */
export const sourceNamed = (file: string): Source | undefined => {
  if (/\.clab\.ya?ml$/i.test(file)) return "containerlab"
  if (/\.(?:csv|tsv)$/i.test(file)) return "csv"
  return /\.(?:ya?ml|ini)$/i.test(file) ? "ansible" : undefined
}

/** The path of a file below the chosen folder, which the browser names first; null for files that are hidden. */
export const pathBelow = (file: { readonly name: string; readonly webkitRelativePath: string }): string | null => {
  const path = file.webkitRelativePath.split("/").slice(1).join("/") || file.name
  return path.split("/").some((part) => part.startsWith(".")) ? null : path
}
