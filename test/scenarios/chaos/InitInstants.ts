/** Instants of an initialisation at which it can be disturbed. `index` counts the new switches of a run from 0. */
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import type { Instant } from "./InitScene.ts"

/** The new address of every access switch, and the loopbacks of fabric switches. */
const NEW_NETWORKS = ["127.196.16.", "127.199.3."]

/** True when the switch was sent such a command since then, in milliseconds. */
export const sent = (device: LabSwitch | undefined, since: number, pattern: RegExp): boolean =>
  device?.commands().some(({ at, command }) => at >= since && pattern.test(command)) === true

/** As soon as the new switch is sent such a command. */
export const command = (name: string, pattern: RegExp, index = 0): Instant => ({
  name,
  reached: (newcomers, { since }) => sent(newcomers[index], since, pattern)
})

/** As soon as one of our sessions is committed. */
export const committed = (name: string, index = 0): Instant => ({
  name,
  reached: (newcomers, { since }) =>
    newcomers[index]?.commits().some(({ at, session }) => at >= since && /^job\d+$/.test(session)) === true
})

/** As soon as it has been logged in to on its new address. */
export const movedAndSeen = (name: string, index = 0): Instant => ({
  name,
  reached: (newcomers) =>
    newcomers[index]
      ?.logins()
      .some(({ accepted, address }) => accepted && NEW_NETWORKS.some((network) => address.startsWith(network))) === true
})

/** As soon as step 2 saves. */
export const saving = (name: string, index = 0): Instant => ({
  name,
  reached: (newcomers) =>
    newcomers[index]?.commands().some((line) => line.user === "switchyard" && line.command === "write memory") === true
})

/** As soon as `nth` jobs have said that this step begins. */
export const said = (step: string, nth = 1): Instant => ({ name: `when ${step} ${nth} begins`, said: step, nth })
