/** Names of interfaces that no switch of a platform has, so that what is said of them configures nothing. */
import type { Device } from "../domain/Device.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import type { Finding } from "./Finding.ts"
import type { EffectiveSettings } from "./Layering.ts"

/** Interfaces of a device's settings that its platform cannot have. */
export const interfaceFindings = (
  { platform }: Partial<Pick<Device, "platform">>,
  { settings, sources }: EffectiveSettings
): ReadonlyArray<Finding> => {
  const known = platformOf(platform)?.interfaces.possible ?? null
  if (known === null) return []
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
