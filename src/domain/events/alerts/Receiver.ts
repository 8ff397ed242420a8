/**
 * The receivers of alerts (docs/alerts.md#receivers): their types, their form in `alerts.yml`, and the schedule of retries.
 * Secrets are only named, never stored here. Pure.
 */
import { Result, Schema } from "effect"
import { type AlertLevel, alertLevels } from "./AlertRule.ts"

// Mistakes in `alerts.yml`, by the keys that lead to them; the owner of the text finds their place in it. Pure.

export interface Fault {
  readonly path: ReadonlyArray<string>
  readonly message: string
}

/** A refusal of the value at these keys. */
export const fault = (path: ReadonlyArray<string>, message: string): Result.Result<never, Fault> =>
  Result.fail({ path, message })

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const MOST = 30 * 86_400_000

/** Milliseconds of a time such as `30s`, `10m`, `2h` or `1d`; at most 30 days. */
export const readDuration = (path: ReadonlyArray<string>, text: string): Result.Result<number, Fault> => {
  const [, count, unit = ""] = /^(\d{1,7})([smhd])$/.exec(text) ?? []
  const found = Number(count) * (UNITS[unit] ?? Number.NaN)
  return found <= MOST
    ? Result.succeed(found)
    : fault(path, `${text} is no time such as 30s, 10m, 2h or 1d, of 30 days at most`)
}

const common = { level: Schema.optionalKey(Schema.Literals(alertLevels)) }
const address = { url: Schema.optionalKey(Schema.String), url_secret: Schema.optionalKey(Schema.String) }
const Port = Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })))

/** The types of receivers. */
export const receiverTypes = [
  "webhook",
  "slack",
  "mattermost",
  "teams",
  "zulip",
  "pagerduty",
  "email",
  "syslog"
] as const

/** The keys that each type may have; required ones are checked below, so that one sentence reports them. */
const fields = {
  ...common,
  ...address,
  type: Schema.Literals(receiverTypes),
  secret: Schema.optionalKey(Schema.String),
  email: Schema.optionalKey(Schema.String),
  stream: Schema.optionalKey(Schema.String),
  topic: Schema.optionalKey(Schema.String),
  host: Schema.optionalKey(Schema.String),
  port: Schema.optionalKey(Port),
  tls: Schema.optionalKey(Schema.Literals(["starttls", "tls", "none"])),
  user: Schema.optionalKey(Schema.String),
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  address: Schema.optionalKey(Schema.String)
}

/** A receiver in its written form. */
export const receiverSchemas = Schema.Struct(fields)
type Given = typeof receiverSchemas.Type
type Type = Given["type"]

/** Required and optional keys, by type. */
const forms: Readonly<
  Record<Type, { readonly needed: ReadonlyArray<keyof Given>; readonly more: ReadonlyArray<keyof Given> }>
> = {
  webhook: { needed: ["secret"], more: ["url", "url_secret"] },
  slack: { needed: [], more: ["url", "url_secret"] },
  mattermost: { needed: [], more: ["url", "url_secret"] },
  teams: { needed: [], more: ["url", "url_secret"] },
  zulip: { needed: ["email", "secret", "stream"], more: ["url", "url_secret", "topic"] },
  pagerduty: { needed: ["secret"], more: ["url", "url_secret"] },
  email: { needed: ["host", "from", "to"], more: ["port", "tls", "user", "secret"] },
  syslog: { needed: ["address"], more: [] }
}

const PAGERDUTY = "https://events.pagerduty.com/v2/enqueue"
const SMTP_PORTS = { starttls: 587, tls: 465, none: 25 } as const
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const SECRET_NAME = /^[A-Z0-9_]{1,80}$/
const MAIL = /^[^\s<>@,;"]+@[^\s<>@,;"]+$/
const SYSLOG = /^(?:tcp|tls):\/\/(?:\[[^\]]+\]|[^:/[\]]+):\d{1,5}\/?$/

type Read<A> = Result.Result<A, Fault>
type Path = ReadonlyArray<string>

/** URLs that contain a name and a password would be secrets. */
const isUrl = (text: string): boolean => {
  if (!URL.canParse(text)) return false
  const { password, protocol, username } = new URL(text)
  return (protocol === "https:" || protocol === "http:") && username === "" && password === ""
}

const readAddress = (path: Path, { type, url, url_secret }: Given): Read<Address> => {
  if (url !== undefined && url_secret !== undefined)
    return fault(path, "url and url_secret: only one of them can count")
  if (url_secret !== undefined) return Result.succeed({ urlSecret: url_secret })
  const found = url ?? (type === "pagerduty" ? PAGERDUTY : undefined)
  if (found === undefined) return fault(path, "needs url, or url_secret with the name of a secret")
  return isUrl(found)
    ? Result.succeed({ url: found })
    : fault([...path, "url"], "is no URL that begins with https:// or http://, without a password in it")
}

const listOf = (value: string | ReadonlyArray<string>): ReadonlyArray<string> =>
  typeof value === "string" ? [value] : value

const readEmail = (path: Path, base: Pick<Receiver, "name" | "level">, given: Given): Read<Receiver> => {
  const { from = "", host = "", secret = null, tls = "starttls", user = null } = given
  const recipients = listOf(given.to ?? [])
  const bad = [from, ...recipients].find((one) => !MAIL.test(one))
  if (bad !== undefined) return fault(path, `${bad} is no mail address`)
  if (recipients.length === 0) return fault([...path, "to"], "lists no recipient")
  if ((user === null) !== (secret === null)) return fault(path, "user and secret go together")
  if (secret !== null && tls === "none") return fault([...path, "tls"], "a password is not sent without encryption")
  const port = given.port ?? SMTP_PORTS[tls]
  return Result.succeed({ ...base, type: "email", host, port, tls, user, secret, from, recipients })
}

const readForm = (path: Path, base: Pick<Receiver, "name" | "level">, given: Given): Read<Receiver> => {
  const { secret = "", type } = given
  switch (type) {
    case "email":
      return readEmail(path, base, given)
    case "syslog": {
      const { address: target = "" } = given
      return SYSLOG.test(target)
        ? Result.succeed({ ...base, type, target })
        : fault([...path, "address"], `expected tcp://host:port or tls://host:port, found ${target}`)
    }
    case "webhook":
    case "pagerduty":
      return Result.map(readAddress(path, given), (address) => ({ ...base, type, address, secret }))
    case "slack":
    case "mattermost":
    case "teams":
      return Result.map(readAddress(path, given), (address) => ({ ...base, type, address }))
    case "zulip": {
      const { email = "", stream = "", topic = "switchyard" } = given
      return Result.map(readAddress(path, given), (address) => ({
        ...base,
        type,
        address,
        email,
        secret,
        stream,
        topic
      }))
    }
  }
}

const isField = (name: string): name is keyof Given => Object.hasOwn(fields, name)

const readReceiver = ([name, given]: readonly [string, Given]): Read<Receiver> => {
  const path = ["receivers", name]
  const { more, needed } = forms[given.type]
  if (!NAME.test(name)) return fault(path, "a name has 1 to 64 letters, digits and _.-")
  const missing = needed.find((field) => given[field] === undefined)
  if (missing !== undefined) return fault(path, `a receiver of type ${given.type} needs ${missing}`)
  const allowed: ReadonlyArray<string> = [...needed, ...more, "type", "level"]
  const other = Object.keys(given).find((field) => isField(field) && !allowed.includes(field))
  if (other !== undefined) return fault([...path, other], `a receiver of type ${given.type} has no ${other}`)
  for (const field of ["secret", "url_secret"] as const) {
    const value = given[field]
    if (value !== undefined && !SECRET_NAME.test(value)) {
      return fault(
        [...path, field],
        "is the name of a secret, in capital letters, digits and _: NOC stands for ALERT_SECRET_NOC"
      )
    }
  }
  return readForm(path, { name, level: given.level ?? "info" }, given)
}

/** All receivers by their names. */
export const readReceivers = (given: Readonly<Record<string, Given>>): Read<ReadonlyArray<Receiver>> =>
  Result.all(Object.entries(given).map(readReceiver))

// Destinations of alerts (docs/alerts.md#receivers). Secrets are only named, never stored here.

interface Common {
  readonly name: string
  /** Messages below this level are not sent. */
  readonly level: AlertLevel
}

/** A URL, or the name of the secret that contains one. */
export type Address =
  | { readonly url: string; readonly urlSecret?: undefined }
  | { readonly url?: undefined; readonly urlSecret: string }

export type Receiver = Common &
  (
    | { readonly type: "webhook"; readonly address: Address; readonly secret: string }
    | { readonly type: "slack" | "mattermost" | "teams"; readonly address: Address }
    | {
        readonly type: "zulip"
        readonly address: Address
        readonly email: string
        readonly secret: string
        readonly stream: string
        readonly topic: string
      }
    | { readonly type: "pagerduty"; readonly address: Address; readonly secret: string }
    | {
        readonly type: "email"
        readonly host: string
        readonly port: number
        readonly tls: "starttls" | "tls" | "none"
        readonly user: string | null
        readonly secret: string | null
        readonly from: string
        readonly recipients: ReadonlyArray<string>
      }
    | { readonly type: "syslog"; readonly target: string }
  )

/** The names of the secrets that a receiver needs; each is the variable `ALERT_SECRET_<name>`. */
export const secretsOf = (receiver: Receiver): ReadonlyArray<string> => [
  ...("address" in receiver && receiver.address.urlSecret !== undefined ? [receiver.address.urlSecret] : []),
  ...("secret" in receiver && receiver.secret !== null ? [receiver.secret] : [])
]

// Retries of a message that could not be delivered, and their end (docs/alerts.md#delivery). Pure.

/** Milliseconds. */
export interface Pace {
  readonly first: number
  readonly longest: number
  /** Since the message was made. */
  readonly giveUp: number
}

/** Waits of 5 seconds, 10, 20 … at most an hour, for three days. */
export const PACE: Pace = { first: 5000, longest: 3_600_000, giveUp: 3 * 86_400_000 }

const LONGEST_ASKED = 86_400_000

/**
 * Milliseconds until the next attempt after so many. `random` is in [0, 1): it decides half of the wait, so that many messages
 * do not come together. A receiver may ask for a longer wait.
 */
export const pause = (pace: Pace, attempts: number, random: number, asked: number | null): number => {
  const full = Math.min(pace.first * 2 ** Math.min(attempts - 1, 30), pace.longest)
  return Math.round(Math.max(full / 2 + (full / 2) * random, asked ?? 0))
}

/** Milliseconds that a header `Retry-After` asks for: seconds or a date; null for any other value. At most a day. */
export const retryAfter = (header: string | null, now: number): number | null => {
  if (header === null || header.trim() === "") return null
  const found = /^\d{1,9}$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isNaN(found) || found <= 0 ? null : Math.min(found, LONGEST_ASKED)
}
