/**
 * Route maps that BGP neighbours name and no settings define. Templates may define them, so each is a remark; with
 * STRICT_SETTINGS it refuses the commit (docs/settings-repository.md#checks-of-a-commit).
 */
import type { Finding, KeyPath } from "./Finding.ts"
import type { EffectiveSettings } from "./Layering.ts"

interface Use {
  readonly name: string
  readonly path: KeyPath
}

const usesIn = ({ settings }: EffectiveSettings): ReadonlyArray<Use> =>
  (settings.extroute_bgp?.vrfs ?? []).flatMap((vrf, position) =>
    (["neighbor_v4", "neighbor_v6"] as const).flatMap((family) =>
      vrf[family].flatMap((neighbour, index) =>
        (["route_map_in", "route_map_out"] as const).map((key) => ({
          name: neighbour[key],
          path: ["extroute_bgp", "vrfs", position, family, index, key]
        }))
      )
    )
  )

/** The undefined route maps of a device, each once, where it is named first. */
export const routeMapFindings = (hostname: string, effective: EffectiveSettings): ReadonlyArray<Finding> => {
  const { settings, sources } = effective
  const external = new Set(settings.external_routing_policies)
  const undefinedUses = new Map<string, Use>()
  for (const use of usesIn(effective)) {
    const { name } = use
    if (settings.routing_policies.has(name) || external.has(name) || undefinedUses.has(name)) continue
    undefinedUses.set(name, use)
  }
  return [...undefinedUses.values()].map(({ name, path }) => ({
    files: sources.get("extroute_bgp") ?? [],
    path,
    message: `${hostname}: BGP neighbor route map ${name} is not defined`
  }))
}
