/**
 * What is known of a job's function beside what it does: its name, the schemas of its arguments and of its memo, and how the
 * engine treats it. A definition is read by whoever starts the job, by the API, and by the handler; what the job does is in
 * the handler, a file of the same name below `src/jobs`.
 */
import { Effect, Option, Schema } from "effect"
import { DeviceType } from "../Device.ts"

/** Kinds of work, each with its own number of places: what waits for somebody else takes none from jobs that configure switches. */
export type KindOfWork = "devices" | "firmware" | "discovery"

/** A discovery of an address by a switch with this MAC address. */
export interface Discovery {
  readonly ztp_mac: string
  readonly dhcp_ip: string
}

type AnyCodec = Schema.Codec<unknown, unknown>

/** What a definition says. `Memo` is what the function remembers for a restart; Schema.Never when it remembers nothing. */
interface Definition<Name extends string, Args extends AnyCodec, Memo extends AnyCodec> {
  readonly name: Name
  readonly Args: Args
  readonly Memo: Memo
  /** In whose places the job runs; null when it needs none. */
  readonly kind: KindOfWork | null
  /** Whether the job works on the commits that are in force when it begins, until it ends. */
  readonly pinsCommits?: boolean
  /** With which arguments the job works under the lock of everything that configures devices. Default: none. */
  readonly locksDevices?: (args: Args["Type"]) => boolean
  /** Whether a job with these arguments may change a device. Default: yes. */
  readonly changesDevices?: (args: Args["Type"]) => boolean
  /**
   * With which arguments the job changes switches in service, so that it follows their windows (docs/windows.md#jobs). Default: whenever it
   * changes devices.
   */
  readonly followsWindows?: (args: Args["Type"]) => boolean
  /** The address that the job discovers: a second job for it is rejected while the first waits. Default: none. */
  readonly discovers?: (args: Args["Type"]) => Discovery
}

/** A job's function. Arguments and memos are read and written by its schemas, here and in `src/jobs/engine` only. */
export interface JobDefinition<Name extends string, Args extends AnyCodec, Memo extends AnyCodec> {
  readonly name: Name
  readonly Args: Args
  readonly Memo: Memo
  readonly kind: KindOfWork | null
  readonly pinsCommits: boolean
  /** Whether a job with these arguments, as its record has them, needs the lock. False for arguments that are wrong. */
  readonly needsDevicesLock: (start_arguments: unknown) => boolean
  /** Whether a job with these arguments may change a device. True for arguments that are wrong. */
  readonly isLive: (start_arguments: unknown) => boolean
  /** Whether a job with these arguments follows the windows of its devices. True for arguments that are wrong. */
  readonly followsWindows: (start_arguments: unknown) => boolean
  /** What a job with these arguments discovers; none for another function. */
  readonly discoveryIn: (start_arguments: unknown) => Option.Option<Discovery>
}

/** Any job's function. */
export type AnyJob = JobDefinition<string, AnyCodec, AnyCodec>

/** Arguments as they are sent and as the record shows them: defaults may be left out. */
export type SentArgs<J extends AnyJob> = J["Args"]["Encoded"]
/** Arguments as the handler gets them. */
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

/** A boolean that is this when it is left out. */
export const flag = (fallback: boolean) => Schema.Boolean.pipe(Schema.withDecodingDefaultKey(Effect.succeed(fallback)))

/** Which devices a job works on: those of these names, this type, this group; all managed ones without any. */
export const deviceArgs = {
  hostnames: Schema.optionalKey(Schema.Array(Schema.String)),
  device_type: Schema.optionalKey(DeviceType),
  group: Schema.optionalKey(Schema.String)
}

// How a job goes by the windows of its devices (docs/windows.md#jobs); two keys among the arguments of every job that changes switches in service.

export const windowArgs = {
  /** Waits before it begins until all of its devices may be changed. */
  wait_for_window: Schema.optionalKey(Schema.Boolean),
  /** Why the windows do not count for it. */
  emergency: Schema.optionalKey(Schema.String)
}

const WindowChoice = Schema.Struct(windowArgs)
export type WindowChoice = typeof WindowChoice.Type

const read = Schema.decodeUnknownOption(WindowChoice)

/** The wishes among the arguments of a job, as its record has them. */
export const windowChoiceOf = (start_arguments: unknown): WindowChoice =>
  Option.getOrElse(read(start_arguments), () => ({}))
