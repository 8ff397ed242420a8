/**
 * Something that is wrong or doubtful in a repository, with its place: what people who write settings and templates are
 * told, in the answer of a refresh, by question, and by `switchyard check`.
 */
import { Schema } from "effect"

/**
 * `file` is a path in the repository; line and column count from 1; `path` are the keys that lead to a value, such as
 * `vxlans->student->vlan_id`. What is not known is null.
 */
export const Remark = Schema.Struct({
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Int),
  column: Schema.NullOr(Schema.Int),
  path: Schema.NullOr(Schema.String),
  message: Schema.String
})
export type Remark = typeof Remark.Type

/** Where in a text, counted from 1. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

const NOWHERE = { file: null, line: null, column: null, path: null } as const

/** A remark with as much of its place as is known. */
export const remark = (message: string, place: Partial<Omit<Remark, "message">> = {}): Remark => ({
  ...NOWHERE,
  ...place,
  message
})

/** The keys and positions that lead to a value, as messages show them. */
export const pathText = (path: ReadonlyArray<unknown>): string => path.map(String).join("->")

/** The place for people: `global/vxlans.yml, line 3, column 14`; empty when the file is not known. */
export const placeText = ({ column, file, line }: Remark): string => {
  if (file === null) return ""
  return line === null ? file : `${file}, line ${line}${column === null ? "" : `, column ${column}`}`
}

/** The remark in one text, its place first, then the keys. */
export const remarkText = (one: Remark): string =>
  [placeText(one), one.path ?? "", one.message].filter((part) => part !== "").join(": ")

const keyOf = (one: Remark): string => JSON.stringify([one.file, one.line, one.column, one.path, one.message])

/** Collects remarks, each once, up to a number; what is beyond it is counted. */
export class RemarkList {
  readonly #all = new Map<string, Remark>()
  readonly #most: number
  #more = 0

  constructor(most: number) {
    this.#most = most
  }

  add(remarks: Iterable<Remark>): void {
    for (const one of remarks) {
      const key = keyOf(one)
      if (this.#all.has(key)) continue
      if (this.#all.size < this.#most) this.#all.set(key, one)
      else this.#more += 1
    }
  }

  get remarks(): ReadonlyArray<Remark> {
    const all = [...this.#all.values()]
    return this.#more === 0 ? all : [...all, remark(`and ${this.#more} more`)]
  }
}
