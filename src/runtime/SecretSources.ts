/**
 * Where secret settings come from: the environment, or a file that the environment names (`PASSWORD_MANAGED_FILE` for
 * `PASSWORD_MANAGED`), as secrets of containers are given (docs/security.md#where-secrets-come-from). Those in the database are in
 * `store/SecretStore.ts`.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { codeOf } from "./SystemErrors.ts"
import type { ServerSettings } from "../ServerConfig.ts"
import { readHeaders } from "./SettingForms.ts"

/** A secret cannot be had; the message names the variable, and nothing of the value. */
export class SecretUnavailable extends Schema.TaggedError<SecretUnavailable>()("SecretUnavailable", {
  message: Schema.String
}) {}

type Environment = Readonly<Record<string, string | undefined>>

const SUFFIX = "_FILE"

/** Needed to read any other secret, so they cannot be kept where these are. */
const FIRST: ReadonlyArray<string> = [
  "SECRET_KEY",
  "SECRET_KEY_PREVIOUS",
  "DATABASE_URL",
  "CLUSTER_SECRET",
  "BACKUP_PASSPHRASE"
]
const NAMES: ReadonlyArray<string> = [
  "GITREPO_SETTINGS",
  "GITREPO_TEMPLATES",
  "CAKEY_PASSPHRASE",
  "OIDC_CLIENT_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS"
]
const PREFIXES: ReadonlyArray<string> = [
  "PASSWORD_",
  "SSH_KEY_",
  "TEMPLATE_SECRET_",
  "DEVICE_SECRET_",
  "PLUGIN_SECRET_",
  "ALERT_SECRET_"
]

/** What may be kept in the database: the name of a variable that is secret and is not needed before. */
export const isStorable = (name: string): boolean =>
  /^[A-Z][A-Z0-9_]{1,99}$/.test(name) &&
  !name.endsWith(SUFFIX) &&
  (NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix) && name.length > prefix.length))

/** Whether a variable is secret, so that a file may hold its value. */
export const isSecret = (name: string): boolean => FIRST.includes(name) || isStorable(name)

const readSecret = (name: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) =>
      new SecretUnavailable({ message: `${name}${SUFFIX}: the file cannot be read (${codeOf(error) ?? "unknown"})` })
    // editors and `echo` end a file with a line break, which no secret has
  }).pipe(Effect.map((text) => text.replace(/\r?\n$/, "")))

/** The environment with the values of files in the place of their names. Fails with SecretUnavailable. */
export const withFiles = Effect.fn("SecretSources.withFiles")(function* (environment: Environment) {
  const found: Record<string, string | undefined> = {}
  for (const [variable, value] of Object.entries(environment)) {
    const name = variable.endsWith(SUFFIX) ? variable.slice(0, -SUFFIX.length) : variable
    if (name === variable || !isSecret(name) || value === undefined) {
      found[variable] ??= value
      continue
    }
    if (value === "") continue
    if ((environment[name] ?? "") !== "") {
      return yield* new SecretUnavailable({
        message: `${name} and ${variable} are both set: only one of them can count`
      })
    }
    found[name] = yield* readSecret(name, value)
  }
  return found
})

/** The environment with stored values for what it does not give itself. */
export const withStored = (environment: Environment, stored: ReadonlyMap<string, string>): Environment => {
  const isGiven = (name: string) => (environment[name] ?? "") !== "" || (environment[name + SUFFIX] ?? "") !== ""
  return { ...environment, ...Object.fromEntries([...stored].filter(([name]) => !isGiven(name))) }
}

// The values that this server keeps secret, as its settings have them: whatever is stored or shown has something else in their place.

/** Shorter values would be found in the middle of harmless words. */
const SHORTEST = 4

const CREDENTIALS = /^[a-z][a-z0-9+.-]*:\/\/([^/@]*(?:@[^/@]*)*)@/i

/** A user name without a password is a token when it is that long; shorter ones, such as `git`, are no secret. */
const TOKEN_LENGTH = 16

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    // a stray percent sign: the text stands for itself
    return text
  }
}

/** The password or token in a URL, as it is written and as it is meant. */
const secretsOfUrl = (url: string): ReadonlyArray<string> => {
  const credentials = CREDENTIALS.exec(url)?.[1] ?? ""
  const colon = credentials.indexOf(":")
  if (colon < 0) return credentials.length >= TOKEN_LENGTH ? [credentials, decoded(credentials)] : []
  const password = credentials.slice(colon + 1)
  return [password, decoded(password)]
}

/** The lines of a key or a certificate, because texts are shown and compared line by line; shorter lines tell too little. */
const LONG_LINE = 16
const linesOf = (value: string): ReadonlyArray<string> => {
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= LONG_LINE && !line.startsWith("-----"))
}

/** Values that are worth hiding, each once, the longest first. */
const hideable = (values: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(values.flatMap((value) => [value, ...linesOf(value)]))]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)

type Settings = Pick<
  ServerSettings,
  | "logins"
  | "nextLogins"
  | "keyLogins"
  | "templateSecrets"
  | "deviceSecrets"
  | "pluginSecrets"
  | "alertSecrets"
  | "SECRET_KEY"
  | "SECRET_KEY_PREVIOUS"
  | "CLUSTER_SECRET"
  | "CAKEY_PASSPHRASE"
  | "OIDC_CLIENT_SECRET"
  | "OTEL_EXPORTER_OTLP_HEADERS"
  | "DATABASE_URL"
  | "GITREPO_SETTINGS"
  | "GITREPO_TEMPLATES"
>

/** All secret values among the settings, the longest first. */
export const secretValues = (settings: Settings): ReadonlyArray<string> => {
  const { alertSecrets, deviceSecrets, keyLogins, logins, nextLogins, pluginSecrets, templateSecrets } = settings
  const redacted = [
    ...[...logins.values(), ...nextLogins.values()].map(({ password }) => password),
    ...[...keyLogins.values()].flatMap(({ key: { passphrase, text } }) =>
      passphrase === null ? [text] : [text, passphrase]
    ),
    ...[templateSecrets, deviceSecrets, pluginSecrets, alertSecrets].flatMap((secrets) => [...secrets.values()]),
    ...[
      settings.SECRET_KEY,
      settings.SECRET_KEY_PREVIOUS,
      settings.CLUSTER_SECRET,
      settings.CAKEY_PASSPHRASE,
      settings.OIDC_CLIENT_SECRET
    ].flatMap(Option.toArray)
  ].map(Redacted.value)
  const urls = [
    ...Option.toArray(Option.map(settings.DATABASE_URL, Redacted.value)),
    ...Option.toArray(settings.GITREPO_SETTINGS),
    ...Option.toArray(settings.GITREPO_TEMPLATES)
  ]
  const headers = Option.match(settings.OTEL_EXPORTER_OTLP_HEADERS, {
    onNone: () => [],
    onSome: (text) => [...(readHeaders(Redacted.value(text))?.values() ?? [])]
  })
  return hideable([...redacted, ...headers, ...urls.flatMap(secretsOfUrl)])
}

// The environment that programs and threads get which this server starts: what they need to run, and none of its settings, among
// which are passwords (docs/security.md#programs-that-the-server-starts).

const ALWAYS = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TZ|TMPDIR|TMP|TEMP|SystemRoot|LD_LIBRARY_PATH)$/i

/** For programs that connect to others: agents with keys, proxies and trusted certificates. */
const NETWORK =
  /^(?:SSH_AUTH_SOCK|SSH_AGENT_PID|XDG_CONFIG_HOME|KRB5CCNAME|KRB5_CONFIG|https?_proxy|all_proxy|no_proxy|SSL_CERT_FILE|SSL_CERT_DIR|CURL_CA_BUNDLE)$/i

/** The part of the environment for a program; `network` for one that connects to other machines. */
export const childEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
  { network }: { readonly network: boolean }
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && (ALWAYS.test(name) || (network && NETWORK.test(name))) ? [[name, value] as const] : []
    )
  )
