/** The remains of a killed git, or of a power loss, in a local copy. */
import { spawn } from "node:child_process"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { everything, makeRemote } from "./gitRemote.ts"

const LEFT = [
  "refs/switchyard/head.lock",
  "refs/switchyard/kept.lock",
  "refs/remotes/origin/main.lock",
  "HEAD.lock",
  "config.lock",
  "packed-refs.lock",
  "objects/info/commit-graphs/commit-graph-chain.lock"
]

/** A remote with one commit more than the copy has, and the locks in the copy. */
const left = Effect.fnUntraced(function* (locks: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const remote = yield* makeRemote
  yield* remote.commit({ "a.txt": "one\n" })
  remote.push("main")
  const repository = yield* remote.repository()
  yield* repository.refresh
  const hash = yield* remote.commit({ "a.txt": "two\n" })
  remote.push("main")
  for (const lock of locks) {
    const file = `${remote.copy}/${lock}`
    yield* fs.makeDirectory(file.slice(0, file.lastIndexOf("/")), { recursive: true })
    yield* fs.writeFileString(file, "")
  }
  return { fs, remote, repository, hash }
})

/** A git command that works in the folder until its input ends. */
const gitAtWork = (folder: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly end: Effect.Effect<void> }>((resume) => {
      const child = spawn("git", ["cat-file", "--batch"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] })
      const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()))
      child.stdout.once("data", () =>
        resume(
          Effect.succeed({
            end: Effect.promise(() => {
              child.stdin.end()
              return gone
            })
          })
        )
      )
      child.stdin.write("HEAD\n")
    }),
    ({ end }) => end
  )

layer(NodeServices.layer, { excludeTestServices: true })("a copy in which git was killed", (it) => {
  describe("at its next refresh", () => {
    for (const lock of LEFT) {
      it.effect(`is brought up to date although ${lock} remained`, () =>
        Effect.gen(function* () {
          const { fs, hash, remote, repository } = yield* left([lock])
          assert.strictEqual((yield* repository.refresh).commit.hash, hash)
          yield* repository.keep(hash)
          assert.deepStrictEqual((yield* repository.readTree(hash, everything)).files, new Map([["a.txt", "two\n"]]))
          assert.isFalse(yield* fs.exists(`${remote.copy}/${lock}`))
        })
      )
    }

    it.effect("keeps a lock while a git process works in the copy, and removes it afterwards", () =>
      Effect.gen(function* () {
        const { fs, hash, remote, repository } = yield* left(["refs/switchyard/head.lock"])
        const atWork = yield* gitAtWork(remote.copy)
        const { message } = yield* Effect.flip(repository.refresh)
        assert.include(message, "head.lock")
        assert.isTrue(yield* fs.exists(`${remote.copy}/refs/switchyard/head.lock`))
        yield* atWork.end
        assert.strictEqual((yield* repository.refresh).commit.hash, hash)
      })
    )
  })
})
