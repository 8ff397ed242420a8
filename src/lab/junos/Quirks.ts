/**
 * How a simulated Junos switch differs from most: its hardware (members, routing engines), its release, the rights of its users.
 * Quirks are data and permanent; those that occur together have a name. Faults (`../Faults.ts`) strike once or for a while.
 */
import { Schema } from "effect"

const flag = Schema.optionalKey(Schema.Boolean)
const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const words = Schema.optionalKey(Schema.Array(Schema.String))
const oneOf = <const L extends ReadonlyArray<string>>(...names: L) => Schema.optionalKey(Schema.Literals(names))

/** Some quirks, as a topology has them. */
export const Quirks = Schema.Struct({
  /** Members of the virtual chassis; 1 is a switch that stands alone. */
  members: count,
  /** Routing engines of a chassis: each one answers for itself. */
  routingEngines: count,
  /** Users may not see secrets: the mark `SECRET-DATA` stands in their place. */
  hidesSecrets: flag,
  /** Milliseconds that each commit and each check takes, in addition to `commitMs`. */
  slowCommitMs: count,
  /** Milliseconds after the end of the minutes at which it rolls back. */
  lateRollbackMs: count,
  /** Warnings of every commit, and of every load. */
  commitWarnings: words,
  loadWarnings: words,
  /** Errors of a load stand beside `ok`. */
  okBesideErrors: flag,
  /** Errors have no type, no tag, and their answers no number of the request. */
  bareErrors: flag,
  /** Errors in the old form `xnm:error`. */
  oldErrors: flag,
  /** The history does not say that a rollback is pending. */
  noPendingMark: flag,
  /** An answer to a commit whose `routing-engine` is not closed. */
  unclosedEngine: flag,
  /** A check is answered with `ok` beside closed results. */
  siblingOk: flag,
  /** A comment stands before the hello and between answers. */
  comments: flag,
  /** `rfc-compliant`: tags of the protocol have a prefix. */
  prefixed: flag,
  /** Offers base 1.1 too, with chunks. */
  chunked: flag,
  /** Capabilities have line breaks around them, and stand there in an old form as well. */
  oldCapabilities: flag,
  /** Refuses the subsystem; `xml-mode netconf need-trailer` works. */
  noSubsystem: flag,
  /** The shape of the table of addresses. */
  macTable: oneOf("els", "old"),
  /** Old LLDP answers name no remote port. */
  lldpWithoutPort: flag,
  /** Releases without `load update`, without the set form, without revisions. */
  noLoadUpdate: flag,
  noSetForm: flag,
  noRevisions: flag,
  /** A restart while a rollback is pending: the old configuration starts, or the new one stays for good. */
  restartWhilePending: oneOf("rolledBack", "kept"),
  /** A lost session while its rollback is pending: the timer goes on, or it is rolled back at once. */
  lostWhilePending: oneOf("goesOn", "rolledBack"),
  /** A commit writes the release into the configuration. */
  writesVersion: flag,
  /** A check does not confirm. */
  checkConfirmsNot: flag,
  /** Set lines that somebody has left in the shared candidate when it starts. */
  uncommitted: Schema.optionalKey(Schema.String),
  /** Who holds the exclusive lock when it starts. */
  lockedBy: Schema.optionalKey(Schema.String),
  /** The command line shows long answers in pages. */
  pages: flag
})
export type Quirks = typeof Quirks.Type

/** No peculiarity. */
export const none: Required<Quirks> = {
  members: 1,
  routingEngines: 1,
  hidesSecrets: false,
  slowCommitMs: 0,
  lateRollbackMs: 0,
  commitWarnings: [],
  loadWarnings: [],
  okBesideErrors: false,
  bareErrors: false,
  oldErrors: false,
  noPendingMark: false,
  unclosedEngine: false,
  siblingOk: false,
  comments: false,
  prefixed: false,
  chunked: false,
  oldCapabilities: true,
  noSubsystem: false,
  macTable: "els",
  lldpWithoutPort: false,
  noLoadUpdate: false,
  noSetForm: false,
  noRevisions: false,
  restartWhilePending: "rolledBack",
  lostWhilePending: "goesOn",
  writesVersion: false,
  checkConfirmsNot: false,
  uncommitted: "",
  lockedBy: "",
  pages: false
}

/** Quirks that occur together. */
export interface Personality {
  readonly description: string
  /** Where such a switch was described. */
  readonly seen: string
  readonly version?: string
  readonly model?: string
  readonly quirks: Quirks
}

/** Junos switches as public reports describe them. */
export const personalities: Readonly<Record<string, Personality>> = {
  junosVirtualChassis: {
    description: "a virtual chassis of two members",
    seen: "py-junos-eznc: facts of virtual chassis",
    quirks: { members: 2 }
  },
  junosDualEngine: {
    description: "two routing engines that both answer for a commit",
    seen: "py-junos-eznc: facts of switches with two routing engines",
    model: "EX9208",
    quirks: { routingEngines: 2 }
  },
  junosHiddenSecrets: {
    description: "users without the permission to see secrets",
    seen: "public course notes: SECRET-DATA in the place of values",
    quirks: { hidesSecrets: true }
  },
  junosSlowCommit: {
    description: "commits take seconds, and a rollback comes late",
    seen: "reports of small access switches",
    model: "EX2300-48T",
    quirks: { slowCommitMs: 3000, lateRollbackMs: 2000 }
  },
  junosWarnings: {
    description: "each load and each commit has warnings that are no errors",
    seen: "py-junos-eznc issues 655 and 1119",
    quirks: {
      commitWarnings: [
        "requires 'ospf3' license",
        "Chassis configuration for network services has been changed. A system reboot is mandatory."
      ],
      loadWarnings: ["mgd: statement must contain additional statements"]
    }
  },
  junosOkBesideErrors: {
    description: "a load with errors is answered with ok beside them",
    seen: "logs of Ansible on 15.1X49; netconf-java",
    version: "15.1X49-D170.4",
    quirks: { okBesideErrors: true, bareErrors: true }
  },
  junosOld: {
    description: "an old switch: table of addresses, LLDP and history as they were, broken XML after a commit",
    seen: "napalm mocked data; ncclient: raw answers of Junos",
    version: "12.3R12.4",
    model: "EX4200-48T",
    quirks: {
      macTable: "old",
      lldpWithoutPort: true,
      noPendingMark: true,
      unclosedEngine: true,
      oldErrors: true,
      noRevisions: true,
      noSetForm: true
    }
  },
  junosCommented: {
    description: "comments between answers, ok beside the results of a check",
    seen: "rustez 0.15; ncclient",
    quirks: { comments: true, siblingOk: true }
  },
  junosCompliant: {
    description: "tags of the protocol have a prefix (rfc-compliant)",
    seen: "vendor guide on RFC-compliant sessions",
    quirks: { prefixed: true }
  },
  junosChunked: {
    description: "offers base 1.1 and speaks in chunks",
    seen: "a question of newest releases",
    version: "24.4R2",
    quirks: { chunked: true, oldCapabilities: false }
  },
  junosUncommitted: {
    description: "somebody has left a change in the shared candidate",
    seen: "rustez 0.14: changes of others that a client threw away",
    quirks: { uncommitted: "set snmp location somewhere" }
  },
  junosNoSubsystem: {
    description: "refuses the subsystem and answers in XML mode",
    seen: "ncclient: way around a refused subsystem",
    quirks: { noSubsystem: true }
  }
}

/** True for the name of a personality of Junos. */
export const isPersonality = (name: string): boolean => Object.hasOwn(personalities, name)
