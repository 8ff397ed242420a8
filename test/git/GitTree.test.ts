import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Effect, FileSystem, Result } from "effect"
import type { GitRepository } from "../../src/git/GitRepository.ts"
import { isWithinSettings } from "../../src/settings/RepositoryPaths.ts"
import { checkSettingsGently } from "../../src/settings/SettingsCheck.ts"
import { buildSnapshot, type SettingsSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import { everything, gitIn, makeRemote } from "./gitRemote.ts"
import { exampleFiles } from "../settings/repository.ts"

/** The settings of a tag or commit, as a refresh reads them, or what is wrong with its files. */
const snapshotOf = (repository: GitRepository, ref: string, previous?: SettingsSnapshot) =>
  Effect.gen(function* () {
    const { files, refused } = yield* repository.readTree(yield* repository.resolve(ref), isWithinSettings)
    return buildSnapshot({
      files,
      refused,
      root: "settings",
      ...(previous === undefined ? {} : { previous })
    })
  })

layer(NodeServices.layer, { excludeTestServices: true })("a git repository", (it) => {
  describe("with a branch, tag or commit", () => {
    it.effect("is exactly that commit, also when the remote's HEAD is detached", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const first = yield* remote.commit({ "a.txt": "1\n" })
        remote.git("tag", "-a", "v1", "-m", "first")
        remote.git("branch", "feature/x")
        const second = yield* remote.commit({ "a.txt": "2\n" })
        remote.push("main", "feature/x", "v1")
        const at = (ref: string) =>
          Effect.gen(function* () {
            const repository = yield* remote.repository({
              address: `${remote.bare}${ref}`,
              directory: `${remote.copy}${ref.length}`
            })
            const { commit } = yield* repository.refresh
            return [commit.hash, commit.name]
          })
        assert.deepStrictEqual(yield* at("#main"), [second, "main"])
        assert.deepStrictEqual(yield* at("#v1"), [first, "v1"])
        assert.deepStrictEqual(yield* at("#feature/x"), [first, "feature/x"])
        assert.deepStrictEqual(yield* at(`#${first}`), [first, first])
        gitIn(remote.bare)("update-ref", "--no-deref", "HEAD", first)
        assert.deepStrictEqual(yield* at(""), [first, first])
      })
    )

    it.effect("is an error if it does not exist, and the previous copy stays in use", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "1\n" })
        remote.push("main", "main:pilot")
        const repository = yield* remote.repository({ address: `${remote.bare}#pilot` })
        yield* repository.refresh
        remote.push(":pilot")
        const error = yield* Effect.flip(repository.refresh)
        assert.strictEqual(
          error.message,
          `Error fetching remote repository ${remote.bare}: fatal: invalid reference: pilot`
        )
        assert.strictEqual((yield* repository.readTree(hash, everything)).files.size, 1)
      })
    )

    it.effect("resolves other branches to the commit of the last refresh, never to an older one", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        yield* remote.commit({ "a.txt": "1\n" })
        remote.push("main", "main:new-ports")
        const repository = yield* remote.repository()
        yield* repository.refresh
        const newer = yield* remote.commit({ "a.txt": "2\n" })
        remote.push("main:new-ports")
        yield* repository.refresh
        assert.strictEqual(yield* repository.resolve("new-ports"), newer)
        for (const ref of ["nix", "main~1", "--all", "", "a b", "@{-1}", "../x"]) {
          const error = yield* Effect.flip(repository.resolve(ref))
          assert.strictEqual(error.message, `fatal: invalid reference: ${ref}`)
        }
      })
    )
  })

  describe("read at a commit", () => {
    it.effect("gives that commit's files while the branch moves on", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const first = yield* remote.commit({ "a.txt": "one\n", "d/b.txt": "Å\n", empty: "" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        yield* remote.commit({ "a.txt": "two\n" })
        remote.push("main")
        yield* repository.refresh
        const { files, refused } = yield* repository.readTree(first, everything)
        assert.deepStrictEqual(
          files,
          new Map([
            ["a.txt", "one\n"],
            ["d/b.txt", "Å\n"],
            ["empty", ""]
          ])
        )
        assert.strictEqual(refused.size, 0)
        assert.deepStrictEqual(
          [...(yield* repository.readTree(first, (path) => path.startsWith("d/"))).files.keys()],
          ["d/b.txt"]
        )
      })
    )

    it.effect("follows links inside the repository and refuses those that leave it", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        yield* remote.commit({ "devices/sw1/a.yml": "one\n", "x.yml": "x\n" })
        const link = (target: string, path: string) => fs.symlink(target, `${remote.directory}/work/${path}`)
        yield* link("sw1", "devices/sw2")
        yield* link("../x.yml", "devices/x.yml")
        yield* link("/etc/passwd", "absolute")
        yield* link("../../../../etc/passwd", "devices/up")
        yield* link("nowhere", "dangling")
        yield* link("loop2", "loop1")
        yield* link("loop1", "loop2")
        yield* link("..", "devices/parent")
        const hash = yield* remote.commit({})
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        const { files, refused } = yield* repository.readTree(hash, everything)
        assert.strictEqual(files.get("devices/sw2/a.yml"), "one\n")
        assert.strictEqual(files.get("devices/x.yml"), "x\n")
        assert.deepStrictEqual(
          new Map([...refused].map(([path, { reason }]) => [path, reason] as const).toSorted()),
          new Map([
            ["absolute", "symbolic link leads out of the repository"],
            ["dangling", "symbolic link leads nowhere"],
            ["devices/parent", "symbolic link leads nowhere"],
            ["devices/up", "symbolic link leads out of the repository"],
            ["loop1", "symbolic link leads out of the repository"],
            ["loop2", "symbolic link leads out of the repository"]
          ])
        )
      })
    )

    it.effect("refuses files that are too large or not text, singly or in total", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        yield* fs.writeFile(`${remote.directory}/work/binary`, new Uint8Array([0xff, 0xfe, 0]))
        const hash = yield* remote.commit({ large: "x".repeat(200), small: "x" })
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        const { files, refused } = yield* repository.readTree(hash, everything, { file: 100, total: 1000 })
        assert.deepStrictEqual([...files.keys()], ["small"])
        assert.deepStrictEqual(
          refused,
          new Map([
            ["binary", { reason: "not text: it holds U+0000", line: 1 }],
            ["large", { reason: "larger than 100 bytes", line: null }]
          ])
        )
        const error = yield* Effect.flip(repository.readTree(hash, everything, { file: 1000, total: 100 }))
        assert.strictEqual(error.message, `the files of commit ${hash} are larger than 100 bytes in all`)
      })
    )

    it.effect("names files that are not text, pointers and submodules with a line, and ignores stray files", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 5\n"
        const other = yield* remote.commit({ "a/pointer.yml": pointer, "a/good.yml": "{}\n", "a/.gitkeep": "" })
        const junk = ["a/.DS_Store", "a/.good.yml.swp", "a/good.yml~", "Thumbs.db", "a/.idea/x.yml", "a/#good.yml#"]
        yield* fs.makeDirectory(`${remote.directory}/work/a/.idea`)
        for (const path of junk) {
          yield* fs.writeFile(`${remote.directory}/work/${path}`, new Uint8Array([0, 0xff, 0xfe]))
        }
        yield* fs.writeFile(`${remote.directory}/work/a/latin.yml`, Buffer.from("one: 1\ntwo: gr\u00fcn\n", "latin1"))
        yield* fs.writeFile(`${remote.directory}/work/a/utf16.yml`, Buffer.from("one: 1\n", "utf16le"))
        yield* remote.commit({})
        remote.git("update-index", "--add", "--cacheinfo", `160000,${other},a/module`)
        remote.git("commit", "--quiet", "--message", "a submodule")
        const hash = remote.git("rev-parse", "HEAD").trim()
        remote.push("main")
        const repository = yield* remote.repository()
        yield* repository.refresh
        const { files, ignored, refused } = yield* repository.readTree(hash, everything)
        assert.deepStrictEqual([...files.keys()].toSorted(), ["a/.gitkeep", "a/good.yml"])
        assert.sameMembers([...ignored], junk)
        assert.deepStrictEqual(
          new Map([...refused].toSorted()),
          new Map([
            ["a/latin.yml", { reason: "not UTF-8 text", line: 2 }],
            ["a/module", { reason: "a submodule: its files are in another repository", line: null }],
            ["a/pointer.yml", { reason: "a Git LFS pointer: the file itself is not in the repository", line: 1 }],
            ["a/utf16.yml", { reason: "not text: it holds U+0000", line: 1 }]
          ])
        )
      })
    )

    it.effect("becomes a snapshot of settings", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        yield* remote.commit(Object.fromEntries(exampleFiles()))
        const broken = { "global/vxlans.yml": "vxlans: {a: {}}\n", "logo.png": "x" }
        remote.git("tag", "good")
        yield* remote.commit(broken)
        remote.git("tag", "wrong")
        remote.git("rm", "--quiet", "global/groups.yml")
        yield* remote.commit({})
        remote.push("main", "good", "wrong")
        const repository = yield* remote.repository()
        const { commit } = yield* repository.refresh
        const snapshot = Result.getOrThrow(yield* snapshotOf(repository, "good"))
        assert.strictEqual(snapshot.files.size, 19)
        const inventory = { devices: [], linknets: [], managementDomains: [], globalUniqueVlans: true }
        const again = Result.getOrThrow(yield* snapshotOf(repository, "good", snapshot))
        const checked = yield* checkSettingsGently(again, inventory)
        assert.deepStrictEqual(checked.problems, [])
        assert.lengthOf(checked.warnings, 2)
        const wrong = Result.getOrThrow(yield* snapshotOf(repository, "wrong"))
        const [fault] = (yield* checkSettingsGently(wrong, inventory)).problems
        assert.match(fault?.message ?? "", /^Validation error for setting vxlans->a->vni, bad value: None /)
        const missing = yield* snapshotOf(repository, commit.hash, snapshot)
        assert.deepStrictEqual(Result.isFailure(missing) ? missing.failure.map(({ message }) => message) : [], [
          "File settings/global/groups.yml not found"
        ])
      })
    )
  })
})
