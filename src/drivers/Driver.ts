/**
 * The interface of every device driver (src/drivers/README.md#what-a-platform-needs), as Effect types. A driver turns these
 * verbs into the command line of its platform; only drivers send or read command-line text. One `DriverSession` is one login: it is
 * used by one fiber at a time, and after a `CommandTimeout` or `ConnectionException` every further verb on it fails.
 *
 * How a verb is added (counters of ports, optics, a check of states): 1. what it gives, as a schema among the readings below, with
 * units; 2. the verb in `DriverSession`, and in `DriverDefinition.ts` what platforms answer that do not have it, or a group in
 * `Verbs.ts` with a capability in `domain/platforms/Platform.ts`; 3. in each driver's folder, in the file of the same name, the
 * commands and a pure function from the answer to the reading, tested against recorded answers; 4. a call to the device's
 * actor (`src/devices`), and the caller looks at the capability first.
 */
import { Effect, type Option, type Redacted, Schema, type Scope } from "effect"
import {
  type CommandRejected,
  type CommitError,
  type ConnectError,
  ConnectionException,
  type ExchangeError,
  type LoadError,
  type ReadError,
  type RejectedLine
} from "./DriverErrors.ts"
import type { ShownIdentity, WrongDevice } from "../domain/DeviceIdentity.ts"
import type { DeviceRemark, Platform } from "../domain/platforms/Platform.ts"
import type { JobSelection } from "./Candidate.ts"
import type { VerbGroups } from "./Verbs.ts"
import {
  type ArpEntry,
  type Facts,
  type MacTable,
  NeighbourDetail,
  PortErrors,
  PortOptics
} from "../domain/DeviceReadings.ts"
import { CLAIM_VALID as BELIEVED } from "../domain/TakeOver.ts"

/**
 * The treatment of the key that the switch shows: `accept` any without keeping it (states before MANAGED), `learn` it (the caller
 * stores `DriverSession.hostKey` as the pin), look at it only (`approve`: the login ends with HostKeyNotApproved before any
 * credentials are sent), or insist on the pinned `SHA256:…` fingerprint.
 */
export type HostKeyPolicy =
  | { readonly _tag: "accept" }
  | { readonly _tag: "learn" }
  | { readonly _tag: "approve" }
  | { readonly _tag: "pin"; readonly fingerprint: string }

/**
 * Deadlines in seconds (docs/switch-dialogues.md#deadlines). A driver has defaults for all of them; a target may change some.
 */
export interface DriverTimeouts {
  readonly connect: number
  readonly firstPrompt: number
  readonly show: number
  readonly runningConfig: number
  readonly load: number
  readonly commit: number
  readonly save: number
}

/** An SSH server through which a device is reached. */
export interface JumpHost {
  readonly host: string
  readonly port: number
  readonly username: string
  readonly password: Redacted.Redacted
  /** `SHA256:…` */
  readonly hostKey: string
  readonly algorithms: "modern" | "legacy"
}

/** A private key (OpenSSH or PEM), and its passphrase where it is encrypted. */
export interface LoginKey {
  readonly text: Redacted.Redacted
  readonly passphrase: Redacted.Redacted | null
}

// Whether this process still owns the work for which a session is open. A process that is suspended for some seconds loses its work
// to another process; when it continues, an answer that arrived meanwhile would make it send what it was allowed to send long ago
// (promise 1). So nothing is sent on a claim that may be stale: the claim is checked again before each command and between the
// parts of a long one (docs/changes.md#after-a-restart).

export interface WorkClaim {
  /** The claim was valid so recently that no other process can have taken the work over since. */
  readonly isFresh: () => boolean
  /** Checks the claim; yields why nothing more may be sent, or null if this process owns the work. */
  readonly ask: Effect.Effect<string | null>
}

/** Whether a claim that was valid at this instant (epoch milliseconds) need not be checked again. A clock that was set back proves nothing. */
export const isClaimFresh = (knownAt: number): boolean => Math.abs(Date.now() - knownAt) < BELIEVED * 1000

/** Why nothing more is sent: another process does the work, or may do it unnoticed. */
export const TAKEN_OVER = "another process has taken this work over"
export const UNASKED = "the database does not say whether another process has taken this work over"

/** Fails unless this process owns the work of the session; `whileDoing` is for the error. */
export const insistOnClaim = ({ address, claim, hostname }: DriverTarget, whileDoing: string) =>
  claim === undefined || claim.isFresh()
    ? Effect.void
    : Effect.flatMap(claim.ask, (message) =>
        message === null
          ? Effect.void
          : Effect.fail(new ConnectionException({ hostname, address, whileDoing, message }))
      )

/** Where and how to log in. Only the first five are needed. */
export interface DriverTarget {
  readonly hostname: string
  readonly address: string
  readonly username: string
  readonly password: Redacted.Redacted
  readonly hostKey: HostKeyPolicy
  /** The login is by this key alone; the password is for `enable` then. */
  readonly key?: LoginKey
  /** Checks the key that a switch shows, before any credentials are sent, unless it is the pinned one. */
  readonly keyCheck?: (fingerprint: string) => Effect.Effect<void, WrongDevice | ConnectionException>
  /** The identity that the switch is asked for at the login, in addition to what every login asks. Default: none. */
  readonly identify?: "serial" | "serial and name"
  /** Default 22. */
  readonly port?: number
  /** SSH algorithms; `legacy` adds the weak ones that old devices need. Default `modern`. */
  readonly algorithms?: "modern" | "legacy"
  /** Bytes of configuration sent ahead of the answers; 1 sends line by line. Default: the platform's. */
  readonly windowBytes?: number
  /** The prompt without its mode and sign, `*` for any text. Default: learnt at the login. */
  readonly prompt?: string
  /** For a switch that asks at `enable`. Default: the password of the login. */
  readonly enablePassword?: Redacted.Redacted
  /** The connection goes through this SSH server. */
  readonly jumpHost?: JumpHost
  readonly timeouts?: Partial<DriverTimeouts>
  /** Where key and certificate belong on a device that keeps them as files; left out: nowhere. */
  readonly certificateDirectory?: string
  /** Lines that this switch prints for information, in addition to those of its platform. */
  readonly remarks?: ReadonlyArray<DeviceRemark>
  /** The claim under which the session may send. Default: no other process can own its work. */
  readonly claim?: WorkClaim
  /** Called for each abandoned candidate of Switchyard that a load has removed. */
  readonly removed?: (name: string) => Effect.Effect<void>
}

// Readings of a device (docs/switch-dialogues.md#facts), in the form in which threads and replicas send it to each other.

/**
 * `speed` in Mbit/s, `last_flapped` in epoch seconds or −1, `mac_address` upper case with colons or empty. Fields that the switch
 * does not report are null. `errors` is absent if it counts none.
 */
export const InterfaceState = Schema.Struct({
  is_up: Schema.NullOr(Schema.Boolean),
  is_enabled: Schema.NullOr(Schema.Boolean),
  description: Schema.String,
  last_flapped: Schema.Finite,
  mtu: Schema.NullOr(Schema.Finite),
  speed: Schema.NullOr(Schema.Finite),
  mac_address: Schema.String,
  errors: Schema.optionalKey(PortErrors)
})
export type InterfaceState = typeof InterfaceState.Type

/** The state of each port. */
export const InterfaceStates = Schema.Record(Schema.String, InterfaceState)
export type InterfaceStates = typeof InterfaceStates.Type

/** The transceivers by port; empty where the platform shows none. */
export const Optics = Schema.Record(Schema.String, PortOptics)
export type Optics = typeof Optics.Type

/**
 * A neighbour on a port. `hostname` is the announced system name, which may be fully qualified; either is empty when the switch
 * does not say it.
 */
export const LldpNeighbour = Schema.Struct({ hostname: Schema.String, port: Schema.String })
export type LldpNeighbour = typeof LldpNeighbour.Type

/** The neighbours on each port. */
export const Neighbours = Schema.Record(Schema.String, Schema.Array(LldpNeighbour))
export type Neighbours = typeof Neighbours.Type

/** Everything that neighbours announce, by port. */
export const NeighbourDetails = Schema.Record(Schema.String, Schema.Array(NeighbourDetail))
export type NeighbourDetails = typeof NeighbourDetails.Type

/**
 * A candidate on the switch. `open` has uncommitted lines, `timed` is committed and will roll back. `name` is the text of a
 * candidate of Switchyard (`Candidate.ts`), or the switch's name for another person's.
 */
export interface ConfigSession {
  readonly name: string
  readonly state: "open" | "timed" | "done"
  readonly user: string
  /** A user is in an open session; absent where the platform does not say. */
  readonly attended?: boolean
  /** Epoch milliseconds at which an open session existed at the latest, by the switch's clock; absent where it does not say. */
  readonly since?: number
}

/** A commit that waits for its confirmation. */
export interface PendingCommit {
  readonly name: string
}

/**
 * Whether a commit timer runs. `none` needs a switch that has shown a timer before, now shows none in the same place, and shows
 * that our session has ended: otherwise a list without a timer may come from a release that shows it elsewhere, or from a switch
 * that hides a timer whose confirmation it has ignored.
 */
export type CommitTimer =
  | { readonly _tag: "running"; readonly name: string }
  /** `omitted`: the switch shows our session as it did while the timer ran, and only leaves the timer out. */
  | { readonly _tag: "none"; readonly omitted?: true }
  | { readonly _tag: "unknown" }

/** How the switch is set up for sessions; null where it does not say. */
export interface SessionLimits {
  readonly maxOpen: number | null
  readonly maxSaved: number | null
  /** A commit keeps what others have changed since the session was opened. */
  readonly mergesAtCommit: boolean | null
  /** A commit saves, also one with a timer. */
  readonly savesAtCommit: boolean | null
}

/** All sessions of a switch and the commit timer, of which a switch has at most one. */
export interface ConfigSessions {
  /** False if the account may not list them: then nothing is known of them, and `timer` is `unknown`. */
  readonly isListed: boolean
  readonly sessions: ReadonlyArray<ConfigSession>
  /** The timer that is seen to run. */
  readonly pending: Option.Option<PendingCommit>
  readonly timer: CommitTimer
  readonly limits: SessionLimits
}

/** Further effects of a commit on a switch. */
export interface CommitHabits {
  /** It saves, so after a rollback the switch would still start with the new configuration. */
  readonly savesAtCommit: boolean
  /** It keeps what others have changed since the session was opened. */
  readonly mergesAtCommit: boolean
}

/**
 * How a confirmation was given: `seen` if the switch showed our timer; `unseen` if the switch showed neither that it runs nor that
 * it has ended, and the confirmation was sent anyway, whatever the switch answered.
 */
export type ConfirmAnswer = "seen" | "unseen"

/** A candidate to load; `name` is its text (`Candidate.ts`). */
export interface LoadRequest {
  readonly text: string
  readonly mode: "replace" | "merge"
  readonly name: string
  /**
   * Jobs whose open candidates (not `name` itself) are abandoned, because no job works on them any more. They are removed before
   * the load. Default: none.
   */
  readonly mayAbort?: JobSelection
  /**
   * Seconds to wait for another person's open session to end when it is in the way (`LoadChecks.ts`); `ignore` loads despite open
   * sessions. Default 10 (docs/switch-dialogues.md#other-peoples-sessions).
   */
  readonly foreignSessions?: number | "ignore"
  /** A commit of Switchyard whose timer runs: the load continues despite it, to compare. Any other timer still stops the load. */
  readonly despiteTimer?: string
  /** A recent answer of `sessions`, which saves one more question. */
  readonly seen?: ConfigSessions
  /**
   * Leaves the session midway and enters it again. A switch that drops lines after a certain line then drops them elsewhere, so two
   * loads of the same text, one of them in parts, differ. Default false.
   */
  readonly inParts?: boolean
  /** Reads `willRun` as well. Default false. */
  readonly readBack?: boolean
  /**
   * The running configuration that was just read. If `willRun` differs from it, the switch's own difference is not asked for: only a
   * candidate without a change needs a second statement.
   */
  readonly runs?: string
}

/** The switch's answer to a line of a candidate that it accepted, with the secrets of the line masked. */
export type LineRemark = RejectedLine

/** How a switch itself compares the lines of a candidate with those that it runs. */
export interface LineComparison {
  /** Lines of the candidate that it does not run, by their numbers from 1; null where a line was rewritten. */
  readonly missing: ReadonlyArray<{ readonly line: string; readonly lineNumber: number | null }>
  /** Lines that it runs and the candidate does not have. */
  readonly extra: ReadonlyArray<string>
}

/** The result of a load, read after the section of the last line was left: a switch may take a section only then. */
export interface LoadResult {
  /**
   * The switch's own difference without its two header lines, trimmed; empty when nothing would change, or when `willRun` is known and
   * the switch was not asked for it or refuses it.
   */
  readonly diff: string
  /**
   * The whole configuration that the switch says it will run after the commit, with `\n` line ends; null when it was not read, or
   * when the platform or the release has no such statement.
   */
  readonly willRun: string | null
  /** Absent where the platform compares no lines, so that they must be looked for in what it shows. */
  readonly compared?: LineComparison
  /** Names of other people's open sessions that were not in the way; absent when there are none. */
  readonly otherSessions?: ReadonlyArray<string>
  /** Unknown remarks of the switch while the lines were loaded, in order; at most 100. */
  readonly remarks: ReadonlyArray<LineRemark>
}

/** How a commit that may move the management address ended: `silent` means that no answer came and the socket was destroyed. */
export type MovedCommit = "answered" | "silent"

/**
 * A logged-in, privileged session. It ends with the scope in which it was opened. A driver gives the verbs that its platform has,
 * and `DriverDefinition.ts` the rest.
 */
export interface DriverSession extends VerbGroups {
  /** The fingerprint that the switch showed, `SHA256:…`. */
  readonly hostKey: string
  /** The identity that it showed at the login, as far as `DriverTarget.identify` asked. */
  readonly shown: ShownIdentity
  readonly facts: Effect.Effect<Facts, ReadError>
  readonly interfaces: Effect.Effect<InterfaceStates, ReadError>
  /** Transceivers and their light; empty where the platform shows none. */
  readonly optics: Effect.Effect<Optics, ReadError>
  readonly lldp: Effect.Effect<Neighbours, ReadError>
  readonly lldpDetail: Effect.Effect<NeighbourDetails, ReadError>
  /** Stations that were learnt on ports. */
  readonly macTable: Effect.Effect<MacTable, ReadError>
  /** Stations by their addresses, of all VRFs, IPv4 and IPv6. */
  readonly arpTable: Effect.Effect<ReadonlyArray<ArpEntry>, ReadError>
  /**
   * The complete running configuration with `\n` line ends; an incomplete one is an error
   * (docs/switch-dialogues.md#running-configuration-and-hash).
   */
  readonly runningConfig: Effect.Effect<string, ReadError>
  /** The running configuration with its default lines; empty where the platform does not show it. */
  readonly runningDefaults: Effect.Effect<string, ReadError>
  readonly sessions: Effect.Effect<ConfigSessions, ReadError>
  /**
   * The same while our commit of this name may wait for its confirmation: asks in every form of the platform before `timer` is
   * `unknown`. `wasSeen`: the switch has shown our timer before, perhaps during another login.
   */
  readonly sessionsWhileTimed: (name: string, wasSeen: boolean) => Effect.Effect<ConfigSessions, ReadError>
  /**
   * Loads a candidate and reads its difference; the candidate stays open under its name. A rejected candidate is discarded
   * before the error is raised. A foreign commit timer always stops it.
   */
  readonly load: (request: LoadRequest) => Effect.Effect<LoadResult, LoadError>
  /** Removes the candidate or, if its timer is running, rolls it back at once. */
  readonly discard: (name: string) => Effect.Effect<void, ReadError>
  readonly commit: (name: string) => Effect.Effect<void, ExchangeError | CommitError>
  /** Commits; the switch rolls back on its own after `seconds` unless `confirm` comes first. */
  readonly commitTimed: (name: string, seconds: number) => Effect.Effect<void, ExchangeError | CommitError>
  /**
   * Stops the timer of our own commit, `wasSeen` as in `sessionsWhileTimed`. Works from another session than the one that
   * committed. Does not save. Refused if the timer is another one or has ended. `seen` is a recent answer of `sessionsWhileTimed`,
   * which saves one more question.
   */
  readonly confirm: (
    name: string,
    wasSeen?: boolean,
    seen?: ConfigSessions
  ) => Effect.Effect<ConfirmAnswer, ExchangeError | CommitError>
  /** Makes the running configuration the one that is used at the next start. */
  readonly save: Effect.Effect<void, ExchangeError | CommandRejected>
  /**
   * Commits and saves in one packet, for a change after which the switch may answer on another address only
   * (docs/provisioning.md#moving-to-the-new-address). If nothing comes back for `silenceSeconds`, the socket is destroyed and the
   * session ends; that is no error.
   */
  readonly commitAndSave: (
    name: string,
    silenceSeconds: number
  ) => Effect.Effect<MovedCommit, ExchangeError | CommitError>
  /** Drops the connection without a goodbye, for a switch that is known to be unreachable. Idempotent. */
  readonly abandon: Effect.Effect<void>
}

export interface Driver {
  /** The record of its platform. */
  readonly platform: Platform
  /**
   * The hash by which configurations of this platform are compared: hexadecimal, without volatile header lines
   * (docs/switch-dialogues.md#running-configuration-and-hash).
   */
  readonly configHash: (text: string) => string
  /** The further effects of a commit, by the list of sessions and by configurations that run or will run. */
  readonly commitHabits: (sessions: ConfigSessions, configs: ReadonlyArray<string>) => CommitHabits
  /** The text that is hashed: the configuration without volatile header lines, for comparing by eye. */
  readonly stableText: (text: string) => string
  /** Logs in. Waits for its turn when too many sessions are open or being opened. */
  readonly open: (target: DriverTarget) => Effect.Effect<DriverSession, ConnectError, Scope.Scope>
}
