/** The server's settings with those that the database keeps: secrets, and whether unset settings have safe defaults. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Layer } from "effect"
import { SecretKey } from "../runtime/SecretKey.ts"
import { withStored } from "../runtime/SecretSources.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { secureDefaults } from "./Migrations.ts"
import { makeStoredSecrets } from "./SecretStore.ts"

/**
 * The settings of an environment with the secrets in the database, and with its defaults for settings that are not set. Values of the
 * environment win.
 */
export const settingsWithSecrets = (environment: Readonly<Record<string, string | undefined>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const secrets = yield* makeStoredSecrets
      if (yield* secrets.hasOthers) {
        yield* Effect.logError(
          "The database holds texts that were sealed under another key: earlier changes cannot be undone. Set SECRET_KEY, or SECRET_KEY_PREVIOUS, to that key"
        )
      }
      const stored = yield* secrets.all
      const given = withStored(environment, stored)
      const ofDatabase = new Set([...stored.keys()].filter((name) => given[name] !== environment[name]))
      const isDecided = (given["SECURE_DEFAULTS"] ?? "") !== ""
      return ServerConfig.layerOf(
        isDecided ? given : { ...given, SECURE_DEFAULTS: String(yield* secureDefaults) },
        ofDatabase
      )
    })
  ).pipe(Layer.provide(SecretKey.layer), Layer.provide(NodeServices.layer))
