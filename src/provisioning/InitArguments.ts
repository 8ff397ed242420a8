/** The arguments of an initialisation, as its jobs and checks have them (docs/provisioning.md#arguments). */
import type { DeviceType } from "../domain/Device.ts"
import type { InitRequest } from "../domain/requests/InitRequests.ts"

/** The keys and their order are those of `parsed_args`. */
export interface InitArguments {
  readonly device_id: number
  readonly new_hostname: string
  readonly device_type: DeviceType
  readonly mlag_peer_id?: number
  readonly mlag_peer_new_hostname?: string
  /** Null: find out; empty: do not check. */
  readonly neighbors: ReadonlyArray<string> | null
  readonly replace_hostname?: boolean
}

/** The arguments that a request has for a device. */
export const initArguments = (
  device_id: number,
  { device_type, hostname, mlag_peer_hostname, mlag_peer_id, neighbors, replace_hostname }: InitRequest
): InitArguments => ({
  device_id,
  new_hostname: hostname,
  device_type,
  ...(mlag_peer_id === undefined ? {} : { mlag_peer_id }),
  ...(mlag_peer_hostname === undefined ? {} : { mlag_peer_new_hostname: mlag_peer_hostname }),
  neighbors,
  ...(replace_hostname === undefined ? {} : { replace_hostname })
})
