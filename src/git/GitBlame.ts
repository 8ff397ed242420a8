/** Which commit wrote each line of a file, by `git blame`; without the programs that attributes or settings could name for it. */
import { Effect } from "effect"
import { cleanedText } from "../domain/Text.ts"
import { type GitCommandOptions, type GitFailed, runGit } from "./GitCommand.ts"

/** The commit that wrote a line. */
export interface LineOrigin {
  readonly commit: string
  readonly author: string
  /** Seconds since 1970, of the author. */
  readonly seconds: number
  readonly subject: string
}

/** Files with more lines are not blamed: nobody writes them. */
const MOST_LINES = 20_000
const REMEMBERED = 100

/** Reads `git blame --porcelain`: one entry for each line of the file. */
export const parseBlame = (output: string): ReadonlyArray<LineOrigin> => {
  const known = new Map<string, Omit<LineOrigin, "commit">>()
  const lines: Array<LineOrigin> = []
  let commit = ""
  for (const text of output.split("\n")) {
    const [, hash] = /^([0-9a-f]{40,64}) \d+ \d+(?: \d+)?$/.exec(text) ?? []
    if (text.startsWith("\t")) {
      const about = known.get(commit)
      if (about !== undefined) lines.push({ commit, ...about })
    } else if (hash !== undefined) {
      commit = hash
      if (!known.has(hash)) known.set(hash, { author: "", seconds: 0, subject: "" })
    } else {
      const about = known.get(commit)
      const [, name = "", value = ""] = /^(author|author-time|summary) (.*)$/.exec(text) ?? []
      if (about === undefined || name === "") continue
      const clean = cleanedText(value, "line", 200).text
      const part =
        name === "author"
          ? { author: clean }
          : name === "summary"
            ? { subject: clean }
            : { seconds: Number(value) || 0 }
      known.set(commit, { ...about, ...part })
    }
  }
  return lines
}

/** Yields the origins of the lines of a file in a commit; none for a file that the commit lacks. The last files are remembered. */
export const makeBlame = (options: GitCommandOptions) => {
  const known = new Map<string, ReadonlyArray<LineOrigin>>()
  return Effect.fnUntraced(function* (
    hash: string,
    path: string
  ): Effect.fn.Return<ReadonlyArray<LineOrigin>, GitFailed> {
    const key = `${hash} ${path}`
    const before = known.get(key)
    if (before !== undefined) return before
    const output = yield* runGit(["blame", "--porcelain", "--no-textconv", "-L", `,${MOST_LINES}`, hash, "--", path], {
      ...options,
      settings: [["blame.ignoreRevsFile", ""]]
    }).pipe(
      Effect.catchIf(
        ({ own, reason }) => own === undefined && reason === "failed",
        () => Effect.succeed(Buffer.alloc(0))
      )
    )
    const lines = parseBlame(output.toString("utf8"))
    if (known.size >= REMEMBERED) known.clear()
    known.set(key, lines)
    return lines
  })
}
