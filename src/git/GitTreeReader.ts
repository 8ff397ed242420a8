/** Reads the files of one commit into memory with two git commands, however many files there are. */
import { Effect } from "effect"
import { type GitCommandOptions, GitFailed, runGit } from "./GitCommand.ts"
import { type FileRefusal, fileText, isForeign, unfitName } from "./FileText.ts"
import {
  parseObjects,
  parseTree,
  type ResolvedPath,
  resolvePaths,
  symlinksOf,
  type TreeEntry,
  type TreeFiles
} from "./GitTree.ts"

/** Bounds in bytes; a larger file is refused by itself, a larger sum fails as a whole. */
export interface TreeLimits {
  readonly file: number
  readonly total: number
}

/** Generous for text that people write, small enough for memory. */
export const DEFAULT_LIMITS: TreeLimits = { file: 4 * 1024 * 1024, total: 256 * 1024 * 1024 }

const damaged = (what: string) => new GitFailed({ reason: "damaged", message: `the local copy is damaged: ${what}` })

const readObjects = (objects: Iterable<string>, options: GitCommandOptions) => {
  const wanted = [...new Set(objects)]
  if (wanted.length === 0) return Effect.succeed<ReadonlyMap<string, Buffer>>(new Map())
  return Effect.map(runGit(["cat-file", "--batch"], { ...options, input: `${wanted.join("\n")}\n` }), parseObjects)
}

const readLinks = Effect.fnUntraced(function* (entries: ReadonlyArray<TreeEntry>, options: GitCommandOptions) {
  const links = symlinksOf(entries)
  const objects = yield* readObjects(
    links.map((link) => link.object),
    options
  )
  return new Map(links.map((link) => [link.path, objects.get(link.object)?.toString("utf8") ?? ""]))
})

/** The wanted files with their content, or the reason why they are refused. */
const collect = (
  paths: ReadonlyArray<readonly [string, ResolvedPath]>,
  objects: ReadonlyMap<string, Buffer>,
  limit: number
): TreeFiles => {
  const files = new Map<string, string>()
  const refused = new Map<string, FileRefusal>()
  const ignored: Array<string> = []
  for (const [path, entry] of paths) {
    const unfit = unfitName(path)
    if (isForeign(path)) ignored.push(unfit?.name ?? path)
    else if (unfit !== undefined) refused.set(unfit.name, unfit.refused)
    else if ("refused" in entry) refused.set(path, { reason: entry.refused, line: null })
    else if (entry.size > limit) refused.set(path, { reason: `larger than ${limit} bytes`, line: null })
    else {
      const read = fileText(path, objects.get(entry.object) ?? Buffer.alloc(0))
      if ("ignored" in read) ignored.push(path)
      else if ("refused" in read) refused.set(path, read.refused)
      else files.set(path, read.text)
    }
  }
  return { files, ignored, refused }
}

/** The wanted files of a commit. Fails when the commit or one of its objects is not there, or is too large in all. */
export const readTreeFiles = Effect.fnUntraced(function* (
  hash: string,
  wanted: (path: string) => boolean,
  limits: TreeLimits,
  options: GitCommandOptions
): Effect.fn.Return<TreeFiles, GitFailed> {
  const listing = yield* runGit(["ls-tree", "-r", "-z", "-l", "--full-tree", hash], options).pipe(
    Effect.catchTag("GitFailed", (error) =>
      error.reason === "late" || error.own !== undefined ? error : damaged(error.message)
    )
  )
  const entries = parseTree(listing.toString("utf8"))
  const links = yield* readLinks(entries, options)
  // a submodule or a broken link stands for the files that should be below it
  const isWanted = ([path, entry]: readonly [string, ResolvedPath]) =>
    wanted(path) || ("refused" in entry && entry.isTree && wanted(`${path}/`))
  const found = [...resolvePaths(entries, links)].filter(isWanted)
  const readable = found.flatMap(([path, entry]) =>
    !isForeign(path) && "object" in entry && entry.size <= limits.file ? [entry] : []
  )
  const total = new Map(readable.map((entry) => [entry.object, entry.size]))
    .values()
    .reduce((sum, size) => sum + size, 0)
  if (total > limits.total) {
    return yield* new GitFailed({
      reason: "failed",
      message: `the files of commit ${hash} are larger than ${limits.total} bytes in all`
    })
  }
  const objects = yield* readObjects(
    readable.map((entry) => entry.object),
    options
  )
  const lost = readable.find((entry) => !objects.has(entry.object))
  if (lost !== undefined) return yield* damaged(`object ${lost.object} is missing`)
  return collect(found, objects, limits.file)
})
