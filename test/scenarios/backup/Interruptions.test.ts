/** An interrupted backup or restore says so, has no exit code of a success, and leaves everything unchanged. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Program from "../../support/Program.ts"
import { saying } from "./BackupForgery.ts"
import { make, occupied } from "./BackupSite.ts"
import { stop } from "./StoppedCommand.ts"

const names = (folder: string) => Effect.promise(() => fs.readdir(folder))

it.live(
  "a backup does not replace what is no file or already exists, and names the obstacle; in a folder it gets a name",
  () =>
    Effect.gen(function* () {
      const { env, folder } = yield* make
      const there = path.join(folder, "there")
      yield* Effect.promise(() => fs.mkdir(there))
      execFileSync("mkfifo", [path.join(there, "pipe")])
      yield* Effect.promise(() => fs.symlink("elsewhere", path.join(there, "link")))
      yield* Effect.promise(() => fs.writeFile(path.join(there, "file"), "what was there"))
      const before = yield* names(there)
      for (const [words, sentence] of [
        [["there/pipe", "--force"], /something else than a file/],
        [["there/link", "--force"], /something else than a file/],
        [["there/missing/x"], /no such file or folder/],
        [["there/file"], /exists already; --force replaces it/],
        [["there/file/x"], /no folder/]
      ] as const) {
        const [name, ...flags] = words
        const refused = yield* Program.command(env, ["backup", path.join(folder, name), ...flags])
        assert.strictEqual(refused.code, 1, name)
        assert.match(refused.text, sentence)
      }
      assert.deepStrictEqual(yield* names(there), before)
      assert.isTrue((yield* Effect.promise(() => fs.lstat(path.join(there, "pipe")))).isFIFO())
      assert.strictEqual(yield* Effect.promise(() => fs.readFile(path.join(there, "file"), "utf8")), "what was there")

      const inside = yield* Program.command(env, ["backup", there])
      assert.strictEqual(inside.code, 0, inside.text)
      const [added = "", ...others] = (yield* names(there)).filter((name) => !before.includes(name))
      assert.deepStrictEqual(others, [])
      assert.match(added, /^switchyard-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.(?:backup|tar)$/)

      const two = path.join(folder, "two")
      const both = yield* Effect.all(
        [1, 2].map(() => Program.command(env, ["backup", two])),
        { concurrency: 2 }
      )
      assert.deepStrictEqual(both.map(({ code }) => code).toSorted(), [0, 1])
      assert.match(both.find(({ code }) => code === 1)?.text ?? "", /exists already/)
      assert.deepStrictEqual(
        (yield* names(folder)).filter((name) => name.startsWith(".")),
        []
      )
    }).pipe(Effect.scoped)
)

it.live("a stopped backup leaves no file and is not successful", () =>
  Effect.gen(function* () {
    const { env, folder, url } = yield* make
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      const file = path.join(folder, signal)
      const isBegun = Effect.map(names(folder), (all) =>
        assert.isTrue(all.some((name) => name.startsWith(`.${signal}`)))
      )
      const ended = yield* stop(env, ["backup", file], signal, url, isBegun)
      assert.strictEqual(ended.code, 130, signal)
      assert.strictEqual(ended.err, "Stopped. No backup was made\n")
      assert.deepStrictEqual(
        (yield* names(folder)).filter((name) => name.includes(signal)),
        []
      )
    }
  }).pipe(Effect.scoped)
)

it.live("a restore that is stopped, or whose rows or files cannot be written, changes nothing", () =>
  Effect.gen(function* () {
    const site = yield* make
    const { target, unchanged } = yield* occupied
    const data = yield* Program.dataFolder
    const env = { ...site.env, DATA_DIR: data, DATABASE_URL: target }
    const words = ["restore", site.file, "--replace", "--yes"]

    for (const signal of ["SIGTERM", "SIGHUP"] as const) {
      const ended = yield* stop(env, words, signal, target)
      assert.strictEqual(ended.code, 130)
      assert.strictEqual(ended.err, "Stopped. Nothing was changed\n")
      yield* unchanged
    }

    const whole = yield* Effect.promise(() => fs.readFile(site.file))
    const forged = yield* saying(site.file, /"value": "\d+"/, '"value": "-5"')
    yield* Effect.promise(() => fs.writeFile(site.file, forged))
    const refused = yield* Program.command(env, words)
    assert.strictEqual(refused.code, 1)
    assert.match(refused.text, /The database: refused \(SQLSTATE 22003\): .*out of bounds.*\. Nothing was changed/)
    yield* unchanged
    yield* Effect.promise(() => fs.writeFile(site.file, whole))

    // a rule of the site whose place is taken by a folder
    yield* Effect.promise(() => fs.writeFile(path.join(site.folder, "windows.yml"), "[]\n"))
    const made = yield* Program.command(site.env, ["backup", site.file, "--force"])
    assert.strictEqual(made.code, 0, made.text)
    yield* Effect.promise(() => fs.mkdir(path.join(data, "windows.yml")))
    const blocked = yield* Program.command(env, words)
    assert.strictEqual(blocked.code, 1)
    assert.match(blocked.text, /windows\.yml cannot be (read|written): it is a folder/)
    yield* unchanged
    assert.deepStrictEqual(yield* names(data), ["windows.yml"])
  }).pipe(Effect.scoped)
)
