/** What two records have had since before that was refused (docs/api.md#what-is-unique). */
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
