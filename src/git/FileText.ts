/**
 * What a file of a repository is, by its name and its bytes: text, something that cannot be used, or none of ours. A refresh asks
 * this of the objects of a commit, and `switchyard check` of a working copy, so that both say the same
 * (docs/settings-repository.md#files-that-are-no-text).
 */
import { placeAt, textFault, visible } from "../domain/Text.ts"

/** Why a file is not used, and the line where that shows, from 1. */
export interface FileRefusal {
  readonly reason: string
  readonly line: number | null
}

/** Files that editors, file managers and git leave behind, and directories of that kind. Placeholders keep a directory alive. */
const FOREIGN =
  /^(?:\.(?!gitkeep$|keep$).*|.*~|#.*#|.*\.(?:swp|swo|swx|bak|orig|rej|tmp|pyc)|thumbs\.db|desktop\.ini|__macosx|__pycache__|node_modules)$/i

/** True for a file that nobody meant to be read, whatever it holds. */
export const isForeign = (path: string): boolean => path.split("/").some((part) => FOREIGN.test(part))

/** True for a file whose content people read, and no program: it is left alone when it is no text. */
export const isNote = (path: string): boolean =>
  /(^|\/)(?:readme|license|copying|changelog)[^/]*(?<!\.j2|\.ya?ml)$/i.test(path)

export const SUBMODULE = "a submodule: its files are in another repository"
export const LINK_OUTSIDE = "symbolic link leads out of the repository"
export const LINK_NOWHERE = "symbolic link leads nowhere"
const BROKEN: ReadonlySet<string> = new Set([SUBMODULE, LINK_OUTSIDE, LINK_NOWHERE])

/** Files that are wanted could stand behind what cannot be followed. */
export const mayHideFiles = (path: string, { reason }: FileRefusal): boolean => BROKEN.has(reason) && !isNote(path)

const POINTER = /^version https:\/\/(?:git-lfs\.github\.com|hawser\.github\.com)\/spec\/v\d/

/** Why a file cannot be told by its name, which git lets anybody choose; `name` is how it is told all the same. */
export const unfitName = (path: string): { readonly name: string; readonly refused: FileRefusal } | undefined => {
  const fault = textFault(path, "line")
  return fault === undefined
    ? undefined
    : { name: visible(path), refused: { reason: `its name ${fault.message}`, line: null } }
}

type Unread = { readonly refused: FileRefusal } | { readonly ignored: true }

/**
 * The text of a file, or why it is none; nobody misses that of a note. Other controls than NUL are told by who reads the text, with
 * their place.
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
