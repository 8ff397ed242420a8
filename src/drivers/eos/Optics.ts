/** Light levels of transceivers (docs/switch-dialogues.md#eos-reading). */
import { Effect } from "effect"
import { compareNames } from "../../domain/platforms/InterfaceNames.ts"
import type { Optics } from "../Readings.ts"
import type { Cli } from "../ssh/Cli.ts"
import { readJson, unexpected } from "./Answers.ts"
import { AnyObject, isObject, type Json, type Names, numberIn, objectIn, textIn } from "./Fields.ts"

const fields = {
  media: ["mediaType"],
  serial: ["vendorSn"],
  rx: ["rxPower"],
  tx: ["txPower"],
  bias: ["txBias"],
  temperature: ["temperature"]
} as const satisfies Record<string, Names>

/** By port in natural order; empty cages, and copper that tells nothing of itself, are left out. */
export const opticsOf = (shown: Json): Optics =>
  Object.fromEntries(
    Object.entries(shown)
      .toSorted(([one], [other]) => compareNames(one, other))
      .flatMap(([port, found]) => {
        if (!isObject(found) || Object.keys(found).length === 0) return []
        const optics = {
          media: textIn(found, fields.media) ?? "",
          serial: textIn(found, fields.serial) ?? "",
          rx_power: numberIn(found, fields.rx),
          tx_power: numberIn(found, fields.tx),
          bias: numberIn(found, fields.bias),
          temperature: numberIn(found, fields.temperature)
        }
        return [[port, optics] as const]
      })
  )

/** See `DriverSession.optics`. */
export const optics = Effect.fnUntraced(function* (cli: Cli) {
  const command = "show interfaces transceiver"
  const shown = objectIn(yield* readJson(cli, command, AnyObject), ["interfaces"])
  if (shown === null) {
    return yield* unexpected(cli, command, `the answer to "${command}" is not understood: it gives no interfaces`)
  }
  return opticsOf(shown)
})
