/**
 * Moves a new switch to its management address: pushes the base configuration, after which the switch may stop answering on the old
 * address, and finds out by evidence where it answers (docs/provisioning.md#access-step-1,
 * docs/provisioning.md#moving-to-the-new-address).
 */
import { Clock, Effect, Option, Schedule } from "effect"
import type { Device } from "../domain/Device.ts"
import { errorText } from "./ChangeSteps.ts"
import type { BasePush, BasePushed } from "./DeviceCalls.ts"
import type { DeviceLogin, LoggedIn } from "./DeviceLogin.ts"
import * as ShownCheck from "./ShownCheck.ts"
import type { JobSelection } from "../drivers/Candidate.ts"
import * as DeviceConnection from "./DeviceConnection.ts"
import { promisedBy } from "./LoadPromise.ts"
import type { ConfigStore } from "../store/ConfigStore.ts"

/** Seconds to wait for one answer on an address, and between two tries. */
const CONNECT_SECONDS = 3
const PAUSE = "500 millis"

const EVERY_JOB: JobSelection = { _tag: "allBut", jobs: [] }

type Push = typeof BasePush.Type

/** The services of a push. */
export interface PushServices {
  readonly login: DeviceLogin["Service"]
  readonly learned: ConfigStore["Service"]["learned"]
}

/** A push that failed. `sent` is false as long as no commit was sent: then the switch certainly runs what it ran before. */
interface PushFailure {
  readonly text: string
  readonly sent: boolean
  readonly aborted: boolean
}

/** Whether the commit is still wanted; fails with a text if that cannot be read. */
export type MayCommit = Effect.Effect<boolean, string>

/** Logins that were refused while the switch was looked for on its new address. */
type Refusals = DeviceConnection.RefusedLogins

/** True when the device with this hostname answers there to the credentials of the state. */
const answers = (
  login: DeviceLogin["Service"],
  device: Device,
  at: { readonly address: string; readonly state: "INIT" | "DISCOVERED"; readonly hostname: string | null },
  refusals: Refusals = DeviceConnection.makeRefusals()
) =>
  Effect.gen(function* () {
    if (!refusals.mayTry(yield* Clock.currentTimeMillis)) return false
    const { session } = yield* login.open(device, { ...at, connectSeconds: CONNECT_SECONDS })
    return at.hostname === null || (yield* session.facts).hostname === at.hostname
  }).pipe(
    Effect.scoped,
    Effect.tapErrorTag("ConnectAuthError", () => Effect.map(Clock.currentTimeMillis, refusals.refused)),
    Effect.tapError((error) => Effect.logDebug("No answer", { device: device.hostname, ...at, error: error.message })),
    Effect.orElseSucceed(() => false)
  )

/** Waits until the device answers on its new address. */
const moved = (login: DeviceLogin["Service"], device: Device, { newAddress, newHostname }: Push, refusals: Refusals) =>
  answers(login, device, { address: newAddress, state: "INIT", hostname: newHostname }, refusals).pipe(
    Effect.repeat({ until: (found) => found, schedule: Schedule.spaced(PAUSE) }),
    Effect.asVoid
  )

/** Loads the configuration; all of its lines are new to the switch, so its promised configuration must contain all of them. */
const load = Effect.fnUntraced(function* (
  learned: ConfigStore["Service"]["learned"],
  loggedIn: LoggedIn,
  device: Device,
  { config, sessionName: name }: Push
) {
  const { session } = loggedIn
  const running = yield* session.runningConfig
  // a device is served one call at a time, so any session of Switchyard on it is abandoned
  const loaded = yield* session.load({
    text: config,
    mode: "replace",
    name,
    mayAbort: EVERY_JOB,
    readBack: true,
    runs: running
  })
  const promised = Option.map(promisedBy(loggedIn.driver.platform, running, loaded), ({ text }) => text)
  const { hostname, os_version } = device
  const seen: Array<string> = []
  const remark = (sentence: string) => void seen.push(sentence)
  const context = {
    hostname,
    release: os_version ?? "",
    learned,
    previous: Effect.succeedNone,
    proved: Effect.succeedNone,
    remark
  }
  const { remarks } = loaded
  const check = { name, candidate: config, running, remarks, promised: Option.getOrNull(promised), policy: undefined }
  const notes = yield* ShownCheck.check(context, loggedIn, check)
  if (notes !== undefined || seen.length > 0) {
    yield* Effect.logInfo("Said by the switch to its base configuration", { hostname, ...notes, remarks: seen })
  }
})

/** Loads, commits and saves in one go. The answer to the commit may never come, so the new address is tried meanwhile. */
const send = Effect.fnUntraced(function* (
  { learned, login }: PushServices,
  device: Device,
  push: Push,
  mayCommit: MayCommit,
  refusals: Refusals
) {
  const failed = (sent: boolean) => (error: Parameters<typeof errorText>[0]) =>
    Effect.fail<PushFailure>({ text: errorText(error), sent, aborted: false })
  const name = push.sessionName
  const session = yield* login.open(device, { state: "DISCOVERED", address: push.oldAddress }).pipe(
    Effect.tap((loggedIn) => load(learned, loggedIn, device, push)),
    Effect.map((loggedIn) => loggedIn.session),
    // a command among the lines may have committed them
    Effect.catch((error) => failed(error._tag === "LeftConfiguration" && error.committed)(error))
  )
  const notSent = (text: string, aborted: boolean): PushFailure => ({ text, sent: false, aborted })
  const wanted = yield* Effect.mapError(mayCommit, (text) => notSent(text, false))
  if (!wanted) return yield* Effect.fail(notSent("JobAborted: The job was aborted before the commit\n", true))
  yield* session.commitAndSave(name, CONNECT_SECONDS).pipe(
    Effect.catch((error) => failed(error._tag !== "CommitError")(error)),
    Effect.raceFirst(moved(login, device, push, refusals))
  )
}, Effect.scoped)

/** Removes the remains of a push from a switch that has not moved, so they do not block the next one. */
const tidy = (login: DeviceLogin["Service"], device: Device, { oldAddress, sessionName }: Push) =>
  Effect.gen(function* () {
    const { session } = yield* login.open(device, { state: "DISCOVERED", address: oldAddress })
    const sessions = yield* session.sessions
    if (sessions.sessions.some(({ name }) => name === sessionName)) yield* session.discard(sessionName)
  }).pipe(
    Effect.scoped,
    Effect.catch((error) =>
      Effect.logWarning("The configuration session of a failed push could not be removed", {
        device: device.hostname,
        error: error.message
      })
    )
  )

/** Pushes (unless the switch is only to be looked for) and reports the address on which it answers. Never guesses from silence. */
export const push = Effect.fn("BaseConfiguration.push")(function* (
  services: PushServices,
  device: Device,
  request: Push,
  mayCommit: MayCommit
): Effect.fn.Return<BasePushed> {
  const { login } = services
  const refusals = DeviceConnection.makeRefusals()
  const failed = request.lookOnly
    ? null
    : yield* Effect.match(send(services, device, request, mayCommit, refusals), {
        onSuccess: () => null,
        onFailure: (error) => error
      })
  const failure = failed?.text ?? null
  if (failed?.sent === false) {
    yield* tidy(login, device, request)
    return { newAddressAnswers: false, oldAddressAnswers: true, aborted: failed.aborted, failure }
  }
  const deadline = (yield* Clock.currentTimeMillis) + request.seconds * 1000
  const { newAddress, newHostname, oldAddress } = request
  do {
    if (yield* answers(login, device, { address: newAddress, state: "INIT", hostname: newHostname }, refusals)) {
      return { newAddressAnswers: true, oldAddressAnswers: false, aborted: false, failure: null }
    }
    yield* Effect.sleep(PAUSE)
  } while ((yield* Clock.currentTimeMillis) < deadline)
  const oldAnswers = yield* answers(login, device, { address: oldAddress, state: "DISCOVERED", hostname: null })
  if (oldAnswers) yield* tidy(login, device, request)
  return { newAddressAnswers: false, oldAddressAnswers: oldAnswers, aborted: false, failure }
})
