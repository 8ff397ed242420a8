/**
 * An address on which this program listens, and the sentence when it cannot: it names the address, the setting that changes it, and what
 * to do. Pure.
 */
import { Schema } from "effect"
import { codeOf } from "./SystemErrors.ts"

/** Where to listen, and the names of the settings that say so. */
export interface ListeningAddress {
  readonly host: string
  readonly port: number
  readonly settings: { readonly host: string; readonly port: string }
}

/** The program cannot listen where it must. Trying again does not help before somebody changes something. */
export class AddressUnavailable extends Schema.TaggedError<AddressUnavailable>()("AddressUnavailable", {
  message: Schema.String
}) {}

/** By the code of the operating system. */
const SENTENCES: Readonly<Record<string, (address: ListeningAddress) => string>> = {
  EADDRINUSE: ({ host, port, settings }) =>
    `Port ${port} of ${host} is taken: another program listens there, perhaps another Switchyard ("ss -ltnp" names it). End it, or set ${settings.port} to a free port`,
  EADDRNOTAVAIL: ({ host, settings }) =>
    `${host} is no address of this machine ("ip address" lists them). Set ${settings.host} to one that is`,
  EACCES: ({ host, port, settings }) =>
    `This user may not listen on port ${port} of ${host}. Set ${settings.port} to a port from 1024 on, or give the service AmbientCapabilities=CAP_NET_BIND_SERVICE`,
  ENOTFOUND: ({ host, settings }) => `No address is known for the name ${host} in ${settings.host}`
}

/** The error of a failed attempt to listen. */
export const addressUnavailable = (address: ListeningAddress, cause: unknown): AddressUnavailable => {
  const code = codeOf(cause) ?? ""
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  const { host, port } = address
  return new AddressUnavailable({
    message: sentence === undefined ? `Nothing can listen on port ${port} of ${host}: ${code}` : sentence(address)
  })
}
