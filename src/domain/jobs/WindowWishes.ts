/** How a job goes by the windows of its devices (docs/windows.md#jobs); two keys among the arguments of every job that changes switches in service. */
import { Option, Schema } from "effect"

export const windowArgs = {
  /** Waits before it begins until all of its devices may be changed. */
  wait_for_window: Schema.optionalKey(Schema.Boolean),
  /** Why the windows do not count for it. */
  emergency: Schema.optionalKey(Schema.String)
}

const Wishes = Schema.Struct(windowArgs)
export type WindowWishes = typeof Wishes.Type

const read = Schema.decodeUnknownOption(Wishes)

/** The wishes among the arguments of a job, as its record has them. */
export const wishesOf = (start_arguments: unknown): WindowWishes => Option.getOrElse(read(start_arguments), () => ({}))
