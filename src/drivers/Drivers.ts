/** The drivers of all platforms that this server can log in to. A driver more is a folder and one line here. */
import { Context, type Effect } from "effect"
import type { Driver } from "./Driver.ts"
import * as Eos from "./eos/Driver.ts"
import * as Frr from "./frr/Driver.ts"
import type { SshLimits } from "./ssh/SshLimits.ts"

/** Each as the effect that makes it on the connection limits of its thread. */
export const makers: ReadonlyArray<Effect.Effect<Driver, never, SshLimits>> = [Eos.make, Frr.make]

/** The drivers of a server: all of them, unless it is given others. */
export const Makers = Context.Reference("switchyard/drivers/Makers", { defaultValue: () => makers })
