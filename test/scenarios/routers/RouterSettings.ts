/** The settings of a site whose fabric is the usual one of `src/fabric`, for repositories that begin as the examples. */
import { fabricSettings } from "../../../src/demo/RealSite.ts"

export { cores, dists, routers } from "../../../src/fabric/FabricPlan.ts"
export { routing } from "../../../src/demo/RealSite.ts"

/** Of switches that this site does not have. */
export const elsewhere = Object.fromEntries(
  ["lhv-dist1", "lhv-dist2"].flatMap((name) =>
    ["base_system", "interfaces", "routing"].map((file) => [`devices/${name}/${file}.yml`, null])
  )
)

/** Files of the settings repository. */
export const routerSettings: Readonly<Record<string, string | null>> = { ...elsewhere, ...fabricSettings }
