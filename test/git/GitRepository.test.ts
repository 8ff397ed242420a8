import { execFileSync } from "node:child_process"
import { relative } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Option } from "effect"
import { clonedText, commitText } from "../../src/git/GitCommit.ts"
import { everything, gitIn, makeRemote } from "./gitRemote.ts"

layer(NodeServices.layer, { excludeTestServices: true })("a git repository", (it) => {
  describe("at its first refresh", () => {
    it.effect("is cloned, and reports it in the words that clients parse", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        assert.deepStrictEqual(yield* repository.current, Option.none())
        const { cloned, commit } = yield* repository.refresh
        assert.isTrue(cloned)
        const described = `ommit ${hash} main by Åsa Ek at 2026-01-31 10:07:32+02:00`
        assert.strictEqual(clonedText(commit), `Cloned new from remote. Last c${described}`)
        assert.strictEqual(commitText(commit), `C${described}\n`)
        assert.deepStrictEqual(yield* repository.current, Option.some(commit))
      })
    )

    it.effect("is found by a path relative to the server's working directory", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const address = relative(process.cwd(), remote.bare)
        const repository = yield* remote.repository({ address: `${address}#main` })
        assert.strictEqual(repository.address, address)
        assert.strictEqual((yield* repository.refresh).commit.hash, hash)
      })
    )

    it.effect("fails while the remote is empty, and works afterwards", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const repository = yield* remote.repository()
        const error = yield* Effect.flip(repository.refresh)
        assert.strictEqual(
          error.message,
          `Error cloning remote repository ${remote.bare}: the repository has no commits on its default branch`
        )
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        assert.strictEqual((yield* repository.refresh).commit.hash, hash)
      })
    )

    it.effect("fails if there is no repository, and leaves nothing", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const repository = yield* remote.repository({ address: `${remote.directory}/nowhere.git` })
        const error = yield* Effect.flip(repository.refresh)
        assert.match(
          error.message,
          /^Error cloning remote repository \S+nowhere\.git: fatal: .*does not appear to be a git repository/
        )
        assert.deepStrictEqual(yield* fs.readDirectory(`${remote.directory}/data`), [])
      })
    )

    it.effect("replaces a directory with other contents, and the remains of a killed process next to it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        yield* fs.makeDirectory(remote.copy, { recursive: true })
        yield* fs.writeFileString(`${remote.copy}/junk`, "x")
        yield* fs.makeDirectory(`${remote.copy}.new-17/objects`, { recursive: true })
        const repository = yield* remote.repository()
        assert.isTrue((yield* repository.refresh).cloned)
        assert.isFalse(yield* fs.exists(`${remote.copy}/junk`))
        assert.deepStrictEqual(yield* fs.readDirectory(`${remote.directory}/data`), ["settings"])
      })
    )
  })

  describe("at a later refresh", () => {
    it.effect("moves to the new commit and names the changed files, whatever their names", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const first = yield* remote.commit({ "a.txt": "one\n", "old name.txt": "same\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        assert.isFalse((yield* repository.refresh).cloned)
        remote.git("mv", "old name.txt", "nya\tåäö\n.txt")
        const second = yield* remote.commit({ "a.txt": "two\n" })
        remote.push("main")
        const { cloned, commit } = yield* repository.refresh
        assert.deepStrictEqual([cloned, commit.hash], [false, second])
        const changed = yield* repository.changedPaths(first, second)
        assert.sameMembers([...changed], ["a.txt", "old name.txt", "nya\tåäö\n.txt"])
        assert.deepStrictEqual(yield* repository.changedPaths(second, second), [])
      })
    )

    it.effect("lists the branches of the remote with their newest commits, and forgets a removed one", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const main = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        assert.deepStrictEqual(yield* repository.branches(10), [], "nothing was fetched")
        remote.git("checkout", "--quiet", "-b", "guests/vlan")
        const guests = yield* remote.commit({ "a.txt": "two\n" }, "Add guests\n\nAll of them")
        remote.push("guests/vlan")
        yield* repository.refresh
        const shown = (yield* repository.branches(10)).map(({ author, commit, name, subject }) => [
          name,
          commit,
          author,
          subject
        ])
        assert.sameDeepMembers(shown, [
          ["guests/vlan", guests, "Åsa Ek", "Add guests"],
          ["main", main, "Åsa Ek", shown.find(([name]) => name === "main")?.[3] ?? ""]
        ])
        assert.strictEqual((yield* repository.branches(1)).length, 1)
        remote.push("--delete", "guests/vlan")
        yield* repository.refresh
        assert.deepStrictEqual(
          (yield* repository.branches(10)).map(({ name }) => name),
          ["main"]
        )
      })
    )

    it.effect("follows a rewritten history, and still reads the commit in force", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        yield* remote.commit({ "a.txt": "base\n" })
        const lost = yield* remote.commit({ "a.txt": "lost\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        yield* repository.keep(lost)
        remote.git("reset", "--quiet", "--hard", "HEAD~1")
        const rewritten = yield* remote.commit({ "a.txt": "rewritten\n" })
        remote.push("main")
        assert.strictEqual((yield* repository.refresh).commit.hash, rewritten)
        gitIn(remote.copy)("gc", "--quiet", "--prune=now")
        assert.deepStrictEqual((yield* repository.readTree(lost, everything)).files, new Map([["a.txt", "lost\n"]]))
        assert.deepStrictEqual(yield* repository.changedPaths(lost, rewritten), ["a.txt"])
        assert.strictEqual((yield* repository.describe(lost)).name, "main")
      })
    )

    it.effect("keeps its copy when the remote has vanished", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        yield* fs.rename(remote.bare, `${remote.bare}.gone`)
        const error = yield* Effect.flip(repository.refresh)
        assert.match(error.message, /^Error fetching remote repository /)
        assert.strictEqual((yield* repository.readTree(hash, everything)).files.get("a.txt"), "one\n")
        yield* fs.rename(`${remote.bare}.gone`, remote.bare)
        assert.isFalse((yield* repository.refresh).cloned)
      })
    )

    it.effect("recreates a damaged copy", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        yield* fs.remove(`${remote.copy}/objects`, { recursive: true })
        yield* fs.makeDirectory(`${remote.copy}/objects`)
        assert.isTrue((yield* repository.refresh).cloned)
        assert.strictEqual((yield* repository.readTree(hash, everything)).files.size, 1)
        yield* fs.remove(`${remote.copy}/HEAD`)
        assert.isTrue((yield* repository.refresh).cloned)
      })
    )

    it.effect("detects a lost file while reading, and repairs itself at the next refresh", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        const git = gitIn(remote.copy)
        const packs = `${remote.copy}/objects/pack`
        for (const file of yield* fs.readDirectory(packs)) {
          if (file.endsWith(".pack")) {
            yield* fs.rename(`${packs}/${file}`, `${remote.directory}/${file}`)
            execFileSync("git", ["unpack-objects", "-q"], {
              cwd: remote.copy,
              input: yield* fs.readFile(`${remote.directory}/${file}`)
            })
          }
        }
        const blob = git("rev-parse", `${hash}:a.txt`)
        yield* fs.remove(`${remote.copy}/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true })
        const error = yield* Effect.flip(repository.readTree(hash, everything))
        assert.strictEqual(error.message, `the local copy is damaged: object ${blob} is missing`)
        assert.isTrue((yield* repository.refresh).cloned)
        assert.strictEqual((yield* repository.readTree(hash, everything)).files.get("a.txt"), "one\n")
      })
    )

    it.effect("is cloned again when the address or the branch changes", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        remote.push("main:pilot")
        yield* (yield* remote.repository()).refresh
        const other = yield* remote.repository({ address: `${remote.bare}#pilot` })
        const { cloned, commit } = yield* other.refresh
        assert.deepStrictEqual([cloned, commit.name], [true, "pilot"])
      })
    )
  })
})
