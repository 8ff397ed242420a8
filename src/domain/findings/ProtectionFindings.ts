/**
 * Safe defaults that are not in effect here (docs/security.md#secure-defaults): one list, which the server logs at the start
 * and `doctor` shows at any time. An installation from before these defaults keeps its previous behaviour, and so does one
 * whose settings differ from them.
 */
import type { Finding } from "../Finding.ts"

export interface ProtectionFacts {
  /** Requests need a token. */
  readonly tokens: boolean
  /** No permissions.yml exists, or it is disabled, so that every caller with a valid token may do everything. */
  readonly unlimited: "no file" | "disabled" | null
  /** No list of networks for devices is set. */
  readonly anyAddress: boolean
  /** The server trusts at first sight the host key of a device that it has not provisioned. */
  readonly anyKey: boolean
  /** No list of hosts is set from which the server may fetch images for callers. */
  readonly anyHost: boolean
  /** The address at which other machines reach the API without TLS; null without one. */
  readonly clear: string | null
  /** The address at which other machines reach the API, with or without TLS; null without one. */
  readonly reachable: string | null
}

const finding = (about: string, level: Finding["level"], what: string, why: string, next: string): Finding => ({
  kind: "protection",
  level,
  about,
  since: null,
  what,
  why,
  next,
  repair: null
})

const noTokens = ({ reachable }: ProtectionFacts): Finding =>
  finding(
    "JWT_ENABLED",
    reachable === null ? "warn" : "bad",
    reachable === null
      ? "No token is required: every program on this machine may do everything"
      : `No token is required: every client that reaches ${reachable} may do everything`,
    reachable === null ? "JWT_ENABLED is false." : "JWT_ENABLED is false and ALLOW_OPEN_API is true.",
    "Set JWT_ENABLED=true, and make the first administrator with `switchyard setup`."
  )

const unlimited = ({ unlimited }: ProtectionFacts): Finding =>
  unlimited === "disabled"
    ? finding(
        "PERMISSIONS_DISABLED",
        "warn",
        "Every caller with a good token may do everything",
        "PERMISSIONS_DISABLED is true.",
        "Set PERMISSIONS_DISABLED=false."
      )
    : finding(
        "permissions.yml",
        "warn",
        "Every caller with a good JSON Web Token may do everything",
        "There is no permissions.yml in DATA_DIR.",
        "Write permissions.yml (docs/roles.md): it takes effect a second later, so include a role for every current user."
      )

/** The defaults that are not in effect, each with a remedy. */
export const ofProtection = (facts: ProtectionFacts): ReadonlyArray<Finding> => [
  ...(facts.tokens ? [] : [noTokens(facts)]),
  ...(facts.tokens && facts.unlimited !== null ? [unlimited(facts)] : []),
  ...(facts.clear === null
    ? []
    : [
        finding(
          "HOST",
          "warn",
          `Tokens and passwords are sent in clear to ${facts.clear}`,
          "HOST is not a loopback address, and the server has no TLS there.",
          "Set TLS_CERT and TLS_KEY with HOST=127.0.0.1, or let a proxy with TLS be the only one that reaches this address (docs/security.md#tls)."
        )
      ]),
  ...(facts.anyAddress
    ? [
        finding(
          "MANAGEMENT_NETWORKS",
          "warn",
          "The fleet's login is sent to any address in a record",
          "MANAGEMENT_NETWORKS is not set.",
          "Set it to the prefixes in which devices are (docs/security.md#management-networks)."
        )
      ]
    : []),
  ...(facts.anyKey
    ? [
        finding(
          "HOST_KEY_POLICY",
          "warn",
          "A device from elsewhere gets the fleet's login before an operator has seen its host key",
          "HOST_KEY_POLICY is first-use.",
          "Set HOST_KEY_POLICY=approve; devices that are pinned already need no approval (docs/security.md#approval-of-host-keys)."
        )
      ]
    : []),
  ...(facts.anyHost
    ? [
        finding(
          "OUTBOUND_HOSTS",
          "warn",
          "Callers may have images fetched from every host of the internet, and switches sent to any address for them",
          "OUTBOUND_HOSTS is not set.",
          "Set it to the hosts of images and of receivers of alerts, or to a comma alone for none (docs/security.md#outbound-hosts)."
        )
      ]
    : [])
]
