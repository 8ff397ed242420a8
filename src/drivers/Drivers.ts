/** The drivers of all platforms that this server can log in to. A driver more is a folder and one line here. */
import * as Eos from "./eos/Driver.ts"
import * as Frr from "./frr/Driver.ts"

/** Each as the effect that makes it on the connection limits of its thread. */
export const makers = [Eos.make, Frr.make]
