/**
 * The problems that prevent the initialisation of a switch. The tag of each error is the type name in job records, the message is
 * the sentence that clients know (docs/provisioning.md). A retry alone never helps: cabling, settings or the device's record must
 * change first.
 */
import { Result, Schema } from "effect"

const withMessage = { message: Schema.String }

/** A port on either end of a cable is not configured for it (docs/provisioning.md#port-rules). */
export class InterfaceError extends Schema.TaggedError<InterfaceError>()("InterfaceError", withMessage) {}

/** The neighbours do not fit a device of this type (docs/provisioning.md#neighbour-checks). */
export class InitVerificationError extends Schema.TaggedError<InitVerificationError>()(
  "InitVerificationError",
  withMessage
) {}

/** A neighbour is not in the database. */
export class NeighborError extends Schema.TaggedError<NeighborError>()("NeighborError", withMessage) {}

/** A device that must exist does not. */
export class DeviceError extends Schema.TaggedError<DeviceError>()("DeviceError", withMessage) {}

/** A device exists but is in the wrong state. */
export class DeviceStateError extends Schema.TaggedError<DeviceStateError>()("DeviceStateError", {
  message: Schema.String,
  /** No change of the state helps: a device of this kind is never replaced. */
  isUnsupported: Schema.optionalKey(Schema.Boolean)
}) {}

/** A neighbour waits for a sync. */
export class DeviceSyncError extends Schema.TaggedError<DeviceSyncError>()("DeviceSyncError", withMessage) {}

/**
 * No management domain belongs to these uplinks, or more than one does (docs/provisioning.md#choice-of-the-management-domain).
 */
export class MgmtDomainNotFound extends Schema.TaggedError<MgmtDomainNotFound>()("MgmtDomainNotFound", withMessage) {}

/** A network has no free address or subnet left. */
export class NoFreeAddress extends Schema.TaggedError<NoFreeAddress>()("NoFreeAddress", withMessage) {}

/** A device shows no interface that the interface database could hold (docs/provisioning.md#ports-of-an-access-switch). */
export class NoPhysicalInterfaces extends Schema.TaggedError<NoPhysicalInterfaces>()(
  "NoPhysicalInterfaces",
  withMessage
) {}

/** The two switches of an MLAG pair do not both point at each other (docs/provisioning.md#mlag-pairs). */
export class InconsistentMlagPeer extends Schema.TaggedError<InconsistentMlagPeer>()(
  "InconsistentMlagPeer",
  withMessage
) {}

/** The arguments of device_init or device_initcheck are not usable (docs/provisioning.md#arguments). */
export class InitArgumentError extends Schema.TaggedError<InitArgumentError>()("InitArgumentError", withMessage) {
  get httpStatus() {
    return 400 as const
  }
}

/** A list as texts print it: `['a', 'b']`. */
export const quotedList = (names: ReadonlyArray<string>): string => `[${names.map((name) => `'${name}'`).join(", ")}]`

// Collects all problems, because stopping at the first one would hide the others.

interface Problem {
  readonly message: string
}

/** The successes and the failures, both in order. */
export const collect = <A, E>(
  results: Iterable<Result.Result<A, E>>
): { readonly values: ReadonlyArray<A>; readonly problems: ReadonlyArray<E> } => {
  const values: Array<A> = []
  const problems: Array<E> = []
  for (const result of results) {
    if (Result.isSuccess(result)) values.push(result.success)
    else problems.push(result.failure)
  }
  return { values, problems }
}

/** One text for all problems, each included once; the text of a single problem is unchanged. */
export const problemsText = (problems: ReadonlyArray<Problem>): string =>
  [...new Set(problems.map(({ message }) => message))].join("; ")

/** The value if there is no problem; a single problem unchanged; several as the error that `merge` makes of their text. */
export const orProblems = <A, E extends Problem>(
  value: A,
  problems: ReadonlyArray<E>,
  merge: (message: string) => E
): Result.Result<A, E> => {
  const [first] = problems
  if (first === undefined) return Result.succeed(value)
  return Result.fail(problems.length === 1 ? first : merge(problemsText(problems)))
}
