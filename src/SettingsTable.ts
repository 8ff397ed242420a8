/**
 * Every environment variable of the server once: its parser, its default, and its purpose. The server reads the table at its
 * start (`ServerConfig.ts`), and the manual's table is generated from it. Names that a site already uses stay the same
 * (docs/settings-repository.md#answers).
 */
import { Config, Schema, SchemaTransformation } from "effect"
import { AddressPrefixes, OutboundNames, WebOrigins } from "./domain/access/HostLists.ts"
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
  HOST: text("HOST", "127.0.0.1", "address the API listens on"),
  PORT: withDefault(Config.schema(PortOrAny, "PORT"), 5000, "port the API listens on; 0 lets the system choose one"),
  TLS_CERT: optional(
    Config.NonEmptyString("TLS_CERT"),
    "file with the certificate and its chain (PEM): the API is served over TLS as well, on TLS_PORT"
  ),
  TLS_KEY: optional(Config.NonEmptyString("TLS_KEY"), "file with its private key (PEM, without a passphrase)"),
  TLS_HOST: withDefault(Config.NonEmptyString("TLS_HOST"), "0.0.0.0", "address for TLS_PORT"),
  TLS_PORT: withDefault(
    Config.schema(PortOrAny, "TLS_PORT"),
    5443,
    "port the API listens on with TLS; 0 lets the system choose one"
  ),
  TRUSTED_PROXIES: withDefault(
    Config.schema(AddressPrefixes, "TRUSTED_PROXIES"),
    ["127.0.0.0/8", "::1"],
    "addresses and prefixes of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` the server trusts, comma separated; empty for none"
  ),
  METRICS_NETWORKS: withDefault(
    Config.schema(AddressPrefixes, "METRICS_NETWORKS"),
    ["127.0.0.0/8", "::1"],
    "addresses and prefixes that may read `GET /metrics` without a token, comma separated; empty for none"
  ),
  ALLOWED_ORIGINS: withDefault(
    Config.schema(WebOrigins, "ALLOWED_ORIGINS"),
    [],
    "origins of web pages that may call, with credentials, comma separated (`https://ui.example.org`); without it any page may, without credentials"
  ),
  RATE_LIMIT: count(
    "RATE_LIMIT",
    5000,
    "points per second for one token, or one address without a token: 1 for a request that reads, 10 for one that writes, 50 for an expensive one; a burst may use the points of ten seconds. 0: no limit"
  ),
  REQUESTS_AT_ONCE: count(
    "REQUESTS_AT_ONCE",
    500,
    "requests of one token, or of one address without a token, that may run at the same time; 0: no limit"
  ),
  FAILED_LOGINS: count(
    "FAILED_LOGINS",
    300,
    "refused tokens and passwords of one address within a minute before it gets 429; 0: no limit"
  ),
  LOGIN_ALWAYS_FROM: withDefault(
    Config.schema(AddressPrefixes, "LOGIN_ALWAYS_FROM"),
    [],
    "addresses or prefixes, comma separated, that failed logins from elsewhere never lock out (docs/security.md#break-glass)"
  ),
  API_TOKENS_PER_PERSON: count(
    "API_TOKENS_PER_PERSON",
    20,
    "valid API tokens that one person may have; older tokens stay valid",
    1
  ),
  API_TOKEN_DAYS: count(
    "API_TOKEN_DAYS",
    365,
    "most days for which a new API token is valid; older tokens keep their end",
    1
  ),
  TOKEN_OWNER_DAYS: count(
    "TOKEN_OWNER_DAYS",
    90,
    "days without a sign-on after which the API tokens of a person from the identity provider end; 0: never"
  ),
  SOCKET_CLIENTS: count("SOCKET_CLIENTS", 2000, "connections by socket.io at the same time; more are refused"),
  SOCKET_CLIENTS_PER_ADDRESS: count(
    "SOCKET_CLIENTS_PER_ADDRESS",
    500,
    "the same per address, which may be that of an office"
  ),
  ZTP_HTTP_PORT: optional(
    Config.Port("ZTP_HTTP_PORT"),
    "port (80 for switches that support no other) that serves boot files and firmware images, and nothing else, over plain HTTP"
  ),
  ZTP_HTTP_HOST: withDefault(Config.NonEmptyString("ZTP_HTTP_HOST"), "0.0.0.0", "address for ZTP_HTTP_PORT"),
  BODY_MEMORY: count(
    "BODY_MEMORY",
    67_108_864,
    "bytes of request bodies in memory at the same time; more are refused with 503",
    16_777_216
  ),
  BODY_TIMEOUT: count("BODY_TIMEOUT", 60, "seconds within which the client must send the body of a request", 1),
  OPEN_CHECK_MAX_SIZE: count(
    "OPEN_CHECK_MAX_SIZE",
    65_536,
    "bytes of settings that are checked for callers without a token"
  ),
  DATABASE_URL: optional(
    Config.Redacted("DATABASE_URL"),
    "PostgreSQL to use (`postgres://user:password@host:5432/name?sslmode=verify-full&sslrootcert=/etc/switchyard/db-ca.pem`); without it an embedded server stores its data in DATA_DIR"
  ),
  INSTALLATION_ID: optional(
    Config.schema(InstallationId, "INSTALLATION_ID"),
    "id of this server's installation: it starts with no other database, and creates none. Set it if all of DATA_DIR is on a volume that may be missing"
  ),
  SECRET_KEY: optional(
    Config.schema(Key, "SECRET_KEY"),
    "key of this installation, at least 32 characters, the same for all replicas; without it the server creates one and stores it in DATA_DIR"
  ),
  SECRET_KEY_PREVIOUS: optional(
    Config.schema(Key, "SECRET_KEY_PREVIOUS"),
    "the key that SECRET_KEY replaces, until `switchyard secret rotate` has run"
  ),
  SHOW_SECRETS: flag(
    "SHOW_SECRETS",
    true,
    "whether configurations are shown with their secrets to callers without a role that allows or denies it; the audit records each case"
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
    "format of log lines: pretty, logfmt or json"
  ),
  ...traceSettings,
  SSH_PORT: withDefault(Config.Port("SSH_PORT"), 22, "SSH port of a device that has no port of its own"),
  SSH_MAX_SESSIONS: count("SSH_MAX_SESSIONS", 1400, "SSH sessions that may be open at the same time", 1),
  SSH_REFUSED_DELAY: count(
    "SSH_REFUSED_DELAY",
    2,
    "seconds between two of the four attempts to connect to a device that refuses connections, or closes them before the login"
  ),
  SSH_ADDRESS_MAP: text(
    "SSH_ADDRESS_MAP",
    "",
    "prefixes that are rewritten when the server connects, for management networks behind NAT and for the lab (`10.0.0.0/8=127.0.0.0/8`)"
  ),
  MANAGEMENT_NETWORKS: withDefault(
    Config.schema(ManagementNetworksText, "MANAGEMENT_NETWORKS"),
    "",
    "prefixes in which devices get the fleet's logins, `settings` for those of the settings' underlay (`10.196.0.0/16,2001:db8::/48,settings`); without it every address gets them, or none with SECURE_DEFAULTS"
  ),
  HOST_KEY_POLICY: optional(
    Config.Literals(["first-use", "approve"], "HOST_KEY_POLICY"),
    "host key of a device from elsewhere: `first-use` pins the first one that it shows, `approve` waits for a user's approval, and is the default with SECURE_DEFAULTS",
    "first-use"
  ),
  FOREIGN_SESSIONS: withDefault(
    Config.Literals(["ignore-old", "wait"], "FOREIGN_SESSIONS"),
    "ignore-old",
    "which open configuration sessions of other people stop a change: `ignore-old` only those that may be in use, `wait` all"
  ),
  SYNC_CONCURRENCY: count("SYNC_CONCURRENCY", 1000, "devices that one job works on at the same time", 1),
  CLUSTER_HOST: optional(
    Config.NonEmptyString("CLUSTER_HOST"),
    "address on a private network at which other replicas reach this one; required for several replicas"
  ),
  CLUSTER_PORT: withDefault(
    Config.Port("CLUSTER_PORT"),
    5050,
    "port for other replicas, over TLS and only for those with the same secret"
  ),
  CLUSTER_LISTEN_HOST: optional(
    Config.NonEmptyString("CLUSTER_LISTEN_HOST"),
    "local address for CLUSTER_PORT, if it differs from `CLUSTER_HOST`"
  ),
  CLUSTER_SECRET: optional(
    Config.schema(Key, "CLUSTER_SECRET"),
    "secret of at least 32 characters that replicas share; without it a key that is derived from `SECRET_KEY`"
  ),
  GITREPO_SETTINGS: optional(
    Config.NonEmptyString("GITREPO_SETTINGS"),
    "settings repository: path or URL, optionally with `#branch`, `#tag` or `#commit`"
  ),
  GITREPO_TEMPLATES: optional(Config.NonEmptyString("GITREPO_TEMPLATES"), "templates repository, same forms"),
  GIT_TIMEOUT: count("GIT_TIMEOUT", 60, "seconds a git command may take", 1),
  GIT_CLONE_TIMEOUT: count("GIT_CLONE_TIMEOUT", 600, "seconds the first clone of a repository may take", 1),
  HTTPD_URL: text(
    "HTTPD_URL",
    OWN_HTTPD_URL,
    "external firmware server for images; with the default value the server stores and serves them itself"
  ),
  FIRMWARE_URL: optional(
    Config.orElse(Config.NonEmptyString("FIRMWARE_URL"), () => Config.NonEmptyString("FIRMQRE_URL")),
    "URL from which switches download firmware, if not HTTPD_URL"
  ),
  FIRMWARE_MAX_SIZE: count("FIRMWARE_MAX_SIZE", 4_294_967_296, "largest firmware image in bytes", 1),
  FIRMWARE_ALLOW_LOCAL: flag(
    "FIRMWARE_ALLOW_LOCAL",
    false,
    "whether images may be downloaded from addresses of this machine and of its link"
  ),
  OUTBOUND_HOSTS: optional(
    Config.schema(OutboundNames, "OUTBOUND_HOSTS"),
    "names (also `*.example.org`), addresses and prefixes, with commas, to which images and alerts may lead; private networks only by address or prefix; `,` for none. Without it alerts may lead anywhere, images too, with SECURE_DEFAULTS nowhere (docs/security.md#outbound-hosts)"
  ),
  FIRMWARE_CONCURRENCY: count("FIRMWARE_CONCURRENCY", 10, "switches that one upgrade job works on at the same time", 1),
  FIRMWARE_DOWNLOAD_TIMEOUT: count(
    "FIRMWARE_DOWNLOAD_TIMEOUT",
    3600,
    "seconds that the download of one image may take",
    1
  ),
  FIRMWARE_RETURN_TIMEOUT: count(
    "FIRMWARE_RETURN_TIMEOUT",
    900,
    "seconds within which a rebooted switch must be reachable again, after post_waittime"
  ),
  FIRMWARE_RETURN_INTERVAL: count("FIRMWARE_RETURN_INTERVAL", 30, "seconds between two checks of a rebooted switch", 1),
  VERIFY_TLS: flag("VERIFY_TLS", true, "whether to check the certificate of the firmware storage"),
  VERIFY_TLS_DEVICE: flag("VERIFY_TLS_DEVICE", false, "whether a missing device certificate fails the provisioning"),
  CAFILE: text("CAFILE", "data/ca/rootCA.crt", "certificate of the authority that signs device certificates"),
  CAKEYFILE: text("CAKEYFILE", "data/ca/rootCA.key", "its private key"),
  CAKEY_PASSPHRASE: optional(
    Config.Redacted("CAKEY_PASSPHRASE"),
    "passphrase of CAKEYFILE; without it one is derived from the server's own key, and a clear file is read unchanged"
  ),
  CERTPATH: text("CERTPATH", "data/devicecerts", "folder of the devices' certificates"),
  FRR_CERTIFICATE_DIRECTORY: optional(
    Config.schema(DeviceDirectory, "FRR_CERTIFICATE_DIRECTORY"),
    "directory on FRRouting switches for key and certificate; without it they get neither"
  ),
  CERTIFICATE_DAYS: count("CERTIFICATE_DAYS", 365, "days for which the certificate of a device is valid", 1),
  CERTIFICATE_RENEW_DAYS: count(
    "CERTIFICATE_RENEW_DAYS",
    30,
    "days before its end from which the certificate of a managed device is renewed",
    1
  ),
  CERTIFICATE_RENEW_INTERVAL: count(
    "CERTIFICATE_RENEW_INTERVAL",
    86_400,
    "seconds between two renewals of expiring certificates; 0: none"
  ),
  JWT_ENABLED: flag("JWT_ENABLED", true, "whether requests need a token"),
  JWT_CERT: text("JWT_CERT", DEFAULT_JWT_CERT, "public key or certificate (PEM) that verifies tokens"),
  LOCAL_USERS: optional(
    Config.Boolean("LOCAL_USERS"),
    "whether people may log in with a name and a password; `switchyard user` creates them. The default is true with SECURE_DEFAULTS, without an identity provider",
    "false"
  ),
  JWT_ISSUER: optional(Config.NonEmptyString("JWT_ISSUER"), "required issuer (`iss`) of tokens; without it any"),
  JWT_AUDIENCE: optional(Config.NonEmptyString("JWT_AUDIENCE"), "required audience (`aud`) of tokens; without it any"),
  ROLES_CLAIM: optional(
    Config.NonEmptyString("ROLES_CLAIM"),
    "claim of a token that lists the roles of its caller; without it a plain token has the default role"
  ),
  ...signOnSettings,
  SECURE_DEFAULTS: flag(
    "SECURE_DEFAULTS",
    false,
    "whether missing settings have safe defaults: no permissions without permissions.yml, HOST_KEY_POLICY=approve, no login to a device without MANAGEMENT_NETWORKS, no images from hosts that OUTBOUND_HOSTS does not name, LOCAL_USERS=true; without it true where a release that has this setting has made the database (docs/security.md#secure-defaults)"
  ),
  PERMISSIONS_DISABLED: flag(
    "PERMISSIONS_DISABLED",
    false,
    "whether every caller may do everything although a permissions.yml exists"
  ),
  ALLOW_OPEN_API: flag(
    "ALLOW_OPEN_API",
    false,
    "whether to listen on a public address, and to answer requests from other machines, although JWT_ENABLED is false"
  ),
  ALLOW_APPLY_CONFIG_LIVERUN: flag("ALLOW_APPLY_CONFIG_LIVERUN", false, "whether apply_config may run live"),
  PLUGIN_FILE: text("PLUGIN_FILE", DEFAULT_PLUGIN_FILE, "file with the plugins and their variables"),
  PLUGIN_FOLDER: optional(
    Config.NonEmptyString("PLUGIN_FOLDER"),
    "folder with plugins of the site; without it `DATA_DIR/plugins`"
  ),
  PLUGIN_TIMEOUT: count("PLUGIN_TIMEOUT", 30, "most seconds of a plugin call, and of a job's wait for its calls", 1),
  PLUGIN_MEMORY: count("PLUGIN_MEMORY", 64, "megabytes that the heap of a plugin may take", 16),
  PLUGIN_ATTEMPTS: count("PLUGIN_ATTEMPTS", 8, "attempts of a plugin call", 1),
  PLUGIN_RETRY_DELAY: count(
    "PLUGIN_RETRY_DELAY",
    30,
    "seconds before the second attempt; each further pause is four times as long, an hour at most"
  ),
  GLOBAL_UNIQUE_VLANS: flag("GLOBAL_UNIQUE_VLANS", true, "whether VLAN ids must be unique over all VXLANs"),
  ...jobSettings
}

/** Name, default as text and purpose of every variable; the manual's table is generated from it. */
export const documentation: ReadonlyArray<readonly [name: string, fallback: string, about: string]> = [
  ...Object.entries(settings).map(([name, { about, fallback }]) => [name, fallback, about] as const),
  ...loginStates.flatMap((state) => [
    [`USERNAME_${state}`, "", `login for devices in state ${state}`] as const,
    [`PASSWORD_${state}`, "", "its password"] as const,
    [
      `USERNAME_${state}_NEXT`,
      "",
      "login that replaces it, while logins are changed; without it the same name"
    ] as const,
    [`PASSWORD_${state}_NEXT`, "", "password that replaces it, while passwords are changed"] as const,
    [`SSH_KEY_${state}`, "", "private key of the login (OpenSSH or PEM), tried before the password"] as const,
    [`SSH_KEY_${state}_PASSPHRASE`, "", "passphrase of that key"] as const
  ]),
  [
    "PLUGIN_SECRET_*",
    "",
    "secrets that variables of plugins name: `apitoken_secret: NAV` in PLUGIN_FILE is PLUGIN_SECRET_NAV"
  ],
  ["ALERT_SECRET_*", "", "secrets that receivers of alerts name: `secret: NOC` in alerts.yml is ALERT_SECRET_NOC"],
  ["TEMPLATE_SECRET_*", "", "values for templates under their full name, which previews hide"],
  [
    "DEVICE_SECRET_*",
    "",
    "passwords and keys that the setting `ssh` names: for the logins of a group, for `enable`, and for jump hosts"
  ]
]
