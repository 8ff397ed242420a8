/**
 * The files of the built page (`web/build`), read once: nothing outside of them can be asked for. The page is optional: a server without
 * it serves the API alone.
 */
import { Effect, FileSystem, Path } from "effect"
import { createHash } from "node:crypto"

/** A file as it is sent. */
export interface PageFile {
  readonly type: string
  readonly etag: string
  readonly raw: Uint8Array
  readonly br: Uint8Array | undefined
  readonly gzip: Uint8Array | undefined
}

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

const COMPRESSED = /\.(br|gz)$/

/** Where `npm run build` and the packages have the page. */
const FOLDER = "../../../web/build"

/** All files by their names below the folder; empty when the page was not built. */
export const readPageFiles = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = path.resolve(import.meta.dirname, FOLDER)
  const none: ReadonlyMap<string, PageFile> = new Map()
  if (!(yield* fs.exists(path.join(folder, "index.html")))) return none
  const read = (name: string) => fs.readFile(path.join(folder, name))
  const names = yield* fs.readDirectory(folder, { recursive: true })
  const compressed = new Set(names.filter((name) => COMPRESSED.test(name)))
  const readIfThere = (name: string) => (compressed.has(name) ? read(name) : Effect.succeed(undefined))
  const files = yield* Effect.forEach(
    names.filter((name) => TYPES[path.extname(name)] !== undefined),
    Effect.fnUntraced(function* (name) {
      const raw = yield* read(name)
      const file: PageFile = {
        type: TYPES[path.extname(name)] ?? "application/octet-stream",
        etag: `"${createHash("sha256").update(raw).digest("base64url").slice(0, 22)}"`,
        raw,
        br: yield* readIfThere(`${name}.br`),
        gzip: yield* readIfThere(`${name}.gz`)
      }
      return [name.replaceAll("\\", "/"), file] as const
    })
  )
  const all: ReadonlyMap<string, PageFile> = new Map(files)
  return all
}).pipe(Effect.orDie)
