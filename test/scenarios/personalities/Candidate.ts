/**
 * What the candidates of these tests have beside the examples' lines: lines that switches spell otherwise than they were given,
 * secrets that they salt, texts that end in `EOF`.
 */

/** A line as the templates have it, and what else switches make of it. */
interface Spelling {
  readonly given: string
  readonly others: ReadonlyArray<string>
}

export const spellings: ReadonlyArray<Spelling> = []

/** Lines behind the configuration of every access switch. */
export const appended = `alias ports show interfaces status
username operator privilege 1 role network-operator secret plain-text-of-operator
`
