/** `windows.yml` in DATA_DIR (docs/windows.md). Without a file everything may change at any time. */
import { Clock, Context, Effect, Layer } from "effect"
import { readWindows, type WindowRules } from "../domain/access/WindowFile.ts"
import { type InForce, makeFileInForce } from "./FileInForce.ts"
import type { SqlError } from "effect/sql"
import { closedSentence, judgeWindows, type Verdict } from "../domain/access/Windows.ts"
import type { Device } from "../domain/Device.ts"
import type { SettingsError } from "../settings/ActiveSettings.ts"
import { AskedDevices } from "./AskedDevices.ts"

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

const makeDeviceWindows = Effect.gen(function* () {
  const windows = yield* ChangeWindows
  const asked = yield* AskedDevices

  const judge = Effect.fn("DeviceWindows.judge")(function* (devices: ReadonlyArray<Device>, at: number) {
    const { rules } = yield* windows.inForce
    return rules === null || devices.length === 0 ? OPEN : judgeWindows(rules, yield* asked.of(devices), at)
  })

  const closed = Effect.fn("DeviceWindows.closed")(
    function* (device: Device) {
      const verdict = yield* judge([device], yield* Clock.currentTimeMillis)
      return verdict.isOpen ? null : closedSentence(verdict)
    },
    // whose groups are not known is not known to have an open window
    Effect.catchTag(["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.succeed(`It is not known which windows are for it: ${message}`)
    )
  )

  return DeviceWindows.of({
    areThere: Effect.map(windows.inForce, ({ rules }) => rules !== null),
    judge,
    closed
  })
})

/** Devices and their windows. */
export class DeviceWindows extends Context.Service<
  DeviceWindows,
  {
    /** Whether the site has windows at all. */
    readonly areThere: Effect.Effect<boolean>
    /** Whether all of these may be changed at a time, in milliseconds since 1970. */
    readonly judge: (
      devices: ReadonlyArray<Device>,
      at: number
    ) => Effect.Effect<Verdict, SettingsError | SqlError.SqlError>
    /** Why this device must not be changed now, as a sentence; null when it may be. */
    readonly closed: (device: Device) => Effect.Effect<string | null, SqlError.SqlError>
  }
>()("switchyard/access/DeviceWindows") {
  static readonly layer = Layer.effect(DeviceWindows, makeDeviceWindows)
}
