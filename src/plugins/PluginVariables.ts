/**
 * Variables of plugins and the secrets among them (docs/plugins.md#secrets): values of PLUGIN_SECRET_* take the place of their names, and what
 * is secret is hidden from the API, from logs and from what plugins say.
 */
import { Redacted } from "effect"
import type { PluginVariables } from "./Plugin.ts"

/** Variables that hold what other systems ask for. The name of a secret (`…_secret`) is none. */
const SECRET = /pass|token|secret|key|communit|credential|authorization/i
const NAMED = /_secret$/i
const IN_URL = /([a-z][a-z0-9+.-]*:\/\/)([^\s/@]*(?:@[^\s/@]*)*)@/gi

const SUFFIX = "_secret"
const HIDDEN = "<hidden>"

/** Shorter values would be found in the middle of harmless words. */
const SHORTEST = 4

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const hide = (value: unknown): unknown => {
  if (typeof value === "string") return value.replaceAll(IN_URL, `$1${HIDDEN}@`)
  if (Array.isArray(value)) return value.map(hide)
  return isRecord(value) ? hiddenVariables(value) : value
}

/** The variables as they are shown. */
export const hiddenVariables = (vars: PluginVariables): PluginVariables =>
  Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, SECRET.test(name) && !NAMED.test(name) ? HIDDEN : hide(value)])
  )

/** All texts in a value. */
const textsIn = (value: unknown): ReadonlyArray<string> => {
  if (typeof value === "string") return [value]
  if (typeof value === "number") return [String(value)]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : []
}

const inUrls = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(IN_URL)].flatMap(([, , login = ""]) => [login, login.slice(login.indexOf(":") + 1)])

const secretsIn = (vars: PluginVariables): ReadonlyArray<string> =>
  Object.entries(vars).flatMap(([name, value]) => {
    if (SECRET.test(name) && !NAMED.test(name)) return textsIn(value)
    return isRecord(value) ? secretsIn(value) : textsIn(value).flatMap(inUrls)
  })

/** A value as it stands in texts: in URLs, in JSON, and in the header of a login. */
const spellings = (value: string): ReadonlyArray<string> => [
  value,
  encodeURIComponent(value.toWellFormed()),
  JSON.stringify(value).slice(1, -1),
  Buffer.from(value).toString("base64")
]

/** How many characters at the end of a text are the beginning of a secret, where it was cut in the middle of one. */
const cutSecret = (text: string, secret: string): number => {
  for (let length = Math.min(secret.length - 1, text.length); length >= SHORTEST; length--) {
    if (text.endsWith(secret.slice(0, length))) return length
  }
  return 0
}

/** A text without these secrets, the longest first. Plugins cut what others have answered before it comes here. */
const withoutSecrets = (secrets: ReadonlyArray<string>, text: string): string => {
  const whole = secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
  const cut = Math.max(0, ...secrets.map((secret) => cutSecret(whole, secret)))
  return cut === 0 ? whole : `${whole.slice(0, -cut)}${HIDDEN}`
}

/** Variables for the plugin, and what hides their secrets in texts. */
export interface ReadyVariables {
  readonly vars: PluginVariables
  readonly hide: (text: string) => string
}

/** The variables with values of PLUGIN_SECRET_* in the place of their names: `apitoken_secret: NAV` is `apitoken`. */
export const readyVariables = (
  given: PluginVariables,
  secrets: ReadonlyMap<string, Redacted.Redacted>
): ReadyVariables => {
  const used: Array<string> = []
  const vars = Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const secret = name.endsWith(SUFFIX) ? secrets.get(`PLUGIN_SECRET_${String(value)}`) : undefined
      if (secret === undefined) return [name, value]
      used.push(Redacted.value(secret))
      return [name.slice(0, -SUFFIX.length), Redacted.value(secret)]
    })
  )
  const known = [
    ...new Set([...used, ...secretsIn(vars)].filter(({ length }) => length >= SHORTEST).flatMap(spellings))
  ]
    // the longest first: a secret may be a part of another one
    .toSorted((a, b) => b.length - a.length)
  return { vars, hide: (text) => withoutSecrets(known, text) }
}
