/**
 * Waits until a switch is back after a reload, with bounds (docs/jobs.md#device_upgrade). A switch that answers is only back
 * when it has really booted: right after the command the old system may still answer.
 */
import { Clock, Context, Effect, Layer, Result } from "effect"
import { DeviceEntity } from "../../devices/DeviceCalls.ts"
import type { Facts } from "../../domain/DeviceReadings.ts"
import { patiently } from "../../devices/PatientCall.ts"
import type { Device } from "../../domain/Device.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import type { UpgradeProgress } from "../../store/UpgradeStore.ts"

type Reboot = NonNullable<UpgradeProgress["reboot"]>

/** Uptime is rounded by switches; a real reload makes it smaller by much more. In seconds. */
const ROUNDING = 1

/** Server time in epoch seconds. */
export const nowSeconds = Effect.map(Clock.currentTimeMillis, (millis) => millis / 1000)

/** True when a switch that shows this uptime at `at` (epoch seconds, taken before it was asked) has booted since. */
const hasRebooted = (reboot: Reboot, uptime: number | null, at: number): boolean => {
  if (uptime === null) return false
  const before = reboot.uptime ?? 0
  return uptime < before + (at - reboot.at) - Math.min(ROUNDING, before / 4)
}

/** How waiting ended. `away`: `last` is what was met at the last look. */
export type Return =
  | { readonly _tag: "Back"; readonly facts: Facts }
  | { readonly _tag: "Away"; readonly last: string }
  | { readonly _tag: "Aborted" }

/** A look at a switch: whether it answers, and whether it has booted since the reboot was sent. */
export type Look =
  | { readonly answers: false; readonly final: boolean; readonly refused: boolean; readonly last: string }
  | { readonly answers: true; readonly booted: boolean; readonly facts: Facts }

/** How long to wait: `since` is in epoch seconds, so that a restart of the server does not start the wait anew. */
export interface ReturnWait {
  readonly since: number
  readonly waitSeconds: number
  readonly reboot: Reboot | null
}

/** Waiting does not help: an operator has to say that the key, the address or the switch is right. */
const FORBIDDEN: ReadonlySet<string> = new Set([
  "HostKeyChanged",
  "HostKeyNotApproved",
  "AddressOutside",
  "WrongDevice"
])

const notBack = ({ hostname }: Device, { uptime }: Facts): string =>
  uptime === null
    ? `Device ${hostname} answers but does not say since when it runs (uptime or bootupTimestamp in show version)`
    : `Device ${hostname} answers but has not rebooted`

const make = Effect.gen(function* () {
  const config = yield* ServerConfig
  const actorOf = yield* DeviceEntity.client

  const look = Effect.fn("SwitchReturn.look")(function* (device: Device, reboot: Reboot | null) {
    const at = yield* nowSeconds
    const facts = yield* Effect.result(patiently(actorOf(String(device.id)).ReadFacts({ login: {} })))
    if (Result.isFailure(facts)) {
      const error = facts.failure
      const last = "text" in error ? error.text : `${error._tag}: ${error.message}\n`
      const type = "type" in error ? error.type : error._tag
      return { answers: false, final: FORBIDDEN.has(type), refused: type === "ConnectAuthError", last } as const
    }
    const booted = reboot === null || hasRebooted(reboot, facts.success.uptime, at)
    return { answers: true, booted, facts: facts.success } as const
  })

  /** Sleeps until then, or until somebody aborts. */
  const pauseUntil = Effect.fnUntraced(function* (until: number, aborting: Effect.Effect<boolean>) {
    for (;;) {
      const rest = until - (yield* nowSeconds)
      if (rest <= 0) return
      if (yield* aborting) return
      yield* Effect.sleep(Math.min(rest, config.FIRMWARE_RETURN_INTERVAL) * 1000)
    }
  })

  const untilBack = Effect.fn("SwitchReturn.untilBack")(function* (
    device: Device,
    wait: ReturnWait,
    aborting: Effect.Effect<boolean>
  ) {
    const first = wait.since + wait.waitSeconds
    const deadline = first + config.FIRMWARE_RETURN_TIMEOUT
    yield* pauseUntil(first, aborting)
    let refusals = 0
    for (;;) {
      if (yield* aborting) return { _tag: "Aborted" } satisfies Return
      const seen = yield* look(device, wait.reboot)
      if (seen.answers && seen.booted) return { _tag: "Back", facts: seen.facts } satisfies Return
      const last = seen.answers ? notBack(device, seen.facts) : seen.last
      const now = yield* nowSeconds
      if (now >= deadline || (!seen.answers && seen.final)) return { _tag: "Away", last } satisfies Return
      // its AAA servers may be out of reach for a while yet, but switches lock accounts after refused logins
      refusals = !seen.answers && seen.refused ? refusals + 1 : 0
      const pause = config.FIRMWARE_RETURN_INTERVAL * 2 ** Math.max(0, refusals - 1)
      yield* pauseUntil(Math.min(now + pause, deadline), aborting)
    }
  })

  return SwitchReturn.of({ look, untilBack })
})

/** Looks and waits on behalf of upgrade jobs. */
export class SwitchReturn extends Context.Service<
  SwitchReturn,
  {
    readonly look: (device: Device, reboot: Reboot | null) => Effect.Effect<Look>
    /**
     * First waits `waitSeconds` after `since` without looking, then looks again and again for FIRMWARE_RETURN_TIMEOUT
     * seconds, at least once.
     */
    readonly untilBack: (device: Device, wait: ReturnWait, aborting: Effect.Effect<boolean>) => Effect.Effect<Return>
  }
>()("switchyard/jobs/SwitchReturn") {
  static readonly layer = Layer.effect(SwitchReturn, make)
}
