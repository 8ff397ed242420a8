/** The server's configuration as clients see it: the keys of docs/settings-repository.md#answers, without secrets. */
import { Option } from "effect"
import type { ServerSettings } from "../../ServerConfig.ts"

const KEYS = [
  "HOST",
  "HTTPD_URL",
  "VERIFY_TLS",
  "VERIFY_TLS_DEVICE",
  "JWT_CERT",
  "CAFILE",
  "CAKEYFILE",
  "CERTPATH",
  "ALLOW_APPLY_CONFIG_LIVERUN",
  "JWT_ENABLED",
  "PLUGIN_FILE",
  "GLOBAL_UNIQUE_VLANS",
  "INIT_MGMT_TIMEOUT",
  "SETTINGS_KEYS_TO_MERGE",
  "ACCESS_LIST_OPTIMIZE",
  "MGMTDOMAIN_RESERVED_COUNT",
  "MGMTDOMAIN_PRIMARY_IP_VERSION",
  "COMMIT_CONFIRMED_MODE",
  "COMMIT_CONFIRMED_TIMEOUT",
  "COMMIT_CONFIRMED_WAIT",
  "SETTINGS_OVERRIDE"
] as const

/** The object under `api`. */
export const serverView = (config: ServerSettings): Readonly<Record<string, unknown>> => ({
  ...Object.fromEntries(KEYS.map((key) => [key, config[key]])),
  FIRMWARE_URL: Option.getOrElse(config.FIRMWARE_URL, () => config.HTTPD_URL)
})
