/** Handlers of change windows: the rules in force, and what they say of a device or a group (docs/windows.md#looking-at-windows). */
import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { AskedDevices } from "../access/AskedDevices.ts"
import { permitted } from "../access/Permit.ts"
import { ChangeWindows, DeviceWindows } from "../access/ChangeWindows.ts"
import { Api } from "../api/Api.ts"
import { SettingsUnavailable, SettingsView } from "../settings/SettingsView.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { answered } from "./core/HandlerErrors.ts"
import { enveloped } from "../api/Answers.ts"
import { showFreeze, showVerdict, showWindow } from "../domain/access/Windows.ts"

interface Question {
  readonly device?: string
  readonly group?: string
}

const makeWindows = Effect.gen(function* () {
  const windows = yield* ChangeWindows
  const deviceWindows = yield* DeviceWindows
  const asked = yield* AskedDevices
  const settings = yield* SettingsView
  const devices = yield* DeviceStore

  const devicesOf = Effect.fnUntraced(function* ({ device, group }: Question) {
    if (device !== undefined) return [yield* devices.getByHostname(device)]
    return group === undefined ? null : yield* devices.byHostnames((yield* settings.group(group)).hostnames)
  })

  const verdict = Effect.fnUntraced(
    function* (question: Question, at: number) {
      // to a caller of some devices other devices are unknown
      if (question.device !== undefined) yield* permitted({ devices: yield* asked.known([question.device]) })
      const rows = yield* devicesOf(question)
      if (rows === null) return null
      yield* asked.permit(rows, {})
      return showVerdict(yield* deviceWindows.judge(rows, at), rows.length)
    },
    Effect.catchTag(["NoSettings", "SettingsInvalid"], ({ message }) =>
      Effect.fail(new SettingsUnavailable({ message }))
    )
  )

  return Effect.fn("Windows.show")(function* (question: Question) {
    const at = yield* Clock.currentTimeMillis
    const { problem, rules } = yield* windows.inForce
    return enveloped({
      in_force: rules !== null,
      problem,
      windows: (rules?.windows ?? []).map((window) => showWindow(window, at)),
      freezes: (rules?.freezes ?? []).map((freeze) => showFreeze(freeze, at)),
      asked: yield* verdict(question, at)
    })
  })
})

/** Handlers of `WindowsGroup`. */
export const WindowsLive = HttpApiBuilder.group(Api, "windows", (handlers) =>
  Effect.map(makeWindows, (show) => handlers.handle("list", ({ query }) => answered(show(query))))
)
