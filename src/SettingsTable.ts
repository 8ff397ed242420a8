/**
 * Every environment variable of the server once: its parser, its default, and its purpose. The server reads the table at its
 * start (`ServerConfig.ts`), and the manual's list is generated from it. Names that a site already uses stay the same
 * (docs/settings-repository.md#answers).
 */
import { Config, Schema, SchemaTransformation } from "effect"
import { AddressPrefixes, CheckOrigins, OutboundNames, WebOrigins } from "./domain/access/HostLists.ts"
import { ManagementNetworksText } from "./domain/Network.ts"
import {
  count,
  DeviceDirectory,
  flag,
  optional,
  signOnSettings,
  text,
  traceSettings,
  withDefault
} from "./runtime/SettingForms.ts"
import { jobSettings } from "./JobSettings.ts"

/** A port, or 0 for one that the system chooses. */
const PortOrAny = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 65_535 })))

/** One line of words for people. */
const SiteName = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[^\p{C}]{1,60}$/u, { message: "Expected 1 to 60 characters, without control characters" })
  )
)

const InstallationId = Schema.String.pipe(
  Schema.check(Schema.isUUID()),
  Schema.decodeTo(Schema.String, SchemaTransformation.toLowerCase())
)

/** The message does not repeat an invalid value. */
const Key = Schema.RedactedFromValue(
  Schema.String.pipe(Schema.check(Schema.isMinLength(32, { message: "Expected at least 32 characters" })))
)

/** Device states that have a login of their own; `UNMANAGED` and `MANAGED_NOIF` use that of `MANAGED`. */
export const loginStates = ["DHCP_BOOT", "DISCOVERED", "INIT", "MANAGED"] as const
export type LoginState = (typeof loginStates)[number]

/** HTTPD_URL of a server that stores firmware images itself. */
export const OWN_HTTPD_URL = "http://127.0.0.1:5000/firmware"

/** Default of JWT_CERT. */
export const DEFAULT_JWT_CERT = "data/jwt/public.pem"

/** Default of PLUGIN_FILE. */
export const DEFAULT_PLUGIN_FILE = "data/plugins.yml"

/** The settings that have one name each, in the order of the manual. */
export const settings = {
  HOST: text("HOST", "127.0.0.1", "address of the API"),
  PORT: withDefault(Config.schema(PortOrAny, "PORT"), 5000, "port of the API; 0: the system chooses one"),
  SITE_NAME: optional(
    Config.schema(SiteName, "SITE_NAME"),
    "name of the site that the page shows, also before the sign-in; unset: the host in its address"
  ),
  TLS_CERT: optional(
    Config.NonEmptyString("TLS_CERT"),
    "file with the certificate and its chain (PEM); the API is then also on TLS_PORT"
  ),
  TLS_KEY: optional(Config.NonEmptyString("TLS_KEY"), "file with its private key (PEM, no passphrase)"),
  TLS_HOST: withDefault(Config.NonEmptyString("TLS_HOST"), "0.0.0.0", "address for TLS_PORT"),
  TLS_PORT: withDefault(Config.schema(PortOrAny, "TLS_PORT"), 5443, "port for TLS; 0: the system chooses one"),
  TRUSTED_PROXIES: withDefault(
    Config.schema(AddressPrefixes, "TRUSTED_PROXIES"),
    ["127.0.0.0/8", "::1"],
    "addresses and prefixes of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` the server trusts; empty for none"
  ),
  METRICS_NETWORKS: withDefault(
    Config.schema(AddressPrefixes, "METRICS_NETWORKS"),
    ["127.0.0.0/8", "::1"],
    "addresses and prefixes that may read `GET /metrics` without a token; empty for none"
  ),
  ALLOWED_ORIGINS: withDefault(
    Config.schema(WebOrigins, "ALLOWED_ORIGINS"),
    [],
    "[origins](security.md#web-pages) that may call, with credentials (`https://ui.example.org`); unset: any, without credentials"
  ),
  RATE_LIMIT: count(
    "RATE_LIMIT",
    5000,
    "[points](security.md#limits) a second of one token, or of one address without a token; 0: no limit"
  ),
  REQUESTS_AT_ONCE: count("REQUESTS_AT_ONCE", 500, "requests of the same in work at once; 0: no limit"),
  FAILED_LOGINS: count(
    "FAILED_LOGINS",
    300,
    "refused tokens and passwords of one address in a minute, before it gets 429; 0: no limit"
  ),
  LOGIN_ALWAYS_FROM: withDefault(
    Config.schema(AddressPrefixes, "LOGIN_ALWAYS_FROM"),
    [],
    "addresses and prefixes that failed logins elsewhere do [not lock out](security.md#break-glass)"
  ),
  API_TOKENS_PER_PERSON: count(
    "API_TOKENS_PER_PERSON",
    20,
    "valid API tokens that one person may have; existing ones stay valid",
    1
  ),
  API_TOKEN_DAYS: count(
    "API_TOKEN_DAYS",
    365,
    "longest validity of a new API token, in days; existing ones keep theirs",
    1
  ),
  TOKEN_OWNER_DAYS: count(
    "TOKEN_OWNER_DAYS",
    90,
    "days without a sign-on after which the API tokens of a person of the identity provider end; 0: never"
  ),
  SOCKET_CLIENTS: count("SOCKET_CLIENTS", 2000, "socket.io connections at once"),
  SOCKET_CLIENTS_PER_ADDRESS: count("SOCKET_CLIENTS_PER_ADDRESS", 500, "the same from one address"),
  ZTP_HTTP_PORT: optional(
    Config.Port("ZTP_HTTP_PORT"),
    "port (most switches: 80) for boot files and firmware images only, over plain HTTP"
  ),
  ZTP_HTTP_HOST: withDefault(Config.NonEmptyString("ZTP_HTTP_HOST"), "0.0.0.0", "address for ZTP_HTTP_PORT"),
  BODY_MEMORY: count("BODY_MEMORY", 67_108_864, "bytes of request bodies in memory at once; more get 503", 16_777_216),
  BODY_TIMEOUT: count("BODY_TIMEOUT", 60, "seconds for sending the body of a request", 1),
  OPEN_CHECK_MAX_SIZE: count("OPEN_CHECK_MAX_SIZE", 65_536, "bytes of settings that are checked without a token"),
  DATABASE_URL: optional(
    Config.Redacted("DATABASE_URL"),
    "PostgreSQL (`postgres://user:password@host:5432/name?sslmode=verify-full&sslrootcert=/etc/switchyard/db-ca.pem`); unset: an embedded one in DATA_DIR"
  ),
  INSTALLATION_ID: optional(
    Config.schema(InstallationId, "INSTALLATION_ID"),
    "required [id](#identity) of the installation"
  ),
  SECRET_KEY: optional(
    Config.schema(Key, "SECRET_KEY"),
    "key of the installation, at least 32 characters, the same for all replicas; unset: made in DATA_DIR"
  ),
  SECRET_KEY_PREVIOUS: optional(
    Config.schema(Key, "SECRET_KEY_PREVIOUS"),
    "former SECRET_KEY, until `switchyard secret rotate` has run"
  ),
  SHOW_SECRETS: flag(
    "SHOW_SECRETS",
    true,
    "`false` hides secrets in configurations from every caller; `true`: [roles](security.md#who-sees-secrets) decide, and the audit records each case"
  ),
  DATA_DIR: withDefault(
    Config.NonEmptyString("DATA_DIR"),
    "data",
    "folder of the embedded database, repository clones and firmware"
  ),
  LOG_LEVEL: withDefault(
    Config.Literals(["Trace", "Debug", "Info", "Warn", "Error", "Fatal"], "LOG_LEVEL"),
    "Info",
    "lowest level in the log: Trace, Debug, Info, Warn, Error or Fatal"
  ),
  LOG_FORMAT: withDefault(
    Config.Literals(["pretty", "logfmt", "json"], "LOG_FORMAT"),
    "logfmt",
    "pretty, logfmt or json"
  ),
  ...traceSettings,
  SSH_PORT: withDefault(Config.Port("SSH_PORT"), 22, "SSH port of devices without their own"),
  SSH_MAX_SESSIONS: count("SSH_MAX_SESSIONS", 1400, "SSH sessions at once", 1),
  SSH_REFUSED_DELAY: count(
    "SSH_REFUSED_DELAY",
    2,
    "seconds between four attempts to connect, if a device refuses or closes before the login"
  ),
  SSH_ADDRESS_MAP: text(
    "SSH_ADDRESS_MAP",
    "",
    "prefixes to rewrite when the server connects, for NAT and the lab (`10.0.0.0/8=127.0.0.0/8`)"
  ),
  MANAGEMENT_NETWORKS: withDefault(
    Config.schema(ManagementNetworksText, "MANAGEMENT_NETWORKS"),
    "",
    "[prefixes](security.md#management-networks) in which devices get the fleet's logins (`10.196.0.0/16,2001:db8::/48,settings`); unset: everywhere, with SECURE_DEFAULTS nowhere"
  ),
  HOST_KEY_POLICY: optional(
    Config.Literals(["first-use", "approve"], "HOST_KEY_POLICY"),
    "host key of a device not provisioned here: `first-use` pins the first one, `approve` (default with SECURE_DEFAULTS) waits for a person",
    "first-use"
  ),
  FOREIGN_SESSIONS: withDefault(
    Config.Literals(["ignore-old", "wait"], "FOREIGN_SESSIONS"),
    "ignore-old",
    "other people's configuration sessions that stop a change: `ignore-old` those that may be in use, `wait` all"
  ),
  SYNC_CONCURRENCY: count("SYNC_CONCURRENCY", 1000, "devices that one job works on at once", 1),
  CLUSTER_HOST: optional(
    Config.NonEmptyString("CLUSTER_HOST"),
    "private address where other replicas reach this one; required for replicas"
  ),
  CLUSTER_PORT: withDefault(Config.Port("CLUSTER_PORT"), 5050, "port for replicas, over TLS"),
  CLUSTER_LISTEN_HOST: optional(
    Config.NonEmptyString("CLUSTER_LISTEN_HOST"),
    "local address of CLUSTER_PORT, if not CLUSTER_HOST"
  ),
  CLUSTER_SECRET: optional(
    Config.schema(Key, "CLUSTER_SECRET"),
    "secret of the replicas, at least 32 characters; unset: derived from SECRET_KEY"
  ),
  GITREPO_SETTINGS: optional(
    Config.NonEmptyString("GITREPO_SETTINGS"),
    "settings repository: path or URL, optionally with `#branch`, `#tag` or `#commit`"
  ),
  GITREPO_TEMPLATES: optional(Config.NonEmptyString("GITREPO_TEMPLATES"), "templates repository, likewise"),
  SETTINGS_SIGNATURES: withDefault(
    Config.Literals(["off", "warn", "require"], "SETTINGS_SIGNATURES"),
    "off",
    "[signatures](settings-repository.md#signed-commits) of commits of the settings: `off`, `warn`, or `require`, which puts no other commit in force"
  ),
  SETTINGS_ALLOWED_SIGNERS: optional(
    Config.NonEmptyString("SETTINGS_ALLOWED_SIGNERS"),
    "file of the SSH and OpenPGP keys that may sign commits of the settings; not in a repository"
  ),
  TEMPLATES_SIGNATURES: withDefault(
    Config.Literals(["off", "warn", "require"], "TEMPLATES_SIGNATURES"),
    "off",
    "the same for the templates and for each of their branches"
  ),
  TEMPLATES_ALLOWED_SIGNERS: optional(
    Config.NonEmptyString("TEMPLATES_ALLOWED_SIGNERS"),
    "file of the keys that may sign commits of the templates"
  ),
  GIT_TIMEOUT: count("GIT_TIMEOUT", 60, "seconds for a git command", 1),
  GIT_CLONE_TIMEOUT: count("GIT_CLONE_TIMEOUT", 600, "seconds for the first clone of a repository", 1),
  HTTPD_URL: text("HTTPD_URL", OWN_HTTPD_URL, "external firmware server; default: this server"),
  FIRMWARE_URL: optional(
    Config.orElse(Config.NonEmptyString("FIRMWARE_URL"), () => Config.NonEmptyString("FIRMQRE_URL")),
    "where switches download firmware, if not HTTPD_URL"
  ),
  FIRMWARE_MAX_SIZE: count("FIRMWARE_MAX_SIZE", 4_294_967_296, "bytes of the largest firmware image", 1),
  FIRMWARE_ALLOW_LOCAL: flag("FIRMWARE_ALLOW_LOCAL", false, "images may come from this machine and its link"),
  OUTBOUND_HOSTS: optional(
    Config.schema(OutboundNames, "OUTBOUND_HOSTS"),
    "names (also `*.example.org`), addresses and prefixes for [images and alerts](security.md#outbound-hosts); empty for none; unset: any, with SECURE_DEFAULTS none for images"
  ),
  CHECK_HOSTS: withDefault(
    Config.schema(CheckOrigins, "CHECK_HOSTS"),
    [],
    "origins of monitoring systems that [checks](checks.md#a-question-to-a-monitoring-system) may ask, each with the name of its secret (`https://prometheus.example.org=PROM,http://10.0.0.7:9090`); unset: none"
  ),
  NETBOX_URL: optional(
    Config.NonEmptyString("NETBOX_URL"),
    "NetBox from which [switches are onboarded](onboarding.md#netbox); its token is PLUGIN_SECRET_NETBOX_TOKEN"
  ),
  FIRMWARE_CONCURRENCY: count("FIRMWARE_CONCURRENCY", 10, "switches that one upgrade job works on at once", 1),
  FIRMWARE_DOWNLOAD_TIMEOUT: count("FIRMWARE_DOWNLOAD_TIMEOUT", 3600, "seconds for the download of one image", 1),
  FIRMWARE_RETURN_TIMEOUT: count(
    "FIRMWARE_RETURN_TIMEOUT",
    900,
    "seconds for a rebooted switch to return, after post_waittime"
  ),
  FIRMWARE_RETURN_INTERVAL: count("FIRMWARE_RETURN_INTERVAL", 30, "seconds between checks whether it has", 1),
  VERIFY_TLS: flag("VERIFY_TLS", true, "check the certificate of the firmware storage"),
  VERIFY_TLS_DEVICE: flag("VERIFY_TLS_DEVICE", false, "a missing device certificate fails the provisioning"),
  CAFILE: text("CAFILE", "data/ca/rootCA.crt", "certificate of the authority for devices"),
  CAKEYFILE: text("CAKEYFILE", "data/ca/rootCA.key", "its private key"),
  CAKEY_PASSPHRASE: optional(
    Config.Redacted("CAKEY_PASSPHRASE"),
    "passphrase of CAKEYFILE; unset: derived from the server's own key. A clear file is read too"
  ),
  CERTPATH: text("CERTPATH", "data/devicecerts", "folder of device certificates"),
  FRR_CERTIFICATE_DIRECTORY: optional(
    Config.schema(DeviceDirectory, "FRR_CERTIFICATE_DIRECTORY"),
    "directory for key and certificate on FRRouting switches; unset: they get none"
  ),
  CERTIFICATE_DAYS: count("CERTIFICATE_DAYS", 365, "validity of device certificates, in days", 1),
  CERTIFICATE_RENEW_DAYS: count(
    "CERTIFICATE_RENEW_DAYS",
    30,
    "days before its end when a device certificate is renewed",
    1
  ),
  CERTIFICATE_RENEW_INTERVAL: count("CERTIFICATE_RENEW_INTERVAL", 86_400, "seconds between renewals; 0: none"),
  JWT_ENABLED: flag("JWT_ENABLED", true, "requests need a token"),
  JWT_CERT: text("JWT_CERT", DEFAULT_JWT_CERT, "public key or certificate (PEM) that verifies tokens"),
  LOCAL_USERS: optional(
    Config.Boolean("LOCAL_USERS"),
    "login with name and password (`switchyard user`); default `true` with SECURE_DEFAULTS, without an identity provider",
    "false"
  ),
  JWT_ISSUER: optional(Config.NonEmptyString("JWT_ISSUER"), "required issuer (`iss`) of tokens; unset: any"),
  JWT_AUDIENCE: optional(Config.NonEmptyString("JWT_AUDIENCE"), "required audience (`aud`) of tokens; unset: any"),
  ROLES_CLAIM: optional(
    Config.NonEmptyString("ROLES_CLAIM"),
    "claim with the roles of the caller; unset: a plain token has the default role"
  ),
  ...signOnSettings,
  SECURE_DEFAULTS: flag(
    "SECURE_DEFAULTS",
    false,
    "[safe values](security.md#secure-defaults) for what is unset; unset: `true` where a release with this setting made the database"
  ),
  PERMISSIONS_DISABLED: flag("PERMISSIONS_DISABLED", false, "every caller may do everything, despite permissions.yml"),
  ALLOW_OPEN_API: flag(
    "ALLOW_OPEN_API",
    false,
    "with JWT_ENABLED=false: listen on a public address, and answer other machines"
  ),
  ALLOW_APPLY_CONFIG_LIVERUN: flag("ALLOW_APPLY_CONFIG_LIVERUN", false, "apply_config may run live"),
  PLUGIN_FILE: text("PLUGIN_FILE", DEFAULT_PLUGIN_FILE, "file of plugins and their variables"),
  PLUGIN_FOLDER: optional(
    Config.NonEmptyString("PLUGIN_FOLDER"),
    "folder of the site's plugins; unset: `DATA_DIR/plugins`"
  ),
  PLUGIN_TIMEOUT: count("PLUGIN_TIMEOUT", 30, "seconds for a plugin's call, also of a job's wait for it", 1),
  PLUGIN_MEMORY: count("PLUGIN_MEMORY", 64, "megabytes of a plugin's heap", 16),
  PLUGIN_ATTEMPTS: count("PLUGIN_ATTEMPTS", 8, "attempts of a plugin's call", 1),
  PLUGIN_RETRY_DELAY: count("PLUGIN_RETRY_DELAY", 30, "seconds before the [second attempt](plugins.md)"),
  GLOBAL_UNIQUE_VLANS: flag("GLOBAL_UNIQUE_VLANS", true, "VLAN ids must be unique over all VXLANs"),
  ...jobSettings
}

/** The settings that have one name for each state, as `USERNAME_MANAGED`. */
const loginDocumentation: ReadonlyArray<readonly [name: (state: LoginState) => string, about: string]> = [
  [(state) => `USERNAME_${state}`, "login of devices in this state"],
  [(state) => `PASSWORD_${state}`, "its password"],
  [
    (state) => `USERNAME_${state}_NEXT`,
    "next login, while logins are [changed](security.md#changing-passwords); unset: the same"
  ],
  [(state) => `PASSWORD_${state}_NEXT`, "next password, likewise"],
  [(state) => `SSH_KEY_${state}`, "private key of the login (OpenSSH or PEM), tried before the password"],
  [(state) => `SSH_KEY_${state}_PASSPHRASE`, "passphrase of that key"]
]

/** Name, default as text and meaning of every variable; the manual's list is generated from it. */
export const documentation: ReadonlyArray<readonly [name: string, fallback: string, about: string]> = [
  ...Object.entries(settings).map(([name, { about, fallback }]) => [name, fallback, about] as const),
  ...loginDocumentation.flatMap(([name, about]) => loginStates.map((state) => [name(state), "", about] as const)),
  ["PLUGIN_SECRET_*", "", "secrets of plugins: `apitoken_secret: NAV` in PLUGIN_FILE is PLUGIN_SECRET_NAV"],
  ["ALERT_SECRET_*", "", "secrets of receivers of alerts: `secret: NOC` in alerts.yml is ALERT_SECRET_NOC"],
  [
    "CHECK_SECRET_*",
    "",
    "tokens for monitoring systems: `https://prometheus.example.org=PROM` in CHECK_HOSTS is CHECK_SECRET_PROM"
  ],
  ["TEMPLATE_SECRET_*", "", "values for templates, under their full name; previews hide them"],
  ["DEVICE_SECRET_*", "", "passwords and keys that the setting `ssh` names"]
]
