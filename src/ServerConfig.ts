/**
 * Every environment variable of the server, typed, with its default and what it is for, in one table: the server reads it at
 * the start, the README's table and `GET /settings/server` come from it. A wrong value stops the start with a sentence that
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
import { SiteRemarks } from "./domain/platforms/SiteRemarks.ts"

const withDefault = <A>(config: Config.Config<A>, fallback: NoInfer<A>) => Config.withDefault(config, fallback)

const atLeast = (minimum: number, name: string) =>
  Config.schema(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(minimum))), name)

const flag = (name: string, fallback: boolean) => withDefault(Config.Boolean(name), fallback)
const text = (name: string, fallback: string) => withDefault(Config.String(name), fallback)
const count = (name: string, fallback: number, minimum = 0) => withDefault(atLeast(minimum, name), fallback)

const listOf = (name: string) =>
  Config.map(Config.String(name), (list): ReadonlyArray<string> =>
    list
      .split(",")
      .map((item) => item.trim())
      .filter((item) => item !== "")
  )

/** `10,30,60` to numbers. */
const Delays = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d{1,6}(,\d{1,6})*$/, { message: "Expected whole seconds, separated by commas" })),
  Schema.decodeTo(Schema.Array(Schema.Int), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map(Number)),
    encode: SchemaGetter.transform((delays: ReadonlyArray<number>) => delays.join(","))
  })
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

/** PLUGIN_FILE when nobody sets it. */
export const DEFAULT_PLUGIN_FILE = "data/plugins.yml"

const variables = {
  HOST: text("HOST", "127.0.0.1"),
  PORT: withDefault(Config.schema(PortOrAny, "PORT"), 5000),
  ZTP_HTTP_PORT: Config.option(Config.Port("ZTP_HTTP_PORT")),
  ZTP_HTTP_HOST: withDefault(Config.NonEmptyString("ZTP_HTTP_HOST"), "0.0.0.0"),
  BODY_MEMORY: count("BODY_MEMORY", 67_108_864, 16_777_216),
  BODY_TIMEOUT: count("BODY_TIMEOUT", 60, 1),
  OPEN_CHECK_MAX_SIZE: count("OPEN_CHECK_MAX_SIZE", 65_536),
  DATABASE_URL: Config.option(Config.Redacted("DATABASE_URL")),
  SECRET_KEY: Config.option(Config.schema(Key, "SECRET_KEY")),
  DATA_DIR: withDefault(Config.NonEmptyString("DATA_DIR"), "data"),
  LOG_LEVEL: withDefault(Config.Literals(["Trace", "Debug", "Info", "Warn", "Error", "Fatal"], "LOG_LEVEL"), "Info"),
  LOG_FORMAT: withDefault(Config.Literals(["pretty", "logfmt", "json"], "LOG_FORMAT"), "logfmt"),
  SSH_PORT: withDefault(Config.Port("SSH_PORT"), 22),
  SSH_MAX_SESSIONS: count("SSH_MAX_SESSIONS", 1400, 1),
  SSH_REFUSED_DELAY: count("SSH_REFUSED_DELAY", 2),
  SSH_ADDRESS_MAP: text("SSH_ADDRESS_MAP", ""),
  FOREIGN_SESSIONS: withDefault(Config.Literals(["ignore-old", "wait"], "FOREIGN_SESSIONS"), "ignore-old"),
  SYNC_CONCURRENCY: count("SYNC_CONCURRENCY", 1000, 1),
  CLUSTER_HOST: Config.option(Config.NonEmptyString("CLUSTER_HOST")),
  CLUSTER_PORT: withDefault(Config.Port("CLUSTER_PORT"), 5050),
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
  FIRMWARE_CONCURRENCY: count("FIRMWARE_CONCURRENCY", 10, 1),
  FIRMWARE_DOWNLOAD_TIMEOUT: count("FIRMWARE_DOWNLOAD_TIMEOUT", 3600, 1),
  FIRMWARE_RETURN_TIMEOUT: count("FIRMWARE_RETURN_TIMEOUT", 900),
  FIRMWARE_RETURN_INTERVAL: count("FIRMWARE_RETURN_INTERVAL", 30, 1),
  VERIFY_TLS: flag("VERIFY_TLS", true),
  VERIFY_TLS_DEVICE: flag("VERIFY_TLS_DEVICE", false),
  CAFILE: text("CAFILE", "data/ca/rootCA.crt"),
  CAKEYFILE: text("CAKEYFILE", "data/ca/rootCA.key"),
  CERTPATH: text("CERTPATH", "data/devicecerts"),
  JWT_ENABLED: flag("JWT_ENABLED", true),
  JWT_CERT: text("JWT_CERT", "data/jwt/public.pem"),
  ALLOW_OPEN_API: flag("ALLOW_OPEN_API", false),
  ALLOW_APPLY_CONFIG_LIVERUN: flag("ALLOW_APPLY_CONFIG_LIVERUN", false),
  PLUGIN_FILE: text("PLUGIN_FILE", DEFAULT_PLUGIN_FILE),
  GLOBAL_UNIQUE_VLANS: flag("GLOBAL_UNIQUE_VLANS", true),
  INIT_MGMT_TIMEOUT: count("INIT_MGMT_TIMEOUT", 30, 1),
  INIT_STEP2_DELAY: count("INIT_STEP2_DELAY", 60),
  DISCOVERY_DELAYS: withDefault(Config.schema(Delays, "DISCOVERY_DELAYS"), [10, 30, 60, 120, 180]),
  JOB_DELAY: count("JOB_DELAY", 0),
  JOB_CONCURRENCY: count("JOB_CONCURRENCY", 10, 1),
  LOCK_WAIT: count("LOCK_WAIT", 900),
  FIRMWARE_JOB_CONCURRENCY: count("FIRMWARE_JOB_CONCURRENCY", 4, 1),
  DISCOVERY_JOB_CONCURRENCY: count("DISCOVERY_JOB_CONCURRENCY", 20, 1),
  UNKNOWN_DEVICES_PER_HOUR: count("UNKNOWN_DEVICES_PER_HOUR", 1000, 1),
  UNKNOWN_DEVICES_MAX: count("UNKNOWN_DEVICES_MAX", 5000, 1),
  JOB_RECORD_DAYS: count("JOB_RECORD_DAYS", 7, 1),
  MGMTDOMAIN_RESERVED_COUNT: count("MGMTDOMAIN_RESERVED_COUNT", 5),
  MGMTDOMAIN_PRIMARY_IP_VERSION: withDefault(Config.schema(IpVersion, "MGMTDOMAIN_PRIMARY_IP_VERSION"), 4),
  COMMIT_CONFIRMED_MODE: withDefault(Config.schema(ConfirmMode, "COMMIT_CONFIRMED_MODE"), 1),
  COMMIT_CONFIRMED_TIMEOUT: count("COMMIT_CONFIRMED_TIMEOUT", 300, 5),
  COMMIT_CONFIRMED_WAIT: count("COMMIT_CONFIRMED_WAIT", 1),
  CHANGE_PROOFS: withDefault(Config.schema(Proofs, "CHANGE_PROOFS"), proofs),
  DEVICE_REMARKS: withDefault(Config.schema(SiteRemarks, "DEVICE_REMARKS"), []),
  DRIFT_INTERVAL: count("DRIFT_INTERVAL", 0),
  RENDER_DEVICE_SECONDS: count("RENDER_DEVICE_SECONDS", 10, 1),
  RENDER_JOB_SECONDS: count("RENDER_JOB_SECONDS", 300, 1),
  RENDER_MEMORY: count("RENDER_MEMORY", 128, 1),
  SETTINGS_KEYS_TO_MERGE: withDefault(listOf("SETTINGS_KEYS_TO_MERGE"), []),
  SETTINGS_OVERRIDE: withDefault(Config.schema(JsonObject, "SETTINGS_OVERRIDE"), null),
  STRICT_SETTINGS: flag("STRICT_SETTINGS", false),
  STRICT_TEMPLATES: flag("STRICT_TEMPLATES", false),
  TOTAL_COUNT: withDefault(Config.Literals(["unfiltered", "matching"], "TOTAL_COUNT"), "unfiltered"),
  ACCESS_LIST_OPTIMIZE: flag("ACCESS_LIST_OPTIMIZE", false)
}

/** Name, default as text and meaning of every variable; the README's table is made of it. */
export const documentation: ReadonlyArray<readonly [name: string, fallback: string, about: string]> = [
  ["HOST", "127.0.0.1", "address the API listens on"],
  ["PORT", "5000", "port the API listens on; 0 lets the system choose one"],
  [
    "ZTP_HTTP_PORT",
    "",
    "port (80 for switches that ask no other) that serves boot files and firmware images, and nothing else, over plain HTTP"
  ],
  ["ZTP_HTTP_HOST", "0.0.0.0", "address for ZTP_HTTP_PORT"],
  ["BODY_MEMORY", "67108864", "bytes of request bodies that are in memory at once; more are refused with 503"],
  ["BODY_TIMEOUT", "60", "seconds within which the body of a request has to be sent"],
  ["OPEN_CHECK_MAX_SIZE", "65536", "bytes of settings that are checked for callers without a token"],
  [
    "DATABASE_URL",
    "",
    "PostgreSQL to use (`postgres://user:password@host:5432/name`); without it an embedded server keeps its data in DATA_DIR"
  ],
  [
    "SECRET_KEY",
    "",
    "key of this installation, at least 32 characters, the same for all replicas; without it one is made and kept in DATA_DIR"
  ],
  ["DATA_DIR", "data", "folder of the embedded database, repository clones and firmware"],
  ["LOG_LEVEL", "Info", "least important level that is logged: Trace, Debug, Info, Warn, Error or Fatal"],
  ["LOG_FORMAT", "logfmt", "how log lines are written: pretty, logfmt or json"],
  ["SSH_PORT", "22", "SSH port of a device that has no port of its own"],
  ["SSH_MAX_SESSIONS", "1400", "SSH sessions that may be open at once"],
  [
    "SSH_REFUSED_DELAY",
    "2",
    "seconds between two of the four attempts to connect to a device that refuses connections, or closes them before the login"
  ],
  [
    "SSH_ADDRESS_MAP",
    "",
    "prefixes rewritten when dialling, for management networks behind NAT and for the lab (`10.0.0.0/8=127.0.0.0/8`)"
  ],
  [
    "FOREIGN_SESSIONS",
    "ignore-old",
    "whether other people's open configuration sessions stop a change: `ignore-old` only those that may be in use, `wait` all"
  ],
  ["SYNC_CONCURRENCY", "1000", "devices that one job works on at once"],
  ["CLUSTER_HOST", "", "address on a private network where other replicas reach this one; set it to run several"],
  ["CLUSTER_PORT", "5050", "port for other replicas; it has no authentication, so keep it private"],
  ["GITREPO_SETTINGS", "", "settings repository: path or URL, `#branch`, `#tag` or `#commit` may follow"],
  ["GITREPO_TEMPLATES", "", "templates repository, same forms"],
  ["GIT_TIMEOUT", "60", "seconds a git command may take"],
  ["GIT_CLONE_TIMEOUT", "600", "seconds the first clone of a repository may take"],
  [
    "HTTPD_URL",
    OWN_HTTPD_URL,
    "external firmware server to keep images on; with the default value the server keeps and serves them itself"
  ],
  ["FIRMWARE_URL", "", "where switches download firmware from, when it is not HTTPD_URL"],
  ["FIRMWARE_MAX_SIZE", "4294967296", "largest firmware image in bytes"],
  ["FIRMWARE_ALLOW_LOCAL", "false", "images may be downloaded from addresses of this machine and of its link"],
  ["FIRMWARE_CONCURRENCY", "10", "switches that one upgrade job works on at once"],
  ["FIRMWARE_DOWNLOAD_TIMEOUT", "3600", "seconds that the download of one image may take"],
  ["FIRMWARE_RETURN_TIMEOUT", "900", "seconds a rebooted switch has to come back, after post_waittime"],
  ["FIRMWARE_RETURN_INTERVAL", "30", "seconds between two looks whether it is back"],
  ["VERIFY_TLS", "true", "check the certificate of the firmware storage"],
  ["VERIFY_TLS_DEVICE", "false", "a missing device certificate fails the provisioning"],
  ["CAFILE", "data/ca/rootCA.crt", "certificate of the authority that signs device certificates"],
  ["CAKEYFILE", "data/ca/rootCA.key", "its private key"],
  ["CERTPATH", "data/devicecerts", "folder of the devices' certificates"],
  ["JWT_ENABLED", "true", "whether requests need a token"],
  ["JWT_CERT", "data/jwt/public.pem", "public key or certificate (PEM) that tokens are checked with"],
  ["ALLOW_OPEN_API", "false", "listen on a public address although JWT_ENABLED is false"],
  ["ALLOW_APPLY_CONFIG_LIVERUN", "false", "whether apply_config may run live"],
  ["PLUGIN_FILE", DEFAULT_PLUGIN_FILE, "which plugins run, and their variables"],
  ["GLOBAL_UNIQUE_VLANS", "true", "VLAN ids must be unique over all VXLANs"],
  ["INIT_MGMT_TIMEOUT", "30", "seconds a new switch has to answer on its new address"],
  ["INIT_STEP2_DELAY", "60", "seconds between init step 1 and step 2"],
  [
    "DISCOVERY_DELAYS",
    "10,30,60,120,180",
    "seconds before each attempt to discover a device; as many attempts as numbers"
  ],
  ["JOB_DELAY", "0", "seconds between a request and the start of its job"],
  ["JOB_CONCURRENCY", "10", "jobs on managed devices that run at once"],
  ["FIRMWARE_JOB_CONCURRENCY", "4", "jobs on firmware images that run at once"],
  ["DISCOVERY_JOB_CONCURRENCY", "20", "discoveries that run at once"],
  [
    "UNKNOWN_DEVICES_PER_HOUR",
    "1000",
    "unknown devices that may register within an hour, as each DHCP lease of one does"
  ],
  [
    "UNKNOWN_DEVICES_MAX",
    "5000",
    "unknown devices that wait in state DHCP_BOOT; beyond it those that have been silent for an hour make room, the oldest first"
  ],
  ["LOCK_WAIT", "900", "seconds that a job waits for another one that configures devices, before it is given up"],
  ["JOB_RECORD_DAYS", "7", "days for which the engine keeps its own records of ended jobs"],
  ["MGMTDOMAIN_RESERVED_COUNT", "5", "first addresses of a management network that are never given out"],
  ["MGMTDOMAIN_PRIMARY_IP_VERSION", "4", "family of the primary management address: 4 or 6"],
  ["COMMIT_CONFIRMED_MODE", "1", "0: commit without a timer; 1: confirm each device; 2: confirm all devices or none"],
  ["COMMIT_CONFIRMED_TIMEOUT", "300", "seconds after which a device rolls back an unconfirmed change"],
  ["COMMIT_CONFIRMED_WAIT", "1", "seconds between commit and proof in mode 2"],
  [
    "CHANGE_PROOFS",
    proofs.join(","),
    "which proofs of a change suffice, of `loaded-again`, `promised-text` and `lines`; the strongest that the device allows is made"
  ],
  [
    "DEVICE_REMARKS",
    "",
    "JSON list of lines that switches print for information and that are no refusals: `line` (regular expression), `meaning`, and optionally `platform` and `release` (how it begins)"
  ],
  ["DRIFT_INTERVAL", "0", "seconds between two looks whether devices still run what was proved; 0: never"],
  ["RENDER_DEVICE_SECONDS", "10", "seconds of processor time that rendering one device's configuration may take"],
  ["RENDER_JOB_SECONDS", "300", "seconds of processor time that all renderings of one job may take"],
  ["RENDER_MEMORY", "128", "megabytes of values that one rendering may make"],
  [
    "SETTINGS_KEYS_TO_MERGE",
    "",
    "settings keys whose values are merged over the levels instead of replaced, comma separated"
  ],
  ["SETTINGS_OVERRIDE", "", "JSON object laid over all template variables, for tests"],
  [
    "STRICT_SETTINGS",
    "false",
    "a refresh of the settings renders all managed devices, and refuses the commit for what else is a warning or an undefined variable that a template prints"
  ],
  ["STRICT_TEMPLATES", "false", "the same for a refresh of the templates"],
  [
    "TOTAL_COUNT",
    "unfiltered",
    "what X-Total-Count of /devices counts; `matching` suits the existing web client's pager"
  ],
  ["ACCESS_LIST_OPTIMIZE", "false", "accepted for compatibility; access lists are not compiled"],
  ...loginStates.flatMap((state) => [
    [`USERNAME_${state}`, "", `login for devices in state ${state}`] as const,
    [`PASSWORD_${state}`, "", "its password"] as const,
    [
      `USERNAME_${state}_NEXT`,
      "",
      "login that replaces it, while logins are changed; without it the same name"
    ] as const,
    [`PASSWORD_${state}_NEXT`, "", "password that replaces it, while passwords are changed"] as const
  ]),
  ["TEMPLATE_SECRET_*", "", "values that templates see under their full name and that previews hide"],
  ["DEVICE_SECRET_*", "", "passwords that the setting `ssh` names: for `enable`, and for jump hosts"]
]

/** The values of all variables by their names, with the device logins and the secrets for templates. */
export type ServerSettings = Config.Success<ReturnType<typeof readVariables>> & {
  readonly logins: ReadonlyMap<LoginState, Login>
  /** What is to replace them: both are accepted somewhere while logins are changed (docs/security.md#changing-passwords). */
  readonly nextLogins: ReadonlyMap<LoginState, Login>
  readonly templateSecrets: ReadonlyMap<string, Redacted.Redacted>
  readonly deviceSecrets: ReadonlyMap<string, Redacted.Redacted>
}

const readVariables = () => Config.all(variables)

/** Name and password for devices in one state. */
export interface Login {
  readonly username: string
  readonly password: Redacted.Redacted
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

const isSame = (one: Login, other: Login): boolean =>
  one.username === other.username && Redacted.value(one.password) === Redacted.value(other.password)

/** A variable that is set to nothing, as files of environments often have it, counts as absent. */
const filled = <A>(config: Config.Config<A>, isEmpty: (value: A) => boolean) =>
  Config.map(Config.option(config), (value) => Option.filter(value, (found) => !isEmpty(found)))

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
  /** Reads an environment. Fails with a ConfigError that names the variable and the rule. */
  static readonly layerOf = (environment: Readonly<Record<string, string | undefined>>) =>
    Layer.effect(
      ServerConfig,
      Effect.gen(function* () {
        const values = yield* readVariables()
        const logins = yield* readLogins
        return ServerConfig.of({
          ...values,
          logins,
          nextLogins: yield* readNextLogins(logins),
          templateSecrets: secretsWith("TEMPLATE_SECRET_", environment),
          deviceSecrets: secretsWith("DEVICE_SECRET_", environment)
        })
      })
    ).pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord({ ...environment }))))

  /** Reads the process's environment. */
  static readonly layer = ServerConfig.layerOf(process.env)
}
