/** Handlers of the list of secrets (docs/security.md#where-secrets-are-used). They read names only, never a value. */
import { Effect, FileSystem, Option } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { enveloped } from "../../api/Answers.ts"
import { Api } from "../../api/Api.ts"
import { listSecrets, secretUsesIn } from "../../domain/SecretUse.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { ALERTS_FILE } from "../../settings/RepositoryPaths.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { makeStoredSecrets } from "../../store/SecretStore.ts"
import { answered } from "../core/HandlerErrors.ts"

const makeSecretList = Effect.gen(function* () {
  const { CHECK_HOSTS, PLUGIN_FILE, secretSources } = yield* ServerConfig
  const ofHosts = CHECK_HOSTS.flatMap(({ secret }) =>
    secret === null
      ? []
      : [{ name: `CHECK_SECRET_${secret}`, of: "server" as const, file: null, line: null, scope: null }]
  )
  const files = yield* FileSystem.FileSystem
  const repositories = yield* RepositoryStore
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const stored = yield* makeStoredSecrets

  const inForce = (name: RepositoryName) =>
    Effect.map(repositories.find(name, ""), (found) => Option.getOrUndefined(found)?.files ?? {})

  /** Without usable settings no group is known. */
  const groups = settings.groups.pipe(
    Effect.map((all) => new Map(all.map(({ hostnames, name }) => [name, hostnames]))),
    Effect.catchTag("SettingsUnavailable", () => Effect.succeed(new Map<string, ReadonlyArray<string>>()))
  )

  return Effect.gen(function* () {
    const { [ALERTS_FILE]: alerts = "", ...texts } = yield* inForce("settings")
    const plugins = yield* Effect.orElseSucceed(files.readFileString(PLUGIN_FILE), () => "")
    const { computed, uses } = secretUsesIn({
      templates: yield* inForce("templates"),
      settings: texts,
      alerts,
      plugins
    })
    const secrets = listSecrets({
      uses: [...uses, ...ofHosts],
      isComputed: computed.length > 0,
      sources: secretSources,
      stored: (yield* stored.list).map((one) => ({ ...one, set_at: new Date(one.set_at).toISOString() })),
      devices: yield* devices.all,
      groups: yield* groups
    })
    return enveloped({ secrets, computed })
  }).pipe(Effect.withSpan("Secrets.list"))
})

/** Handlers of `SecretsGroup`. */
export const SecretsLive = HttpApiBuilder.group(Api, "secrets", (handlers) =>
  Effect.map(makeSecretList, (list) => handlers.handle("list", () => answered(list)))
)
