/** The arguments of device_init and device_initcheck, and their parsed form (contract `api-devices.md` §5.1). */
import { Result } from "effect"
import type { DeviceType } from "../domain/Device.ts"
import { deviceTypeOf } from "../domain/Device.ts"
import { isHostname } from "../domain/Hostname.ts"
import { InitArgumentError } from "./ProvisioningErrors.ts"

/** The parsed form; its keys and their order are those of `parsed_args`. */
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

type Body = Readonly<Record<string, unknown>>
type Parsed<A> = Result.Result<A, InitArgumentError>

const refuse = (message: string) => Result.fail(new InitArgumentError({ message }))

const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null

const hostnameOf = (body: Body): Parsed<string> => {
  const { hostname } = body
  if (hostname === undefined) return refuse("POST data must include new 'hostname'")
  return isHostname(hostname) ? Result.succeed(hostname) : refuse("Provided hostname is not valid")
}

const typeOf = (body: Body): Parsed<DeviceType> => {
  const { device_type } = body
  if (device_type === undefined) return refuse("POST data must include 'device_type'")
  const type = deviceTypeOf(device_type)
  return type === undefined ? refuse("Invalid 'device_type' provided") : Result.succeed(type)
}

const mlagOf = (body: Body): Parsed<Pick<InitArguments, "mlag_peer_id" | "mlag_peer_new_hostname">> => {
  const hasId = "mlag_peer_id" in body
  if (hasId !== "mlag_peer_hostname" in body) {
    return refuse("Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified")
  }
  if (!hasId) return Result.succeed({})
  const { mlag_peer_hostname, mlag_peer_id } = body
  if (typeof mlag_peer_id !== "number" || !Number.isInteger(mlag_peer_id)) {
    return refuse("'mlag_peer_id' must be an integer")
  }
  return isHostname(mlag_peer_hostname)
    ? Result.succeed({ mlag_peer_id, mlag_peer_new_hostname: mlag_peer_hostname })
    : refuse("Provided 'mlag_peer_hostname' is not valid")
}

const neighborsOf = ({ neighbors }: Body): Parsed<ReadonlyArray<string> | null> => {
  if (isAbsent(neighbors)) return Result.succeed(null)
  if (!Array.isArray(neighbors)) {
    // No space after the first comma: the text is the one that clients know.
    return refuse("Neighbors must be specified as either a list of hostnames,an empty list, or not specified at all")
  }
  const hostnames = neighbors.filter(isHostname)
  return hostnames.length === neighbors.length
    ? Result.succeed(hostnames)
    : refuse("Invalid hostname specified in neighbor list")
}

const replaceOf = ({ replace_hostname }: Body): Parsed<Pick<InitArguments, "replace_hostname">> => {
  if (isAbsent(replace_hostname)) return Result.succeed({})
  return typeof replace_hostname === "boolean"
    ? Result.succeed({ replace_hostname })
    : refuse("'replace_hostname' must be a boolean")
}

/** Parses a request body; the first thing that is wrong is the error. */
export const parseInitArguments = (deviceId: number, body: Body): Parsed<InitArguments> =>
  Result.gen(function* () {
    const new_hostname = yield* hostnameOf(body)
    const device_type = yield* typeOf(body)
    const mlag = yield* mlagOf(body)
    const neighbors = yield* neighborsOf(body)
    const replace = yield* replaceOf(body)
    return { device_id: deviceId, new_hostname, device_type, ...mlag, neighbors, ...replace }
  })
