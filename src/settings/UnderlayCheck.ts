/**
 * The address pools of the fabric, before somebody needs an address from them: a network with host bits set passes the schema
 * but can hand out nothing (docs/templates.md#variables-of-dist-and-core).
 */
import type { Finding } from "./Finding.ts"
import type { EffectiveSettings } from "./Layering.ts"

const POOLS = ["infra_lo_net", "infra_link_net", "mgmt_lo_net"] as const

const hasHostBits = (network: string): boolean => {
  const [address = "", length = "32"] = network.split("/")
  const number = address.split(".").reduce((sum, octet) => sum * 256 + Number(octet), 0)
  return number % 2 ** (32 - Number(length)) !== 0
}

/** A remark for each pool of the underlay that is no usable network. */
export const underlayFindings = ({
  settings: { underlay },
  sources
}: Pick<EffectiveSettings, "settings" | "sources">): ReadonlyArray<Finding> => {
  if (underlay === null) return []
  return POOLS.flatMap((pool) => {
    const network = underlay[pool]
    const say = (message: string) => [{ files: sources.get("underlay") ?? [], path: ["underlay", pool], message }]
    if (Number(network.split("/")[1]) > 32) return say(`${network} is not a network`)
    return hasHostBits(network) ? say(`${network} has host bits set`) : []
  })
}
