/**
 * Secret settings that are kept in the database, each sealed (docs/security.md#where-secrets-come-from), and the change of the key
 * under which everything in the database is sealed.
 */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { keyOf, open, seal, SecretKey } from "../runtime/SecretKey.ts"
import { isStorable } from "../runtime/SecretSources.ts"
import { REFERENCE } from "./StoredText.ts"
import { sealingKeys } from "./SecretTexts.ts"

/** A secret cannot be kept or found; the message names it. */
export class SecretRefused extends Schema.TaggedError<SecretRefused>()("SecretRefused", { message: Schema.String }) {}

/** A secret without its value; `set_at` is ISO 8601. */
export interface ListedSecret {
  readonly name: string
  readonly set_at: string
  readonly set_by: string
}

/** Columns with sealed texts, with the columns that name a row. What an earlier release has stored in clear is among the first. */
const SEALED: ReadonlyArray<readonly [table: string, column: string, keys: string]> = [
  ["config_change", "candidate", "id"],
  ["config_change", "old_config", "id"],
  ["config_change", "diff", "id"],
  ["proved_config", "config", "device_id"],
  ["derived_secret", "sealed", "device_id"],
  ["interface", "sealed_data", "device_id, name"],
  ["job", "sealed_arguments", "id"],
  ["job_device", "sealed_tasks", "job_id, hostname"],
  ["request_approval", "sealed_body", "id"],
  ["secret", "sealed", "name"],
  ["stored_text", "body", "hash"]
]
const AT_ONCE = 100

const make = Effect.gen(function* () {
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

  /** Seals a batch of one column anew; yields how many were, and the last of those that cannot be opened. */
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
    // a row that was written meanwhile has been sealed already
    if (opened.length > 0) {
      yield* sql`update ${sql.literal(table)} set ${sql.literal(column)} = given.after
        from jsonb_to_recordset(${sql.json(opened)}) as given (key text, before text, after text)
        where jsonb_build_array(${sql.literal(names)})::text = given.key and ${sql.literal(column)} = given.before`
    }
    return { looked: rows.length, sealed: opened.length }
  })

  const reseal = Effect.gen(function* () {
    let sealed = 0
    let unreadable = 0
    for (const column of SEALED) {
      for (let skip = 0; ;) {
        const batch = yield* resealSome(column, skip)
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

  return SecretStore.of({
    set,
    all,
    list: sql<ListedSecret>`select name, set_at::text as set_at, set_by from secret order by name`,
    remove: Effect.fn("SecretStore.remove")(function* (name: string) {
      const gone = yield* sql`delete from secret where name = ${name} returning name`
      if (gone.length === 0) return yield* new SecretRefused({ message: `There is no secret ${name} in the database` })
    }),
    hasOthers: Effect.map(
      sql<{ sealed: string }>`select sealed from secret
        union all (select config from proved_config limit 20)`,
      (rows) => rows.some(({ sealed }) => Option.exists(keyOf(sealed), (id) => keys.every((key) => key.id !== id)))
    ),
    reseal
  })
})

/** Secrets in the database. */
export class SecretStore extends Context.Service<
  SecretStore,
  {
    /** Keeps a secret under the name of its variable, in the place of the one before. */
    readonly set: (name: string, value: string) => Effect.Effect<void, SecretRefused | SqlError.SqlError>
    /** All values by their names. */
    readonly all: Effect.Effect<ReadonlyMap<string, string>, SecretRefused | SqlError.SqlError>
    readonly list: Effect.Effect<ReadonlyArray<ListedSecret>, SqlError.SqlError>
    readonly remove: (name: string) => Effect.Effect<void, SecretRefused | SqlError.SqlError>
    /** Whether something is sealed under a key that is not known here. */
    readonly hasOthers: Effect.Effect<boolean, SqlError.SqlError>
    /** Seals under SECRET_KEY what is sealed under SECRET_KEY_PREVIOUS or was stored in clear. Yields how many texts. */
    readonly reseal: Effect.Effect<{ readonly sealed: number; readonly unreadable: number }, SqlError.SqlError>
  }
>()("switchyard/store/SecretStore") {
  static readonly layer = Layer.effect(SecretStore, make)
}
