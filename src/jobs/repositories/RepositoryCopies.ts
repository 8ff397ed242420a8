/** The local copies of the two repositories, each made when it is first asked for (docs/settings-repository.md#refresh). */
import { Context, Effect, type FileSystem, Layer, Option, type Path } from "effect"
import * as path from "node:path"
import type { GitAddressInvalid } from "../../git/GitAddress.ts"
import { type GitRepository, makeGitRepository } from "../../git/GitRepository.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { RefreshRefused } from "./RefreshRefused.ts"

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const addresses = { settings: config.GITREPO_SETTINGS, templates: config.GITREPO_TEMPLATES }
  const variables = { settings: "GITREPO_SETTINGS", templates: "GITREPO_TEMPLATES" }
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const copies = new Map<RepositoryName, GitRepository>()

  const of = Effect.fnUntraced(function* (name: RepositoryName) {
    const known = copies.get(name)
    if (known !== undefined) return known
    const address = addresses[name]
    if (Option.isNone(address)) {
      return yield* new RefreshRefused({ status: 500, message: `Error in repository: ${variables[name]} is not set` })
    }
    const made = yield* makeGitRepository({
      address: address.value,
      directory: path.join(config.DATA_DIR, "repositories", name),
      timeout: config.GIT_TIMEOUT * 1000,
      cloneTimeout: config.GIT_CLONE_TIMEOUT * 1000
    }).pipe(Effect.provideContext(services))
    copies.set(name, made)
    return made
  })

  return RepositoryCopies.of({ of })
})

/** Local copies by name. */
export class RepositoryCopies extends Context.Service<
  RepositoryCopies,
  {
    /** Fails where the server was told no address, or one that is none. */
    readonly of: (name: RepositoryName) => Effect.Effect<GitRepository, RefreshRefused | GitAddressInvalid>
  }
>()("switchyard/jobs/RepositoryCopies") {
  static readonly layer = Layer.effect(RepositoryCopies, make)
}
