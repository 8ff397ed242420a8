/** Which of the stored configurations first had each line of the newest one. Pure. */
import { TextDiff } from "effect"
import { maxEdits } from "../../drivers/UnifiedDiff.ts"

/** A line, and the place of its configuration in the list. */
export interface BlamedLine {
  readonly text: string
  readonly origin: number
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

const edits = TextDiff.diffWith<string>((one, other) => one === other)

/** For each line of the older text, which line of the newest it became; undefined for one that was lost on the way. */
type Kept = ReadonlyArray<number | undefined>

const followed = (older: string, newer: string, kept: Kept): Kept => {
  const from: Array<number | undefined> = []
  let at = 0
  for (const { _tag, items } of edits(linesOf(older), linesOf(newer), { maxEdits: maxEdits(older, newer) })) {
    if (_tag === "Equal") from.push(...kept.slice(at, at + items.length))
    if (_tag === "Delete") from.push(...items.map(() => undefined))
    if (_tag !== "Delete") at += items.length
  }
  return from
}

/** The lines of the first of the texts, which are the newest first. A line that was taken away and came back counts from then on. */
export const blame = (texts: ReadonlyArray<string>): ReadonlyArray<BlamedLine> => {
  const newest = linesOf(texts[0] ?? "")
  const origins = newest.map(() => 0)
  let kept: Kept = newest.map((_, line) => line)
  for (let version = 1; version < texts.length && kept.some((line) => line !== undefined); version++) {
    const older = texts[version] ?? ""
    const newer = texts[version - 1] ?? ""
    if (older !== newer) kept = followed(older, newer, kept)
    for (const line of kept) if (line !== undefined) origins[line] = version
  }
  return newest.map((text, line) => ({ text, origin: origins[line] ?? 0 }))
}
