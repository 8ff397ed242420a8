/** Secrets that receivers of alerts name (docs/alerts.md#secrets): `NOC` is ALERT_SECRET_NOC, of the environment, a file or the database. */
import { Effect, Redacted, Schema } from "effect"
import type { Address, Receiver } from "../../domain/events/alerts/Receiver.ts"
import { secretsOf } from "../../domain/events/alerts/Receiver.ts"
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

/** A text of a receiver without its secrets, which it may have sent back. */
export const withoutSecrets = (secrets: Secrets, text: string): string =>
  [...secrets.values()]
    .map(Redacted.value)
    .filter(({ length }) => length >= SHORTEST)
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, "***"), text)
