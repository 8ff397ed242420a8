/**
 * Moves texts of jobs and changes that are a day old to where each is stored once (docs/operations.md#stored-once), in small batches, and
 * removes those to which nothing refers any more. One replica at a time: a text must not go while another one begins to refer to it.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { SecretKey } from "../runtime/SecretKey.ts"
import { SecretTexts } from "./SecretTexts.ts"
import { REFERENCE } from "./StoredText.ts"
import { UNFINISHED } from "./UnfinishedChange.ts"
import { locks } from "./AdvisoryLocks.ts"

/** Texts of configurations are long. */
const BATCH = 50
/** A release that does not know references must not meet one in what is under way while releases change. */
const AGE = "1 day"
/** Below that, a reference is no shorter. */
const SHORTEST = 200

interface Packable {
  readonly key: string
  readonly column: string
  readonly text: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const secrets = yield* SecretTexts
  const digest = (yield* SecretKey).digester("stored texts by content")

  const locked = Effect.map(
    sql<{ taken: boolean }>`select pg_try_advisory_xact_lock(${locks.textPacking}) as taken`,
    ([lock]) => lock?.taken === true
  )

  /** What can be opened becomes a reference; what cannot stays as it is. */
  const packed = ({ column, key, text }: Packable) =>
    Option.toArray(
      Option.map(secrets.open(text), (clear) => {
        const hash = digest(clear)
        return { key, column, before: text, after: `${REFERENCE}${hash}`, hash, body: secrets.sealPacked(clear) }
      })
    )

  const store = Effect.fnUntraced(function* (found: ReadonlyArray<Packable>) {
    const moved = found.flatMap(packed)
    const bodies = [...new Map(moved.map(({ body, hash }) => [hash, { hash, body }])).values()]
    yield* sql`insert into stored_text (hash, body) select hash, body
      from jsonb_to_recordset(${JSON.stringify(bodies)}::text::jsonb) as given (hash text, body text)
      order by hash on conflict (hash) do nothing`
    return moved.map(({ after, before, column, key }) => ({ key, column, before, after }))
  })

  const packChanges = Effect.fnUntraced(function* (after: number) {
    if (!(yield* locked)) return null
    const rows = yield* sql<{
      id: number
      candidate: string
      old_config: string | null
      diff: string | null
    }>`select id, candidate, old_config, diff from config_change
      where not starts_with(candidate, ${sql.literal(`'${REFERENCE}'`)}) and updated_at < now() - ${sql.literal(`interval '${AGE}'`)}
        and not (${sql.literal(UNFINISHED)}) and id > ${after} order by id limit ${BATCH}`
    const texts = rows.flatMap(({ id, ...columns }) =>
      Object.entries(columns).flatMap(([column, text]) =>
        text === null || (column !== "candidate" && text.length < SHORTEST) ? [] : [{ key: String(id), column, text }]
      )
    )
    const moved = yield* store(texts)
    yield* sql`with given as (select * from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb)
        as given (key integer, "column" text, before text, after text)),
      wide as (select key, max(after) filter (where "column" = 'candidate') as candidate,
        max(before) filter (where "column" = 'candidate') as before, max(after) filter (where "column" = 'old_config') as old_config,
        max(after) filter (where "column" = 'diff') as diff from given group by key)
      update config_change c set candidate = coalesce(wide.candidate, c.candidate),
        old_config = coalesce(wide.old_config, c.old_config), diff = coalesce(wide.diff, c.diff)
      from wide where c.id = wide.key and (wide.before is null or c.candidate = wide.before)`
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  }, sql.withTransaction)

  const packDevices = Effect.fnUntraced(function* (after: { readonly id: number; readonly hostname: string }) {
    if (!(yield* locked)) return null
    const rows = yield* sql<{ id: number; hostname: string; sealed: string }>`
      select job_id as id, hostname, sealed_tasks as sealed from job_device
      where sealed_tasks is not null and not starts_with(sealed_tasks, ${sql.literal(`'${REFERENCE}'`)}) and not waiting
        and finished_at < now() - ${sql.literal(`interval '${AGE}'`)}
        and (job_id, hostname) > (${after.id}, ${after.hostname}) order by job_id, hostname limit ${BATCH}`
    const moved = yield* store(
      rows.map(({ hostname, id, sealed }) => ({
        key: JSON.stringify([id, hostname]),
        column: "sealed_tasks",
        text: sealed
      }))
    )
    // no row that is moved is told as a result of a device once more
    yield* sql`select set_config('switchyard.retention', 'on', true)`
    yield* sql`update job_device d set sealed_tasks = given.after
      from jsonb_to_recordset(${JSON.stringify(moved)}::text::jsonb) as given (key text, before text, after text)
      where d.job_id = (given.key::jsonb ->> 0)::integer and d.hostname = given.key::jsonb ->> 1 and d.sealed_tasks = given.before`
    return rows.length < BATCH ? null : (rows.at(-1) ?? null)
  }, sql.withTransaction)

  const removeUnused = sql.withTransaction(
    Effect.gen(function* () {
      if (!(yield* locked)) return
      yield* sql`delete from stored_text s where not exists (select from (
          select candidate as reference from config_change union all select old_config from config_change
          union all select diff from config_change union all select sealed_tasks from job_device) used
        where used.reference = ${REFERENCE} || s.hash)`
    })
  )

  const pack = Effect.gen(function* () {
    for (let after: number | null = 0; after !== null;) after = yield* packChanges(after)
    let row: { readonly id: number; readonly hostname: string } | null = { id: 0, hostname: "" }
    while (row !== null) row = yield* packDevices(row)
    yield* removeUnused
  }).pipe(Effect.withSpan("TextPacking.pack"))

  return TextPacking.of({ pack })
})

/** The moving of texts to where each is stored once. */
export class TextPacking extends Context.Service<
  TextPacking,
  { readonly pack: Effect.Effect<void, SqlError.SqlError> }
>()("switchyard/store/TextPacking") {
  static readonly layer = Layer.effect(TextPacking, make)
}
