/**
 * Makes the server's files in DATA_DIR readable to its own user only: the folders have mode 0700, so that no other user reaches their
 * content. DATA_DIR itself can be traversed, because the database and the DHCP hook may run as other users.
 */
import { Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { reasonOf } from "./SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"

const PASSABLE = 0o711
const PRIVATE = 0o700

/** Folders that the server makes over time. The folder of the database is PostgreSQL's own. */
const FOLDERS = ["repositories", "firmware"]

/** Removes permissions; never adds any. */
const restrict = (folder: string, most: number) =>
  Effect.tryPromise(async () => {
    const { mode } = await fs.stat(folder)
    if ((mode & 0o777 & ~most) !== 0) await fs.chmod(folder, mode & most)
  }).pipe(
    Effect.catch(({ cause }) =>
      Effect.logWarning(`The rights of ${folder} cannot be restricted to this user`, {
        error: reasonOf(cause)
      })
    )
  )

const make = Effect.gen(function* () {
  const { CAKEYFILE, CERTPATH, DATA_DIR } = yield* ServerConfig
  const own = FOLDERS.map((name) => path.join(DATA_DIR, name))
  yield* Effect.promise(() => fs.mkdir(DATA_DIR, { recursive: true, mode: PASSABLE })).pipe(Effect.ignoreCause)
  for (const folder of own) {
    yield* Effect.promise(() => fs.mkdir(folder, { recursive: true, mode: PRIVATE })).pipe(Effect.ignoreCause)
    yield* restrict(folder, PRIVATE)
  }
  yield* restrict(DATA_DIR, PASSABLE)
  // these may be anywhere, so only files in our folder count as ours
  const inside = [path.dirname(CAKEYFILE), CERTPATH].filter(
    (folder) => !path.relative(DATA_DIR, folder).startsWith("..")
  )
  for (const folder of inside) {
    const isThere = yield* Effect.promise(() =>
      fs.stat(folder).then(
        (found) => found.isDirectory(),
        () => false
      )
    )
    if (isThere && path.resolve(folder) !== path.resolve(DATA_DIR)) yield* restrict(folder, PRIVATE)
  }
})

/** Restricts the folders at the start. */
export const layer = Layer.effectDiscard(make)
