/**
 * The sources of secret settings: the environment, or a file that the environment names (`PASSWORD_MANAGED_FILE` for `PASSWORD_MANAGED`),
 * as containers provide secrets (docs/security.md#where-secrets-come-from). `store/SecretStore.ts` has those in the database.
 */
import { Effect, Option, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { codeOf } from "./SystemErrors.ts"
import * as path from "node:path"

/** A secret is not available; the message names the variable, and never the value. */
export class SecretUnavailable extends Schema.TaggedError<SecretUnavailable>()("SecretUnavailable", {
  message: Schema.String
}) {}

type Environment = Readonly<Record<string, string | undefined>>

const SUFFIX = "_FILE"

/** Needed to read any other secret, so they cannot be stored with them. */
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
  "FORGE_TOKEN",
  "FORGE_WEBHOOK_SECRET",
  "OTEL_EXPORTER_OTLP_HEADERS"
]
const PREFIXES: ReadonlyArray<string> = [
  "PASSWORD_",
  "SSH_KEY_",
  "TEMPLATE_SECRET_",
  "DEVICE_SECRET_",
  "PLUGIN_SECRET_",
  "ALERT_SECRET_",
  "CHECK_SECRET_"
]

/** Whether a setting can be kept in the database: its variable is secret and is not needed before the database is open. */
export const isStorable = (name: string): boolean =>
  /^[A-Z][A-Z0-9_]{1,99}$/.test(name) &&
  !name.endsWith(SUFFIX) &&
  (NAMES.includes(name) || PREFIXES.some((prefix) => name.startsWith(prefix) && name.length > prefix.length))

/** Whether a variable is secret, so that a file may hold its value. */
export const isSecret = (name: string): boolean => FIRST.includes(name) || isStorable(name)

/** What systemd gives to one of our units; each unit may read its own folder only. */
const CREDENTIAL = /^\/run\/credentials\/switchyard[^/]*\.service\/([^/]+)$/

/** The place of a file for this process: a credential of the service is read from the credentials that this unit was given. */
const placeFor = (file: string, { CREDENTIALS_DIRECTORY: own }: Environment) => {
  const [, credential] = CREDENTIAL.exec(file) ?? []
  return credential === undefined || own === undefined || own === "" ? file : path.join(own, credential)
}

const readSecret = (name: string, file: string) =>
  Effect.tryPromise({
    try: () => readFile(file, "utf8"),
    catch: (error) =>
      new SecretUnavailable({ message: `${name}${SUFFIX}: the file cannot be read (${codeOf(error) ?? "unknown"})` })
    // editors and `echo` end a file with a line break, which no secret has
  }).pipe(Effect.map((text) => text.replace(/\r?\n$/, "")))

/**
 * The environment, with the values of files in the place of their names. Fails with SecretUnavailable, but not for a secret that is not
 * `needed`: that one is missing then.
 */
export const withFiles = Effect.fn("SecretSources.withFiles")(function* (
  environment: Environment,
  isNeeded: (name: string) => boolean = () => true
) {
  const found: Record<string, string | undefined> = {}
  for (const [variable, value] of Object.entries(environment)) {
    const name = variable.endsWith(SUFFIX) ? variable.slice(0, -SUFFIX.length) : variable
    if (name === variable || !isSecret(name) || value === undefined) {
      found[variable] ??= value
      continue
    }
    if (value === "") continue
    if ((environment[name] ?? "") !== "") {
      if (!isNeeded(name)) continue
      return yield* new SecretUnavailable({
        message: `${name} and ${variable} are both set: only one of them can count`
      })
    }
    const read = readSecret(name, placeFor(value, environment))
    if (isNeeded(name)) found[name] = yield* read
    else Option.map(yield* Effect.option(read), (text) => (found[name] = text))
  }
  return found
})

/** The environment, with stored values for variables that it lacks. */
export const withStored = (environment: Environment, stored: ReadonlyMap<string, string>): Environment => {
  const isGiven = (name: string) => (environment[name] ?? "") !== "" || (environment[name + SUFFIX] ?? "") !== ""
  return { ...environment, ...Object.fromEntries([...stored].filter(([name]) => !isGiven(name))) }
}

// The environment of programs and threads that this server starts: the variables that they need to run, and none of the server's settings,
// which include passwords (docs/security.md#programs-that-the-server-starts).

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
