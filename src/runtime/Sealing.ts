/**
 * Seals texts that have to be used again and that nobody may read who has the database or its backups alone: AES-256-GCM under a
 * key that is made of the installation's own (docs/security.md#what-is-stored). A sealed text names its key, so that those of a
 * previous key are told apart and can still be opened while keys are changed.
 */
import { Option, Redacted } from "effect"
import { createCipheriv, createDecipheriv, createHash, createSecretKey, type KeyObject, randomBytes } from "node:crypto"

/** A key with the name by which sealed texts call it. */
export interface SealingKey {
  readonly id: string
  readonly key: KeyObject
}

const PREFIX = "sealed:1:"
const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16
const ID_LENGTH = 12

/** The key under its name, which tells nothing of it. */
export const sealingKey = (key: Redacted.Redacted<Uint8Array>): SealingKey => ({
  id: createHash("sha256").update("name of a key").update(Redacted.value(key)).digest("hex").slice(0, ID_LENGTH),
  // as an object once: made of bytes with each text, it took a fiftieth of a sync
  key: createSecretKey(Redacted.value(key))
})

/** Whether the text is a sealed one; what an earlier release has stored is not. */
const isSealed = (text: string): boolean => text.startsWith(PREFIX)

/** The name of the key under which a text is sealed; none for a clear one. */
export const keyOf = (text: string): Option.Option<string> =>
  isSealed(text) ? Option.some(text.slice(PREFIX.length, PREFIX.length + ID_LENGTH)) : Option.none()

/** The text, sealed. Two of the same text differ. */
export const seal = ({ id, key }: SealingKey, text: string): string => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `${PREFIX}${id}:${sealed.toString("base64")}`
}

const decipher = ({ key }: SealingKey, sealed: Buffer): Option.Option<string> => {
  if (sealed.length < IV_BYTES + TAG_BYTES) return Option.none()
  const end = sealed.length - TAG_BYTES
  const opening = createDecipheriv(CIPHER, key, sealed.subarray(0, IV_BYTES), {
    authTagLength: TAG_BYTES
  })
  opening.setAuthTag(sealed.subarray(end))
  try {
    return Option.some(
      Buffer.concat([opening.update(sealed.subarray(IV_BYTES, end)), opening.final()]).toString("utf8")
    )
  } catch {
    // somebody has altered the text
    return Option.none()
  }
}

/** What was sealed under one of these keys; a clear text as it is. None when the key is another one or the text was altered. */
export const open = (keys: ReadonlyArray<SealingKey>, text: string): Option.Option<string> => {
  const wanted = keyOf(text)
  if (Option.isNone(wanted)) return Option.some(text)
  const key = keys.find(({ id }) => id === wanted.value)
  const body = text.slice(PREFIX.length + ID_LENGTH + 1)
  return key === undefined ? Option.none() : decipher(key, Buffer.from(body, "base64"))
}
