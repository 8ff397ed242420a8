/** The parts of the table of the server's settings: a setting with its default and meaning, and the forms of values. */
import { Config, Effect, Option, Redacted, Schema, SchemaGetter } from "effect"
import { PrivateUrl } from "../domain/access/HostLists.ts"

/** A setting of the server: how it is read, its default in the manual, and its purpose. */
export interface Setting<out A> {
  readonly config: Config.Config<A>
  /** Empty if there is none. */
  readonly fallback: string
  readonly about: string
}

export const setting = <A>(config: Config.Config<A>, fallback: string, about: string): Setting<A> => ({
  config,
  fallback,
  about
})

const shown = (value: unknown): string => (value === null ? "" : Array.isArray(value) ? value.join(",") : String(value))

/** A setting that has this value if it is not set. */
export const withDefault = <A>(config: Config.Config<A>, fallback: NoInfer<A>, about: string): Setting<A> =>
  setting(Config.withDefault(config, fallback), shown(fallback), about)

/** A setting that may be absent. `fallback` describes the default if other settings determine it. */
export const optional = <A>(config: Config.Config<A>, about: string, fallback = ""): Setting<Option.Option<A>> =>
  setting(Config.option(config), fallback, about)

export const flag = (name: string, fallback: boolean, about: string) =>
  withDefault(Config.Boolean(name), fallback, about)

export const text = (name: string, fallback: string, about: string) => withDefault(Config.String(name), fallback, about)

/** A whole number of at least a minimum. */
export const count = (name: string, fallback: number, about: string, minimum = 0) =>
  withDefault(
    Config.schema(Schema.Int.pipe(Schema.check(Schema.isGreaterThanOrEqualTo(minimum))), name),
    fallback,
    about
  )

export const percent = (name: string, fallback: number, about: string) =>
  withDefault(
    Config.schema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 100 }))), name),
    fallback,
    about
  )

/** Turns `10,30,60` into numbers. */
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

/** Lists that have a default and may be empty: an empty value makes them empty, while any other setting with an empty value is unset. */
const LISTS: ReadonlySet<string> = new Set(["TRUSTED_PROXIES", "METRICS_NETWORKS", "OUTBOUND_HOSTS"])

/** The environment with an item that does not count in empty lists, because an empty text counts as absent. */
export const withEmptyLists = (environment: Readonly<Record<string, string | undefined>>) =>
  Object.fromEntries(
    Object.entries(environment).map(([name, text]) => [name, text === "" && LISTS.has(name) ? "," : text])
  )

// Private keys in environment variables. Messages never contain them.

/** A private key (OpenSSH or PEM) for the SSH logins of a user. */
export interface PrivateKey {
  readonly text: Redacted.Redacted
  /** For an encrypted key. */
  readonly passphrase: Redacted.Redacted | null
}

/** An empty variable, which files of environments often have, counts as absent. */
export const filled = <A>(config: Config.Config<A>, isEmpty: (value: A) => boolean) =>
  Config.map(Config.option(config), (value) => Option.filter(value, (found) => !isEmpty(found)))

/** The key in this variable, if there is one; `<name>_PASSPHRASE` is for an encrypted one. */
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

/** The message does not repeat a wrong value. */
const Headers = Schema.RedactedFromValue(
  Schema.String.pipe(
    Schema.check(
      Schema.makeFilter((text: string) => readHeaders(text) !== null || "Expected name=value, separated by commas")
    )
  )
)

/** A share of the whole, from 0 to 1. */
const Share = Schema.Finite.pipe(Schema.check(Schema.isBetween({ minimum: 0, maximum: 1 })))

/** Rows of the table of settings, by name. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    filled(Config.schema(Receiver, "OTEL_EXPORTER_OTLP_ENDPOINT"), (text) => text === ""),
    "",
    "receiver of [traces](monitoring.md#traces), OTLP over HTTP (`http://127.0.0.1:4318`; `/v1/traces` is added); unset: no traces"
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting(
    filled(Config.schema(Headers, "OTEL_EXPORTER_OTLP_HEADERS"), (text) => Redacted.value(text) === ""),
    "",
    "headers for it, such as a token: `name=value`, values percent-encoded"
  ),
  OTEL_SERVICE_NAME: withDefault(
    Config.NonEmptyString("OTEL_SERVICE_NAME"),
    "switchyard",
    "name of the server in traces"
  ),
  OTEL_TRACES_SAMPLER_ARG: withDefault(
    Config.schema(Share, "OTEL_TRACES_SAMPLER_ARG"),
    1,
    "share of the traces begun here that is exported, 0 to 1"
  )
}

// Settings of signing on at an identity provider (docs/sign-on.md); the names are those of existing sites.

const isEmpty = (text: string): boolean => text === ""

/** Rows of the table of settings, by name. */
export const signOnSettings = {
  OIDC_ENABLED: withDefault(
    Config.Boolean("OIDC_ENABLED"),
    false,
    "[sign-on](sign-on.md) at an identity provider; tokens of JWT_CERT are then refused"
  ),
  OIDC_CONF_WELL_KNOWN_URL: optional(
    Config.schema(PrivateUrl, "OIDC_CONF_WELL_KNOWN_URL"),
    "description of the provider (`https://id.example.org/realms/net/.well-known/openid-configuration`)"
  ),
  OIDC_CLIENT_ID: setting(filled(Config.String("OIDC_CLIENT_ID"), isEmpty), "", "name of this server at the provider"),
  OIDC_CLIENT_SECRET: setting(
    filled(Config.Redacted("OIDC_CLIENT_SECRET"), (secret) => Redacted.value(secret) === ""),
    "",
    "its secret; unset: a public client, with PKCE only"
  ),
  OIDC_CLIENT_SCOPE: withDefault(
    Config.NonEmptyString("OIDC_CLIENT_SCOPE"),
    "openid",
    "scopes to request, with `openid` (`openid email profile`)"
  ),
  OIDC_USERNAME_ATTRIBUTE: withDefault(
    Config.NonEmptyString("OIDC_USERNAME_ATTRIBUTE"),
    "email",
    "attribute that names users in jobs, events and audit"
  ),
  OIDC_TRUST_EMAIL: withDefault(
    Config.Boolean("OIDC_TRUST_EMAIL"),
    false,
    "accept mail addresses without `email_verified: true`, but never with `false`"
  ),
  OIDC_REDIRECT_URL: optional(
    Config.schema(PrivateUrl, "OIDC_REDIRECT_URL"),
    "address of `/auth/auth` for browsers (`https://nms.example.org/api/v1.0/auth/auth`); unset: taken from the request"
  ),
  FRONTEND_CALLBACK_URL: withDefault(
    Config.schema(PrivateUrl, "FRONTEND_CALLBACK_URL"),
    "http://localhost/callback",
    "page that gets the token after a login (`?token=…&username=…`)"
  ),
  AUDIENCE: setting(
    filled(Config.String("AUDIENCE"), isEmpty),
    "",
    "required audience (`aud`) of the provider's tokens; unset: OIDC_CLIENT_ID"
  ),
  VERIFY_AUDIENCE: withDefault(Config.Boolean("VERIFY_AUDIENCE"), true, "check AUDIENCE")
}
