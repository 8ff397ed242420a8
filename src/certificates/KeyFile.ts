/**
 * The file of the authority's key: encrypted (PKCS #8) with CAKEY_PASSPHRASE, or else with a passphrase that is made of the server's
 * own key (docs/security.md#certificate-authority). A clear one, as earlier releases have made and sites bring along, is read as it is
 * and never rewritten behind anybody's back: `switchyard secret rotate` encrypts it.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { createPrivateKey } from "node:crypto"
import type { SecretKey } from "../runtime/SecretKey.ts"
import type { ServerSettings } from "../ServerConfig.ts"

/** The key in the file is none, or is encrypted with another passphrase. */
export class KeyUnreadable extends Schema.TaggedError<KeyUnreadable>()("KeyUnreadable", { message: Schema.String }) {}

const PURPOSE = "key of the certificate authority"
const CIPHER = "aes-256-cbc"

type Passphrases = readonly [now: string | undefined, ...earlier: ReadonlyArray<string>]

const madeOf = (key: Redacted.Redacted<Uint8Array>) => Buffer.from(Redacted.value(key)).toString("base64url")

/** The passphrase of a new file and those that a file may have; none where replicas could not share one. */
export const passphrases = (
  key: SecretKey["Service"],
  { CAKEY_PASSPHRASE }: Pick<ServerSettings, "CAKEY_PASSPHRASE">
): Passphrases => {
  const own = madeOf(key.keyFor(PURPOSE))
  const previous = key.previousFor(PURPOSE).map(madeOf)
  if (Option.isSome(CAKEY_PASSPHRASE)) return [Redacted.value(CAKEY_PASSPHRASE.value), own, ...previous]
  return [key.isShared ? own : undefined, own, ...previous]
}

/** Whether the text of a file is an encrypted key. */
export const isEncrypted = (pem: string): boolean => pem.includes("ENCRYPTED")

/** The text of the file for this key (PEM). */
export const encrypted = ([passphrase]: Passphrases, key: Redacted.Redacted): string =>
  passphrase === undefined
    ? Redacted.value(key)
    : createPrivateKey(Redacted.value(key))
        .export({ type: "pkcs8", format: "pem", cipher: CIPHER, passphrase })
        .toString()

/** The key of a file's text as clear PEM. Fails with KeyUnreadable when no passphrase opens it. */
export const decrypted = Effect.fnUntraced(function* (known: Passphrases, pem: string) {
  if (!isEncrypted(pem)) return Redacted.make(pem)
  for (const passphrase of known) {
    const opened = yield* Effect.option(
      Effect.try({
        try: () =>
          createPrivateKey({ key: pem, passphrase: passphrase ?? "" }).export({ type: "pkcs1", format: "pem" }),
        catch: () => new KeyUnreadable({ message: "another passphrase" })
      })
    )
    if (Option.isSome(opened)) return Redacted.make(opened.value.toString())
  }
  return yield* new KeyUnreadable({
    message: "it is encrypted with another passphrase: see CAKEY_PASSPHRASE and SECRET_KEY"
  })
})
