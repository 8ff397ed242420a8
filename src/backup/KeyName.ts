/**
 * Names of keys: whether a backup and a server have the same SECRET_KEY can be seen by them, and nothing of the key. The key itself is
 * looked for without making one, because a restore may be about to put its file back.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as SecretKey from "../runtime/SecretKey.ts"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"
import type { KeyNames } from "./Contents.ts"

const PURPOSE = "name of the key in backups"
const LENGTH = 16

/** The name of a key. */
const nameOf = (key: Uint8Array): string => SecretKey.of(key).digester(PURPOSE)("switchyard").slice(0, LENGTH)

/** The name of the key that a file holds; none when it holds none. */
export const nameOfFile = (content: string): Option.Option<string> => Option.map(SecretKey.keyIn(content), nameOf)

/** The file that holds the key when the settings do not. */
export const fileOf = (dataDir: string): string => path.join(dataDir, SecretKey.FILE)

const previousNames = Effect.map(ServerConfig, ({ SECRET_KEY_PREVIOUS }) =>
  Option.match(SECRET_KEY_PREVIOUS, { onNone: () => [], onSome: (previous) => SecretKey.keysIn(previous).map(nameOf) })
)

/** The file of the key is there, and cannot be read. */
export class KeyUnreadable extends Schema.TaggedError<KeyUnreadable>()("KeyUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The key in ${this.file} cannot be read (${this.reason}): run this as the user of the server`
  }
}

/** What a file holds; none when it is not there. */
const contentOf = (file: string) =>
  Effect.tryPromise(() => fs.readFile(file, "utf8")).pipe(
    Effect.asSome,
    Effect.catch(({ cause }) =>
      isMissing(cause) ? Effect.succeedNone : Effect.fail(new KeyUnreadable({ file, reason: reasonOf(cause) }))
    )
  )

/** The key of these settings by its names; none where there is no key yet. Fails with KeyUnreadable. */
export const find = Effect.gen(function* () {
  const { DATA_DIR, SECRET_KEY } = yield* ServerConfig
  const previous = yield* previousNames
  if (Option.isSome(SECRET_KEY)) {
    const name = nameOf(Buffer.from(Redacted.value(SECRET_KEY.value)))
    return Option.some<KeyNames>({ name, previous, place: "environment" })
  }
  const content = yield* contentOf(fileOf(DATA_DIR))
  return Option.map(Option.flatMap(content, nameOfFile), (name): KeyNames => ({ name, previous, place: "file" }))
})
