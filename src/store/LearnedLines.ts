/**
 * Lines that a release shows in another spelling, learnt by loading the section of each with it and without it
 * (docs/changes.md#spellings). They are kept in memory for some seconds, because many changes of one release read them.
 */
import { Clock, Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { filled, learnt, placed, shapeOf } from "../domain/ConfigLines.ts"

/** Switches of one platform and release, which share one spelling. */
interface Kin {
  readonly platform: string
  readonly release: string
}

/** Knowledge about a line: the lines that show it (none for a default), or that the switch does not take it. */
export type Learned = ReadonlyArray<string> | "not taken"

/** Finds the knowledge about a line below these headings, as the switch shows them; undefined if there is none. */
export type Lookup = (sections: ReadonlyArray<string>, line: string) => Learned | undefined

type Rows = Map<string, string | null>

/** A stored line: `#` stands for a number, in headings for any. */
export interface LearnedLine {
  readonly id: number
  readonly platform: string
  /** Empty for devices whose release is unknown. */
  readonly release: string
  readonly section: ReadonlyArray<string>
  readonly line: string
  readonly shown: Learned
  /** ISO 8601, UTC. */
  readonly learned_at: string
}

/** No stored line has this id. */
export class LearnedLineNotFound extends Schema.TaggedError<LearnedLineNotFound>()("LearnedLineNotFound", {
  id: Schema.Int
}) {
  override get message() {
    return `No learned line with id ${this.id} found`
  }
  get httpStatus() {
    return 404 as const
  }
}

/** A default has no lines. */
const linesOf = (shown: string): ReadonlyArray<string> => (shown === "" ? [] : shown.split("\n"))

const lookupIn =
  (rows: Rows): Lookup =>
  (sections, line) => {
    if (rows.size === 0) return undefined
    const own = rows.get(placed(sections, line))
    if (own !== undefined) return own === null ? "not taken" : linesOf(own)
    const shape = rows.get(placed(sections, shapeOf(line)))
    return shape === undefined || shape === null ? undefined : filled(line, shape)
  }

interface LearnedRow extends Omit<LearnedLine, "section" | "line" | "shown"> {
  readonly shape: string
  readonly shown: string | null
}

const learnedLine = ({ shape, shown, ...row }: LearnedRow): LearnedLine => {
  const lines = shape.split("\n")
  return {
    ...row,
    section: lines.slice(0, -1),
    line: lines.at(-1) ?? "",
    shown: shown === null ? "not taken" : linesOf(shown)
  }
}

/** So long another replica may use a line that was withdrawn. */
const KEPT_MILLIS = 5_000

/** Yields the learnt spellings. */
export const makeLearned = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const memory = new Map<string, { readonly rows: Rows; readonly readAt: number }>()
  const keyOf = ({ platform, release }: Kin) => `${platform} ${release}`
  const columns = sql`id, platform, release, shape, shown, iso_time(learned_at) as learned_at`

  const refresh = Effect.fn("ConfigStore.learned.refresh")(function* (kin: Kin) {
    const found = yield* sql<{ shape: string; shown: string | null }>`select shape, shown from learned_line
      where platform = ${kin.platform} and release = ${kin.release}`
    const rows: Rows = new Map(found.map(({ shape, shown }) => [shape, shown]))
    memory.set(keyOf(kin), { rows, readAt: yield* Clock.currentTimeMillis })
    return lookupIn(rows)
  })

  const lookup = Effect.fnUntraced(function* (kin: Kin) {
    const known = memory.get(keyOf(kin))
    const now = yield* Clock.currentTimeMillis
    return known !== undefined && now - known.readAt < KEPT_MILLIS ? lookupIn(known.rows) : yield* refresh(kin)
  })

  const learn = Effect.fn("ConfigStore.learned.learn")(function* (
    kin: Kin,
    sections: ReadonlyArray<string>,
    line: string,
    found: Learned
  ) {
    const row = found === "not taken" ? { line, shown: null } : learnt(line, found)
    const shape = placed(sections, row.line)
    yield* sql`insert into learned_line (platform, release, shape, shown)
      values (${kin.platform}, ${kin.release}, ${shape}, ${row.shown})
      on conflict (platform, release, shape) do update set shown = excluded.shown, learned_at = now()`
    memory.get(keyOf(kin))?.rows.set(shape, row.shown)
  })

  const list = Effect.fn("ConfigStore.learned.list")(function* ({ platform, release }: Partial<Kin>) {
    const rows = yield* sql<LearnedRow>`select ${columns} from learned_line
      where ${platform === undefined ? sql`true` : sql`platform = ${platform}`}
        and ${release === undefined ? sql`true` : sql`release = ${release}`}
      order by platform, release, shape`
    return rows.map(learnedLine)
  })

  const withdraw = Effect.fn("ConfigStore.learned.withdraw")(function* (id: number) {
    const [row] = yield* sql<LearnedRow>`delete from learned_line where id = ${id} returning ${columns}`
    if (row === undefined) return yield* new LearnedLineNotFound({ id })
    memory.delete(keyOf(row))
    return learnedLine(row)
  })

  return { lookup, refresh, learn, list, withdraw } satisfies LearnedLines
})

/** Learnt spellings. */
export interface LearnedLines {
  /** The lines that this process has learnt, or read in the last seconds. */
  readonly lookup: (kin: Kin) => Effect.Effect<Lookup, SqlError.SqlError>
  /** Reads again the lines that all replicas have learnt. */
  readonly refresh: (kin: Kin) => Effect.Effect<Lookup, SqlError.SqlError>
  /** Stores how a line is shown. The line must hold no secret. */
  readonly learn: (
    kin: Kin,
    sections: ReadonlyArray<string>,
    line: string,
    found: Learned
  ) => Effect.Effect<void, SqlError.SqlError>
  /** All stored lines, or those of a platform and a release. */
  readonly list: (kin: Partial<Kin>) => Effect.Effect<ReadonlyArray<LearnedLine>, SqlError.SqlError>
  /** Removes a stored line: the next change that needs it looks at the switch again. Other replicas follow within seconds. */
  readonly withdraw: (id: number) => Effect.Effect<LearnedLine, LearnedLineNotFound | SqlError.SqlError>
}
