/**
 * Reads the repositories at the first start of a server that has none in force: templates first, because groups of the
 * settings may name their branches. What fails is logged and can be repeated by PUT /repository; the server starts anyhow.
 */
import { Effect, Layer, Option } from "effect"
import { ServerConfig } from "../../ServerConfig.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { refresh } from "./RefreshRepository.ts"

/** Who asks, in the job's record. */
const STARTER = "switchyard"

const readFirst = Effect.fnUntraced(
  function* (name: RepositoryName) {
    const config = yield* ServerConfig
    const repositories = yield* RepositoryStore
    const address = name === "settings" ? config.GITREPO_SETTINGS : config.GITREPO_TEMPLATES
    if (Option.isNone(address) || Option.isSome(yield* repositories.commitOf(name, ""))) return
    yield* refresh(name, STARTER)
  },
  (effect, name) =>
    Effect.catch(effect, (error) => Effect.logWarning(`The ${name} repository is not in force: ${error.message}`))
)

/** Starts the reading beside the server. */
export const layer = Layer.effectDiscard(
  Effect.forkScoped(Effect.andThen(readFirst("templates"), readFirst("settings")))
)
