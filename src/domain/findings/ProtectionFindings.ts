/**
 * What of the safe defaults does not count here (docs/security.md#secure-defaults): one list, which the log tells at the start and `doctor` at any
 * time. An installation from before them goes on as it was, and so does one that has said otherwise.
 */
import type { Finding } from "../Finding.ts"

export interface ProtectionFacts {
  /** Tokens are asked for. */
  readonly tokens: boolean
  /** There is no permissions.yml, or it is disabled, so that everybody with a good token may do everything. */
  readonly unlimited: "no file" | "disabled" | null
  /** No list of networks in which devices are. */
  readonly anyAddress: boolean
  /** The host key of a device that was not provisioned here is believed at first sight. */
  readonly anyKey: boolean
  /** No list of hosts from which images are fetched for callers. */
  readonly anyHost: boolean
  /** Where others than this machine reach the API without TLS; null for nowhere. */
  readonly clear: string | null
  /** Where others than this machine reach the API, with or without TLS; null for nowhere. */
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
      ? "No token is asked for: every program of this machine may do everything"
      : `No token is asked for: everybody who reaches ${reachable} may do everything`,
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
        "Write permissions.yml (docs/roles.md): it counts a second later, so give everybody who is to go on a role in it."
      )

/** What does not count, each with what to do. */
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
          "HOST is no loopback address, and the server has no TLS there.",
          "Set TLS_CERT and TLS_KEY with HOST=127.0.0.1, or let a proxy with TLS be the only one that reaches this address (docs/security.md#tls)."
        )
      ]),
  ...(facts.anyAddress
    ? [
        finding(
          "MANAGEMENT_NETWORKS",
          "warn",
          "The fleet's login goes to whatever address a record has",
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
          "A device that was not provisioned here gets the fleet's login before anybody has seen its host key",
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
