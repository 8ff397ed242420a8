/**
 * Chooses where the commands for tokens and users work, and gives all commands on the server's machine the database of the service
 * (`Service.ts`), with the settings that they need. Only `serve`, `demo` and `setup --new-database` make a database.
 */
import { Effect, Layer, Option, References } from "effect"
import type { ServerSettings, SettingName } from "../ServerConfig.ts"
import { workOnData } from "./Service.ts"

/** The settings that lead to the database, and prove that it is the right one. */
const DATABASE = ["DATA_DIR", "DATABASE_URL", "INSTALLATION_ID"] as const
const KEY = ["SECRET_KEY", "SECRET_KEY_PREVIOUS"] as const
/** Places of the files that a backup holds. */
const FILES = [
  "CAFILE",
  "CAKEYFILE",
  "CERTPATH",
  "JWT_CERT",
  "PLUGIN_FILE",
  "PLUGIN_FOLDER",
  "TLS_CERT",
  "TLS_KEY"
] as const
const ROLES = ["OIDC_ENABLED", "PERMISSIONS_DISABLED", "SECURE_DEFAULTS"] as const
const TOKENS = ["API_TOKEN_DAYS", "API_TOKENS_PER_PERSON", "TOKEN_OWNER_DAYS"] as const

/**
 * The settings that each command checks before it begins. Others may be invalid, or in files that exist only while the server runs; `serve`
 * checks all.
 */
export const checkedSettings = {
  migrate: DATABASE,
  backup: [...DATABASE, ...KEY, ...FILES],
  restore: [...DATABASE, ...KEY, ...FILES],
  token: [...DATABASE, ...ROLES, ...TOKENS],
  user: [...DATABASE, ...ROLES],
  person: DATABASE,
  "audit verify": [...DATABASE, ...KEY],
  "audit export": DATABASE,
  "secret set": [...DATABASE, ...KEY],
  "secret list": DATABASE,
  "secret remove": DATABASE,
  "secret rotate": [...DATABASE, ...KEY, "CAFILE", "CAKEYFILE", "CAKEY_PASSPHRASE"],
  setup: [
    ...DATABASE,
    ...ROLES,
    ...TOKENS,
    "GITREPO_SETTINGS",
    "GITREPO_TEMPLATES",
    "GIT_TIMEOUT",
    "MANAGEMENT_NETWORKS",
    "OUTBOUND_HOSTS"
  ],
  check: ["GLOBAL_UNIQUE_VLANS", "SETTINGS_KEYS_TO_MERGE", "SETTINGS_OVERRIDE"]
} as const satisfies Readonly<Record<string, ReadonlyArray<SettingName>>>

/** A command that works with these settings. */
export type OnData = Exclude<keyof typeof checkedSettings, "check">

/**
 * The settings and the database for a command, also while a server of this machine keeps the embedded one. Like a replica the command joins
 * the embedded database of a running server, or starts it if none runs. It makes no new one. Loaded when it is called.
 */
export const loadDatabase = Effect.fnUntraced(function* (command: OnData) {
  yield* workOnData()
  const [{ ServerConfig }, Database] = yield* Effect.promise(() =>
    Promise.all([import("../ServerConfig.ts"), import("../store/Database.ts")])
  )
  const guest = Layer.effect(
    ServerConfig,
    Effect.map(ServerConfig, (config) =>
      Option.isSome(config.DATABASE_URL)
        ? config
        : ServerConfig.of({ ...config, CLUSTER_HOST: Option.some("127.0.0.1") })
    )
  )
  return {
    settings: ServerConfig.layerChecking(checkedSettings[command]),
    layer: Database.layerOfCommand.pipe(Layer.provide(guest)),
    /** The same without an upgrade of its schema; a restore may begin without any. */
    layerAsItIs: (applicationName: string, purpose: "command" | "restore") =>
      Database.layerAsItIs(applicationName, purpose).pipe(Layer.provide(guest))
  }
})

/** The services for work at the database, on these settings after a change; loaded on demand. */
export const atDatabaseWith = Effect.fnUntraced(function* (
  command: OnData,
  change: (settings: ServerSettings) => ServerSettings
) {
  const database = yield* loadDatabase(command)
  const [{ ServerConfig }, { ApiTokens }, { LocalUsers }, { Permissions }, { EventStore }, { PersonStore }] =
    yield* Effect.promise(() =>
      Promise.all([
        import("../ServerConfig.ts"),
        import("../access/ApiTokens.ts"),
        import("../access/LocalUsers.ts"),
        import("../access/Permissions.ts"),
        import("../store/EventStore.ts"),
        import("../store/AccountStore.ts")
      ])
    )
  const config = Layer.effect(
    ServerConfig,
    Effect.map(ServerConfig, (settings) => ServerConfig.of(change(settings)))
  ).pipe(Layer.provide(database.settings))
  return Layer.mergeAll(ApiTokens.layer, LocalUsers.layer, PersonStore.layer).pipe(
    Layer.provideMerge(Permissions.layer),
    Layer.provide(EventStore.layer),
    Layer.provideMerge(database.layer),
    // the output is for the user who runs the command
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provideMerge(config)
  )
})

/** The same on unchanged settings. */
export const atDatabase = (command: OnData) => atDatabaseWith(command, (settings) => settings)
