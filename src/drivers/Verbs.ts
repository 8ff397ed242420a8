/**
 * Groups of verbs that only some platforms offer. The caller decides which steps may be repeated and what is recorded before them:
 * a verb does one thing and reports its end.
 */
import { Effect, type Option, type Redacted } from "effect"
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

/** The groups of a session; null where the platform has none, as its record says (`Capabilities`). */
export interface VerbGroups {
  readonly firmware: FirmwareVerbs | null
  readonly certificates: CertificateVerbs | null
  readonly reset: ResetVerbs | null
  readonly ports: PortVerbs | null
}

/** The verbs of a group, or NotOffered for a platform that should not have been asked. */
export const offered = <Group extends keyof VerbGroups>(
  session: VerbGroups,
  group: Group,
  hostname: string
): Effect.Effect<NonNullable<VerbGroups[Group]>, NotOffered> =>
  Effect.mapError(Effect.fromNullishOr(session[group]), () => new NotOffered({ hostname, verbs: group }))
