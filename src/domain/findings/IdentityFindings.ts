/** What is older than the rule that refuses it now: what two records share (docs/api.md#what-is-unique), and tokens without bounds. */
import type { Finding } from "../Finding.ts"

/** Something that a device shares with another record. */
export interface DisputeFact {
  readonly hostname: string
  /** What it is of the device, such as `management_ip`. */
  readonly role: string
  readonly value: string
  /** The other record, such as `management_ip of lhv-acc2`. */
  readonly other: string
}

/** A network that overlaps another one. */
export interface OverlapFact {
  readonly network: string
  /** Such as `linknet 7`. */
  readonly owner: string
  readonly other_network: string
  readonly other: string
}

/** A token of before the bounds of tokens (docs/security.md#persons). */
export interface TokenFact {
  readonly id: number
  readonly name: string
  readonly created_by: string
  readonly created_at: string
  /** Days from its making to its end. */
  readonly days: number
  /** Nobody is known whose it is, so that it ends with nobody. */
  readonly is_nobodys: boolean
}

/** A token that is valid for longer than new ones may be, or that ends with nobody. */
export const ofToken = (token: TokenFact): Finding => ({
  kind: "token",
  level: "warn",
  about: token.name,
  since: token.created_at,
  what: token.is_nobodys
    ? `The API token ${token.name}, made by ${token.created_by}, has no owner with whom it would end`
    : `The API token ${token.name}, made by ${token.created_by}, is valid for ${token.days} days`,
  why: "New tokens end with the person whose they are, and are valid for API_TOKEN_DAYS at most. This one is older.",
  next: `Make another one for its program, and revoke this one: \`switchyard token revoke ${token.id}\``,
  repair: null
})

/** A device that gets nothing pushed because another record has the same. */
export const ofDispute = ({ hostname, other, role, value }: DisputeFact): Finding => ({
  kind: "device",
  level: "bad",
  about: hostname,
  since: null,
  what: `${role} ${value} is also the ${other}`,
  why: "Nobody knows which of the two records the switch at that address is, so nothing is pushed to the device. Such records are refused now; these are older.",
  next: "Find out which record is right. Change the other one, set it to UNMANAGED, or delete it.",
  repair: null
})

/** Networks of management domains or links that overlap. */
export const ofOverlap = ({ network, other, other_network, owner }: OverlapFact): Finding => ({
  kind: "device",
  level: "warn",
  about: owner,
  since: null,
  what: `Its network ${network} overlaps ${other_network} of ${other}`,
  why: "A switch in one of them can be given an address that belongs to the other. Such networks are refused now; these are older.",
  next: "Change or delete one of the two.",
  repair: null
})
