/**
 * The parts of the database that a release relies on (tables, columns, uniqueness, functions), and those that a later schema does not keep.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Column {
  readonly type: string
  readonly isRequired: boolean
}

/** By `table.column`, `table: columns of a unique index`, `table: definition of a constraint` and `name(arguments)`. */
export interface Catalog {
  readonly columns: ReadonlyMap<string, Column>
  /** Required uniqueness, which `on conflict` needs and which refuses rows. */
  readonly unique: ReadonlyMap<string, ReadonlyArray<string>>
  /** Checks and references, with the columns that they bind. */
  readonly bound: ReadonlyMap<string, ReadonlyArray<string>>
  readonly functions: ReadonlySet<string>
}

/** The present database. */
export const read = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<Column & { name: string }>`
    select c.relname || '.' || a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as "isRequired"
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0 and not a.attisdropped`
  const named = (table: string, keys: string) => `
    (select coalesce(array_agg(${table} || '.' || a.attname order by a.attname), '{}') from pg_attribute a
      where a.attrelid = c.oid and a.attnum = any(${keys}) and a.attnum > 0)`
  const unique = yield* sql<{ name: string; columns: ReadonlyArray<string> }>`
    select c.relname || ': ' || regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '') as name,
      ${sql.literal(named("c.relname", "i.indkey"))} as columns
    from pg_index i join pg_class c on c.oid = i.indrelid
    where i.indisunique and c.relnamespace = 'public'::regnamespace`
  const bound = yield* sql<{ name: string; columns: ReadonlyArray<string> }>`
    select c.relname || ': ' || pg_get_constraintdef(k.oid) as name, ${sql.literal(named("c.relname", "k.conkey"))} as columns
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype in ('c', 'f', 'x') and c.relnamespace = 'public'::regnamespace`
  const functions = yield* sql<{ name: string }>`
    select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace
      and prorettype <> 'trigger'::regtype`
  return {
    columns: new Map(columns.map(({ isRequired, name, type }) => [name, { type, isRequired }])),
    unique: new Map(unique.map(({ columns, name }) => [name, columns])),
    bound: new Map(bound.map(({ columns, name }) => [name, columns])),
    functions: new Set(functions.map(({ name }) => name))
  } satisfies Catalog
})

const missing = (before: Iterable<string>, now: { readonly has: (name: string) => boolean }) =>
  [...before].filter((name) => !now.has(name)).map((name) => `takes away ${name}`)

/** New constraints on existing columns. */
const binding = (
  before: Catalog,
  then: ReadonlyMap<string, ReadonlyArray<string>>,
  now: ReadonlyMap<string, ReadonlyArray<string>>
) =>
  [...now]
    .filter(([name, columns]) => !then.has(name) && columns.some((column) => before.columns.has(column)))
    .map(([name]) => `binds ${name}`)

/** Why a release that was made for `before` may not work with `now`; empty when only something was added. */
export const broken = (before: Catalog, now: Catalog): ReadonlyArray<string> => {
  const tables = new Set([...before.columns.keys()].map((name) => name.split(".")[0]))
  const columns = [...now.columns].flatMap(([name, column]) => {
    const was = before.columns.get(name)
    if (was !== undefined && was.type !== column.type) return [`changes ${name} from ${was.type} to ${column.type}`]
    const isNew = column.isRequired && was?.isRequired !== true
    return isNew && tables.has(name.split(".")[0]) ? [`demands ${name}`] : []
  })
  return [
    ...missing(before.columns.keys(), now.columns),
    ...missing(before.unique.keys(), now.unique),
    ...missing(before.functions, now.functions),
    ...columns,
    ...binding(before, before.unique, now.unique),
    ...binding(before, before.bound, now.bound)
  ]
}
