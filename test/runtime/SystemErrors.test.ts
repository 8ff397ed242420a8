import { assert, describe, it } from "@effect/vitest"
import * as PlatformError from "effect/PlatformError"
import {
  type Call,
  codeOf,
  faultOfCall,
  fileSentence,
  messageOf,
  OWN_CODES,
  ownFault,
  ownFaultInOutput,
  type OwnKind,
  reasonOf
} from "../../src/runtime/SystemErrors.ts"

const failed = (code: string, more: object = {}) => Object.assign(new Error(`it failed: ${code}`), { code, ...more })

/** By code and call: whose fault it is. */
const table: ReadonlyArray<readonly [string, Call, OwnKind | null]> = [
  ["EMFILE", "connection", "descriptors"],
  ["EMFILE", "file", "descriptors"],
  ["EMFILE", "process", "descriptors"],
  ["ENFILE", "connection", "descriptors"],
  ["ENOMEM", "connection", "memory"],
  ["ENOBUFS", "connection", "memory"],
  ["ENOSPC", "file", "disk"],
  ["EDQUOT", "file", "disk"],
  ["EFBIG", "file", "disk"],
  ["EROFS", "file", "files"],
  ["EIO", "file", "files"],
  ["EIO", "connection", null],
  ["EACCES", "file", "rights"],
  ["EPERM", "connection", "rights"],
  ["EADDRNOTAVAIL", "connection", "ports"],
  ["ENETDOWN", "connection", "network"],
  ["EAI_AGAIN", "name", "names"],
  ["EAI_AGAIN", "connection", "names"],
  ["EAGAIN", "process", "processes"],
  ["EAGAIN", "file", null],
  // one switch, or the way to it
  ["ECONNREFUSED", "connection", null],
  ["ECONNRESET", "connection", null],
  ["ETIMEDOUT", "connection", null],
  ["EPIPE", "connection", null],
  ["ENOTFOUND", "name", null],
  // a fault of this machine only if no host is reached
  ["EHOSTUNREACH", "connection", null],
  ["ENETUNREACH", "connection", null],
  ["ENOENT", "file", null],
  ["constructor", "file", null]
]

describe("an error of the operating system", () => {
  for (const [code, call, kind] of table) {
    it(`is ${kind === null ? "no fault" : `a fault (${kind})`} of this machine: ${code} of a ${call}`, () => {
      assert.strictEqual(ownFault(failed(code), call)?.kind ?? null, kind)
    })
  }

  it("is found inside wrapped errors of libraries", () => {
    const wrapped = new Error("fetch failed", { cause: new Error("again", { cause: failed("EMFILE") }) })
    assert.strictEqual(codeOf(wrapped), "EMFILE")
    // a name with several addresses
    assert.strictEqual(codeOf(new AggregateError([failed("ENETUNREACH"), failed("EHOSTUNREACH")])), "ENETUNREACH")
    // a code of a library around one of the system
    assert.strictEqual(codeOf(failed("ERR_WORKER_INIT_FAILED", { cause: failed("ENOMEM") })), "ENOMEM")
    assert.isUndefined(codeOf("EMFILE"))
    const circle: { cause?: unknown } = {}
    circle.cause = circle
    assert.isUndefined(codeOf(circle))
  })

  it("is reported in one sentence: the lack, the code, and the remedy", () => {
    for (const code of Object.keys(OWN_CODES)) {
      const fault = (["file", "connection", "name", "process"] as const)
        .map((call) => ownFault(failed(code), call, "The record cannot be kept"))
        .find((found) => found !== undefined)
      if (fault === undefined) continue
      assert.match(fault.message, /^[A-Z].*: .* \([A-Z_]+\)\. [A-Z].*\.$/)
    }
  })

  it("is reported as a sentence with the path below DATA_DIR if it concerns the file system", () => {
    const error = PlatformError.systemError({
      _tag: "Unknown",
      module: "FileSystem",
      method: "makeDirectory",
      pathOrDescriptor: "/var/lib/switchyard/repositories/settings",
      cause: failed("ENOSPC")
    })
    const told = messageOf(error, "/var/lib/switchyard")
    assert.match(told, /^repositories\/settings cannot be made: the disk is full, or has no inodes left\. Make room/)
    assert.notInclude(told, "FileSystem")
    assert.include(messageOf(error), "/var/lib/switchyard/repositories/settings cannot be made")
    assert.strictEqual(messageOf(new Error("anything else")), "anything else")
    assert.strictEqual(
      fileSentence(failed("ENOENT"), { done: "read", file: "/etc/x" }),
      "/etc/x cannot be read: there is no such file or folder"
    )
    assert.strictEqual(reasonOf(failed("EISDIR")), "it is a folder")
    // the same of the system itself
    const refused = failed("EACCES", { syscall: "mkdir", path: "/var/lib/switchyard/firmware" })
    assert.match(
      messageOf(refused, "/var/lib/switchyard"),
      /^firmware cannot be made: the user of the server may not\. /
    )
    assert.match(messageOf(failed("ENOSPC", { syscall: "write" })), /^A file cannot be written: the disk is full/)
    assert.strictEqual(messageOf(failed("EPIPE", { syscall: "write" })), "it failed: EPIPE")
  })

  it("names its call if it was not classified", () => {
    const thrown = (code: string, syscall: string, more: object = {}) =>
      faultOfCall(failed(code, { syscall, ...more }))?.kind ?? null
    assert.strictEqual(thrown("EMFILE", "open", { path: "/x" }), "descriptors")
    assert.strictEqual(thrown("EAGAIN", "spawn git"), "processes")
    assert.strictEqual(thrown("EADDRNOTAVAIL", "connect"), "ports")
    assert.strictEqual(thrown("EAI_AGAIN", "getaddrinfo"), "names")
    assert.isNull(thrown("ENOENT", "open", { path: "/x" }))
    assert.isNull(thrown("ECONNRESET", "read"))
    assert.isUndefined(faultOfCall(failed("EMFILE")))
    const { message } = faultOfCall(failed("ENOSPC", { syscall: "open", path: "/x/y" })) ?? { message: "" }
    assert.match(message, /^\/x\/y cannot be opened: the disk is full, or has no inodes left \(ENOSPC\)\. Make room/)
  })
})

describe("the output of a child process", () => {
  it("names a fault of this machine in the words of the C library", () => {
    const kinds = [
      ["fatal: write error: No space left on device", "disk"],
      ["error: unable to create temporary file: Read-only file system", "files"],
      ["fatal: cannot create async thread: Resource temporarily unavailable", "processes"],
      ["error: cannot fork() for fetch-pack: Cannot allocate memory", "memory"],
      ["ssh: Could not resolve hostname git: Temporary failure in name resolution", "names"],
      ["Error: spawn git EAGAIN", "processes"],
      ["Error: spawn git EMFILE", "descriptors"],
      ["fatal: open /dev/null or dup failed: Too many open files", "descriptors"],
      ["error: insufficient permission for adding an object to repository database ./objects", "rights"],
      ["fatal: Unable to create '/x/refs/switchyard/head.lock': Permission denied", "rights"]
    ] as const
    for (const [text, kind] of kinds) assert.strictEqual(ownFaultInOutput(text)?.kind, kind, text)
  })

  it("is not a fault of this machine if a remote wrote it, or if it says something else", () => {
    for (const text of [
      "remote: fatal: write error: No space left on device",
      "fatal: could not read from remote repository",
      "git@git.example.org: Permission denied (publickey).\nfatal: Could not read from remote repository.",
      "fatal: Could not resolve host: git.example.org"
    ])
      assert.isUndefined(ownFaultInOutput(text), text)
  })
})
