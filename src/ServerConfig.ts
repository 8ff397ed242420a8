/**
 * The server's settings in their final form, read once at the start from the environment by the table in `SettingsTable.ts`,
 * with the logins of devices and the secrets under other names. An invalid value stops the start with a sentence that names the
 * variable.
 */
import { Config, ConfigProvider, Context, Effect, Exit, Layer, Option, Redacted, Struct } from "effect"
import type { SecretSource } from "./domain/SecretUse.ts"
import { isSecret, withFiles } from "./runtime/SecretSources.ts"
import { withSettingsFile } from "./runtime/SettingsFile.ts"
import { filled, type PrivateKey, readPrivateKey, type Setting, withEmptyLists } from "./runtime/SettingForms.ts"
import { type LoginState, loginStates, settings } from "./SettingsTable.ts"

export { DEFAULT_JWT_CERT, DEFAULT_PLUGIN_FILE, type LoginState, loginStates, OWN_HTTPD_URL } from "./SettingsTable.ts"
export type { PrivateKey }

interface ConfigOf extends Struct.Lambda {
  <A>(setting: Setting<A>): Config.Config<A>
  readonly "~lambda.out": this["~lambda.in"] extends Setting<infer A> ? Config.Config<A> : never
}

const variables = Struct.map(
  settings,
  Struct.lambda<ConfigOf>(({ config }) => config)
)

/** Variables whose default depends on SECURE_DEFAULTS. */
interface Guarded {
  readonly HOST_KEY_POLICY: "first-use" | "approve"
  readonly LOCAL_USERS: boolean
}

/** The values of all variables by their names, with the device logins and the secrets for templates. */
export type ServerSettings = Omit<Config.Success<ReturnType<typeof readVariables>>, keyof Guarded> &
  Guarded & {
    readonly logins: ReadonlyMap<LoginState, Login>
    /** Keys that are tried before passwords (docs/security.md#keys-instead-of-passwords). */
    readonly keyLogins: ReadonlyMap<LoginState, KeyLogin>
    /** The new logins: both are accepted somewhere while logins are changed (docs/security.md#changing-passwords). */
    readonly nextLogins: ReadonlyMap<LoginState, Login>
    readonly templateSecrets: ReadonlyMap<string, Redacted.Redacted>
    readonly deviceSecrets: ReadonlyMap<string, Redacted.Redacted>
    readonly pluginSecrets: ReadonlyMap<string, Redacted.Redacted>
    /** Values of ALERT_SECRET_* that receivers of alerts name, under their full name. */
    readonly alertSecrets: ReadonlyMap<string, Redacted.Redacted>
    /** Values of CHECK_SECRET_* that CHECK_HOSTS names, under their full name. */
    readonly checkSecrets: ReadonlyMap<string, Redacted.Redacted>
    /** The secrets that are set, by name, and where each comes from (docs/security.md#where-secrets-come-from). */
    readonly secretSources: ReadonlyMap<string, SecretSource>
  }

const readVariables = () => Config.all(variables)

/** A setting with a name of its own, as `DATA_DIR`. */
export type SettingName = keyof typeof settings

/** The environment without settings that have an invalid value, except these. */
const withoutInvalid = Effect.fnUntraced(function* (
  environment: Readonly<Record<string, string | undefined>>,
  checked: ReadonlyArray<string>
) {
  const provider = providerOf(environment)
  const left = { ...environment }
  for (const [name, config] of Object.entries<Config.Config<unknown>>(variables)) {
    if (checked.includes(name)) continue
    if (Exit.isFailure(yield* Effect.exit(config.parse(provider)))) delete left[name]
  }
  return left
})

const providerOf = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromEnvRecord(withEmptyLists(environment))

/** Name and password for devices in one state. */
export interface Login {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** Name and key for devices in one state. */
interface KeyLogin {
  readonly username: string
  readonly key: PrivateKey
}

const readLogin = Effect.fnUntraced(function* (state: LoginState) {
  const username = yield* Config.option(Config.String(`USERNAME_${state}`))
  const password = yield* Config.option(Config.Redacted(`PASSWORD_${state}`))
  return Option.all({ username, password })
})

const readLogins = Effect.gen(function* () {
  const found = new Map<LoginState, Login>()
  for (const state of loginStates) {
    const login = yield* readLogin(state)
    if (Option.isSome(login)) found.set(state, login.value)
  }
  return found
})

/** A key needs the name of its user, which is the one next to the password if that is set. */
const readKeyLogins = Effect.gen(function* () {
  const found = new Map<LoginState, KeyLogin>()
  for (const state of loginStates) {
    const key = yield* readPrivateKey(`SSH_KEY_${state}`)
    if (Option.isNone(key)) continue
    found.set(state, { username: yield* Config.NonEmptyString(`USERNAME_${state}`), key: key.value })
  }
  return found
})

const isSame = (one: Login, other: Login): boolean =>
  one.username === other.username && Redacted.value(one.password) === Redacted.value(other.password)

/** A missing name or password stays unchanged; a login that differs in neither replaces nothing. */
const readNextLogins = Effect.fnUntraced(function* (logins: ReadonlyMap<LoginState, Login>) {
  const found = new Map<LoginState, Login>()
  for (const [state, current] of logins) {
    const username = yield* filled(Config.String(`USERNAME_${state}_NEXT`), (name) => name === "")
    const password = yield* filled(Config.Redacted(`PASSWORD_${state}_NEXT`), (value) => Redacted.value(value) === "")
    const next = {
      username: Option.getOrElse(username, () => current.username),
      password: Option.getOrElse(password, () => current.password)
    }
    if (!isSame(next, current)) found.set(state, next)
  }
  return found
})

/** Values of variables that start with a prefix, under their full name. */
const secretsWith = (prefix: string, environment: Readonly<Record<string, string | undefined>>) =>
  new Map(
    Object.entries(environment).flatMap(([name, value]) =>
      name.startsWith(prefix) && value !== undefined ? [[name, Redacted.make(value)] as const] : []
    )
  )

type Environment = Readonly<Record<string, string | undefined>>

const FILE = "_FILE"

/** The secrets that an environment sets, some of them with values from the database. */
const sourcesIn = (given: Environment, stored: ReadonlySet<string>): ReadonlyMap<string, SecretSource> =>
  new Map(
    Object.entries(given).flatMap(([variable, value = ""]): ReadonlyArray<readonly [string, SecretSource]> => {
      if (value === "") return []
      const name = variable.endsWith(FILE) ? variable.slice(0, -FILE.length) : variable
      if (!isSecret(name)) return []
      if (name !== variable) return [[name, "file"]]
      return [[name, stored.has(name) ? "database" : "environment"]]
    })
  )

/** The server's settings, read once at the start. */
export class ServerConfig extends Context.Service<ServerConfig, ServerSettings>()("switchyard/ServerConfig") {
  /** Reads an environment. Fails with a ConfigError that names the variable and the rule, and with SecretUnavailable. */
  static readonly layerOf = (given: Environment, stored: ReadonlySet<string> = new Set()) =>
    Layer.unwrap(
      Effect.map(withFiles(given), (environment) =>
        ServerConfig.#layerOf(environment, readKeyLogins, sourcesIn(given, stored))
      )
    )

  static readonly #layerOf = <E>(
    environment: Readonly<Record<string, string | undefined>>,
    keys: Effect.Effect<ReadonlyMap<LoginState, KeyLogin>, E>,
    secretSources: ReadonlyMap<string, SecretSource>
  ) =>
    Layer.effect(
      ServerConfig,
      Effect.gen(function* () {
        const values = yield* readVariables()
        const logins = yield* readLogins
        const { OIDC_ENABLED, SECURE_DEFAULTS } = values
        return ServerConfig.of({
          ...values,
          HOST_KEY_POLICY: Option.getOrElse(values.HOST_KEY_POLICY, () => (SECURE_DEFAULTS ? "approve" : "first-use")),
          // the first administrator has a password
          LOCAL_USERS: Option.getOrElse(values.LOCAL_USERS, () => SECURE_DEFAULTS && !OIDC_ENABLED),
          // a user who signs on at a provider has its token
          JWT_ENABLED: values.JWT_ENABLED || values.OIDC_ENABLED,
          logins,
          keyLogins: yield* keys,
          nextLogins: yield* readNextLogins(logins),
          templateSecrets: secretsWith("TEMPLATE_SECRET_", environment),
          deviceSecrets: secretsWith("DEVICE_SECRET_", environment),
          pluginSecrets: secretsWith("PLUGIN_SECRET_", environment),
          alertSecrets: secretsWith("ALERT_SECRET_", environment),
          checkSecrets: secretsWith("CHECK_SECRET_", environment),
          secretSources
        })
      })
    ).pipe(Layer.provide(ConfigProvider.layer(providerOf(environment))))

  /** Reads the process's environment, and the settings file of DATA_DIR for missing variables. */
  static readonly layer = Layer.unwrap(Effect.map(withSettingsFile(process.env), ServerConfig.layerOf))

  /**
   * The same for a command that needs these settings only. Any other one that is invalid, or whose file cannot be read, counts as not set: a
   * file of secrets may exist only while the server runs.
   */
  static readonly layerChecking = (
    checked: ReadonlyArray<SettingName>,
    given: Readonly<Record<string, string | undefined>> = process.env
  ) =>
    Layer.unwrap(
      Effect.gen(function* () {
        const names: ReadonlyArray<string> = checked
        const environment = yield* withFiles(yield* withSettingsFile(given), (name) => names.includes(name))
        const usable = yield* withoutInvalid(environment, names)
        return ServerConfig.#layerOf(
          usable,
          Effect.orElseSucceed(readKeyLogins, () => new Map<LoginState, KeyLogin>()),
          sourcesIn(given, new Set())
        )
      })
    )
}
