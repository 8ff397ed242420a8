/**
 * The definition of a job's function without its work: its name, the schemas of its arguments and of its memo, and how the
 * engine treats it. The starter of the job, the API and the handler read the definition; the work is in the handler, a file of
 * the same name below `src/jobs`.
 */
import { Effect, Option, Schema } from "effect"
import { DeviceType } from "../Device.ts"

/**
 * Kinds of work, each with its own number of places: jobs that wait for other servers take no places from jobs that configure
 * switches.
 */
export type KindOfWork = "devices" | "firmware" | "discovery"

/** A discovery of an address by a switch with this MAC address. */
export interface Discovery {
  readonly ztp_mac: string
  readonly dhcp_ip: string
}

type AnyCodec = Schema.Codec<unknown, unknown>

/** The fields of a definition. `Memo` is what the function stores for a restart; Schema.Never when it stores nothing. */
interface Definition<Name extends string, Args extends AnyCodec, Memo extends AnyCodec> {
  readonly name: Name
  readonly Args: Args
  readonly Memo: Memo
  /** The kind of place that the job takes; null when it needs none. */
  readonly kind: KindOfWork | null
  /** Whether the job works from its begin to its end on the commits that were in force at its begin. */
  readonly pinsCommits?: boolean
  /** Whether with these arguments the job needs the lock for everything that configures devices. Default: no. */
  readonly locksDevices?: (args: Args["Type"]) => boolean
  /** Whether a job with these arguments may change a device. Default: yes. */
  readonly changesDevices?: (args: Args["Type"]) => boolean
  /**
   * Whether with these arguments the job changes switches in service, so that it follows their windows (docs/windows.md#jobs).
   * Default: whenever it changes devices.
   */
  readonly followsWindows?: (args: Args["Type"]) => boolean
  /** The address that the job discovers: a second job for it is rejected while the first waits. Default: none. */
  readonly discovers?: (args: Args["Type"]) => Discovery
}

/** A job's function. Its schemas read and write arguments and memos, here and in `src/jobs/engine` only. */
export interface JobDefinition<Name extends string, Args extends AnyCodec, Memo extends AnyCodec> {
  readonly name: Name
  readonly Args: Args
  readonly Memo: Memo
  readonly kind: KindOfWork | null
  readonly pinsCommits: boolean
  /** Whether a job with these arguments, in the form of its record, needs the lock. False for invalid arguments. */
  readonly needsDevicesLock: (start_arguments: unknown) => boolean
  /** Whether a job with these arguments may change a device. True for invalid arguments. */
  readonly isLive: (start_arguments: unknown) => boolean
  /** Whether a job with these arguments follows the windows of its devices. True for invalid arguments. */
  readonly followsWindows: (start_arguments: unknown) => boolean
  /** The address that a job with these arguments discovers; none for another function. */
  readonly discoveryIn: (start_arguments: unknown) => Option.Option<Discovery>
}

/** Any job's function. */
export type AnyJob = JobDefinition<string, AnyCodec, AnyCodec>

/** Arguments as in the request and in the record: defaults may be left out. */
export type SentArgs<J extends AnyJob> = J["Args"]["Encoded"]
/** Arguments in the handler. */
export type ArgsOf<J extends AnyJob> = J["Args"]["Type"]
export type MemoOf<J extends AnyJob> = J["Memo"]["Type"]

/** Describes a job's function. It runs once its handler is in the list of `src/jobs/JobList.ts`. */
export const defineJob = <const Name extends string, Args extends AnyCodec, Memo extends AnyCodec>({
  changesDevices = () => true,
  discovers,
  followsWindows = changesDevices,
  locksDevices,
  pinsCommits = false,
  ...definition
}: Definition<Name, Args, Memo>): JobDefinition<Name, Args, Memo> => {
  const read = (start_arguments: unknown) => Schema.decodeUnknownOption(definition.Args)(start_arguments)
  return {
    ...definition,
    pinsCommits,
    isLive: (sent) => Option.match(read(sent), { onNone: () => true, onSome: changesDevices }),
    followsWindows: (sent) =>
      definition.kind === "devices" && Option.match(read(sent), { onNone: () => true, onSome: followsWindows }),
    needsDevicesLock: (sent) => locksDevices !== undefined && Option.exists(read(sent), locksDevices),
    discoveryIn: (sent) => (discovers === undefined ? Option.none() : Option.map(read(sent), discovers))
  }
}

/** A boolean with a default. */
export const flag = (fallback: boolean) => Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

/** The devices of a job: those with these names, this type, this group; all managed ones without any. */
export const deviceArgs = {
  hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
  device_type: Schema.optionalKey(DeviceType),
  group: Schema.optionalKey(Schema.String)
}

// How a job follows the windows of its devices (docs/windows.md#jobs); two keys among the arguments of every job that changes
// switches in service.

export const windowArgs = {
  /** Waits before it begins until all of its devices may be changed. */
  wait_for_window: Schema.optionalKey(Schema.Boolean),
  /** The reason for changes outside of windows. */
  emergency: Schema.optionalKey(Schema.String)
}

/** Why the checks of the devices are not made; only with the permission for that (docs/checks.md#leaving-checks-out). */
export const skipArgs = { skip_checks: Schema.optionalKey(Schema.String) }

const WindowChoice = Schema.Struct(windowArgs)
export type WindowChoice = typeof WindowChoice.Type

const read = Schema.decodeUnknownOption(WindowChoice)

/** The window options among the arguments of a job, in the form of its record. */
export const windowChoiceOf = (start_arguments: unknown): WindowChoice =>
  Option.getOrElse(read(start_arguments), () => ({}))
