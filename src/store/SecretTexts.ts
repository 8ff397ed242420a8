/**
 * The border between texts with secrets and what is stored of them (docs/security.md#what-is-stored). What is only looked at is
 * stored with marks in the place of secrets; what has to be used again, such as the configuration that an undo puts back, is
 * sealed. A mark is short and keyed: it tells one secret from another one and nothing else.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import { pack, unpack } from "../runtime/PackedText.ts"
import { open, seal, type SealingKey, sealingKey } from "../runtime/Sealing.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { secretValues } from "../runtime/SecretValues.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { type DerivedSecrets, hideDerived, noSecrets } from "../templates/TemplateSecrets.ts"

const MARK_DIGITS = 4
/** What stands in the place of a secret already. */
const MARK = /^"?(?:<hidden(?::[0-9a-f]+)?>|\*{8})"?$/

/** A mark in a text, which stands for a secret that nobody knows who reads the text. */
export const findMark = (text: string): string | undefined => /<hidden(?::[0-9a-f]+)?>/.exec(text)?.[0]

/** A sealed value that is no text. */
export const readJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

const isPlain = (value: unknown): value is object => typeof value === "object" && value !== null

/** Names of what is a configuration or a difference; other texts are sentences, in which drivers have hidden what they quote. */
const CONFIGURATIONS: ReadonlySet<string> = new Set(["config", "full_config", "diff"])

/** The same value with other texts in it, by the name that each has; names stay. */
const mapTexts = (value: unknown, change: (text: string, name: string) => string, name = ""): unknown => {
  if (typeof value === "string") return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, name))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, key)]))
}

/** The keys of sealed texts: the one under which they are sealed now, and the one before. */
export const sealingKeys = (key: SecretKey["Service"]): readonly [SealingKey, ...ReadonlyArray<SealingKey>] => {
  const purpose = "stored texts"
  return [sealingKey(key.keyFor(purpose)), ...key.previousFor(purpose).map(sealingKey)]
}

const make = Effect.gen(function* () {
  const key = yield* SecretKey
  const known = secretValues(yield* ServerConfig)
  const digest = key.digester("marks of secrets")
  const keys = sealingKeys(key)
  const [own] = keys

  const mark = (secret: string): string => {
    if (MARK.test(secret)) return secret
    const bytes = Buffer.from(digest(secret.replaceAll(/^"|"$/g, "")), "base64url")
    return `<hidden:${bytes.toString("hex").slice(0, MARK_DIGITS)}>`
  }

  const hideKnown = (text: string, derived: DerivedSecrets = noSecrets): string =>
    known.reduce(
      (shown, value) => (shown.includes(value) ? shown.replaceAll(value, mark(value)) : shown),
      hideDerived(text, derived, mark)
    )

  const hide = (text: string, derived?: DerivedSecrets): string => replaceSecrets(hideKnown(text, derived), mark)

  return SecretTexts.of({
    // replicas without a common key could not go on with each other's changes
    seal: (text) => (key.isShared ? seal(own, text) : text),
    sealPacked: (text) => (key.isShared ? seal(own, pack(text)) : pack(text)),
    open: (text) => Option.map(open(keys, text), unpack),
    hide,
    hideKnown,
    hideTexts: (value) => mapTexts(value, (text) => hide(text)),
    hideIn: (value, derived) =>
      mapTexts(value, (text, name) => (CONFIGURATIONS.has(name) ? hide(text, derived) : hideKnown(text, derived)))
  })
})

/** Hides and seals what is stored. */
export class SecretTexts extends Context.Service<
  SecretTexts,
  {
    /** The text as it is kept for later use. */
    readonly seal: (text: string) => string
    /** The same, compressed: for texts that are kept for long. */
    readonly sealPacked: (text: string) => string
    /** What was sealed; none under another key than SECRET_KEY and SECRET_KEY_PREVIOUS. */
    readonly open: (text: string) => Option.Option<string>
    /**
     * A configuration or a difference with a mark in the place of each secret: of values that the server knows, of what templates
     * have made of them, and of what stands where a platform has its secrets. Idempotent.
     */
    readonly hide: (text: string, derived?: DerivedSecrets) => string
    /** A sentence, such as a message of an error, with a mark in the place of each secret that is known. */
    readonly hideKnown: (text: string, derived?: DerivedSecrets) => string
    /** A JSON value of texts that people have written, such as the data of a port, each hidden as a configuration is. */
    readonly hideTexts: (value: unknown) => unknown
    /** A JSON value with its texts hidden: `config`, `full_config` and `diff` as configurations, others as sentences. */
    readonly hideIn: (value: unknown, derived?: DerivedSecrets) => unknown
  }
>()("switchyard/store/SecretTexts") {
  static readonly layer = Layer.effect(SecretTexts, make)
}
