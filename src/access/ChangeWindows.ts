/** `windows.yml` in DATA_DIR (docs/windows.md). Without a file everything may change at any time. */
import { Clock, Context, Effect, Layer } from "effect"
import { readWindows, type WindowRules } from "../domain/access/WindowFile.ts"
import { type InForce, makeFileInForce } from "./FileInForce.ts"
import { closedSentence, judgeWindows, type Verdict } from "../domain/access/Windows.ts"
import type { Device } from "../domain/Device.ts"
import { CallerDevices } from "./CallerDevices.ts"

const make = makeFileInForce({ name: "windows.yml", what: "windows", read: readWindows })

/** The windows in force. */
export class ChangeWindows extends Context.Service<
  ChangeWindows,
  { readonly inForce: Effect.Effect<InForce<WindowRules>> }
>()("switchyard/access/ChangeWindows") {
  /** Fails with RulesUnusable. */
  static readonly layer = Layer.effect(ChangeWindows, make)
}

// Whether devices may be changed, by the windows in force and the groups that they are in now (docs/windows.md#how-a-device-is-judged).

const OPEN: Verdict = { isOpen: true, until: null }

/** Whether the site has windows at all. */
export const haveWindows = Effect.map(
  Effect.flatMap(ChangeWindows, ({ inForce }) => inForce),
  ({ rules }) => rules !== null
)

/** Whether all of these devices may be changed at a time, in milliseconds since 1970. */
export const judgeDevices = Effect.fn("ChangeWindows.judgeDevices")(function* (
  devices: ReadonlyArray<Device>,
  at: number
) {
  const { rules } = yield* (yield* ChangeWindows).inForce
  if (rules === null || devices.length === 0) return OPEN
  const { of } = yield* CallerDevices
  return judgeWindows(rules, yield* of(devices), at)
})

/** Why this device must not be changed now, as a sentence; null if it may be. */
export const closedNow = Effect.fn("ChangeWindows.closedNow")(
  function* (device: Device) {
    const verdict = yield* judgeDevices([device], yield* Clock.currentTimeMillis)
    return verdict.isOpen ? null : closedSentence(verdict)
  },
  // a device whose groups are unknown has no known open window
  Effect.catchTag(["NoSettings", "SettingsInvalid"], ({ message }) =>
    Effect.succeed(`It is not known which windows are for it: ${message}`)
  )
)
