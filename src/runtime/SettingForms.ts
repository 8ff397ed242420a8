/** Forms of values in environment variables. */
import { Config, Effect, Option, Redacted, Schema, SchemaGetter } from "effect"
import { PrivateUrl } from "../domain/access/HostLists.ts"

/** `10,30,60` to numbers. */
export const Delays = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^\d{1,6}(,\d{1,6})*$/, { message: "Expected whole seconds, separated by commas" })),
  Schema.decodeTo(Schema.Array(Schema.Int), {
    decode: SchemaGetter.transform((list: string) => list.split(",").map(Number)),
    encode: SchemaGetter.transform((delays: ReadonlyArray<number>) => delays.join(","))
  })
)

/** A directory on a device, below its root. */
export const DeviceDirectory = Schema.String.pipe(
  Schema.check(Schema.isPattern(/^(?:\/[\w.-]+)+$/, { message: "Expected an absolute path such as /etc/switchyard" }))
)

/** Lists that have a default and may be empty: set to nothing they are, while any other setting that is set to nothing is unset. */
const LISTS: ReadonlySet<string> = new Set(["TRUSTED_PROXIES", "METRICS_NETWORKS", "OUTBOUND_HOSTS"])

/** The environment with an item that does not count in empty lists, because an empty text counts as absent. */
export const withEmptyLists = (environment: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [name, text === "" && LISTS.has(name) ? "," : text])
  )

// Private keys in variables of the environment. Messages never contain them.

/** A private key (OpenSSH or PEM) for the SSH logins of a user. */
export interface PrivateKey {
  readonly text: Redacted.Redacted
  /** For a key that is encrypted. */
  readonly passphrase: Redacted.Redacted | null
}

/** A variable that is set to nothing, as files of environments often have it, counts as absent. */
export const filled = <A>(config: Config.Config<A>, isEmpty: (value: A) => boolean) =>
  Config.map(Config.option(config), (value) => Option.filter(value, (found) => !isEmpty(found)))

/** The key in this variable, if there is one; `<name>_PASSPHRASE` is for one that is encrypted. */
export const readPrivateKey = Effect.fnUntraced(function* (name: string) {
  const text = yield* filled(Config.Redacted(name), (value) => Redacted.value(value).trim() === "")
  if (Option.isNone(text)) return Option.none<PrivateKey>()
  const passphrase = yield* filled(Config.Redacted(`${name}_PASSPHRASE`), (word) => Redacted.value(word) === "")
  return Option.some<PrivateKey>({ text: text.value, passphrase: Option.getOrNull(passphrase) })
})

// Settings of traces, with the names of OpenTelemetry (docs/monitoring.md#traces).

const readUrl = (text: string): URL | null => {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

const isReceiver = (text: string): boolean => {
  if (text === "") return true
  const url = readUrl(text)
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "" && url.search === ""
  )
}

const Receiver = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text: string) =>
        isReceiver(text) ||
        "Expected a URL such as http://127.0.0.1:4318, without a login: what is secret goes to OTEL_EXPORTER_OTLP_HEADERS"
    )
  )
)

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

const HEADER = /^\s*([!#$%&'*+.^_`|~\w-]+)\s*=\s*(\S(?:.*\S)?)\s*$/

/** Names and values of `name=value,other=value`, where values may be percent-encoded; null when it has another form. */
export const readHeaders = (text: string): ReadonlyMap<string, string> | null => {
  const found = new Map<string, string>()
  for (const part of text.split(",").filter((one) => one.trim() !== "")) {
    const [, name, given] = HEADER.exec(part) ?? []
    const value = given === undefined ? null : decoded(given)
    if (name === undefined || value === null || /[^\t\u0020-\u007e]/.test(value)) return null
    found.set(name.toLowerCase(), value)
  }
  return found
}

/** A wrong value is not repeated in the message. */
const Headers = Schema.RedactedFromValue(
  Schema.String.pipe(
    Schema.check(
      Schema.makeFilter((text: string) => readHeaders(text) !== null || "Expected name=value, separated by commas")
    )
  )
)

/** A share of the whole, from 0 to 1. */
const Share = Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** What `ServerConfig` reads, by name. */
export const traceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: filled(Config.schema(Receiver, "OTEL_EXPORTER_OTLP_ENDPOINT"), (text) => text === ""),
  OTEL_EXPORTER_OTLP_HEADERS: filled(
    Config.schema(Headers, "OTEL_EXPORTER_OTLP_HEADERS"),
    (text) => Redacted.value(text) === ""
  ),
  OTEL_SERVICE_NAME: Config.withDefault(Config.NonEmptyString("OTEL_SERVICE_NAME"), "switchyard"),
  OTEL_TRACES_SAMPLER_ARG: Config.withDefault(Config.schema(Share, "OTEL_TRACES_SAMPLER_ARG"), 1)
}

// Settings of signing on at an identity provider (docs/sign-on.md); the names are those of existing sites.

const isEmpty = (text: string): boolean => text === ""

/** What `ServerConfig` reads, by name. */
export const signOnVariables = {
  OIDC_ENABLED: Config.withDefault(Config.Boolean("OIDC_ENABLED"), false),
  OIDC_CONF_WELL_KNOWN_URL: Config.option(Config.schema(PrivateUrl, "OIDC_CONF_WELL_KNOWN_URL")),
  OIDC_CLIENT_ID: filled(Config.String("OIDC_CLIENT_ID"), isEmpty),
  OIDC_CLIENT_SECRET: filled(Config.Redacted("OIDC_CLIENT_SECRET"), (secret) => Redacted.value(secret) === ""),
  OIDC_CLIENT_SCOPE: Config.withDefault(Config.NonEmptyString("OIDC_CLIENT_SCOPE"), "openid"),
  OIDC_USERNAME_ATTRIBUTE: Config.withDefault(Config.NonEmptyString("OIDC_USERNAME_ATTRIBUTE"), "email"),
  OIDC_TRUST_EMAIL: Config.withDefault(Config.Boolean("OIDC_TRUST_EMAIL"), false),
  OIDC_REDIRECT_URL: Config.option(Config.schema(PrivateUrl, "OIDC_REDIRECT_URL")),
  FRONTEND_CALLBACK_URL: Config.withDefault(
    Config.schema(PrivateUrl, "FRONTEND_CALLBACK_URL"),
    "http://localhost/callback"
  ),
  AUDIENCE: filled(Config.String("AUDIENCE"), isEmpty),
  VERIFY_AUDIENCE: Config.withDefault(Config.Boolean("VERIFY_AUDIENCE"), true)
}
