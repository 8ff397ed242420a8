/** What a switch accepts of a configuration, by its hardware and its behaviour. */
import type { Switch } from "../Switch.ts"
import type * as Loader from "./ConfigLoader.ts"
import * as Hardware from "./Hardware.ts"
import { salted } from "./SaltedSecrets.ts"

/** The rules that configuration lines meet on this switch. */
export const loaderRules = (
  device: Switch,
  reject: ((line: string) => string | undefined) | undefined
): Loader.LoaderRules => ({
  hasInterface: device.behaviour.checkInterfaces ? (name) => Hardware.hasInterface(device.hardware, name) : undefined,
  poe: device.hardware.poe,
  strictWords: device.behaviour.strictWords,
  dropDefaults: device.behaviour.dropDefaults,
  salt: device.behaviour.quirks.saltsSecrets ? salted : undefined,
  reject
})
