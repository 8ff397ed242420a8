/**
 * How releases show lines that nobody knew them to spell otherwise, as it was learnt by loading such a line alone
 * (docs/changes.md#lines-that-are-not-shown). Kept in memory too, because it is asked for with every change.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { filled, learnt, placed, shapeOf } from "../domain/ConfigLines.ts"

/** Switches of one platform and release, which spell alike. */
export interface Kin {
  readonly platform: string
  readonly release: string
}

/** What is known of a line: the lines by which it is shown, none for a default; or that it is not taken. */
export type Learned = ReadonlyArray<string> | "not taken"

/** What is known of a line below these headings; undefined when nothing is. */
export type Lookup = (sections: ReadonlyArray<string>, line: string) => Learned | undefined

type Rows = Map<string, string | null>

/** No line for a default. */
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

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const memory = new Map<string, Rows>()
  const keyOf = ({ platform, release }: Kin) => `${platform} ${release}`

  const refresh = Effect.fn("LearnedLineStore.refresh")(function* (kin: Kin) {
    const rows = yield* sql<{ shape: string; shown: string | null }>`select shape, shown from learned_line
      where platform = ${kin.platform} and release = ${kin.release}`
    const known: Rows = new Map(rows.map(({ shape, shown }) => [shape, shown]))
    memory.set(keyOf(kin), known)
    return lookupIn(known)
  })

  const learn = Effect.fn("LearnedLineStore.learn")(function* (
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
    memory.get(keyOf(kin))?.set(shape, row.shown)
  })

  return LearnedLineStore.of({
    lookup: (kin) => lookupIn(memory.get(keyOf(kin)) ?? new Map()),
    refresh,
    learn
  })
})

/** Learnt spellings. */
export class LearnedLineStore extends Context.Service<
  LearnedLineStore,
  {
    /** What this process has learnt or read last. */
    readonly lookup: (kin: Kin) => Lookup
    /** Reads anew what all have learnt. */
    readonly refresh: (kin: Kin) => Effect.Effect<Lookup, SqlError.SqlError>
    /** Remembers how a line is shown. It must hold no secret. */
    readonly learn: (
      kin: Kin,
      sections: ReadonlyArray<string>,
      line: string,
      found: Learned
    ) => Effect.Effect<void, SqlError.SqlError>
  }
>()("switchyard/store/LearnedLineStore") {
  static readonly layer = Layer.effect(LearnedLineStore, make)
}
