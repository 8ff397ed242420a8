/**
 * The operating system's errors by code, such as `ENOENT` or `EACCES`, and whether they are our fault: one table for the errors of all
 * library calls, of files, sockets, names, child processes and threads (docs/faults.md#ours-or-theirs). A lack of this machine is ours:
 * work waits for its end, and no switch and no repository is blamed. Pure; `OwnFaults` keeps the present faults.
 */
import { Schema } from "effect"
import * as path from "node:path"

/** The resources that the machine of this server can lack. */
const ownKinds = ["descriptors", "memory", "disk", "files", "ports", "network", "rights", "names", "processes"] as const
export type OwnKind = (typeof ownKinds)[number]

/** A fault of this server's machine: the failed action says nothing about the other side, and is tried again. */
export class OwnFault extends Schema.TaggedError<OwnFault>()("OwnFault", {
  kind: Schema.Literals(ownKinds),
  /** The operating system's code. */
  code: Schema.String,
  /** One sentence: the fault, and what to do. */
  message: Schema.String
}) {}

/** The kind of call: one of our own files, a connection to another host, the address of a name, a child process or a thread. */
export type Call = "file" | "connection" | "name" | "process"

interface Cause {
  readonly kind: OwnKind
  /** The cause in words, as the end of a sentence. */
  readonly says: string
  readonly next: string
  /** Calls whose errors of this code are ours; all if it is left out. */
  readonly of?: ReadonlyArray<Call>
  /** Ours only if the whole machine has no route out (`OwnFaults.ts`). */
  readonly onAllRoutes?: true
}

const DESCRIPTORS = {
  kind: "descriptors",
  says: "the server has as many files and connections open as it may",
  next: "Raise its limit (LimitNOFILE of the service, ulimit -n), or lower SSH_MAX_SESSIONS"
} as const
const MEMORY = {
  kind: "memory",
  says: "the machine of the server has no memory left",
  next: "Give it more memory, or lower SYNC_CONCURRENCY"
} as const
const NETWORK = { kind: "network", next: "Look at its interfaces and routes (ip address, ip route)" } as const
const RIGHTS = {
  kind: "rights",
  says: "the user of the server may not",
  next: "Give it to the user that runs the server, or look what the firewall and the security module forbid"
} as const

/** Codes of errors that are ours, and what they mean. */
export const OWN_CODES: Readonly<Record<string, Cause>> = {
  EMFILE: DESCRIPTORS,
  ENFILE: {
    kind: "descriptors",
    says: "all programs of the machine together have as many files open as it allows",
    next: "Raise fs.file-max, or look which program has so many open"
  },
  ENOMEM: MEMORY,
  ENOBUFS: { ...MEMORY, says: "the machine of the server has no memory left for connections" },
  EAI_MEMORY: { ...MEMORY, of: ["name"] },
  ENOSPC: {
    kind: "disk",
    says: "the disk is full, or has no inodes left",
    next: "Make room (df -h, df -i), or keep less: docs/operations.md#retention",
    of: ["file", "process"]
  },
  EDQUOT: {
    kind: "disk",
    says: "the disk quota of this user is used up",
    next: "Raise the quota, or make room",
    of: ["file", "process"]
  },
  EFBIG: {
    kind: "disk",
    says: "the file would be larger than the file system or a limit allows",
    next: "Raise the limit (LimitFSIZE of the service, ulimit -f)",
    of: ["file"]
  },
  EROFS: {
    kind: "files",
    says: "its file system is read-only",
    next: "Look in the log of the kernel why it is, and mount it for writing",
    of: ["file"]
  },
  EIO: {
    kind: "files",
    says: "the disk does not work",
    next: "Look in the log of the kernel, and change the disk",
    of: ["file"]
  },
  ESTALE: {
    kind: "files",
    says: "its file system was taken away by its server",
    next: "Mount it again",
    of: ["file"]
  },
  EACCES: { ...RIGHTS, of: ["file", "connection", "process"] },
  EPERM: { ...RIGHTS, of: ["file", "connection", "process"] },
  EADDRNOTAVAIL: {
    kind: "ports",
    says: "the machine of the server has no address or no local port left for the connection",
    next: "Look at net.ipv4.ip_local_port_range and at the addresses of its interfaces",
    of: ["connection"]
  },
  ENETDOWN: { ...NETWORK, says: "the network of the server's machine is down", of: ["connection"] },
  ENETUNREACH: {
    ...NETWORK,
    says: "the machine of the server has no route to any network",
    of: ["connection"],
    onAllRoutes: true
  },
  EHOSTUNREACH: {
    ...NETWORK,
    says: "the machine of the server reaches no host in any network",
    of: ["connection"],
    onAllRoutes: true
  },
  EAI_AGAIN: {
    kind: "names",
    says: "no name server answers",
    next: "Look at /etc/resolv.conf and at the name servers in it",
    of: ["name", "connection"]
  },
  EAI_SYSTEM: {
    kind: "names",
    says: "names cannot be looked up on this machine",
    next: "Look at /etc/resolv.conf and /etc/nsswitch.conf",
    of: ["name", "connection"]
  },
  EAGAIN: {
    kind: "processes",
    says: "the machine of the server starts no further process or thread",
    next: "Raise its limit (TasksMax of the service, ulimit -u)",
    of: ["process", "connection"]
  }
}

/** Errors of files that say something about the file, and nothing about the machine. */
const OF_FILES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file or folder",
  ENOTDIR: "a part of its path is no folder",
  EISDIR: "it is a folder",
  EEXIST: "something else is there already",
  ENOTEMPTY: "the folder is not empty",
  EBUSY: "another process uses it",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "the name is too long"
}

/** The C library's words for these errors in the output of child processes (LC_ALL=C). */
const WORDS: ReadonlyArray<readonly [RegExp, string]> = [
  [/Too many open files in system/, "ENFILE"],
  [/Too many open files/, "EMFILE"],
  [/Cannot allocate memory|Out of memory, (?:malloc|realloc|calloc) failed/, "ENOMEM"],
  [/No space left on device/, "ENOSPC"],
  [/Disk quota exceeded/, "EDQUOT"],
  [/File too large/, "EFBIG"],
  [/Read-only file system/, "EROFS"],
  [/Input\/output error/, "EIO"],
  [/Stale file handle/, "ESTALE"],
  // about our own files; ssh also reports "permission denied" for a login
  [
    /insufficient permission for adding an object|\b(?:[Uu]nable|[Cc]ould not|cannot|failed) (?:to )?(?:create|open|write|append to|lock|unlink|rename|mkdir|chdir)\b[^\n]*: Permission denied/,
    "EACCES"
  ],
  [/Resource temporarily unavailable/, "EAGAIN"],
  [/Temporary failure in name resolution/, "EAI_AGAIN"],
  [/\bspawn \S+ E(?:AGAIN|MFILE|NFILE|NOMEM|ACCES|PERM)\b/, "spawn"]
]

const DEPTH = 6

const hasCode = (error: object): error is { readonly code: string } => "code" in error && typeof error.code === "string"

/** The errors that an error contains: libraries wrap them, and a connection may have tried several addresses. */
const within = (error: object): ReadonlyArray<unknown> => [
  ...("cause" in error ? [error.cause] : []),
  ...("reason" in error ? [error.reason] : []),
  ...("errors" in error && Array.isArray(error.errors) ? error.errors : [])
]

/** The code of an error of the operating system, or of what it was made of; undefined for any other error. */
export const codeOf = (error: unknown, depth = DEPTH): string | undefined => {
  if (typeof error !== "object" || error === null || depth === 0) return undefined
  if (hasCode(error) && /^E[A-Z0-9]+(?:_[A-Z]+)?$/.test(error.code) && !error.code.startsWith("ERR_")) return error.code
  for (const inner of within(error)) {
    const found = codeOf(inner, depth - 1)
    if (found !== undefined) return found
  }
  return hasCode(error) ? error.code : undefined
}

/** Whether a file or folder does not exist. One that cannot be read exists. */
export const isMissing = (error: unknown): boolean => codeOf(error) === "ENOENT"

const made = (code: string, { kind, next, says }: Cause, what: string): OwnFault => {
  const begin = what === "" ? says.replace(/^./, (first) => first.toUpperCase()) : `${what}: ${says}`
  return new OwnFault({ kind, code, message: `${begin} (${code}). ${next}.` })
}

/** Our fault behind the code of a call; undefined if it is not ours. `what` is the failed action, as the beginning of a sentence. */
export const ownFaultOf = (code: string | undefined, call: Call, what = ""): OwnFault | undefined => {
  const cause = code === undefined || !Object.hasOwn(OWN_CODES, code) ? undefined : OWN_CODES[code]
  if (code === undefined || cause === undefined || cause.onAllRoutes === true) return undefined
  return cause.of === undefined || cause.of.includes(call) ? made(code, cause, what) : undefined
}

/** Our fault behind an error; undefined if it is not ours. */
export const ownFault = (error: unknown, call: Call, what = ""): OwnFault | undefined =>
  error instanceof OwnFault ? error : ownFaultOf(codeOf(error), call, what)

/** Whether an error of a connection may be ours: it is if the machine reaches no host. */
export const isOfRoutes = (code: string | undefined): boolean =>
  code !== undefined && Object.hasOwn(OWN_CODES, code) && OWN_CODES[code]?.onAllRoutes === true

/** The fault if no route of this machine leads anywhere. */
export const ofAllRoutes = (code: string): OwnFault => made(code, OWN_CODES[code] ?? { ...NETWORK, says: "" }, "")

/** Our fault in the output of a child process; lines that a remote wrote do not count. */
export const ownFaultInOutput = (output: string, what = ""): OwnFault | undefined => {
  const own = output
    .split("\n")
    .filter((line) => !/^\s*remote:/.test(line))
    .join("\n")
  const found = WORDS.find(([words]) => words.test(own))
  if (found === undefined) return undefined
  const [words, code] = found
  const call = code === "EAI_AGAIN" ? "name" : code === "EAGAIN" ? "process" : "file"
  if (code !== "spawn") return ownFaultOf(code, call, what)
  return ownFaultOf(/E[A-Z]+$/.exec(words.exec(own)?.[0] ?? "")?.[0], "process", what)
}

/** Why a file could not be used, in words and without its name, which may be a draft's. */
export const reasonOf = (error: unknown): string => {
  const code = codeOf(error) ?? ""
  const own = ownFaultOf(code, "file")
  if (own !== undefined) return OWN_CODES[code]?.says ?? own.message
  return OF_FILES[code] ?? (error instanceof Error ? error.message : String(error))
}

/** A path for people: below the server's own folder, without the way to that folder. */
const shownPath = (file: string, root: string | undefined): string => {
  if (root === undefined) return file
  const below = path.relative(root, file)
  if (below === "") return "DATA_DIR"
  return below.startsWith("..") || path.isAbsolute(below) ? file : below
}

/** The facts of a call that worked on a file. */
interface FileCall {
  /** The intended action, such as `written`. */
  readonly done: string
  readonly file: string
  /** DATA_DIR, if the caller knows it. */
  readonly root?: string
}

/** One sentence about a file that could not be used: its path, the cause, and what to do. */
export const fileSentence = (error: unknown, { done, file, root }: FileCall): string => {
  const next = OWN_CODES[codeOf(error) ?? ""]?.next
  return `${shownPath(file, root)} cannot be ${done}: ${reasonOf(error)}${next === undefined ? "" : `. ${next}`}`
}

interface FailedFileCall {
  readonly _tag: "PlatformError"
  readonly message: string
  readonly reason: { readonly method: string; readonly pathOrDescriptor?: string | number | undefined }
}

const isFailedFileCall = (error: unknown): error is FailedFileCall =>
  typeof error === "object" &&
  error !== null &&
  "_tag" in error &&
  error._tag === "PlatformError" &&
  "reason" in error &&
  typeof error.reason === "object" &&
  error.reason !== null &&
  "method" in error.reason &&
  typeof error.reason.method === "string"

/** The actions of the file system's methods on a file. */
const DONE: Readonly<Record<string, string>> = {
  access: "reached",
  chmod: "given its rights",
  chown: "given to its owner",
  copy: "copied",
  copyFile: "copied",
  exists: "reached",
  link: "linked",
  makeDirectory: "made",
  makeTempDirectory: "made",
  open: "opened",
  readDirectory: "listed",
  readFile: "read",
  readFileString: "read",
  readLink: "read",
  realPath: "found",
  remove: "removed",
  rename: "moved",
  stat: "reached",
  symlink: "linked",
  truncate: "shortened",
  writeFile: "written",
  writeFileString: "written"
}

/** The actions of system calls on a file. */
const DONE_BY_CALL: Readonly<Record<string, string>> = {
  access: "reached",
  chmod: "given its rights",
  chown: "given to its owner",
  copyfile: "copied",
  fdatasync: "written",
  fsync: "written",
  ftruncate: "shortened",
  link: "linked",
  lstat: "reached",
  mkdir: "made",
  mkdtemp: "made",
  open: "opened",
  opendir: "listed",
  read: "read",
  readlink: "read",
  realpath: "found",
  rename: "moved",
  rm: "removed",
  rmdir: "removed",
  scandir: "listed",
  stat: "reached",
  statfs: "reached",
  symlink: "linked",
  unlink: "removed",
  write: "written"
}

interface FailedSystemCall extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: unknown
}

const isFailedSystemCall = (error: unknown): error is FailedSystemCall =>
  error instanceof Error && hasCode(error) && "syscall" in error && typeof error.syscall === "string"

/** Sockets have `read` and `write` as well: those errors have other codes and no path. */
const isOfFile = ({ code, path: file, syscall }: FailedSystemCall): boolean =>
  Object.hasOwn(DONE_BY_CALL, syscall) && (typeof file === "string" || ownFaultOf(code, "file") !== undefined)

/** Our fault behind an error that names its call itself, such as a defect; undefined if it is not ours. */
export const faultOfCall = (error: unknown): OwnFault | undefined => {
  if (error instanceof OwnFault) return error
  if (isFailedFileCall(error)) return ownFault(error, "file", whatOf(messageOf(error)))
  if (!isFailedSystemCall(error)) return undefined
  if (isOfFile(error)) return ownFault(error, "file", whatOf(messageOf(error)))
  const { syscall } = error
  const call = syscall.startsWith("spawn") ? "process" : syscall === "getaddrinfo" ? "name" : "connection"
  return ownFault(error, call)
}

/** The part of a sentence about a file before its cause. */
const whatOf = (sentence: string): string => sentence.split(": ")[0] ?? ""

/** The message of an error for people: errors of the file system as a sentence, all others unchanged. */
export const messageOf = (error: unknown, root?: string): string => {
  if (isFailedSystemCall(error) && isOfFile(error)) {
    return fileSentence(error, {
      done: DONE_BY_CALL[error.syscall] ?? "used",
      file: typeof error.path === "string" ? error.path : "A file",
      ...(root === undefined ? {} : { root })
    })
  }
  if (isFailedFileCall(error)) {
    const { method, pathOrDescriptor } = error.reason
    return fileSentence(error, {
      done: DONE[method] ?? "used",
      file: pathOrDescriptor === undefined ? "A file" : String(pathOrDescriptor),
      ...(root === undefined ? {} : { root })
    })
  }
  return error instanceof Error ? error.message : String(error)
}
