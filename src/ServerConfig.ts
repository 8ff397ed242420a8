/**
 * Every environment variable of the server, typed, with its default: the server reads it at the start, and
 * `GET /settings/server` shows it; what each is for is in `SettingsDocumentation.ts`. A wrong value stops the start with a sentence that
 * names the variable. Names that a site already uses are kept (docs/settings-repository.md#answers).
 */
import { proofs } from "../machines/change/ChangeRow.ts"
import {
  Config,
  ConfigProvider,
  Context,
  Effect,
  Layer,
  Option,
  Redacted,
  Schema,
  SchemaGetter,
  SchemaTransformation
} from "effect"
import { withFiles } from "./runtime/SecretSources.ts"
import { withSettingsFile } from "./runtime/SettingsFile.ts"
import {
  Delays,
  DeviceDirectory,
  filled,
  type PrivateKey,
  readPrivateKey,
  signOnVariables,
  traceVariables,
  withEmptyLists
} from "./runtime/SettingForms.ts"
import { SiteRemarks } from "./domain/platforms/Platforms.ts"
import { AddressPrefixes, commaList, OutboundNames, WebOrigins } from "./domain/access/HostLists.ts"
import { ManagementNetworksText } from "./domain/Network.ts"

export type { PrivateKey }

const withDefault = <A>(config: Config.Config<A>, fallback: NoInfer<A>) => Config.withDefault(config, fallback)

const atLeast = (minimum: number, name: string) =>
  Config.schema(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(minimum))), name)

const flag = (name: string, fallback: boolean) => withDefault(Config.Boolean(name), fallback)
const text = (name: string, fallback: string) => withDefault(Config.String(name), fallback)
const count = (name: string, fallback: number, minimum = 0) => withDefault(atLeast(minimum, name), fallback)
const percent = (name: string, fallback: number) =>
  withDefault(
    Config.schema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 100 }))), name),
    fallback
  )

const oneOf = (values: ReadonlyArray<number>) =>
  Schema.Int.pipe(
    Schema.check(Schema.makeFilter((value: number) => values.includes(value) || `Expected one of ${values.join(", ")}`))
  )
const IpVersion = oneOf([4, 6])
const ConfirmMode = oneOf([0, 1, 2])

/** A port, or 0 for one that the system chooses. */
const PortOrAny = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))

/** Some of the proofs of a change, such as `loaded-again,lines`. */
const Proofs = Schema.String.pipe(
  Schema.decodeTo(Schema.Array(Schema.String), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map((name) => name.trim())),
    encode: SchemaGetter.transform((list: ReadonlyArray<string>) => list.join(","))
  }),
  Schema.decodeTo(Schema.Array(Schema.Literals(proofs)), SchemaTransformation.passthroughSupertype())
)

const InstallationId = Schema.String.pipe(
  Schema.check(Schema.isUUID()),
  Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase())
)

/** A wrong value is not repeated in the message. */
const Key = Schema.RedactedFromValue(
  Schema.String.pipe(Schema.check(Schema.isMinLength(32, { message: "Expected at least 32 characters" })))
)

const JsonObject = Schema.fromJsonString(Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)))

/** Device states that have a login of their own; `UNMANAGED` and `MANAGED_NOIF` use that of `MANAGED`. */
export const loginStates = ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"] as const
export type LoginState = (typeof loginStates)[number]

/** HTTPD_URL of a server that keeps firmware images itself. */
export const OWN_HTTPD_URL = "http://127.0.0.1:5000/firmware"

/** JWT_CERT when nobody sets it. */
export const DEFAULT_JWT_CERT = "data/jwt/public.pem"

/** PLUGIN_FILE when nobody sets it. */
export const DEFAULT_PLUGIN_FILE = "data/plugins.yml"

const variables = {
  HOST: text("HOST", "127.0.0.1"),
  PORT: withDefault(Config.schema(PortOrAny, "PORT"), 5000),
  TLS_CERT: Config.option(Config.NonEmptyString("TLS_CERT")),
  TLS_KEY: Config.option(Config.NonEmptyString("TLS_KEY")),
  TLS_HOST: withDefault(Config.NonEmptyString("TLS_HOST"), "0.0.0.0"),
  TLS_PORT: withDefault(Config.schema(PortOrAny, "TLS_PORT"), 5443),
  TRUSTED_PROXIES: withDefault(Config.schema(AddressPrefixes, "TRUSTED_PROXIES"), ["127.0.0.0/8", "::1"]),
  METRICS_NETWORKS: withDefault(Config.schema(AddressPrefixes, "METRICS_NETWORKS"), ["127.0.0.0/8", "::1"]),
  ALLOWED_ORIGINS: withDefault(Config.schema(WebOrigins, "ALLOWED_ORIGINS"), []),
  RATE_LIMIT: count("RATE_LIMIT", 5000),
  REQUESTS_AT_ONCE: count("REQUESTS_AT_ONCE", 500),
  FAILED_LOGINS: count("FAILED_LOGINS", 300),
  LOGIN_ALWAYS_FROM: withDefault(Config.schema(AddressPrefixes, "LOGIN_ALWAYS_FROM"), []),
  API_TOKENS_PER_PERSON: count("API_TOKENS_PER_PERSON", 20, 1),
  API_TOKEN_DAYS: count("API_TOKEN_DAYS", 365, 1),
  TOKEN_OWNER_DAYS: count("TOKEN_OWNER_DAYS", 90),
  SOCKET_CLIENTS: count("SOCKET_CLIENTS", 2000),
  SOCKET_CLIENTS_PER_ADDRESS: count("SOCKET_CLIENTS_PER_ADDRESS", 500),
  ZTP_HTTP_PORT: Config.option(Config.Port("ZTP_HTTP_PORT")),
  ZTP_HTTP_HOST: withDefault(Config.NonEmptyString("ZTP_HTTP_HOST"), "0.0.0.0"),
  BODY_MEMORY: count("BODY_MEMORY", 67_108_864, 16_777_216),
  BODY_TIMEOUT: count("BODY_TIMEOUT", 60, 1),
  OPEN_CHECK_MAX_SIZE: count("OPEN_CHECK_MAX_SIZE", 65_536),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  INSTALLATION_ID: Config.option(Config.schema(InstallationId, "INSTALLATION_ID")),
  SECRET_KEY: Config.option(Config.schema(Key, "SECRET_KEY")),
  AUDIT_DAYS: count("AUDIT_DAYS", 0),
  ALERT_TIMEOUT: count("ALERT_TIMEOUT", 10, 1),
  ALERT_RETRY_HOURS: count("ALERT_RETRY_HOURS", 72, 1),
  ALERT_DAYS: count("ALERT_DAYS", 30, 1),
  EVENT_DAYS: count("EVENT_DAYS", 7),
  JOB_DAYS: count("JOB_DAYS", 365),
  JOB_DEVICE_DAYS: count("JOB_DEVICE_DAYS", 365),
  CHANGE_DAYS: count("CHANGE_DAYS", 90),
  CONFIG_DAYS: count("CONFIG_DAYS", 90),
  CONFIG_COUNT: count("CONFIG_COUNT", 10, 1),
  OPERATION_DAYS: count("OPERATION_DAYS", 90),
  AUDIT_SYSLOG: Config.option(Config.NonEmptyString("AUDIT_SYSLOG")),
  SECRET_KEY_PREVIOUS: Config.option(Config.schema(Key, "SECRET_KEY_PREVIOUS")),
  SHOW_SECRETS: flag("SHOW_SECRETS", true),
  DATA_DIR: withDefault(Config.NonEmptyString("DATA_DIR"), "data"),
  LOG_LEVEL: withDefault(Config.Literals(["Trace", "Debug", "Info", "Warn", "Error", "Fatal"], "LOG_LEVEL"), "Info"),
  LOG_FORMAT: withDefault(Config.Literals(["pretty", "logfmt", "json"], "LOG_FORMAT"), "logfmt"),
  ...traceVariables,
  SSH_PORT: withDefault(Config.Port("SSH_PORT"), 22),
  SSH_MAX_SESSIONS: count("SSH_MAX_SESSIONS", 1400, 1),
  SSH_REFUSED_DELAY: count("SSH_REFUSED_DELAY", 2),
  SSH_ADDRESS_MAP: text("SSH_ADDRESS_MAP", ""),
  MANAGEMENT_NETWORKS: withDefault(Config.schema(ManagementNetworksText, "MANAGEMENT_NETWORKS"), ""),
  HOST_KEY_POLICY: Config.option(Config.Literals(["first-use", "approve"], "HOST_KEY_POLICY")),
  FOREIGN_SESSIONS: withDefault(Config.Literals(["ignore-old", "wait"], "FOREIGN_SESSIONS"), "ignore-old"),
  SYNC_CONCURRENCY: count("SYNC_CONCURRENCY", 1000, 1),
  CLUSTER_HOST: Config.option(Config.NonEmptyString("CLUSTER_HOST")),
  CLUSTER_PORT: withDefault(Config.Port("CLUSTER_PORT"), 5050),
  CLUSTER_LISTEN_HOST: Config.option(Config.NonEmptyString("CLUSTER_LISTEN_HOST")),
  CLUSTER_SECRET: Config.option(Config.schema(Key, "CLUSTER_SECRET")),
  GITREPO_SETTINGS: Config.option(Config.NonEmptyString("GITREPO_SETTINGS")),
  GITREPO_TEMPLATES: Config.option(Config.NonEmptyString("GITREPO_TEMPLATES")),
  GIT_TIMEOUT: count("GIT_TIMEOUT", 60, 1),
  GIT_CLONE_TIMEOUT: count("GIT_CLONE_TIMEOUT", 600, 1),
  HTTPD_URL: text("HTTPD_URL", OWN_HTTPD_URL),
  FIRMWARE_URL: Config.option(
    Config.orElse(Config.NonEmptyString("FIRMWARE_URL"), () => Config.NonEmptyString("FIRMQRE_URL"))
  ),
  FIRMWARE_MAX_SIZE: count("FIRMWARE_MAX_SIZE", 4_294_967_296, 1),
  FIRMWARE_ALLOW_LOCAL: flag("FIRMWARE_ALLOW_LOCAL", false),
  OUTBOUND_HOSTS: Config.option(Config.schema(OutboundNames, "OUTBOUND_HOSTS")),
  FIRMWARE_CONCURRENCY: count("FIRMWARE_CONCURRENCY", 10, 1),
  FIRMWARE_DOWNLOAD_TIMEOUT: count("FIRMWARE_DOWNLOAD_TIMEOUT", 3600, 1),
  FIRMWARE_RETURN_TIMEOUT: count("FIRMWARE_RETURN_TIMEOUT", 900),
  FIRMWARE_RETURN_INTERVAL: count("FIRMWARE_RETURN_INTERVAL", 30, 1),
  VERIFY_TLS: flag("VERIFY_TLS", true),
  VERIFY_TLS_DEVICE: flag("VERIFY_TLS_DEVICE", false),
  CAFILE: text("CAFILE", "data/ca/rootCA.crt"),
  CAKEYFILE: text("CAKEYFILE", "data/ca/rootCA.key"),
  CAKEY_PASSPHRASE: Config.option(Config.Redacted("CAKEY_PASSPHRASE")),
  CERTPATH: text("CERTPATH", "data/devicecerts"),
  FRR_CERTIFICATE_DIRECTORY: Config.option(Config.schema(DeviceDirectory, "FRR_CERTIFICATE_DIRECTORY")),
  CERTIFICATE_DAYS: count("CERTIFICATE_DAYS", 365, 1),
  CERTIFICATE_RENEW_DAYS: count("CERTIFICATE_RENEW_DAYS", 30, 1),
  CERTIFICATE_RENEW_INTERVAL: count("CERTIFICATE_RENEW_INTERVAL", 86_400),
  JWT_ENABLED: flag("JWT_ENABLED", true),
  JWT_CERT: text("JWT_CERT", DEFAULT_JWT_CERT),
  LOCAL_USERS: Config.option(Config.Boolean("LOCAL_USERS")),
  JWT_ISSUER: Config.option(Config.NonEmptyString("JWT_ISSUER")),
  JWT_AUDIENCE: Config.option(Config.NonEmptyString("JWT_AUDIENCE")),
  ROLES_CLAIM: Config.option(Config.NonEmptyString("ROLES_CLAIM")),
  ...signOnVariables,
  PERMISSIONS_DISABLED: flag("PERMISSIONS_DISABLED", false),
  SECURE_DEFAULTS: flag("SECURE_DEFAULTS", false),
  ALLOW_OPEN_API: flag("ALLOW_OPEN_API", false),
  ALLOW_APPLY_CONFIG_LIVERUN: flag("ALLOW_APPLY_CONFIG_LIVERUN", false),
  PLUGIN_FILE: text("PLUGIN_FILE", DEFAULT_PLUGIN_FILE),
  PLUGIN_FOLDER: Config.option(Config.NonEmptyString("PLUGIN_FOLDER")),
  PLUGIN_TIMEOUT: count("PLUGIN_TIMEOUT", 30, 1),
  PLUGIN_MEMORY: count("PLUGIN_MEMORY", 64, 16),
  PLUGIN_ATTEMPTS: count("PLUGIN_ATTEMPTS", 8, 1),
  PLUGIN_RETRY_DELAY: count("PLUGIN_RETRY_DELAY", 30),
  GLOBAL_UNIQUE_VLANS: flag("GLOBAL_UNIQUE_VLANS", true),
  INIT_MGMT_TIMEOUT: count("INIT_MGMT_TIMEOUT", 30, 1),
  INIT_STEP2_DELAY: count("INIT_STEP2_DELAY", 60),
  DISCOVERY_DELAYS: withDefault(Config.schema(Delays, "DISCOVERY_DELAYS"), [10, 30, 60, 120, 180]),
  JOB_DELAY: count("JOB_DELAY", 0),
  JOB_CONCURRENCY: count("JOB_CONCURRENCY", 10, 1),
  APPROVAL_SCORE: count("APPROVAL_SCORE", 0),
  APPROVAL_WAIT: count("APPROVAL_WAIT", 86_400, 1),
  LOCK_WAIT: count("LOCK_WAIT", 900),
  FIRMWARE_JOB_CONCURRENCY: count("FIRMWARE_JOB_CONCURRENCY", 4, 1),
  DISCOVERY_JOB_CONCURRENCY: count("DISCOVERY_JOB_CONCURRENCY", 20, 1),
  UNKNOWN_DEVICES_PER_HOUR: count("UNKNOWN_DEVICES_PER_HOUR", 1000, 1),
  UNKNOWN_DEVICES_MAX: count("UNKNOWN_DEVICES_MAX", 5000, 1),
  JOB_RECORD_DAYS: count("JOB_RECORD_DAYS", 7, 1),
  UPKEEP_INTERVAL: count("UPKEEP_INTERVAL", 3600, 1),
  MGMTDOMAIN_RESERVED_COUNT: count("MGMTDOMAIN_RESERVED_COUNT", 5),
  MGMTDOMAIN_PRIMARY_IP_VERSION: withDefault(Config.schema(IpVersion, "MGMTDOMAIN_PRIMARY_IP_VERSION"), 4),
  COMMIT_CONFIRMED_MODE: withDefault(Config.schema(ConfirmMode, "COMMIT_CONFIRMED_MODE"), 1),
  COMMIT_CONFIRMED_TIMEOUT: count("COMMIT_CONFIRMED_TIMEOUT", 300, 5),
  COMMIT_CONFIRMED_WAIT: count("COMMIT_CONFIRMED_WAIT", 1),
  CHANGE_PROOFS: withDefault(Config.schema(Proofs, "CHANGE_PROOFS"), proofs),
  DEVICE_REMARKS: withDefault(Config.schema(SiteRemarks, "DEVICE_REMARKS"), []),
  DRIFT_INTERVAL: count("DRIFT_INTERVAL", 0),
  MAC_INTERVAL: count("MAC_INTERVAL", 0),
  MAC_DAYS: count("MAC_DAYS", 30, 1),
  MAC_ENTRIES: count("MAC_ENTRIES", 20_000, 1),
  RENDER_DEVICE_SECONDS: count("RENDER_DEVICE_SECONDS", 10, 1),
  RENDER_JOB_SECONDS: count("RENDER_JOB_SECONDS", 300, 1),
  RENDER_MEMORY: count("RENDER_MEMORY", 128, 1),
  SETTINGS_KEYS_TO_MERGE: withDefault(Config.schema(commaList(), "SETTINGS_KEYS_TO_MERGE"), []),
  SETTINGS_OVERRIDE: withDefault(Config.schema(JsonObject, "SETTINGS_OVERRIDE"), null),
  REFRESH_MAX_REMOVED: percent("REFRESH_MAX_REMOVED", 20),
  REFRESH_MAX_LOSING: percent("REFRESH_MAX_LOSING", 50),
  STRICT_SETTINGS: flag("STRICT_SETTINGS", false),
  STRICT_TEMPLATES: flag("STRICT_TEMPLATES", false),
  TOTAL_COUNT: withDefault(Config.Literals(["unfiltered", "matching"], "TOTAL_COUNT"), "unfiltered"),
  ACCESS_LIST_OPTIMIZE: flag("ACCESS_LIST_OPTIMIZE", false)
}

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
    /** What is to replace them: both are accepted somewhere while logins are changed (docs/security.md#changing-passwords). */
    readonly nextLogins: ReadonlyMap<LoginState, Login>
    readonly templateSecrets: ReadonlyMap<string, Redacted.Redacted>
    readonly deviceSecrets: ReadonlyMap<string, Redacted.Redacted>
    readonly pluginSecrets: ReadonlyMap<string, Redacted.Redacted>
    /** Values of ALERT_SECRET_* that receivers of alerts name, under their full name. */
    readonly alertSecrets: ReadonlyMap<string, Redacted.Redacted>
  }

const readVariables = () => Config.all(variables)

/** Name and password for devices in one state. */
export interface Login {
  readonly username: string
  readonly password: Redacted.Redacted
}

/** Name and key for devices in one state. */
export interface KeyLogin {
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

/** A key needs the name of its user, which stands beside the password if there is one. */
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

/** Name and password that are not given stay as they are; a login that differs in neither replaces nothing. */
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

/** The server's settings, read once at the start. */
export class ServerConfig extends Context.Service<ServerConfig, ServerSettings>()("switchyard/ServerConfig") {
  /** Reads an environment. Fails with a ConfigError that names the variable and the rule, and with SecretUnavailable. */
  static readonly layerOf = (given: Readonly<Record<string, string | undefined>>) =>
    Layer.unwrap(Effect.map(withFiles(given), ServerConfig.#layerOf))

  static readonly #layerOf = (environment: Readonly<Record<string, string | undefined>>) =>
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
          // who signs on at a provider has its token
          JWT_ENABLED: values.JWT_ENABLED || values.OIDC_ENABLED,
          logins,
          keyLogins: yield* readKeyLogins,
          nextLogins: yield* readNextLogins(logins),
          templateSecrets: secretsWith("TEMPLATE_SECRET_", environment),
          deviceSecrets: secretsWith("DEVICE_SECRET_", environment),
          pluginSecrets: secretsWith("PLUGIN_SECRET_", environment),
          alertSecrets: secretsWith("ALERT_SECRET_", environment)
        })
      })
    ).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(withEmptyLists(environment)))))

  /** Reads the process's environment, and the settings file of DATA_DIR for what it does not give. */
  static readonly layer = Layer.unwrap(Effect.map(withSettingsFile(process.env), ServerConfig.layerOf))
}
