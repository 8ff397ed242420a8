/**
 * The files of one commit, read from git's own objects, so that no change of the repository meanwhile can mix two commits. Symbolic links
 * are followed within the commit only, and never to a file of the host (pure parts of reading `git ls-tree` and `git cat-file --batch`).
 */
import { posix } from "node:path"
import { placeAt, textFault, visible } from "../domain/Text.ts"

// The kind of a file in a repository, by its name and its bytes: text, unusable, or none of ours. A refresh judges the objects of a commit
// by it, and `switchyard check` a working copy, so that both agree (docs/settings-repository.md#files-that-are-no-text).

/** Why a file is not used, and the line of the fault, from 1. */
export interface FileRefusal {
  readonly reason: string
  readonly line: number | null
}

/** Files that editors, file managers and git leave in folders, and directories of that kind. Placeholders keep a directory in git. */
const FOREIGN =
  /^(?:\.(?!gitkeep$|keep$).*|.*~|#.*#|.*\.(?:swp|swo|swx|bak|orig|rej|tmp|pyc)|thumbs\.db|desktop\.ini|__macosx|__pycache__|node_modules)$/i

/** True for a file that the server never reads, whatever it contains. */
export const isForeign = (path: string): boolean => path.split("/").some((part) => FOREIGN.test(part))

/** True for a file for people, not for programs: it is ignored if it is no text. */
const isNote = (path: string): boolean =>
  /(^|\/)(?:readme|license|copying|changelog)[^/]*(?<!\.j2|\.ya?ml)$/i.test(path)

export const SUBMODULE = "a submodule: its files are in another repository"
export const LINK_OUTSIDE = "symbolic link leads out of the repository"
export const LINK_NOWHERE = "symbolic link leads nowhere"
const BROKEN: ReadonlySet<string> = new Set([SUBMODULE, LINK_OUTSIDE, LINK_NOWHERE])

/** Wanted files could be below an entry that cannot be followed. */
export const mayHideFiles = (path: string, { reason }: FileRefusal): boolean => BROKEN.has(reason) && !isNote(path)

const POINTER = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v\d/

/** Why a file's name cannot be used, because git allows any name; `name` is the form for messages. */
export const unfitName = (path: string): { readonly name: string; readonly refused: FileRefusal } | undefined => {
  const fault = textFault(path, "line")
  return fault === undefined
    ? undefined
    : { name: visible(path), refused: { reason: `its name ${fault.message}`, line: null } }
}

type Unread = { readonly refused: FileRefusal } | { readonly ignored: true }

/**
 * The text of a file, or why it is none; a note that is no text is ignored. Other control characters than NUL are reported by the reader of
 * the text, with their place.
 */
export const fileText = (path: string, content: Uint8Array): { readonly text: string } | Unread => {
  const lossy = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString("utf8")
  const unusable = (reason: string, line: number): Unread =>
    isNote(path) ? { ignored: true } : { refused: { reason, line } }
  const nul = lossy.indexOf("\0")
  if (nul >= 0) return unusable("not text: it holds U+0000", placeAt(lossy, nul).line)
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(content)
    return POINTER.test(text) ? unusable("a Git LFS pointer: the file itself is not in the repository", 1) : { text }
  } catch {
    // the decoder's only failure
    return unusable("not UTF-8 text", placeAt(lossy, Math.max(0, lossy.indexOf("\ufffd"))).line)
  }
}

/** One file in a commit's tree. */
export interface TreeEntry {
  readonly path: string
  readonly mode: string
  readonly object: string
  /** Size in bytes. */
  readonly size: number
}

/** The texts of the wanted files by path, and the unusable wanted files, each with the reason. */
export interface TreeFiles {
  readonly files: ReadonlyMap<string, string>
  readonly refused: ReadonlyMap<string, FileRefusal>
  /** Files that the server never reads. */
  readonly ignored: ReadonlyArray<string>
}

/** A path and the object with its content, or the reason why there is none. */
export type ResolvedPath =
  | { readonly object: string; readonly size: number }
  | {
      readonly refused: string
      /** An entry of this name is a directory, or may be one. */
      readonly isTree: boolean
    }

const SYMLINK = "120000"
const SUBMODULE_MODE = "160000"
const MAX_LINK_STEPS = 20
const MAX_PATHS = 500_000

/** Parses the output of `git ls-tree -r -z -l`. */
export const parseTree = (output: string): ReadonlyArray<TreeEntry> =>
  output.split("\0").flatMap((line) => {
    // The size of a lost object is a word; reading the object reports the loss.
    const match = /^(\d+) \w+ ([0-9a-f]+)\s+(\S+)\t([\s\S]+)$/.exec(line)
    if (match === null) return []
    const [, mode = "", object = "", size = "0", path = ""] = match
    return [{ path, mode, object, size: Number(size) || 0 }]
  })

/** Entries that are symbolic links; their content is the path that they lead to. */
export const symlinksOf = (entries: ReadonlyArray<TreeEntry>): ReadonlyArray<TreeEntry> =>
  entries.filter((entry) => entry.mode === SYMLINK)

/** The target of a link, relative to the root of the tree; undefined if it is outside. */
const targetOf = (link: string, text: string): string | undefined => {
  if (text.startsWith("/") || text.includes("\0")) return undefined
  const joined = posix.normalize(posix.join(posix.dirname(link), text)).replace(/\/$/, "")
  return joined === ".." || joined.startsWith("../") ? undefined : joined
}

/** Follows the links among the directories and at the end of a path. */
const followLinks = (path: string, targets: ReadonlyMap<string, string>): string | undefined => {
  let current = path
  for (let step = 0; step < MAX_LINK_STEPS; step += 1) {
    const parts = current.split("/")
    const cut = parts.findIndex((_part, index) => targets.has(parts.slice(0, index + 1).join("/")))
    if (cut < 0) return current
    const link = parts.slice(0, cut + 1).join("/")
    const target = targetOf(link, targets.get(link) ?? "")
    if (target === undefined) return undefined
    current = posix.join(target, ...parts.slice(cut + 1))
  }
  return undefined
}

/**
 * Every path of the tree with the object behind it, links followed. A link to a directory contributes the files below
 * that directory. `targets` holds the content of each link by its path.
 */
export const resolvePaths = (
  entries: ReadonlyArray<TreeEntry>,
  targets: ReadonlyMap<string, string>
): ReadonlyMap<string, ResolvedPath> => {
  const isFile = ({ mode }: TreeEntry) => mode !== SYMLINK && mode !== SUBMODULE_MODE
  const plain = new Map(entries.filter(isFile).map((entry) => [entry.path, entry]))
  const tree = { entries: plain, paths: [...plain.keys()].toSorted() }
  const resolved = new Map<string, ResolvedPath>(plain)
  for (const { mode, path } of entries) {
    if (mode === SUBMODULE_MODE) resolved.set(path, { refused: SUBMODULE, isTree: true })
  }
  for (const link of targets.keys()) {
    const target = followLinks(link, targets)
    const entry = target === undefined ? undefined : plain.get(target)
    if (entry !== undefined) resolved.set(link, entry)
    else if (target === undefined) resolved.set(link, { refused: LINK_OUTSIDE, isTree: true })
    else if (!addDirectory(link, target, tree, resolved)) {
      resolved.set(link, { refused: LINK_NOWHERE, isTree: true })
    }
  }
  return resolved
}

interface SortedTree {
  readonly entries: ReadonlyMap<string, TreeEntry>
  readonly paths: ReadonlyArray<string>
}

/** The position of the first of the sorted paths that does not sort before the text. */
const firstFrom = (sorted: ReadonlyArray<string>, text: string): number => {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? "") < text) low = middle + 1
    else high = middle
  }
  return low
}

/** Adds the files below the directory under the link's path; false if there are none. */
const addDirectory = (link: string, target: string, tree: SortedTree, resolved: Map<string, ResolvedPath>): boolean => {
  const prefix = target === "." ? "" : `${target}/`
  if (link.startsWith(prefix)) return false
  const start = firstFrom(tree.paths, prefix)
  let position = start
  for (; tree.paths[position]?.startsWith(prefix) === true && resolved.size < MAX_PATHS; position += 1) {
    const path = tree.paths[position] ?? ""
    const entry = tree.entries.get(path)
    if (entry !== undefined) resolved.set(`${link}/${path.slice(prefix.length)}`, entry)
  }
  return position > start
}

/** Parses the output of `git cat-file --batch`: content by object. Missing objects are left out. */
export const parseObjects = (output: Buffer): ReadonlyMap<string, Buffer> => {
  const objects = new Map<string, Buffer>()
  for (let position = 0; position < output.length;) {
    const end = output.indexOf(0x0a, position)
    if (end < 0) break
    const [object = "", kind = "", size = ""] = output.toString("utf8", position, end).split(" ")
    position = end + 1
    if (kind !== "missing") {
      const length = Number(size)
      objects.set(object, output.subarray(position, position + length))
      position += length + 1
    }
  }
  return objects
}
