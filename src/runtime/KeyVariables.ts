/** Private keys in environment variables, or in files that these name. What they hold is told to nobody. */
import { Config, Effect, Option, Redacted, Schema } from "effect"
import { accessSync, constants, readFileSync } from "node:fs"

/** A private key (OpenSSH or PEM) for the SSH logins of a user. */
export interface PrivateKey {
  readonly text: Redacted.Redacted
  /** For a key that is encrypted. */
  readonly passphrase: Redacted.Redacted | null
}

/** A variable that is set to nothing, as files of environments often have it, counts as absent. */
export const filled = <A>(config: Config.Config<A>, isEmpty: (value: A) => boolean) =>
  Config.map(Config.option(config), (value) => Option.filter(value, (found) => !isEmpty(found)))

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** A file that is there; what is in it is told to nobody. */
const ReadableFile = Schema.String.pipe(
  Schema.check(Schema.makeFilter((path: string) => isReadable(path) || "Expected a file that can be read"))
)

/** The variable itself, or the file that `<name>_FILE` names. */
const readKeyText = Effect.fnUntraced(function* (name: string) {
  const own = yield* filled(Config.Redacted(name), (value) => Redacted.value(value).trim() === "")
  if (Option.isSome(own)) return own
  const named = yield* filled(Config.String(`${name}_FILE`), (value) => value === "")
  if (Option.isNone(named)) return Option.none()
  return Option.some(Redacted.make(readFileSync(yield* Config.schema(ReadableFile, `${name}_FILE`), "utf8")))
})

/** The key in this variable, if there is one; `<name>_PASSPHRASE` is for one that is encrypted. */
export const readPrivateKey = Effect.fnUntraced(function* (name: string) {
  const text = yield* readKeyText(name)
  if (Option.isNone(text)) return Option.none<PrivateKey>()
  const passphrase = yield* filled(Config.Redacted(`${name}_PASSPHRASE`), (word) => Redacted.value(word) === "")
  return Option.some<PrivateKey>({ text: text.value, passphrase: Option.getOrNull(passphrase) })
})
