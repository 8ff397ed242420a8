/** Secrets that receivers of alerts name (docs/alerts.md#secrets): `NOC` is ALERT_SECRET_NOC, of the environment, a file or the database. */
import { Effect, Redacted, Schema } from "effect"
import { type Address, type Receiver, secretsOf } from "../../domain/events/alerts/Receiver.ts"
import type { ServerSettings } from "../../ServerConfig.ts"

/** A secret is missing or has the wrong form. The message names it, and nothing of its value. */
export class SecretMissing extends Schema.TaggedError<SecretMissing>()("SecretMissing", { message: Schema.String }) {}

type Secrets = ServerSettings["alertSecrets"]

const variable = (name: string): string => `ALERT_SECRET_${name}`

/** The value of a secret. */
export const secretOf = (secrets: Secrets, name: string): Effect.Effect<string, SecretMissing> => {
  const value = secrets.get(variable(name))
  return value === undefined || Redacted.value(value) === ""
    ? new SecretMissing({ message: `${variable(name)} is not set` })
    : Effect.succeed(Redacted.value(value))
}

/** The URL of an address. */
export const urlOf = (secrets: Secrets, { url, urlSecret }: Address): Effect.Effect<string, SecretMissing> =>
  urlSecret === undefined
    ? Effect.succeed(url)
    : Effect.flatMap(secretOf(secrets, urlSecret), (value) =>
        /^https?:\/\//.test(value) && URL.canParse(value)
          ? Effect.succeed(value)
          : new SecretMissing({ message: `${variable(urlSecret)} is no URL` })
      )

/** What of a receiver's secrets is not set, as a sentence; null when all are. */
export const remarkOf = (secrets: Secrets, receiver: Receiver): string | null => {
  const missing = secretsOf(receiver).filter((name) => !secrets.has(variable(name)))
  return missing.length === 0 ? null : `${missing.map(variable).join(", ")} is not set`
}

const SHORTEST = 4
/** Parts of a path that are shorter are words of it. */
const SHORTEST_PART = 8

const partsOfUrl = (value: string): ReadonlyArray<string> => {
  if (!/^https?:/.test(value) || !URL.canParse(value)) return []
  const { pathname, search, searchParams } = new URL(value)
  const parts = [...pathname.split("/"), ...searchParams.values()].filter(({ length }) => length >= SHORTEST_PART)
  return [`${pathname}${search}`, pathname, ...parts].filter((part) => part !== "/")
}

/**
 * How a secret may come back: as it is, in a URL, in JSON, in the header or the line of a login; of a URL also what receivers are asked for, which
 * many repeat when there is nothing, and its parts.
 */
const spellings = (value: string): ReadonlyArray<string> =>
  [value, ...partsOfUrl(value)].flatMap((part) => [
    part,
    encodeURIComponent(part.toWellFormed()),
    JSON.stringify(part).slice(1, -1),
    Buffer.from(part).toString("base64")
  ])

/** What a receiver is sent of its login: its name and the secret in one. */
const loginsOf = (secrets: Secrets, receiver: Receiver): ReadonlyArray<string> => {
  const name = receiver.type === "zulip" ? receiver.email : receiver.type === "email" ? receiver.user : null
  const secret = "secret" in receiver && receiver.secret !== null ? secrets.get(variable(receiver.secret)) : undefined
  if (name === null || secret === undefined) return []
  const value = Redacted.value(secret)
  return [`${name}:${value}`, `\0${name}\0${value}`].map((login) => Buffer.from(login).toString("base64"))
}

/** A text of a receiver without secrets, which it may have sent back. */
export const withoutSecrets = (secrets: Secrets, receiver: Receiver, text: string): string =>
  [...[...secrets.values()].map(Redacted.value).flatMap(spellings), ...loginsOf(secrets, receiver)]
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "***"), text)
