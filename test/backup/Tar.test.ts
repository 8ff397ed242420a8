/** The tar of a backup: read by the tar of the system, and refused where it would lead astray. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as BackupFile from "../../src/backup/BackupFile.ts"

const FILES = [
  { name: "backup.json", content: Buffer.from("{}") },
  { name: "tables/device/000001.copy.gz", content: Buffer.alloc(512, 7) },
  { name: "files/leer", content: Buffer.alloc(0) },
  { name: `files/CERTPATH/${"long-name/".repeat(14)}größe.crt`, content: Buffer.alloc(100_001, 1) }
]

const whole = (files: ReadonlyArray<BackupFile.TarEntry>) =>
  Buffer.concat([
    ...files.flatMap(({ content, name }) => BackupFile.tarEntry(name, content, 1_000_000)),
    BackupFile.TAR_END
  ])

/** The same bytes in pieces of this length. */
async function* inPieces(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

const read = async (bytes: Buffer, length = 1000) => {
  const found: Array<BackupFile.TarEntry> = []
  for await (const entry of BackupFile.tarEntries(inPieces(bytes, length))) found.push(entry)
  return found
}

const refusal = (bytes: Buffer) =>
  read(bytes).then(
    () => "nothing was refused",
    (error: unknown) => (error instanceof BackupFile.TarDamaged ? error.message : String(error))
  )

/** A header with other bytes in it and the right sum. */
const forged = (change: (header: Buffer) => void) => {
  const [header] = BackupFile.tarEntry("a", Buffer.alloc(0), 0)
  const bytes = Buffer.from(header ?? [])
  change(bytes)
  bytes.fill(" ", 148, 156)
  const sum = bytes.reduce((all, byte) => all + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148)
  return Buffer.concat([bytes, BackupFile.TAR_END])
}

it("Files are restored exactly, in whatever pieces they are read", async () => {
  for (const length of [1, 511, 512, 513, 1_000_000]) assert.deepStrictEqual(await read(whole(FILES), length), FILES)
})

it.live("The tar of the system reads it", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-tar-"))),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
    )
    yield* Effect.promise(() => fs.writeFile(path.join(folder, "it.tar"), whole(FILES)))
    execFileSync("tar", ["-xf", "it.tar"], { cwd: folder })
    for (const { content, name } of FILES) {
      assert.isTrue((yield* Effect.promise(() => fs.readFile(path.join(folder, name)))).equals(content), name)
    }
  })
)

it("A tar that is cut off anywhere is refused", async () => {
  const bytes = whole(FILES.slice(0, 2))
  for (const length of [0, 100, 512, 700, 1024, 1536, bytes.length - 1024])
    assert.strictEqual(await refusal(bytes.subarray(0, length)), "the file ends too early", String(length))
})

it("An altered header is refused, and so is data behind the end", async () => {
  const bytes = whole(FILES)
  bytes[3] = 0x78
  assert.strictEqual(await refusal(bytes), "a header of the file is damaged")
  assert.include(await refusal(Buffer.concat([whole(FILES), whole(FILES)])), "goes on behind its end")
})

it.each(["../secret.key", "/etc/passwd", "files/../../x", "a//b", "./a", "a\\b", ""])(
  "The name %j is neither written nor read",
  async (name) => {
    assert.throws(() => BackupFile.tarEntry(name, Buffer.alloc(0), 0), "cannot be in a backup")
    const bytes = forged((header) => header.fill(0, 0, 100).write(name, 0))
    assert.include(await refusal(bytes), "leads out of the backup")
  }
)

it("A link or a folder in it is refused", async () => {
  for (const kind of ["1", "2", "5"])
    assert.strictEqual(await refusal(forged((header) => header.write(kind, 156))), "a is no file")
})
