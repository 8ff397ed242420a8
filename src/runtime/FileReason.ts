/** Why a file could not be written or read, in words: without the name of a draft, which nobody knows. */
import { codeOf } from "./SystemErrors.ts"

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user may not",
  EPERM: "this user may not",
  EROFS: "its file system is read-only",
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota of this user is used up",
  EFBIG: "the file system does not take a file of that size",
  EIO: "the disk does not work",
  ENAMETOOLONG: "the name is too long"
}

/** The reason; one that nobody has words for in those of the system. */
export const of = (error: unknown): string =>
  REASONS[codeOf(error) ?? ""] ?? (error instanceof Error ? error.message : String(error))
