/** Names of interfaces that no switch of a platform has, so that what is said of them configures nothing. */
import type { Device } from "../domain/Device.ts"
import type { Finding } from "./Finding.ts"
import type { EffectiveSettings } from "./Layering.ts"

/** How the names begin on each platform that is known here. */
const NAMES: Readonly<Record<string, RegExp>> = {
  eos: /^(?:Ethernet|UnconnectedEthernet|Management|Port-Channel|Vlan|Loopback|Vxlan|Tunnel|Recirc-Channel)[0-9[]/
}

/** Interfaces of a device's settings that its platform cannot have. */
export const interfaceFindings = (
  { platform }: Partial<Pick<Device, "platform">>,
  { settings, sources }: EffectiveSettings
): ReadonlyArray<Finding> => {
  const known = NAMES[platform ?? ""]
  if (known === undefined) return []
  return (settings.interfaces ?? []).flatMap(({ name }, position) =>
    known.test(name)
      ? []
      : [
          {
            files: sources.get("interfaces") ?? [],
            path: ["interfaces", position, "name"],
            message: `no switch of platform ${platform} has an interface ${name}`
          }
        ]
  )
}
