/**
 * The files in force as their authors may read them here. What stands for a secret in a configuration is hidden in them too: secrets belong
 * into TEMPLATE_SECRET_*, and who wrote one into a file shows it to nobody by this.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { ALERTS_FILE } from "../../settings/RepositoryPaths.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { hideForms } from "../../templates/TemplateSecrets.ts"

/** Files of a commit. */
export interface FilesInForce {
  readonly commit: string | null
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore

  const inForce = Effect.fnUntraced(function* (name: RepositoryName, branch: string) {
    const applied = Option.getOrNull(yield* repositories.find(name, branch))
    const files = Object.entries(applied?.files ?? {}).filter(([path]) => path !== ALERTS_FILE)
    return { commit: applied?.commit ?? null, files: new Map(files) }
  })

  return RepositoryFiles.of({
    list: Effect.fn("RepositoryFiles.list")(function* (name: RepositoryName, branch: string) {
      const { commit, files } = yield* inForce(name, branch)
      const listed = [...files].map(([path, text]) => ({ path, size: Buffer.byteLength(text) }))
      return { commit, files: listed.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
    }),
    read: Effect.fn("RepositoryFiles.read")(function* (name: RepositoryName, branch: string, path: string) {
      const { files } = yield* inForce(name, branch)
      return Option.map(Option.fromUndefinedOr(files.get(path)), hideForms)
    })
  })
})

/** Files in force, `alerts.yml` left out; branch empty is the repository's own ref. */
export class RepositoryFiles extends Context.Service<
  RepositoryFiles,
  {
    readonly list: (name: RepositoryName, branch: string) => Effect.Effect<FilesInForce, SqlError.SqlError>
    /** The text of a file, with its secrets hidden; none when there is no such file. */
    readonly read: (
      name: RepositoryName,
      branch: string,
      path: string
    ) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
  }
>()("switchyard/jobs/RepositoryFiles") {
  static readonly layer = Layer.effect(RepositoryFiles, make)
}
