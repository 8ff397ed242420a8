/**
 * Addresses for a new switch (docs/provisioning.md#addresses) and the template variables that follow from them
 * (docs/provisioning.md#access-step-1 and docs/provisioning.md#fabric-step-1). An access switch gets a host address of its
 * management domain, on a dual-stack domain one of each family; a fabric device gets loopback addresses from the settings.
 * Always the lowest free address.
 */
import { Option, Result } from "effect"
import type { MgmtDomain } from "../domain/MgmtDomain.ts"
import {
  type AddressRange,
  containsAddress,
  formatAddress,
  formatNetwork,
  hostAddresses,
  InvalidNetwork,
  type IpVersion,
  type Network,
  parseAddress,
  parseNetwork,
  WIDTH
} from "../domain/Network.ts"
import { collect, NoFreeAddress, problemsText } from "./ProvisioningErrors.ts"

// Choosing free addresses and subnets of a network: always the lowest free one, for IPv4 and IPv6 alike.

/** Every address of a network, its first included: the pool of loopback addresses. */
export const allAddresses = ({ first, last, version }: Network): AddressRange => ({ version, first, last })

/** The same range without its first `count` addresses; it may become empty. */
export const withoutFirst = (range: AddressRange, count: number): AddressRange => ({
  ...range,
  first: range.first + BigInt(count)
})

const valuesOf = (version: IpVersion, texts: Iterable<string>): ReadonlySet<bigint> => {
  const values = new Set<bigint>()
  for (const text of texts) {
    if (text.includes(":") !== (version === 6)) continue
    const value = parseAddress(version, text)
    if (Option.isSome(value)) values.add(value.value)
  }
  return values
}

/** The lowest free address of the range. Its time depends only on the number of taken addresses. */
export const firstFree = (range: AddressRange, taken: Iterable<string>): Option.Option<string> => {
  const values = valuesOf(range.version, taken)
  for (let value = range.first; value <= range.last; value++) {
    if (!values.has(value)) return Option.some(formatAddress(range.version, value))
  }
  return Option.none()
}

/**
 * The lowest subnets of `prefixLength` that overlap none of the taken networks, at most `count` of them, in ascending order.
 */
export const freeSubnets = (
  network: Network,
  prefixLength: number,
  taken: Iterable<Network>,
  count: number
): ReadonlyArray<Network> => {
  const size = 1n << BigInt(WIDTH[network.version] - prefixLength)
  const blocks = [...taken]
    .filter((block) => block.version === network.version && block.first <= network.last && block.last >= network.first)
    .toSorted((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0))
  const free: Array<Network> = []
  let next = 0
  let takenUpTo = network.first - 1n
  for (let at = network.first; free.length < count && at + size - 1n <= network.last; at += size) {
    const end = at + size - 1n
    for (let block = blocks[next]; block !== undefined && block.first <= end; block = blocks[++next]) {
      if (block.last > takenUpTo) takenUpTo = block.last
    }
    if (takenUpTo < at) {
      free.push({ version: network.version, prefixLength, address: at, first: at, last: end })
    }
  }
  return free
}

/** An address chosen for a device. It must be reserved at once, so that no other device gets it. */
interface ChosenAddress {
  readonly ip_version: IpVersion
  readonly ip: string
}

/** An address of an access switch, with the facts about its network for the templates. */
interface ManagementAddress extends ChosenAddress {
  readonly prefixLength: number
  /** Address of the gateway, without length. */
  readonly gateway: string
  /** The gateway's network as CIDR. */
  readonly network: string
}

export interface ManagementAddresses {
  readonly primary: ManagementAddress
  /** Only on a dual-stack domain. */
  readonly secondary: ManagementAddress | null
}

export interface AccessAllocation {
  readonly domain: MgmtDomain
  /** How many of the first host addresses are never assigned. */
  readonly reservedCount: number
  /** Family of the primary address when the domain has both gateways. */
  readonly primaryVersion: IpVersion
  /** Management addresses of devices, of both kinds, and reservations of other devices. */
  readonly taken: Iterable<string>
  /** Addresses of a replaced switch: used again if they fit the domain. */
  readonly reuse?: Iterable<string>
}

type AllocationError = NoFreeAddress | InvalidNetwork

const noAddresses = (problems: ReadonlyArray<AllocationError>): Result.Result<never, AllocationError> =>
  Result.fail(
    problems.length === 1 && problems[0] !== undefined
      ? problems[0]
      : new NoFreeAddress({ message: problemsText(problems) })
  )

const gatewaysOf = (domain: MgmtDomain, primaryVersion: IpVersion): ReadonlyArray<string> => {
  const [first, second] = primaryVersion === 4 ? [domain.ipv4_gw, domain.ipv6_gw] : [domain.ipv6_gw, domain.ipv4_gw]
  return [first, second].filter((gateway) => gateway !== null)
}

const chooseAddress = (
  network: Network,
  allocation: AccessAllocation,
  kind: "primary" | "secondary"
): Result.Result<ManagementAddress, NoFreeAddress> => {
  const { domain, reservedCount, reuse = [], taken } = allocation
  const gateway = formatAddress(network.version, network.address)
  const members = [domain.device_a_ip, domain.device_b_ip].filter((ip) => ip !== null)
  const free = Option.orElse(Option.fromUndefinedOr([...reuse].find((ip) => containsAddress(network, ip))), () =>
    firstFree(withoutFirst(hostAddresses(network), reservedCount), [...taken, gateway, ...members])
  )
  return Option.match(free, {
    onNone: () => {
      const where = `${domain.id}/${domain.description ?? "None"}`
      return Result.fail(
        new NoFreeAddress({ message: `Could not find free ${kind} management IP for management domain ${where}` })
      )
    },
    onSome: (ip) =>
      Result.succeed({
        ip_version: network.version,
        ip,
        prefixLength: network.prefixLength,
        gateway,
        network: formatNetwork(network)
      })
  })
}

/**
 * The management addresses of a new access switch. Fails with NoFreeAddress when a network is full, with InvalidNetwork when
 * the domain has no usable gateway.
 */
export const allocateManagement = (
  allocation: AccessAllocation
): Result.Result<ManagementAddresses, AllocationError> => {
  const { domain, primaryVersion } = allocation
  const kinds = ["primary", "secondary"] as const
  const { problems, values } = collect<ManagementAddress, AllocationError>(
    gatewaysOf(domain, primaryVersion).map((gateway, index) =>
      Result.flatMap(parseNetwork(gateway), (network) => chooseAddress(network, allocation, kinds[index] ?? "primary"))
    )
  )
  const [primary, secondary = null] = values
  const message = `Management domain ${domain.id}/${domain.description} has no gateway`
  const found: Result.Result<ManagementAddresses, AllocationError> =
    primary === undefined ? Result.fail(new InvalidNetwork({ message })) : Result.succeed({ primary, secondary })
  return problems.length === 0 ? found : noAddresses(problems)
}

/** The addresses of a fabric device; each is a /32 (or /128) of its own. */
interface FabricAddresses {
  readonly management: ChosenAddress
  readonly infra: ChosenAddress
}

interface FabricAllocation {
  /** Settings `underlay.mgmt_lo_net` and `underlay.infra_lo_net`; null when the settings have none. */
  readonly mgmtLoNet: string | null
  readonly infraLoNet: string | null
  /** Management addresses of devices and reservations of other devices. */
  readonly takenManagement: Iterable<string>
  /** infra_ip of all devices. */
  readonly takenInfra: Iterable<string>
}

/**
 * The lowest free address of a loopback network, including its first address. `setting` names the network in the error. Also used
 * for a CORE or DIST device that an operator creates without addresses.
 */
export const allocateLoopback = (
  setting: "mgmt_lo_net" | "infra_lo_net",
  cidr: string | null,
  taken: Iterable<string>
): Result.Result<ChosenAddress, AllocationError> => {
  if (cidr === null) return Result.fail(new InvalidNetwork({ message: `No underlay->${setting} in the settings` }))
  return Result.flatMap(parseNetwork(cidr), (network) =>
    Option.match(firstFree(allAddresses(network), taken), {
      onNone: () => Result.fail(new NoFreeAddress({ message: `Could not find free address in ${setting} ${cidr}` })),
      onSome: (ip) => Result.succeed({ ip_version: network.version, ip })
    })
  )
}

/** Both loopback addresses of a new fabric device. Fails like `allocateLoopback`. */
export const allocateFabric = (allocation: FabricAllocation): Result.Result<FabricAddresses, AllocationError> => {
  const management = allocateLoopback("mgmt_lo_net", allocation.mgmtLoNet, allocation.takenManagement)
  const infra = allocateLoopback("infra_lo_net", allocation.infraLoNet, allocation.takenInfra)
  const { problems } = collect<ChosenAddress, AllocationError>([management, infra])
  return problems.length === 0 ? Result.all({ management, infra }) : noAddresses(problems)
}

/** The management variables of an access switch's template. The secondary ones are missing on a single-stack domain. */
export const accessVariables = (
  { primary, secondary }: ManagementAddresses,
  domain: Pick<MgmtDomain, "vlan">
): Readonly<Record<string, string | number | null>> => ({
  mgmt_ip: primary.ip,
  mgmt_ipif: `${primary.ip}/${primary.prefixLength}`,
  mgmt_prefixlen: primary.prefixLength,
  mgmt_vlan_id: domain.vlan,
  mgmt_gw: primary.gateway,
  ...(secondary === null
    ? {}
    : {
        secondary_mgmt_ip: secondary.ip,
        secondary_mgmt_ipif: `${secondary.ip}/${secondary.prefixLength}`,
        secondary_mgmt_prefixlen: secondary.prefixLength,
        secondary_mgmt_gw: secondary.gateway
      })
})

const HOST_LENGTH: Readonly<Record<IpVersion, number>> = { 4: 32, 6: 128 }

/** The address variables of a fabric device's template. */
export const fabricVariables = ({ infra, management }: FabricAddresses): Readonly<Record<string, string | number>> => ({
  mgmt_ip: management.ip,
  mgmt_ipif: `${management.ip}/${HOST_LENGTH[management.ip_version]}`,
  mgmt_prefixlen: HOST_LENGTH[management.ip_version],
  infra_ip: infra.ip,
  infra_ipif: `${infra.ip}/${HOST_LENGTH[infra.ip_version]}`
})
