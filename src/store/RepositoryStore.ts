/** The commit of each repository that is in force, with its files: survives restarts and a remote that is gone. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"

/** Which repository. */
export type RepositoryName = "settings" | "templates"

/** A commit in force. `ref` is empty for the repository's own ref, else a branch that a group asks for; `files` is path to text. */
export interface AppliedCommit {
  readonly name: RepositoryName
  readonly ref: string
  readonly url: string
  readonly commit: string
  readonly description: string
  readonly files: Readonly<Record<string, string>>
}

const make = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal("name, ref, url, commit, description, files")
  return RepositoryStore.of({
    find: Effect.fn("RepositoryStore.find")((name: RepositoryName, ref: string) =>
      Effect.map(sql<AppliedCommit>`select ${columns} from repository where name = ${name} and ref = ${ref}`, (rows) =>
        Option.fromUndefinedOr(rows[0])
      )
    ),
    refs: Effect.fn("RepositoryStore.refs")((name: RepositoryName) =>
      Effect.map(sql<{ ref: string }>`select ref from repository where name = ${name} order by ref`, (rows) =>
        rows.map((row) => row.ref)
      )
    ),
    put: Effect.fn("RepositoryStore.put")(({ files, ...commit }: AppliedCommit) =>
      Effect.asVoid(sql`insert into repository ${sql.insert({ ...commit, files: sql.json(files) })}
        on conflict (name, ref) do update set url = excluded.url, commit = excluded.commit,
          description = excluded.description, files = excluded.files, applied_at = now()`)
    ),
    commitOf: Effect.fn("RepositoryStore.commitOf")((name: RepositoryName, ref: string) =>
      Effect.map(sql<{ commit: string }>`select commit from repository where name = ${name} and ref = ${ref}`, (rows) =>
        Option.fromUndefinedOr(rows[0]?.commit)
      )
    )
  })
})

/** Applied commits by repository and ref. */
export class RepositoryStore extends Context.Service<
  RepositoryStore,
  {
    readonly find: (name: RepositoryName, ref: string) => Effect.Effect<Option.Option<AppliedCommit>, SqlError.SqlError>
    /** Refs of this repository that are in force. */
    readonly refs: (name: RepositoryName) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
    readonly put: (commit: AppliedCommit) => Effect.Effect<void, SqlError.SqlError>
    /** The hash of the commit in force, without its files; cheap enough to ask before each use. */
    readonly commitOf: (name: RepositoryName, ref: string) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
  }
>()("switchyard/store/RepositoryStore") {
  static readonly layer = Layer.effect(RepositoryStore, make)
}
