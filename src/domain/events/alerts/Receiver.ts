/** Where alerts go (docs/alerts.md#receivers). Secrets are named, and never here themselves. */
import type { AlertLevel } from "./AlertRule.ts"

interface Common {
  readonly name: string
  /** What is below it is not sent. */
  readonly level: AlertLevel
}

/** A URL, or the name of the secret that is one. */
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
