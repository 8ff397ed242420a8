/**
 * Lists of records with filters, sorting and pages: the same rules for every table, applied by the database. Each list is
 * data (`Listable`); messages and limits are in docs/api.md#lists.
 */
import { Effect, Option, Result, Schema } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { hash } from "node:crypto"
import { type FieldKind, hasContains } from "../domain/ListFields.ts"
import { normalizeMac } from "../domain/Network.ts"

/** A list for clients: `columns` are the fields by name, each with its SQL expression and kind. */
export interface Listable {
  /** Plural name for messages. */
  readonly name: string
  readonly select: string
  readonly from: string
  readonly columns: Readonly<Record<string, { readonly sql: string; readonly kind: FieldKind }>>
  /** Fields of text that sort as people count: `acc2` before `acc10`. */
  readonly natural?: ReadonlySet<string>
  /** Omitted for a list that callers of some devices may not read. */
  readonly within?: (sql: SqlClient.SqlClient, within: Within) => Statement.Fragment
}

/** Some devices, prepared for many queries: ten thousand names are encoded once. */
export interface NamedDevices {
  readonly names: ReadonlySet<string>
  /** The hostnames as a `text[]` of PostgreSQL. */
  readonly hostnames: string
  /** Equal for equal names. */
  readonly key: string
}

/** These names as a part of queries. */
export const namedDevices = (names: ReadonlyArray<string>): NamedDevices => {
  const quoted = names.map((name) => `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`)
  const hostnames = `{${quoted.join(",")}}`
  return { names: new Set(names), hostnames, key: hash("sha256", hostnames, "base64url") }
}

/** The limits of a caller of some devices: the SQL uses these hostnames and the caller's name. */
export interface Within extends NamedDevices {
  readonly caller: string
  /** The name belongs to an API token: users choose these names, so it may equal another person's name. */
  readonly isProgram: boolean
}

/** The condition that a caller may see a row of `device`. */
export const devicesWithin = (sql: SqlClient.SqlClient, within: Within | undefined): Statement.Fragment =>
  within === undefined ? sql`true` : sql`device.hostname = any(${within.hostnames}::text[])`

/** A key that distinguishes queries by their limits. */
export const keyOfWithin = (within: Within | undefined): string =>
  within === undefined ? "" : `${within.key} ${within.isProgram} ${within.caller}`

/** One filter, with further devices that match it by values that the database does not store. */
export interface ListFilter {
  readonly field: string
  readonly contains: boolean
  readonly value: string
  readonly orThese?: NamedDevices
}

/** The query of a client, with fields and values unchanged. */
export interface ListQuery {
  readonly filters: ReadonlyArray<ListFilter>
  readonly sort: string
  readonly within?: Within
  /** Counts from 1. */
  readonly page: number
  readonly perPage: number
}

/** The number of rows that match and of all rows. */
export interface Counts {
  readonly matching: number
  readonly total: number
}

/** The query names an invalid field, value or operator. `message` is the part after the list's own prefix. */
export class ListQueryInvalid extends Schema.TaggedError<ListQueryInvalid>()("ListQueryInvalid", {
  list: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `Unable to filter ${this.list}: ${this.reason}`
  }
}

const WORDS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(["true", "t", "1", "yes", "y", "on"].map((word) => [word, true])),
  ...Object.fromEntries(["false", "f", "0", "no", "n", "off"].map((word) => [word, false]))
}
const MAX_INTEGER = 2 ** 31 - 1
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?))?(?:Z|\+00:00)?$/

/** `2026-03-02T09:11:26.319761` in the database's notation, if the date exists. */
const parseMoment = (value: string): string | undefined => {
  const [, date, time = "00:00"] = MOMENT.exec(value) ?? []
  if (date === undefined) return undefined
  const read = Date.parse(`${date}T${time.slice(0, 8)}Z`)
  return Number.isNaN(read) || new Date(read).toISOString().slice(0, 10) !== date || date.startsWith("0000")
    ? undefined
    : `${date} ${time}`
}

const parseInteger = (value: string): number | undefined => {
  const number = /^[+-]?\d{1,12}$/.test(value) ? Number(value) : Number.NaN
  return Math.abs(number) <= MAX_INTEGER ? number : undefined
}

const MAC_PART = /^[\da-f:.-]*$/i

const escapePattern = (value: string): string => value.replaceAll(/[\\%_]/g, String.raw`\$&`)

const own = <A>(record: Readonly<Record<string, A>>, key: string): A | undefined =>
  Object.hasOwn(record, key) ? record[key] : undefined

/** The name of the field in `-hostname`, in any case. */
export const sortField = (sort: string): string => sort.replace(/^-+/, "").toLowerCase()

const compile = (sql: SqlClient.SqlClient, list: Listable) => {
  const invalid = (reason: string) => Result.fail(new ListQueryInvalid({ list: list.name, reason }))

  /** Values of an enumeration ignore upper and lower case. */
  const named = (kind: FieldKind, value: string): string =>
    typeof kind === "object" ? (kind.oneOf.find((name) => name.toUpperCase() === value) ?? value) : value

  const exact = (field: string, expression: string, kind: FieldKind, sent: string) => {
    const value = named(kind, sent)
    const left = sql.literal(expression)
    const unfit = invalid(`${value} is not a valid value for ${field}`)
    if (typeof kind === "object") {
      return kind.oneOf.includes(value) ? Result.succeed(sql`${left} = ${value}`) : unfit
    }
    switch (kind) {
      case "integer": {
        const number = parseInteger(value)
        return number === undefined ? unfit : Result.succeed(sql`${left} = ${number}`)
      }
      case "boolean": {
        const word = own(WORDS, value.toLowerCase())
        return word === undefined ? unfit : Result.succeed(sql`${left} = ${word}`)
      }
      case "datetime": {
        const moment = parseMoment(value)
        return moment === undefined
          ? unfit
          : Result.succeed(sql`${left} = (${moment}::text::timestamp at time zone 'UTC')`)
      }
      case "mac":
        return Result.succeed(sql`${left} = ${Option.getOrElse(normalizeMac(value), () => value)}`)
      default:
        return Result.succeed(sql`${left}::text = ${value}`)
    }
  }

  const condition = ({ contains, field, value: sent }: ListFilter) => {
    const column = own(list.columns, field)
    if (column === undefined) return invalid(`${field} is not a valid attribute to filter on`)
    const { kind, sql: expression } = column
    const value = typeof kind === "object" ? sent.toUpperCase() : sent
    if (!contains) return exact(field, expression, kind, value)
    if (typeof kind === "object") {
      return Result.flatMap(exact(field, expression, kind, value), () =>
        invalid("Cannot use 'contains' operator for enum types")
      )
    }
    if (!hasContains(kind)) return invalid(`Cannot use 'contains' operator for ${kind} types`)
    const part = kind === "mac" && MAC_PART.test(value) ? value.replaceAll(/[:.-]/g, "") : value
    return Result.succeed(sql`${sql.literal(expression)}::text ilike ${`%${escapePattern(part)}%`}`)
  }

  const order = (sort: string): Statement.Fragment => {
    const column = own(list.columns, sortField(sort))
    const id = sql.literal(list.columns["id"]?.sql ?? "id")
    if (column === undefined) return sql`${id}`
    const expression =
      typeof column.kind === "object"
        ? sql`array_position(${sql.literal(`array['${column.kind.oneOf.join("','")}']`)}, ${sql.literal(column.sql)})`
        : sql.literal(list.natural?.has(sortField(sort)) === true ? `${column.sql} collate natural_sort` : column.sql)
    return sql`${expression} ${sql.literal(sort.startsWith("-") ? "desc" : "asc")}, ${id}`
  }

  return { condition, order }
}

/** A valid query: it reads the rows of its page and the counts. Equal keys mean equal queries. */
interface CompiledList<Row> {
  readonly rows: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
  readonly counts: Effect.Effect<Counts, SqlError.SqlError>
  readonly rowsKey: string
  readonly countsKey: string
}

/**
 * Compiles queries for this list. `Row` is a row of `list.select`. Fails with ListQueryInvalid before the first read,
 * if the query does not fit the list.
 */
export const makeListing = <Row extends object>(list: Listable) =>
  Effect.map(Effect.service(SqlClient.SqlClient), (sql) => {
    const { condition: ofField, order } = compile(sql, list)
    const condition = (filter: ListFilter) =>
      Result.map(ofField(filter), (fits) =>
        filter.orThese === undefined
          ? fits
          : sql`(${fits} or device.hostname = any(${filter.orThese.hostnames}::text[]))`
      )
    const from = sql.literal(list.from)
    return (query: ListQuery): Result.Result<CompiledList<Row>, ListQueryInvalid> =>
      Result.map(Result.all(query.filters.map(condition)), (conditions) => {
        const { page, perPage, sort, within } = query
        const filters = query.filters.map(({ orThese, ...filter }) => ({ ...filter, orThese: orThese?.key }))
        const visible = within === undefined ? sql`true` : (list.within?.(sql, within) ?? sql`false`)
        const where = sql.and([visible, ...conditions])
        const offset = (page - 1) * perPage
        // no table has more rows than ids
        const beyond = offset > MAX_INTEGER
        const id = sql.literal(list.columns["id"]?.sql ?? "id")
        // the page's ids first: texts are then composed only for its rows, not for skipped ones
        const chosen = sql`${id} = any(array(select ${id} from ${from} where ${where}
                order by ${order(sort)} limit ${perPage} offset ${offset}))`
        const rows = sql<Row>`select ${sql.literal(list.select)} from ${from} where ${chosen} order by ${order(sort)}`
        const matching =
          conditions.length === 0 ? sql`null::int` : sql`(select count(*)::int from ${from} where ${where})`
        const counts = sql<{
          total: number
          matching: number | null
        }>`select (select count(*)::int from ${from} where ${visible}) as total, ${matching} as matching`
        return {
          rows: beyond ? Effect.succeed([]) : Effect.withSpan(rows, `Listing.${list.name}`),
          counts: Effect.map(counts, ([row]) => {
            const total = row?.total ?? 0
            return { total, matching: row?.matching ?? total }
          }),
          rowsKey: JSON.stringify({ ...query, filters, within: keyOfWithin(within) }),
          countsKey: JSON.stringify([filters, keyOfWithin(within)])
        }
      })
  })
