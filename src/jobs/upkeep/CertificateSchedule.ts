/**
 * Starts the job `renew_cert` for managed devices whose certificates end within CERTIFICATE_RENEW_DAYS, every
 * CERTIFICATE_RENEW_INTERVAL seconds (0: never). A device whose renewal failed is tried again with the next one.
 */
import { Effect, Layer, Predicate } from "effect"
import { ServerConfig } from "../../ServerConfig.ts"
import { RenewCert } from "../../domain/jobs/UpkeepJobs.ts"
import { CertificateStore } from "../../store/CertificateStore.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobWindows } from "../engine/JobWindows.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { SCHEDULER } from "../../domain/Job.ts"
import { startRegularly } from "./JobSchedule.ts"

const make = Effect.gen(function* () {
  const engine = yield* JobEngine
  const devices = yield* DeviceStore
  const windows = yield* JobWindows
  const certificates = yield* CertificateStore
  const { CERTIFICATE_RENEW_DAYS, CERTIFICATE_RENEW_INTERVAL } = yield* ServerConfig

  /** The others are looked at again when their windows may be open. */
  const withinWindows = Effect.fnUntraced(function* (hostnames: ReadonlyArray<string>) {
    const rows = yield* devices.byHostnames(hostnames)
    const open = yield* Effect.filter(rows, (device) => Effect.map(windows.closed({}, device), Predicate.isNull))
    return open.map(({ hostname }) => hostname)
  })

  const start = Effect.gen(function* () {
    const ending = yield* certificates.ending(CERTIFICATE_RENEW_DAYS)
    const hostnames = (yield* windows.areThere) ? yield* withinWindows(ending) : ending
    if (hostnames.length === 0) return
    yield* engine.start(RenewCert, { hostnames }, { user: SCHEDULER, delaySeconds: 0 })
  })

  // to renew one by hand is not to renew those that end
  const interval = CERTIFICATE_RENEW_INTERVAL
  yield* startRegularly({ name: RenewCert.name, interval, countsOthers: false, start })
})

/** The schedule, for as long as the server runs. */
export const layer = Layer.effectDiscard(make)
