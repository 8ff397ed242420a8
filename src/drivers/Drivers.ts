/** The drivers of all platforms that this server can log in to. */
import * as EosDriver from "./eos/EosDriver.ts"

/** Each as the effect that makes it on the connection limits of its thread. */
export const makers = [EosDriver.make]
