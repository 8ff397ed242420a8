/**
 * The identity of the installation (docs/operations.md#identity): one row, by which a server recognizes its own database. It only
 * adds objects: servers of the previous release continue to work. A database that this release creates is marked as new, because new
 * installations begin with strict defaults; an older database gets its identity here and keeps its defaults.
 */
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { release } from "../../domain/Release.ts"

/**
 * Set while a server creates a new database, with its id if the operator has chosen one. Migrations of existing
 * rows, or for a tool, do not set it.
 */
export const MadeAnew = Context.Reference<{ readonly id: string | null } | null>("switchyard/store/MadeAnew", {
  defaultValue: () => null
})

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const anew = yield* MadeAnew
  yield* sql`
    create table installation (
      one boolean primary key default true check (one),
      id uuid not null,
      made_at timestamptz not null,
      made_by_release text,
      strict_defaults boolean not null
    )`
  yield* sql`comment on table installation is 'which installation this database belongs to; DATA_DIR/installation.id says the same'`
  yield* sql`comment on column installation.made_by_release is 'null when the database is older than its identity'`
  yield* sql`comment on column installation.strict_defaults is 'true for a database that was made by a release which begins with strict defaults'`
  yield* sql`insert into installation (id, made_at, made_by_release, strict_defaults)
    select coalesce(${anew?.id ?? null}::uuid, gen_random_uuid()), coalesce(min(created_at), now()),
      ${anew === null ? null : release}::text, ${anew !== null} from switchyard_migrations`
})
