/**
 * What each of the server's settings means, for the manual and for whoever wants to know all of their names. What they are and
 * how they are read is in `ServerConfig.ts`.
 */
import { proofs } from "../machines/change/ChangeRow.ts"
import { DEFAULT_JWT_CERT, loginStates, OWN_HTTPD_URL, DEFAULT_PLUGIN_FILE } from "./ServerConfig.ts"

/** Name, default as text and meaning of every variable; the README's table is made of it. */
export const documentation: ReadonlyArray<readonly [name: string, fallback: string, about: string]> = [
  ["HOST", "127.0.0.1", "address the API listens on"],
  ["PORT", "5000", "port the API listens on; 0 lets the system choose one"],
  ["TLS_CERT", "", "file with the certificate and its chain (PEM): the API is served over TLS as well, on TLS_PORT"],
  ["TLS_KEY", "", "file with its private key (PEM, without a passphrase)"],
  ["TLS_HOST", "0.0.0.0", "address for TLS_PORT"],
  ["TLS_PORT", "5443", "port the API listens on with TLS; 0 lets the system choose one"],
  [
    "TRUSTED_PROXIES",
    "127.0.0.0/8,::1",
    "addresses and prefixes of proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are believed, comma separated; empty for none"
  ],
  [
    "METRICS_NETWORKS",
    "127.0.0.0/8,::1",
    "addresses and prefixes that may read `GET /metrics` without a token, comma separated; empty for none"
  ],
  [
    "ALLOWED_ORIGINS",
    "",
    "origins of web pages that may call, with credentials, comma separated (`https://ui.example.org`); without it any may, without credentials"
  ],
  [
    "RATE_LIMIT",
    "5000",
    "points a second that one token, or one address without a token, may spend: 1 for a request that reads, 10 for one that writes, 50 for an expensive one; ten seconds of them at once. 0: no limit"
  ],
  [
    "REQUESTS_AT_ONCE",
    "500",
    "requests of one token, or of one address without a token, that may be in work at once; 0: no limit"
  ],
  [
    "FAILED_LOGINS",
    "300",
    "tokens and passwords that are refused to one address within a minute before it gets 429; 0: no limit"
  ],
  [
    "LOGIN_ALWAYS_FROM",
    "",
    "addresses or prefixes, with commas: logins that fail elsewhere lock nobody out from there (docs/security.md#break-glass)"
  ],
  ["API_TOKENS_PER_PERSON", "20", "API tokens in force that one person may have; those of before go on"],
  ["API_TOKEN_DAYS", "365", "days for which a new API token is valid at most; those of before go on to their end"],
  [
    "TOKEN_OWNER_DAYS",
    "90",
    "days after which the API tokens of somebody who signs on at the identity provider end, when they have not been seen; 0: never"
  ],
  ["SOCKET_CLIENTS", "2000", "connections by socket.io at the same time; more are refused"],
  ["SOCKET_CLIENTS_PER_ADDRESS", "500", "the same from one address, which may be that of an office"],
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
    "PostgreSQL to use (`postgres://user:password@host:5432/name?sslmode=verify-full&sslrootcert=/etc/switchyard/db-ca.pem`); without it an embedded server keeps its data in DATA_DIR"
  ],
  [
    "INSTALLATION_ID",
    "",
    "id of the installation that this server belongs to: it starts with no other database, and makes none. Set it where all of DATA_DIR is on a volume that may be missing"
  ],
  [
    "SECRET_KEY",
    "",
    "key of this installation, at least 32 characters, the same for all replicas; without it one is made and kept in DATA_DIR"
  ],
  ["SECRET_KEY_PREVIOUS", "", "the key that SECRET_KEY replaces, until `switchyard secret rotate` has run"],
  [
    "SHOW_SECRETS",
    "true",
    "whether configurations are shown with their secrets to callers whom no role allows or denies it; each showing is in the audit"
  ],
  ["DATA_DIR", "data", "folder of the embedded database, repository clones and firmware"],
  ["LOG_LEVEL", "Info", "least important level that is logged: Trace, Debug, Info, Warn, Error or Fatal"],
  ["LOG_FORMAT", "logfmt", "how log lines are written: pretty, logfmt or json"],
  [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "",
    "receiver of traces by OTLP over HTTP (`http://127.0.0.1:4318`; `/v1/traces` is added); without it there are none ([traces](monitoring.md#traces))"
  ],
  [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "",
    "headers for that receiver, such as its token: `name=value`, separated by commas, values percent-encoded"
  ],
  ["OTEL_SERVICE_NAME", "switchyard", "name of this server in traces"],
  ["OTEL_TRACES_SAMPLER_ARG", "1", "share of the traces begun here that is told, from 0 to 1"],
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
    "MANAGEMENT_NETWORKS",
    "",
    "prefixes in which devices get the fleet's logins, `settings` for those of the settings' underlay (`10.196.0.0/16,2001:db8::/48,settings`); without it every address gets them, with SECURE_DEFAULTS none"
  ],
  [
    "HOST_KEY_POLICY",
    "first-use",
    "host key of a device that was not provisioned here: `first-use` pins the one that it shows first, `approve` waits until somebody approves it, and is the default with SECURE_DEFAULTS"
  ],
  [
    "FOREIGN_SESSIONS",
    "ignore-old",
    "whether other people's open configuration sessions stop a change: `ignore-old` only those that may be in use, `wait` all"
  ],
  ["SYNC_CONCURRENCY", "1000", "devices that one job works on at once"],
  ["CLUSTER_HOST", "", "address on a private network where other replicas reach this one; set it to run several"],
  ["CLUSTER_PORT", "5050", "port for other replicas, over TLS and for those only that have the same secret"],
  [
    "CLUSTER_LISTEN_HOST",
    "",
    "local address that CLUSTER_PORT is opened on, where it is another one than `CLUSTER_HOST`"
  ],
  [
    "CLUSTER_SECRET",
    "",
    "at least 32 characters by which replicas know each other; without it a key made of `SECRET_KEY`"
  ],
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
  [
    "OUTBOUND_HOSTS",
    "",
    "names (also `*.example.org`), addresses and prefixes, with commas, to which images and alerts may lead; private networks only by address or prefix; `,` for none. Without it alerts may lead anywhere, images too, with SECURE_DEFAULTS nowhere (docs/security.md#outbound-hosts)"
  ],
  ["FIRMWARE_CONCURRENCY", "10", "switches that one upgrade job works on at once"],
  ["FIRMWARE_DOWNLOAD_TIMEOUT", "3600", "seconds that the download of one image may take"],
  ["FIRMWARE_RETURN_TIMEOUT", "900", "seconds a rebooted switch has to come back, after post_waittime"],
  ["FIRMWARE_RETURN_INTERVAL", "30", "seconds between two looks whether it is back"],
  ["VERIFY_TLS", "true", "check the certificate of the firmware storage"],
  ["VERIFY_TLS_DEVICE", "false", "a missing device certificate fails the provisioning"],
  ["CAFILE", "data/ca/rootCA.crt", "certificate of the authority that signs device certificates"],
  ["CAKEYFILE", "data/ca/rootCA.key", "its private key"],
  [
    "CAKEY_PASSPHRASE",
    "",
    "passphrase of CAKEYFILE; without it one is made of the server's own key, and a file that is not encrypted is read as it is"
  ],
  ["CERTPATH", "data/devicecerts", "folder of the devices' certificates"],
  [
    "FRR_CERTIFICATE_DIRECTORY",
    "",
    "directory on FRRouting switches for key and certificate; without it they get none"
  ],
  ["CERTIFICATE_DAYS", "365", "days for which the certificate of a device is valid"],
  ["CERTIFICATE_RENEW_DAYS", "30", "days before its end in which the certificate of a managed device is renewed"],
  ["CERTIFICATE_RENEW_INTERVAL", "86400", "seconds between two renewals of all that end soon; 0: none"],
  ["JWT_ENABLED", "true", "whether requests need a token"],
  ["JWT_CERT", DEFAULT_JWT_CERT, "public key or certificate (PEM) that tokens are checked with"],
  [
    "LOCAL_USERS",
    "false",
    "whether people may log in with a name and a password; `switchyard user` makes them. The default is true with SECURE_DEFAULTS, without an identity provider"
  ],
  ["JWT_ISSUER", "", "issuer (`iss`) that tokens have to name; without it any"],
  ["JWT_AUDIENCE", "", "audience (`aud`) that tokens have to name; without it any"],
  [
    "ROLES_CLAIM",
    "",
    "claim of a token that names the roles of its caller; without it a plain token has the default role"
  ],
  [
    "OIDC_ENABLED",
    "false",
    "whether people sign on at an identity provider (docs/sign-on.md); tokens of JWT_CERT then count no more"
  ],
  [
    "OIDC_CONF_WELL_KNOWN_URL",
    "",
    "where the provider describes itself (`https://id.example.org/realms/net/.well-known/openid-configuration`)"
  ],
  ["OIDC_CLIENT_ID", "", "name of this server as a client of the provider"],
  ["OIDC_CLIENT_SECRET", "", "its secret; without one it is a public client, whose codes PKCE alone guards"],
  ["OIDC_CLIENT_SCOPE", "openid", "scopes that are asked for, with `openid` (`openid email profile`)"],
  ["OIDC_USERNAME_ATTRIBUTE", "email", "attribute that names somebody in jobs, events and the audit"],
  [
    "OIDC_TRUST_EMAIL",
    "false",
    "a mail address counts although the provider does not say `email_verified: true`; never one of which it says `false`"
  ],
  [
    "OIDC_REDIRECT_URL",
    "",
    "address of `/auth/auth` as browsers see it; without it made of the request (`https://nms.example.org/api/v1.0/auth/auth`)"
  ],
  [
    "FRONTEND_CALLBACK_URL",
    "http://localhost/callback",
    "page that gets the token after a login, as `?token=…&username=…`"
  ],
  ["AUDIENCE", "", "audience (`aud`) that the provider's tokens have to name; without it OIDC_CLIENT_ID"],
  ["VERIFY_AUDIENCE", "true", "whether they have to"],
  [
    "SECURE_DEFAULTS",
    "false",
    "whether what is not set is safe: nothing without permissions.yml, HOST_KEY_POLICY=approve, no login to a device without MANAGEMENT_NETWORKS, no images from hosts that OUTBOUND_HOSTS does not name, LOCAL_USERS=true; without it true where a release that has this setting has made the database (docs/security.md#secure-defaults)"
  ],
  ["PERMISSIONS_DISABLED", "false", "whether everybody may do everything although there is a permissions.yml"],
  [
    "ALLOW_OPEN_API",
    "false",
    "listen on a public address, and answer requests that are not from this machine, although JWT_ENABLED is false"
  ],
  ["ALLOW_APPLY_CONFIG_LIVERUN", "false", "whether apply_config may run live"],
  ["PLUGIN_FILE", DEFAULT_PLUGIN_FILE, "which plugins run, and their variables"],
  ["PLUGIN_FOLDER", "", "folder with plugins of the site; without it `DATA_DIR/plugins`"],
  ["PLUGIN_TIMEOUT", "30", "seconds that a call of a plugin may take, and that a job waits for its calls"],
  ["PLUGIN_MEMORY", "64", "megabytes that the heap of a plugin may take"],
  ["PLUGIN_ATTEMPTS", "8", "how often a call of a plugin is tried before it is given up"],
  [
    "PLUGIN_RETRY_DELAY",
    "30",
    "seconds before the second attempt; each further pause is four times as long, an hour at most"
  ],
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
  [
    "APPROVAL_SCORE",
    "0",
    "live synchronizations whose dry run scores above this wait for somebody else's approval; 0: score and rules of risk ask for none"
  ],
  ["APPROVAL_WAIT", "86400", "seconds for which a job waits for an approval from when it is due, before it is aborted"],
  ["LOCK_WAIT", "900", "seconds that a job waits for another one that configures devices, before it is given up"],
  [
    "AUDIT_SYSLOG",
    "",
    "syslog receiver of the audit, as it happens: `tcp://host:port` or `tls://host:port` (RFC 5424, octet counting)"
  ],
  ["ALERT_TIMEOUT", "10", "seconds that a receiver of alerts has to take a message"],
  ["ALERT_RETRY_HOURS", "72", "hours for which a message to a receiver of alerts is tried"],
  ["ALERT_DAYS", "30", "days after which alerts and their deliveries, dead ones too, are removed"],
  ["AUDIT_DAYS", "0", "days after which events of the audit are removed, 0 for never"],
  ["EVENT_DAYS", "7", "days after which events that are not part of the audit are removed, 0 for never"],
  ["JOB_DAYS", "365", "days after which jobs that have ended are removed with all that is left of them, 0 for never"],
  ["JOB_DEVICE_DAYS", "365", "days for which it is kept what a job did on each device, 0 for as long as the job"],
  [
    "CHANGE_DAYS",
    "90",
    "days for which changes of devices are kept, by which jobs are undone, 0 for as long as the job"
  ],
  ["CONFIG_DAYS", "90", "days for which configurations and differences of jobs are kept, 0 for as long as the job"],
  ["CONFIG_COUNT", "10", "configurations of each device that are kept whatever their age"],
  ["OPERATION_DAYS", "90", "days for which operations on switches that have ended are kept, 0 for as long as the job"],
  [
    "UPKEEP_INTERVAL",
    "3600",
    "seconds from one removal of what is older than its days to the next, and to the next count of what is kept"
  ],
  ["JOB_RECORD_DAYS", "7", "days for which the engine keeps its own records of ended jobs and of calls of plugins"],
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
  [
    "MAC_INTERVAL",
    "0",
    "seconds between two readings of all MAC address and ARP tables, for `find`; 0: only on demand"
  ],
  ["MAC_DAYS", "30", "days after which a machine that was not seen on a port any more is forgotten there"],
  ["MAC_ENTRIES", "20000", "entries of either table that are kept of one device: those seen last"],
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
    "REFRESH_MAX_REMOVED",
    "20",
    "a commit that removes more than so many percent (and at least 5) of the VLANs, directories of devices, groups or templates waits until it is confirmed; with 100 none waits"
  ],
  [
    "REFRESH_MAX_LOSING",
    "50",
    "the same for a commit after which more than so many percent (and at least 5) of the managed devices lose at least 10 lines more than they get"
  ],
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
  ["TEMPLATE_SECRET_*", "", "values that templates see under their full name and that previews hide"],
  [
    "DEVICE_SECRET_*",
    "",
    "passwords and keys that the setting `ssh` names: for the logins of a group, for `enable`, and for jump hosts"
  ]
]
