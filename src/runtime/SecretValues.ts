/** The values that this server keeps secret, as its settings have them: whatever is stored or shown has something else in their place. */
import { Option, Redacted } from "effect"
import type { ServerSettings } from "../ServerConfig.ts"
import { readHeaders } from "./TraceVariables.ts"

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
