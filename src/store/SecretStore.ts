/**
 * Secrets in the database: the stored form of texts with secrets, secret settings (each sealed,
 * docs/security.md#where-secrets-come-from), the change of the key under which everything is sealed, and the secrets that templates derive.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  keyOf,
  nameBytes,
  open,
  pack,
  seal,
  sealBytes,
  type SealingKey,
  sealingKey,
  SecretKey,
  secretValues,
  unpack
} from "../runtime/SecretKey.ts"
import { isStorable } from "../runtime/SecretSources.ts"
import { replaceSecrets } from "../drivers/SecretMask.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { DerivedSecrets, hideDerived, noSecrets, together } from "../templates/TemplateSecrets.ts"
import { hash } from "node:crypto"

// Texts with secrets and their stored form (docs/security.md#what-is-stored). A text that is only shown is stored with marks instead of
// secrets. A text that is used again, such as the configuration that an undo restores, is sealed. A mark is short and keyed: two marks
// reveal only whether two secrets are equal.

const MARK_DIGITS = 4
/** A mark that already replaces a secret. */
const MARK = /^"?(?:<hidden(?::[0-9a-f]+)?>|\*{8})"?$/

/** The first mark in a text. The reader of the text cannot know the secret. */
export const findMark = (text: string): string | undefined => /<hidden(?::[0-9a-f]+)?>/.exec(text)?.[0]

/** Decodes a sealed JSON value. */
export const readJson = Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))

const isPlain = (value: unknown): value is object => typeof value === "object" && value !== null

/** Names of configurations and differences. Other texts are sentences, in which drivers have already hidden quoted secrets. */
const CONFIGURATIONS: ReadonlySet<string> = new Set(["config", "full_config", "diff"])

/** Changes each text of a value, by its key; keys stay unchanged. */
const mapTexts = (value: unknown, change: (text: string, name: string) => string, name = ""): unknown => {
  if (typeof value === "string") return change(value, name)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change, name))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change, key)]))
}

/** The keys of sealed texts: the current key, and the previous one. */
export const sealingKeys = (key: SecretKey["Service"]): readonly [SealingKey, ...ReadonlyArray<SealingKey>] => {
  const purpose = "stored texts"
  return [sealingKey(key.keyFor(purpose)), ...key.previousFor(purpose).map(sealingKey)]
}

const makeTexts = Effect.gen(function* () {
  const key = yield* SecretKey
  const known = secretValues(yield* ServerConfig)
  const digest = key.digester("marks of secrets")
  const keys = sealingKeys(key)
  const [own] = keys
  // replicas without a common key could not continue each other's changes
  const shared = key.isShared ? own : undefined

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
    seal: (text) => (shared === undefined ? text : seal(shared, text)),
    hashOf: key.digester("stored texts by content"),
    sealPacked: (text) => sealBytes(shared, pack(text)),
    open: (text) => Option.map(open(keys, text), unpack),
    hide,
    hideKnown,
    hideTexts: (value) => mapTexts(value, (text) => hide(text)),
    hideIn: (value, derived) =>
      mapTexts(value, (text, name) => (CONFIGURATIONS.has(name) ? hide(text, derived) : hideKnown(text, derived)))
  })
})

/** Hides and seals secrets in texts before they are stored. */
export class SecretTexts extends Context.Service<
  SecretTexts,
  {
    /** Seals a text for later use. */
    readonly seal: (text: string) => string
    /** The name under which a text is stored once: keyed, so it reveals only whether two texts are equal. */
    readonly hashOf: (text: string) => string
    /** The sealed and compressed text for the table where each is stored once. */
    readonly sealPacked: (text: string) => Uint8Array
    /** Opens a sealed text; `None` if it was sealed under a key other than SECRET_KEY and SECRET_KEY_PREVIOUS. */
    readonly open: (text: string) => Option.Option<string>
    /**
     * Replaces each secret in a configuration or a difference by a mark: values that the server knows, values that templates
     * derived from them, and text at the places where a platform has its secrets. Idempotent.
     */
    readonly hide: (text: string, derived?: DerivedSecrets) => string
    /** Replaces each known secret in a sentence, such as an error message, by a mark. */
    readonly hideKnown: (text: string, derived?: DerivedSecrets) => string
    /** Hides secrets in each text of a JSON value that people wrote, such as the data of a port, as in a configuration. */
    readonly hideTexts: (value: unknown) => unknown
    /** Hides secrets in a JSON value: in `config`, `full_config` and `diff` as in configurations, elsewhere as in sentences. */
    readonly hideIn: (value: unknown, derived?: DerivedSecrets) => unknown
  }
>()("switchyard/store/SecretTexts") {
  static readonly layer = Layer.effect(SecretTexts, makeTexts)
}

// Texts that are stored once (`StoredTexts.ts`): the column holds a reference, and `whole_text(column)` yields the sealed text in both
// cases. A release that does not know references treats one as a text under another key.

/** The prefix of a reference; the digest of the text follows. Migrations 0044 and 0070 also contain it. */
export const REFERENCE = "sealed:1:storedconfig:"

/** A secret cannot be stored or found; the message names it. */
export class SecretRefused extends Schema.TaggedError<SecretRefused>()("SecretRefused", { message: Schema.String }) {}

/** A secret without its value; `set_at` is ISO 8601. */
interface ListedSecret {
  readonly name: string
  readonly set_at: string
  readonly set_by: string
}

/** Columns with sealed texts, and the key columns of their tables. An earlier release stored some of the first in clear text. */
const SEALED: ReadonlyArray<readonly [table: string, column: string, keys: string]> = [
  ["config_change", "candidate", "id"],
  ["config_change", "old_config", "id"],
  ["config_change", "diff", "id"],
  ["proved_config", "config", "device_id"],
  ["derived_secret", "sealed", "device_id"],
  ["interface", "sealed_data", "device_id, name"],
  ["job", "sealed_arguments", "id"],
  ["job_device", "sealed_tasks", "job_id, hostname"],
  ["onboarding", "config", "device_id"],
  ["request_approval", "sealed_body", "id"],
  ["secret", "sealed", "name"],
  ["stored_text", "body", "hash"]
]
const AT_ONCE = 100

/** Secrets in the database. */
export const makeStoredSecrets = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const keys = sealingKeys(yield* SecretKey)
  const [own] = keys
  const prefix = seal(own, "").slice(0, `sealed:1:${own.id}`.length)

  const set = Effect.fn("SecretStore.set")(function* (name: string, value: string) {
    if (!isStorable(name)) {
      return yield* new SecretRefused({ message: `${name} is no setting that can be kept as a secret in the database` })
    }
    if (value === "") return yield* new SecretRefused({ message: `${name} has no value` })
    yield* sql`insert into secret (name, sealed) values (${name}, ${seal(own, value)})
      on conflict (name) do update set sealed = excluded.sealed, set_at = now(), set_by = excluded.set_by`
  })

  const all = Effect.gen(function* () {
    const rows = yield* sql<{ name: string; sealed: string }>`select name, sealed from secret order by name`
    const found = new Map<string, string>()
    for (const { name, sealed } of rows) {
      const value = open(keys, sealed)
      if (Option.isNone(value)) {
        return yield* new SecretRefused({
          message: `The secret ${name} in the database was sealed under another key: set SECRET_KEY, or SECRET_KEY_PREVIOUS, to that one`
        })
      }
      found.set(name, value.value)
    }
    return found
  })

  /** Seals a batch of one column again; yields the numbers of rows that were read and sealed. */
  const resealSome = Effect.fnUntraced(function* ([table, column, names]: (typeof SEALED)[number], skip: number) {
    const rows = yield* sql<{ key: string; text: string }>`select jsonb_build_array(${sql.literal(names)})::text as key,
        ${sql.literal(column)} as text from ${sql.literal(table)}
      where ${sql.literal(column)} <> '' and not starts_with(${sql.literal(column)}, ${prefix})
        and not starts_with(${sql.literal(column)}, ${REFERENCE})
      order by ${sql.literal(names)} offset ${skip} limit ${AT_ONCE}`
    const opened = rows.flatMap(({ key, text }) =>
      Option.match(open(keys, text), {
        onNone: () => [],
        onSome: (clear) => [{ key, before: text, after: seal(own, clear) }]
      })
    )
    // a row that was written in the meantime is already sealed
    if (opened.length > 0) {
      yield* sql`update ${sql.literal(table)} set ${sql.literal(column)} = given.after
        from jsonb_to_recordset(${sql.json(opened)}) as given (key text, before text, after text)
        where jsonb_build_array(${sql.literal(names)})::text = given.key and ${sql.literal(column)} = given.before`
    }
    return { looked: rows.length, sealed: opened.length }
  })

  /** The same for texts that are stored once, as bytes. */
  const resealPacked = Effect.fnUntraced(function* (skip: number) {
    const rows = yield* sql<{
      hash: string
      text: string
    }>`select hash, whole_text(${REFERENCE} || hash) as text from stored_text
      where packed is not null and substring(packed for 6) <> ${nameBytes(own)} order by hash offset ${skip} limit ${AT_ONCE}`
    const opened = rows.flatMap(({ hash, text }) =>
      Option.toArray(Option.map(open(keys, text), (clear) => ({ hash, packed: sealBytes(own, clear) })))
    )
    if (opened.length > 0) {
      yield* sql`update stored_text set packed = given.packed
        from unnest(${opened.map(({ hash }) => hash)}::text[], ${opened.map(({ packed }) => packed)}::bytea[]) as given (hash, packed)
        where stored_text.hash = given.hash`
    }
    return { looked: rows.length, sealed: opened.length }
  })

  const reseal = Effect.gen(function* () {
    let sealed = 0
    let unreadable = 0
    const parts = [...SEALED.map((column) => (skip: number) => resealSome(column, skip)), resealPacked]
    for (const some of parts) {
      for (let skip = 0; ;) {
        const batch = yield* some(skip)
        sealed += batch.sealed
        skip += batch.looked - batch.sealed
        if (batch.looked < AT_ONCE) {
          unreadable += skip
          break
        }
      }
    }
    return { sealed, unreadable }
  }).pipe(Effect.withSpan("SecretStore.reseal"))

  return {
    set,
    all,
    list: sql<ListedSecret>`select name, set_at::text as set_at, set_by from secret order by name`,
    remove: Effect.fn("SecretStore.remove")(function* (name: string) {
      const gone = yield* sql`delete from secret where name = ${name} returning name`
      if (gone.length === 0) return yield* new SecretRefused({ message: `There is no secret ${name} in the database` })
    }),
    hasOthers: Effect.map(
      sql<{ sealed: string }>`select sealed from secret
        union all (select whole_text(config) from proved_config limit 20)`,
      (rows) => rows.some(({ sealed }) => Option.exists(keyOf(sealed), (id) => keys.every((key) => key.id !== id)))
    ),
    reseal
  } satisfies StoredSecrets
})

/** Secrets in the database. */
export interface StoredSecrets {
  /** Stores a secret under the name of its variable and replaces the previous one. */
  readonly set: (name: string, value: string) => Effect.Effect<void, SecretRefused | SqlError.SqlError>
  /** All values by name. */
  readonly all: Effect.Effect<ReadonlyMap<string, string>, SecretRefused | SqlError.SqlError>
  readonly list: Effect.Effect<ReadonlyArray<ListedSecret>, SqlError.SqlError>
  readonly remove: (name: string) => Effect.Effect<void, SecretRefused | SqlError.SqlError>
  /** Whether some text is sealed under a key that this server does not know. */
  readonly hasOthers: Effect.Effect<boolean, SqlError.SqlError>
  /** Seals texts under SECRET_KEY that are sealed under SECRET_KEY_PREVIOUS or were stored in clear text. Yields their number. */
  readonly reseal: Effect.Effect<{ readonly sealed: number; readonly unreadable: number }, SqlError.SqlError>
}

// Values that templates derived from secrets for each device, sealed: they are hidden in its configurations and differences.

const Stored = Schema.fromJsonString(DerivedSecrets)
const decode = Schema.decodeOption(Stored)
const encode = Schema.encodeSync(Stored)

const makeDerived = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { open, seal } = yield* SecretTexts
  const noted = new Map<number, string>()

  /** Opens a row; values that were sealed under another key are lost. */
  const opened = (sealed: string): DerivedSecrets =>
    Option.getOrElse(Option.flatMap(open(sealed), decode), () => noSecrets)

  const note = Effect.fn("DerivedSecretStore.note")(function* (deviceId: number, derived: DerivedSecrets) {
    if (derived.values.length + derived.lines.length === 0) return
    const digest = hash("sha256", encode(derived), "base64url")
    if (noted.get(deviceId) === digest) return
    const [row] = yield* sql<{ sealed: string }>`select sealed from derived_secret where device_id = ${deviceId}`
    const all = row === undefined ? derived : together(derived, opened(row.sealed))
    // the device may have been removed in the meantime
    yield* sql`insert into derived_secret (device_id, sealed) select id, ${seal(encode(all))} from device where id = ${deviceId}
      on conflict (device_id) do update set sealed = excluded.sealed`
    noted.set(deviceId, digest)
  })

  const ofHosts = Effect.fn("DerivedSecretStore.ofHosts")(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* sql<{ hostname: string; sealed: string }>`select device.hostname, s.sealed
      from derived_secret s join device on device.id = s.device_id where device.hostname = any(${hostnames}::text[])`
    return new Map(rows.map(({ hostname, sealed }) => [hostname, opened(sealed)]))
  })

  const ofChanges = Effect.fn("DerivedSecretStore.ofChanges")(function* (ids: ReadonlyArray<number>) {
    if (ids.length === 0) return new Map<number, DerivedSecrets>()
    const rows = yield* sql<{ id: number; sealed: string }>`select c.id, s.sealed
      from derived_secret s join config_change c on c.device_id = s.device_id where c.id = any(${ids}::integer[])`
    return new Map(rows.map(({ id, sealed }) => [id, opened(sealed)]))
  })

  return DerivedSecretStore.of({ note, ofHosts, ofChanges })
})

/** Secrets that templates derived. */
export class DerivedSecretStore extends Context.Service<
  DerivedSecretStore,
  {
    /** Adds them to those of earlier renderings. */
    readonly note: (deviceId: number, derived: DerivedSecrets) => Effect.Effect<void, SqlError.SqlError>
    /** By the id of a change, for its device. */
    readonly ofChanges: (
      ids: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyMap<number, DerivedSecrets>, SqlError.SqlError>
    /** By hostname; devices without derived secrets are omitted. */
    readonly ofHosts: (
      hostnames: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, DerivedSecrets>, SqlError.SqlError>
  }
>()("switchyard/store/DerivedSecretStore") {
  static readonly layer = Layer.effect(DerivedSecretStore, makeDerived)
}
