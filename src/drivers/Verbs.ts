/**
 * Groups of verbs that only some platforms offer. The caller decides which steps may be repeated and what is recorded before them:
 * a verb does one thing and reports its end.
 */
import { Context, Effect, type Option, type Redacted, type Result } from "effect"
import type { Question, Reading, ReadingKind } from "../domain/checks/Readings.ts"
import type { JobSelection } from "./Candidate.ts"
import {
  type CommandRejected,
  type CommitError,
  type ExchangeError,
  type LoadError,
  NotOffered
} from "./DriverErrors.ts"
import type { ReadError } from "./DriverErrors.ts"

type Refusable = ExchangeError | CommandRejected

/** Where a device fetches an image: the whole URL, and the VRF to go through or null for the usual one. */
export interface ImageSource {
  readonly url: string
  readonly vrf: string | null
}

/** Images of the operating system; `file` is always a name without a path. */
export interface FirmwareVerbs {
  /** Free KiB for images. If there is little room, images that neither run nor boot next are removed first. */
  readonly makeRoom: Effect.Effect<number, ReadError>
  /** The image that boots next; empty when none is set. */
  readonly bootImage: Effect.Effect<string, ReadError>
  /** Bytes of an image on the device, 0 if it is missing. */
  readonly sizeOf: (file: string) => Effect.Effect<number, ReadError>
  /** A checksum in hexadecimal, computed by the device; none if the file is missing or the device cannot compute it. */
  readonly checksum: (kind: "sha512" | "md5", file: string) => Effect.Effect<Option.Option<string>, ReadError>
  /** Makes the device fetch an image. Takes minutes. */
  readonly fetch: (source: ImageSource) => Effect.Effect<void, Refusable>
  /** Removes an image; one that is missing is no error. */
  readonly remove: (file: string) => Effect.Effect<void, Refusable>
  /** Makes an image the one that boots next, proved by reading it again. */
  readonly activate: (file: string) => Effect.Effect<void, ReadError>
  readonly reload: ResetVerbs["reload"]
}

/** A private key and its certificate, both PEM. */
export interface KeyPair {
  readonly key: Redacted.Redacted
  readonly certificate: string
}

/** The key and the certificate that a device shows others. */
export interface CertificateVerbs {
  /**
   * Gives the device a key and its certificate instead of those that it has. Copies outside its stores are always removed. `claim`
   * is done before each step that changes the device, and its failure ends the installation.
   */
  readonly install: <E>(pair: KeyPair, claim: Effect.Effect<void, E>) => Effect.Effect<void, Refusable | E>
}

/** The way back to the factory default. */
export interface ResetVerbs {
  /** Removes the startup configuration, key and certificate. The device keeps running until it is restarted. */
  readonly wipe: Effect.Effect<void, Refusable>
  /** Restarts the device. After the command was sent, the session has ended and no kind of end is a failure. */
  readonly reload: Effect.Effect<void, CommandRejected>
}

/**
 * What has become of the commit that moves a device, as the device says it: it has none of this name, it waits for its confirmation
 * or may do so, it stays, or it was taken back by its timer.
 */
export type MoveState = "absent" | "waits" | "stays" | "takenBack"

/**
 * The move of a device to another address under its timer: it comes back by itself unless another login confirms the commit with
 * `DriverSession.confirm`. Left out where the device moves with `DriverSession.commitAndSave`.
 */
export interface MoveVerbs {
  /**
   * Commits with a timer of so many seconds. `silent`: nothing came back for `silenceSeconds`, or the connection has ended after the
   * commit was sent; then the session is over. A CommitError says that nothing was committed.
   */
  readonly commit: (
    name: string,
    seconds: number,
    silenceSeconds: number
  ) => Effect.Effect<"answered" | "silent", ExchangeError | CommitError>
  readonly state: (name: string) => Effect.Effect<MoveState, ReadError>
}

/** Lines that take ports down or up, under a candidate of their own. */
export interface PortLines {
  readonly name: string
  readonly text: string
  /** As in `LoadRequest`. */
  readonly mayAbort: JobSelection
}

/** Bounces of ports. `DriverSession.discard` removes the remains of a half. */
export interface PortVerbs {
  /**
   * Adds the lines to the running configuration; true when they made a difference. `claim` comes after they were accepted and
   * before they take effect; its failure stops them. They are not saved.
   */
  readonly apply: <E>(
    lines: PortLines,
    claim: Effect.Effect<unknown, E>
  ) => Effect.Effect<boolean, LoadError | CommitError | E>
}

/** Readings of the state of a device (docs/switch-dialogues.md#readings). */
export interface ReadingVerbs {
  readonly kinds: ReadonlySet<ReadingKind>
  /** The reading has the kind of the question. Another kind is NotOffered, and nothing is sent then. */
  readonly read: (question: Question) => Effect.Effect<Reading, ReadError | NotOffered>
}

/** Read-only commands of a device, which checks of plugins give (docs/plugins.md#a-check-of-your-own). */
export interface ShowVerbs {
  /**
   * The text that a command shows. One that is not read-only by the platform's record (`domain/platforms/ReadOnlyCommands.ts`) is
   * refused before anything is sent, whatever the driver is (`DriverDefinition.ts`). More than `MOST_SHOWN` ends the session.
   */
  readonly show: (command: string) => Effect.Effect<string, ReadError>
}

/** The most characters that one command may show. */
export const MOST_SHOWN = 262_144

/**
 * Whole answers of the device by their commands, for questions that are asked together: such a command is sent once. Null: every
 * question is asked anew. Drivers look here before they send.
 */
export const SharedAnswers = Context.Reference<Map<string, string> | null>("switchyard/drivers/SharedAnswers", {
  defaultValue: () => null
})

/**
 * Asks all questions in one turn, and yields a result for each, in their order: one that fails does not keep the others from being
 * answered, unless the connection is gone.
 */
export const readTogether = (
  { read }: ReadingVerbs,
  questions: ReadonlyArray<Question>
): Effect.Effect<ReadonlyArray<Result.Result<Reading, ReadError | NotOffered>>> =>
  Effect.suspend(() =>
    Effect.forEach(questions, (question) => Effect.result(read(question))).pipe(
      Effect.provideService(SharedAnswers, new Map())
    )
  )

/** The groups of a session; null where the platform has none, as its record says (`Capabilities`). */
export interface VerbGroups {
  readonly firmware: FirmwareVerbs | null
  readonly certificates: CertificateVerbs | null
  readonly reset: ResetVerbs | null
  readonly ports: PortVerbs | null
  readonly move: MoveVerbs | null
  readonly readings: ReadingVerbs | null
  readonly show: ShowVerbs | null
}

/** The verbs of a group, or NotOffered for a platform that should not have been asked. */
export const offered = <Group extends keyof VerbGroups>(
  session: VerbGroups,
  group: Group,
  hostname: string
): Effect.Effect<NonNullable<VerbGroups[Group]>, NotOffered> =>
  Effect.mapError(Effect.fromNullishOr(session[group]), () => new NotOffered({ hostname, verbs: group }))
