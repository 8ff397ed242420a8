/** Private keys in variables of the environment. What they hold is told to nobody. */
import { Config, Effect, Option, Redacted } from "effect"

/** A private key (OpenSSH or PEM) for the SSH logins of a user. */
export interface PrivateKey {
  readonly text: Redacted.Redacted
  /** For a key that is encrypted. */
  readonly passphrase: Redacted.Redacted | null
}

/** A variable that is set to nothing, as files of environments often have it, counts as absent. */
export const filled = <A>(config: Config.Config<A>, isEmpty: (value: A) => boolean) =>
  Config.map(Config.option(config), (value) => Option.filter(value, (found) => !isEmpty(found)))

/** The key in this variable, if there is one; `<name>_PASSPHRASE` is for one that is encrypted. */
export const readPrivateKey = Effect.fnUntraced(function* (name: string) {
  const text = yield* filled(Config.Redacted(name), (value) => Redacted.value(value).trim() === "")
  if (Option.isNone(text)) return Option.none<PrivateKey>()
  const passphrase = yield* filled(Config.Redacted(`${name}_PASSPHRASE`), (word) => Redacted.value(word) === "")
  return Option.some<PrivateKey>({ text: text.value, passphrase: Option.getOrNull(passphrase) })
})
