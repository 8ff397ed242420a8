/**
 * Finding the management domain that an access switch belongs to, from the devices above it
 * (docs/provisioning.md#choice-of-the-management-domain).
 */
import { Result } from "effect"
import type { Device } from "../domain/Device.ts"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import { containsAddress, parseNetwork } from "../domain/Network.ts"
import { MgmtDomainNotFound, quotedList } from "./ProvisioningErrors.ts"

/** A device at the far end of an uplink. */
export type UplinkDevice = Pick<Device, "id" | "hostname" | "device_type" | "management_ip">

/** Everything there is to choose from. */
export interface DomainChoice {
  readonly domains: ReadonlyArray<MgmtDomain>
  /** Ids of all devices of type CORE. */
  readonly coreDevices: ReadonlySet<number>
}

type Choice = Result.Result<MgmtDomain, MgmtDomainNotFound>

const refuse = (message: string): Choice => Result.fail(new MgmtDomainNotFound({ message }))

const lowestId = (domains: ReadonlyArray<MgmtDomain>): MgmtDomain | undefined =>
  domains.toSorted((a, b) => a.id - b.id)[0]

const hasMember = (domain: MgmtDomain, id: number): boolean => domain.device_a_id === id || domain.device_b_id === id

const hasMembers = (domain: MgmtDomain, a: number, b: number): boolean =>
  (domain.device_a_id === a && domain.device_b_id === b) || (domain.device_a_id === b && domain.device_b_id === a)

/** The management domain whose gateway network, of either family, holds this address; the lowest id when several do. */
export const domainOfAddress = (domains: ReadonlyArray<MgmtDomain>, address: string | null): MgmtDomain | undefined =>
  address === null
    ? undefined
    : lowestId(
        domains.filter(({ ipv4_gw, ipv6_gw }) =>
          [ipv4_gw, ipv6_gw].some((gateway) =>
            gateway === null
              ? false
              : Result.match(parseNetwork(gateway), {
                  onFailure: () => false,
                  onSuccess: (network) => containsAddress(network, address)
                })
          )
        )
      )

const nothingFits = (uplinks: ReadonlyArray<UplinkDevice>): Choice =>
  refuse(
    `Could not find appropriate management domain for uplink peer devices: ${quotedList(uplinks.map(({ hostname }) => hostname))}`
  )

const belowOne = (uplink: UplinkDevice, { domains }: DomainChoice): Choice => {
  if (uplink.device_type === "DIST") {
    const domain = lowestId(domains.filter((candidate) => hasMember(candidate, uplink.id)))
    return domain === undefined
      ? refuse(`No mgmtdomain found for uplink device: ${uplink.hostname}`)
      : Result.succeed(domain)
  }
  if (uplink.device_type !== "ACCESS") return refuse(`Unexpected uplink device type: ${uplink.device_type}`)
  const domain = domainOfAddress(domains, uplink.management_ip)
  return domain === undefined ? nothingFits([uplink]) : Result.succeed(domain)
}

const belowTwoDist = (a: UplinkDevice, b: UplinkDevice, { coreDevices, domains }: DomainChoice): Choice => {
  const pair = lowestId(domains.filter((domain) => hasMembers(domain, a.id, b.id)))
  if (pair !== undefined) return Result.succeed(pair)
  const ofCore = domains.filter(
    ({ device_a_id, device_b_id }) => coreDevices.has(device_a_id) || coreDevices.has(device_b_id)
  )
  const [only, another] = ofCore
  if (only === undefined) return nothingFits([a, b])
  return another === undefined
    ? Result.succeed(only)
    : refuse("Found multiple possible mgmtdomains, please remove any redundant mgmtdomains")
}

const belowTwoAccess = (a: UplinkDevice, b: UplinkDevice, { domains }: DomainChoice): Choice => {
  const [ofA, ofB] = [a, b].map(({ management_ip }) => domainOfAddress(domains, management_ip))
  const hostnames = `${a.hostname}, ${b.hostname}`
  if (ofA === undefined || ofB === undefined)
    return refuse(`Uplink access devices are missing mgmtdomains: ${hostnames}`)
  return ofA.id === ofB.id
    ? Result.succeed(ofA)
    : refuse(`Uplink access devices have different mgmtdomains: ${hostnames}`)
}

/**
 * The management domain below these uplinks, one entry per uplink link. When several domains fit equally the one with the
 * lowest id is taken. Fails with MgmtDomainNotFound.
 */
export const findMgmtDomain = (uplinks: ReadonlyArray<UplinkDevice>, choice: DomainChoice): Choice => {
  const [a, b] = uplinks
  if (a === undefined || uplinks.length > 2) {
    const list = quotedList(uplinks.map(({ hostname }) => hostname))
    return refuse(`One or two uplink devices are required to find a compatible mgmtdomain, got: ${list}`)
  }
  if (b === undefined) return belowOne(a, choice)
  if (a.device_type !== b.device_type) {
    return refuse(`Both uplink devices must be of same device type: ${a.hostname}, ${b.hostname}`)
  }
  if (a.device_type === "DIST") return belowTwoDist(a, b, choice)
  if (a.device_type === "ACCESS") return belowTwoAccess(a, b, choice)
  return refuse(`Unexpected uplink device type: ${a.device_type}`)
}
