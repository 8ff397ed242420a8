/**
 * Finds the place of a value in the text of a YAML file by the keys that lead to it. Places are asked for when something is
 * wrong, which is rare, so they are not kept: the text is parsed again for the first question about it.
 */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair } from "yaml"
import type { TextPlace } from "../domain/Repository.ts"
import { asNode, composeDocument, isMergeKey } from "./YamlFile.ts"

/** A place, and whether all keys led to it; else it is that of the last value on the way. */
export interface FoundPlace extends TextPlace {
  readonly exact: boolean
}

/**
 * Finds the place that keys and positions lead to, with `onKey` that of the last key and not of its value; undefined when the
 * text cannot be read.
 */
export type PlaceFinder = (path: ReadonlyArray<unknown>, onKey?: boolean) => FoundPlace | undefined

interface Step {
  readonly key: Node | null
  readonly value: Node | null
}

const MAX_ALIASES = 100

class Finder {
  readonly #document: Document
  readonly #lines: LineCounter

  constructor(text: string) {
    this.#lines = new LineCounter()
    this.#document = composeDocument(text, this.#lines)
  }

  find(path: ReadonlyArray<unknown>, onKey: boolean): FoundPlace {
    let node = asNode(this.#document.contents)
    let offset = node?.range?.[0] ?? 0
    for (const segment of path) {
      const step = this.#step(this.#target(node), segment)
      if (step === undefined) return { ...this.#place(offset), exact: false }
      // a mapping or a list begins on the next line: its key is the better place
      const isText = isScalar(step.value) && step.value.source !== "" && !onKey
      const place = isText ? step.value : (step.key ?? step.value)
      offset = place?.range?.[0] ?? offset
      node = step.value
    }
    return { ...this.#place(offset), exact: true }
  }

  #place(offset: number): TextPlace {
    const { col, line } = this.#lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }

  #target(node: Node | null): Node | null {
    let current = node
    for (let step = 0; isAlias(current) && step < MAX_ALIASES; step += 1)
      current = current.resolve(this.#document) ?? null
    return current
  }

  #step(node: Node | null, segment: unknown): Step | undefined {
    if (isSeq(node)) {
      const value = asNode(node.items[Number(segment)])
      return value === null ? undefined : { key: null, value }
    }
    return isMap(node) ? this.#entry(node.items, segment, 0) : undefined
  }

  /** The entry of a key, the last one when it is given more than once, or that of a mapping that is merged. */
  #entry(items: ReadonlyArray<Pair>, segment: unknown, depth: number): Step | undefined {
    const wanted = String(segment)
    const own = items.findLast(({ key }) => keyText(asNode(key)) === wanted)
    if (own !== undefined) return { key: asNode(own.key), value: asNode(own.value) }
    if (depth > MAX_ALIASES) return undefined
    for (const { key, value } of items) {
      if (!isMergeKey(asNode(key))) continue
      const merged = this.#target(asNode(value))
      for (const source of isSeq(merged) ? merged.items : [merged]) {
        const mapping = this.#target(asNode(source))
        const found = isMap(mapping) ? this.#entry(mapping.items, segment, depth + 1) : undefined
        if (found !== undefined) return found
      }
    }
    return undefined
  }
}

const keyText = (key: Node | null): string | undefined => {
  const merges: boolean = isMergeKey(key)
  if (merges || !isScalar(key)) return undefined
  return key.value === null ? "None" : String(key.value)
}

/** The places in this text. */
export const placesIn = (text: string): PlaceFinder => {
  let finder: Finder | undefined
  return (path, onKey = false) => {
    try {
      finder ??= new Finder(text)
      return finder.find(path, onKey)
    } catch {
      // A text that cannot be read has been reported with the place where reading ended.
      return undefined
    }
  }
}
