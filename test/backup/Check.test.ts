/** A backup of which a byte is missing or altered, or that was made to harm, is refused before anything is changed. */
import { assert, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { gzipSync } from "node:zlib"
import * as BackupFile from "../../src/backup/BackupFile.ts"
import { type Contents, CONTENTS, CONTENTS_SUM, digestOf, sumLineOf } from "../../src/backup/SiteFiles.ts"
import * as Restore from "../../src/backup/Restore.ts"

const TEXT = Buffer.from("1\tThe old library\n2\t\\N\n")
const PART = { file: "tables/site/000001.copy.gz", content: gzipSync(TEXT) }
const KEY = { file: "files/secret.key", content: Buffer.from("a key\n") }

const contents: Contents = {
  format: 1,
  release: "0.2.0",
  schema: 46,
  at: "2026-11-24T01:02:03.000004Z",
  postgres: "18.4",
  key: { name: "abc", previous: [], place: "file" },
  tables: [
    {
      name: "site",
      columns: ["id", "description"],
      rows: 2,
      sha256: digestOf(TEXT),
      parts: [{ file: PART.file, sha256: digestOf(PART.content) }]
    }
  ],
  sequences: [{ table: "site", column: "id", value: "2", called: true }],
  files: [{ file: KEY.file, sha256: digestOf(KEY.content), mode: 0o600 }]
}

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-check-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
)

const passphrase = Effect.succeed(Redacted.make("a passphrase"))

/** The refusal of a file with these bytes; null if it is accepted. */
const refusalOf = Effect.fnUntraced(function* (file: string, bytes: Uint8Array) {
  yield* Effect.promise(() => fs.writeFile(file, bytes))
  return yield* Effect.flatMap(BackupFile.open(file, passphrase), Restore.check).pipe(
    Effect.scoped,
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => null })
  )
})

/** The file of a backup with this content. */
const written = Effect.fnUntraced(function* (
  at: string,
  files: ReadonlyArray<{ readonly file: string; readonly content: Buffer }>
) {
  const file = path.join(at, "made.backup")
  yield* BackupFile.write({ file, force: true, passphrase: Option.none() }, ({ add }) =>
    Effect.forEach(files, ({ content, file: name }) => add(name, content), { discard: true })
  )
  return yield* Effect.promise(() => fs.readFile(file))
})

const ending = (text: Buffer) => [
  { file: CONTENTS, content: text },
  { file: CONTENTS_SUM, content: Buffer.from(sumLineOf(text)) }
]
const JSON_TEXT = Buffer.from(JSON.stringify(contents, null, 2))
const WHOLE = [PART, KEY, ...ending(JSON_TEXT)]

it.live("A truncated file is refused at any length", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const file = path.join(at, "cut.backup")
    const bytes = yield* written(at, WHOLE)
    assert.isNull(yield* refusalOf(file, bytes))
    for (let length = 0; length < bytes.length; length += 13)
      assert.include((yield* refusalOf(file, bytes.subarray(0, length))) ?? "taken", "ends too early", String(length))
    assert.include((yield* refusalOf(file, bytes.subarray(0, -1))) ?? "taken", "ends too early")
  }).pipe(Effect.scoped)
)

/** Where a header has its own sum, which may be written in several ways. */
const isOfSum = (where: number) => where % 512 >= 148 && where % 512 < 156

/** Not each of them, because all together take half a minute. */
const STEP = 13

it.live("A file with an altered byte is refused at any position", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const file = path.join(at, "altered.backup")
    const bytes = yield* written(at, WHOLE)
    const taken: Array<number> = []
    for (let where = 0; where < bytes.length; where += STEP) {
      const altered = Buffer.from(bytes)
      altered[where] = (altered[where] ?? 0) ^ (1 << (where % 8))
      if ((yield* refusalOf(file, altered)) === null) taken.push(where)
    }
    assert.isTrue(taken.every(isOfSum), taken.join(" "))
  }).pipe(Effect.scoped)
)

it.live("A file whose contents differ from its list is refused", () =>
  Effect.gen(function* () {
    const at = yield* folder
    const file = path.join(at, "made.backup")
    const stranger = { file: "files/\u001b[2Jevil", content: Buffer.from("x") }
    for (const [files, sentence] of [
      [[PART, KEY], "backup.json is missing"],
      [[PART, KEY, { file: CONTENTS, content: JSON_TEXT }], "its sum is missing"],
      [[PART, ...ending(JSON_TEXT)], "files/secret.key is missing"],
      [[PART, PART, KEY, ...ending(JSON_TEXT)], "is there twice"],
      [[...WHOLE, KEY], "stands behind backup.json"],
      [[PART, KEY, stranger, ...ending(JSON_TEXT)], "nobody knows files/"],
      [[PART, KEY, ...ending(Buffer.from("{}"))], "says something else than a backup"],
      [[PART, KEY, ...ending(Buffer.alloc(65 * 1024 * 1024, " "))], "backup.json is too large"]
    ] as const)
      assert.include((yield* refusalOf(file, yield* written(at, files))) ?? "taken", sentence)
  }).pipe(Effect.scoped)
)

it.live("A path that is not a regular file is neither waited for nor read without end", () =>
  Effect.gen(function* () {
    for (const file of ["/dev/zero", "/dev/full", tmpdir()])
      assert.match(
        yield* Effect.flip(Effect.scoped(BackupFile.open(file, passphrase))).pipe(Effect.map(({ message }) => message)),
        /is no file on a disk/
      )
  })
)
