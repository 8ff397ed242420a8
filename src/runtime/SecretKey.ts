/**
 * The key of this installation, from which keys for single purposes are derived: `SECRET_KEY`, or else a file of DATA_DIR that
 * only the server's own user can read, made at the first start (docs/security.md#the-servers-own-key). Replicas that share a
 * database need the same key.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, type PlatformError, Redacted, Schema } from "effect"
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID
} from "node:crypto"
import { reasonOf } from "./SystemErrors.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { readHeaders } from "./SettingForms.ts"
import { deflateRawSync, inflateRawSync } from "node:zlib"

/** The file of the key cannot be read or written, or has another content; the message names it. */
export class SecretKeyUnavailable extends Schema.TaggedError<SecretKeyUnavailable>()("SecretKeyUnavailable", {
  message: Schema.String
}) {}

/** Its name below DATA_DIR. */
export const FILE = "secret.key"
const BYTES = 32

/** The file holds the bytes as base64url. */
export const keyIn = (text: string): Option.Option<Uint8Array> => {
  const bytes = Buffer.from(text.trim(), "base64url")
  return bytes.length === BYTES ? Option.some(bytes) : Option.none()
}

/** A key in the form of the setting, and in the form of a line in the file. */
export const keysIn = (setting: Redacted.Redacted): ReadonlyArray<Uint8Array> => [
  Buffer.from(Redacted.value(setting)),
  ...Option.toArray(keyIn(Redacted.value(setting)))
]

/** The key in the file, which a server makes if it does not exist. Of two servers that make it at once one wins. */
const fromFile = Effect.fnUntraced(function* (folder: string, mayMake: boolean) {
  const files = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(folder, FILE)
  const unavailable = (error: PlatformError.PlatformError) =>
    new SecretKeyUnavailable({ message: `The key in ${file} cannot be used: ${reasonOf(error)}` })
  const create = Effect.gen(function* () {
    const draft = `${file}.${randomUUID()}`
    yield* files.makeDirectory(folder, { recursive: true, mode: 0o711 })
    yield* files.writeFileString(draft, `${randomBytes(BYTES).toString("base64url")}\n`, { mode: 0o600 })
    yield* Effect.ensuring(Effect.ignore(files.link(draft, file)), Effect.ignore(files.remove(draft)))
  })
  if (!(yield* Effect.mapError(files.exists(file), unavailable))) {
    if (!mayMake)
      return yield* new SecretKeyUnavailable({
        message: `There is no key in ${file}, and SECRET_KEY is not set: give the command the settings of the server. No key was made`
      })
    yield* Effect.mapError(create, unavailable)
  }
  const key = keyIn(yield* Effect.mapError(files.readFileString(file), unavailable))
  if (Option.isSome(key)) return key.value
  return yield* new SecretKeyUnavailable({
    message: `The key in ${file} is not one: expected ${BYTES} bytes as base64url`
  })
})

/** The keys that are derived from a key, and from those that it replaces. */
export const of = (
  key: Uint8Array,
  previous: ReadonlyArray<Uint8Array> = [],
  isShared = true
): SecretKey["Service"] => {
  const made = (from: Uint8Array, purpose: string) =>
    Redacted.make(Buffer.from(hkdfSync("sha256", from, "", purpose, BYTES)))
  const keyFor = (purpose: string) => made(key, purpose)
  return {
    keyFor,
    previousFor: (purpose) => previous.map((earlier) => made(earlier, purpose)),
    isShared,
    digester: (purpose) => {
      const own = createSecretKey(Redacted.value(keyFor(purpose)))
      return (text) => createHmac("sha256", own).update(text).digest("base64url")
    }
  }
}

const make = Effect.fnUntraced(function* (mayMake: boolean) {
  const { CLUSTER_HOST, DATABASE_URL, DATA_DIR, SECRET_KEY, SECRET_KEY_PREVIOUS } = yield* ServerConfig
  const previous = Option.match(SECRET_KEY_PREVIOUS, { onNone: () => [], onSome: keysIn })
  if (Option.isSome(SECRET_KEY)) return of(Buffer.from(Redacted.value(SECRET_KEY.value)), previous)
  // replicas that use the embedded database share the folder, too
  const isShared = Option.isNone(CLUSTER_HOST) || Option.isNone(DATABASE_URL)
  if (!isShared) {
    yield* Effect.logWarning(
      "SECRET_KEY is not set: replicas on several machines need the same one, and configurations are stored in clear until they have it"
    )
  }
  return of(yield* fromFile(DATA_DIR, mayMake), previous, isShared)
})

/** Keys and keyed digests. */
export class SecretKey extends Context.Service<
  SecretKey,
  {
    /** 32 bytes for this purpose only, the same at each start. */
    readonly keyFor: (purpose: string) => Redacted.Redacted<Uint8Array>
    /** The same of the key that this one replaces, while keys are changed (SECRET_KEY_PREVIOUS). */
    readonly previousFor: (purpose: string) => ReadonlyArray<Redacted.Redacted<Uint8Array>>
    /** False if other replicas may have another key. */
    readonly isShared: boolean
    /** HMAC-SHA-256 of texts under the key of a purpose, as base64url: equal for equal texts, and revealing nothing else about them. */
    readonly digester: (purpose: string) => (text: string) => string
  }
>()("switchyard/runtime/SecretKey") {
  static readonly layer = Layer.effect(SecretKey, make(true))

  /** For commands, which make no key: what they sealed with it no server could open. */
  static readonly layerOfCommand = Layer.effect(SecretKey, make(false))
}

// Seals texts that are needed again in clear and that a reader of the database or its backups alone must not read: AES-256-GCM under a key
// that is derived from the installation's own (docs/security.md#what-is-stored). A sealed text names its key, so that texts under a
// previous key can be recognised and still be opened while keys are changed.

/** A key with the name that sealed texts use for it. */
export interface SealingKey {
  readonly id: string
  readonly key: KeyObject
}

const PREFIX = "sealed:1:"
const CIPHER = "aes-256-gcm"
const IV_BYTES = 12
const TAG_BYTES = 16
const ID_LENGTH = 12

/** The key with its name, which reveals nothing of it. */
export const sealingKey = (key: Redacted.Redacted<Uint8Array>): SealingKey => ({
  id: createHash("sha256").update("name of a key").update(Redacted.value(key)).digest("hex").slice(0, ID_LENGTH),
  // made once as an object: making it from bytes for each text took 2 % of a sync
  key: createSecretKey(Redacted.value(key))
})

/** Whether the text is sealed; texts of earlier releases are not. */
const isSealed = (text: string): boolean => text.startsWith(PREFIX)

/** The name of the key under which a text is sealed; none for a clear one. */
export const keyOf = (text: string): Option.Option<string> =>
  isSealed(text) ? Option.some(text.slice(PREFIX.length, PREFIX.length + ID_LENGTH)) : Option.none()

const encipher = (key: KeyObject, text: string): Buffer => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(CIPHER, key, iv)
  return Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()])
}

/** The sealed text. Two seals of the same text differ. */
export const seal = ({ id, key }: SealingKey, text: string): string =>
  `${PREFIX}${id}:${encipher(key, text).toString("base64")}`

/** The name of the key in sealed bytes, or zeros before a clear text. */
export const nameBytes = (key: SealingKey | undefined): Uint8Array =>
  key === undefined ? new Uint8Array(ID_LENGTH / 2) : Buffer.from(key.id, "hex")

/**
 * The sealed text as bytes, a quarter shorter: the name of the key, then what `seal` has as base64. Without a key the text stays clear.
 * `whole_text` of the database yields the form that `open` reads.
 */
export const sealBytes = (key: SealingKey | undefined, text: string): Uint8Array =>
  Buffer.concat([nameBytes(key), key === undefined ? Buffer.from(text) : encipher(key.key, text)])

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
    // the text was altered
    return Option.none()
  }
}

/** The text that was sealed under one of these keys; a clear text unchanged. None if the key is another one or the text was altered. */
export const open = (keys: ReadonlyArray<SealingKey>, text: string): Option.Option<string> => {
  const wanted = keyOf(text)
  if (Option.isNone(wanted)) return Option.some(text)
  const key = keys.find(({ id }) => id === wanted.value)
  const body = text.slice(PREFIX.length + ID_LENGTH + 1)
  return key === undefined ? Option.none() : decipher(key, Buffer.from(body, "base64"))
}

// Texts that are kept for long: compressed, and marked to distinguish them from others.

const PACKED = "packed:1:"
/** A compressed text that claims to be longer is not read. */
const LONGEST = 256 * 1024 * 1024

/** A higher level takes longer and saves a few per cent of a configuration; a usual window takes longer to set up than to use. */
const PACKING = { level: 3, memLevel: 5, windowBits: 14 } as const

export const pack = (text: string): string => `${PACKED}${deflateRawSync(text, PACKING).toString("base64")}`

/** The unpacked text; any other text unchanged. */
export const unpack = (text: string): string =>
  text.startsWith(PACKED)
    ? inflateRawSync(Buffer.from(text.slice(PACKED.length), "base64"), { maxOutputLength: LONGEST }).toString("utf8")
    : text

// The values that this server keeps secret, as its settings have them: they are replaced in stored and displayed texts.

/** Shorter values would be found within harmless words. */
const SHORTEST = 4

const CREDENTIALS = /^[a-z][a-z0-9+.-]*:\/\/([^/@]*(?:@[^/@]*)*)@/i

/** A user name of this length without a password is a token; shorter ones, such as `git`, are no secret. */
const TOKEN_LENGTH = 16

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // a stray percent sign: the text stands for itself
    return text
  }
}

/** The password or token in a URL, as written and decoded. */
const secretsOfUrl = (url: string): ReadonlyArray<string> => {
  const credentials = CREDENTIALS.exec(url)?.[1] ?? ""
  const colon = credentials.indexOf(":")
  if (colon < 0) return credentials.length >= TOKEN_LENGTH ? [credentials, decoded(credentials)] : []
  const password = credentials.slice(colon + 1)
  return [password, decoded(password)]
}

/** The lines of a key or a certificate, because texts are shown and compared line by line; shorter lines are not specific enough. */
const LONG_LINE = 16
const linesOf = (value: string): ReadonlyArray<string> => {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= LONG_LINE && !line.startsWith("-----"))
}

/** Values to hide, each once, the longest first. */
const hideable = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(values.flatMap((value) => [value, ...linesOf(value)]))]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)

type Settings = Pick<
  ServerSettings,
  | "logins"
  | "nextLogins"
  | "keyLogins"
  | "templateSecrets"
  | "deviceSecrets"
  | "pluginSecrets"
  | "alertSecrets"
  | "checkSecrets"
  | "SECRET_KEY"
  | "SECRET_KEY_PREVIOUS"
  | "CLUSTER_SECRET"
  | "CAKEY_PASSPHRASE"
  | "OIDC_CLIENT_SECRET"
  | "FORGE_TOKEN"
  | "FORGE_WEBHOOK_SECRET"
  | "OTEL_EXPORTER_OTLP_HEADERS"
  | "DATABASE_URL"
  | "GITREPO_SETTINGS"
  | "GITREPO_TEMPLATES"
>

/** All secret values among the settings, the longest first. */
export const secretValues = (settings: Settings): ReadonlyArray<string> => {
  const { alertSecrets, checkSecrets, deviceSecrets, keyLogins, logins, nextLogins, pluginSecrets, templateSecrets } =
    settings
  const redacted = [
    ...[...logins.values(), ...nextLogins.values()].map(({ password }) => password),
    ...[...keyLogins.values()].flatMap(({ key: { passphrase, text } }) =>
      passphrase === null ? [text] : [text, passphrase]
    ),
    ...[templateSecrets, deviceSecrets, pluginSecrets, alertSecrets, checkSecrets].flatMap((secrets) => [
      ...secrets.values()
    ]),
    ...[
      settings.SECRET_KEY,
      settings.SECRET_KEY_PREVIOUS,
      settings.CLUSTER_SECRET,
      settings.CAKEY_PASSPHRASE,
      settings.OIDC_CLIENT_SECRET,
      settings.FORGE_TOKEN,
      settings.FORGE_WEBHOOK_SECRET
    ].flatMap(Option.toArray)
  ].map(Redacted.value)
  const urls = [
    ...Option.toArray(Option.map(settings.DATABASE_URL, Redacted.value)),
    ...Option.toArray(settings.GITREPO_SETTINGS),
    ...Option.toArray(settings.GITREPO_TEMPLATES)
  ]
  const headers = Option.match(settings.OTEL_EXPORTER_OTLP_HEADERS, {
    onNone: () => [],
    onSome: (text) => [...(readHeaders(Redacted.value(text))?.values() ?? [])]
  })
  return hideable([...redacted, ...headers, ...urls.flatMap(secretsOfUrl)])
}
