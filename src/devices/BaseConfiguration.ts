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
import type { DriverSession } from "../drivers/Driver.ts"
import * as DeviceConnection from "./DeviceConnection.ts"
import * as TimedMove from "./TimedMove.ts"
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

/** A login of the device there, with the credentials of the state, and what is found in it; null if there is no answer. */
const lookAt = <A, E extends { readonly message: string }, R>(
  { device, login }: Pick<Search, "device" | "login">,
  at: { readonly address: string; readonly state: "INIT" | "DISCOVERED" },
  refusals: Refusals,
  look: (loggedIn: LoggedIn) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    if (!refusals.mayTry(yield* Clock.currentTimeMillis)) return null
    const loggedIn = yield* Effect.tapErrorTag(
      login.open(device, { ...at, connectSeconds: CONNECT_SECONDS }),
      "ConnectAuthError",
      () => Effect.map(Clock.currentTimeMillis, refusals.refused)
    )
    return yield* look(loggedIn)
  }).pipe(
    Effect.scoped,
    Effect.tapError((error) => Effect.logDebug("No answer", { device: device.hostname, ...at, error: error.message })),
    Effect.orElseSucceed(() => null)
  )

/** Where a switch is looked for, and what is known of its move. */
interface Search {
  readonly login: DeviceLogin["Service"]
  readonly device: Device
  readonly push: Push
  /** Null for a switch whose commit stays. */
  readonly times: TimedMove.MoveTimes | null
  readonly memory: TimedMove.MoveMemory
  readonly refusals: { readonly new: Refusals; readonly old: Refusals }
}

/** True when the device answers on its new address, and stays there. */
const answersAnew = (search: Search) => {
  const { device, memory, push, refusals, times } = search
  const at = { address: push.newAddress, state: "INIT" } as const
  return Effect.map(
    lookAt(search, at, refusals.new, (loggedIn) =>
      Effect.gen(function* () {
        if ((yield* loggedIn.session.facts).hostname !== push.newHostname) return false
        return times === null || (yield* TimedMove.keep(loggedIn, device, push.sessionName, memory))
      })
    ),
    (found) => found === true
  )
}

const atOld = ({ push }: Search) => ({ address: push.oldAddress, state: "DISCOVERED" }) as const

/** What the device says of its move on its old address; null if it does not answer there. */
const moveState = (search: Search) =>
  lookAt(search, atOld(search), search.refusals.old, (loggedIn) =>
    TimedMove.stateOf(loggedIn, search.device, search.push.sessionName)
  )

/** Waits until the device answers on its new address, or has come back. */
const settled = (search: Search) =>
  Effect.gen(function* () {
    if (yield* answersAnew(search)) return true
    return search.times !== null && (yield* moveState(search)) === "takenBack"
  }).pipe(Effect.repeat({ until: (found) => found, schedule: Schedule.spaced(PAUSE) }), Effect.as("seen" as const))

/** Loads the configuration; all of its lines are new to the switch, so its promised configuration must contain all of them. */
const load = Effect.fnUntraced(function* (
  learned: ConfigStore["Service"]["learned"],
  loggedIn: LoggedIn,
  { device, memory, push: { config, sessionName: name } }: Search
) {
  const { driver, session } = loggedIn
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
  const promised = Option.map(promisedBy(driver.platform, running, loaded), ({ text }) => text)
  memory.promised = loaded.willRun === null ? null : driver.configHash(loaded.willRun)
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

/** Commits so that the device may answer on its new address only. */
const commit = (session: DriverSession, { push: { sessionName }, times }: Search) =>
  session.move === null || times === null
    ? session.commitAndSave(sessionName, CONNECT_SECONDS)
    : session.move.commit(sessionName, times.timer, times.silence)

/** Loads, commits and saves in one go. The answer to the commit may never come, so the new address is tried meanwhile. */
const send = Effect.fnUntraced(function* (
  learned: ConfigStore["Service"]["learned"],
  search: Search,
  mayCommit: MayCommit
) {
  const { device, login, push } = search
  const failed = (sent: boolean) => (error: Parameters<typeof errorText>[0]) =>
    Effect.fail<PushFailure>({ text: errorText(error), sent, aborted: false })
  const session = yield* login.open(device, { state: "DISCOVERED", address: push.oldAddress }).pipe(
    Effect.tap((loggedIn) => load(learned, loggedIn, search)),
    Effect.map((loggedIn) => loggedIn.session),
    // a command among the lines may have committed them
    Effect.catch((error) => failed(error._tag === "LeftConfiguration" && error.committed)(error))
  )
  const notSent = (text: string, aborted: boolean): PushFailure => ({ text, sent: false, aborted })
  const wanted = yield* Effect.mapError(mayCommit, (text) => notSent(text, false))
  if (!wanted) return yield* Effect.fail(notSent("JobAborted: The job was aborted before the commit\n", true))
  return yield* commit(session, search).pipe(
    Effect.catch((error) => failed(error._tag !== "CommitError")(error)),
    Effect.raceFirst(settled(search))
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

/** How long the switch is looked for: one that moves under its timer until it has certainly come back. */
const secondsToLook = ({ push, times }: Search, sent: "answered" | "silent" | "seen" | null): number => {
  if (times === null) return push.seconds
  return sent === "silent" ? 0 : times.after
}

/** Pushes (unless the switch is only to be looked for) and reports the address on which it answers. Never guesses from silence. */
export const push = Effect.fn("BaseConfiguration.push")(function* (
  { learned, login }: PushServices,
  device: Device,
  request: Push,
  mayCommit: MayCommit
): Effect.fn.Return<BasePushed> {
  const times = TimedMove.timesOf(device, request.seconds)
  const refusals = { new: DeviceConnection.makeRefusals(), old: DeviceConnection.makeRefusals() }
  const search: Search = { login, device, push: request, times, memory: TimedMove.newMemory(), refusals }
  const sent = request.lookOnly
    ? { end: null, failed: null }
    : yield* Effect.match(send(learned, search, mayCommit), {
        onSuccess: (end) => ({ end, failed: null }),
        onFailure: (failed) => ({ end: null, failed })
      })
  const { end, failed } = sent
  const failure = failed?.text ?? null
  if (failed?.sent === false) {
    yield* tidy(login, device, request)
    return { newAddressAnswers: false, oldAddressAnswers: true, aborted: failed.aborted, failure }
  }
  const onOld = (text: string | null): BasePushed => ({
    newAddressAnswers: false,
    oldAddressAnswers: true,
    aborted: false,
    failure: text
  })
  const started = yield* Clock.currentTimeMillis
  const deadline = started + secondsToLook(search, end) * 1000
  do {
    if (yield* answersAnew(search)) {
      return { newAddressAnswers: true, oldAddressAnswers: false, aborted: false, failure: null }
    }
    if (times !== null) {
      const state = yield* moveState(search)
      if (state === "takenBack") {
        return onOld(failure ?? TimedMove.takenBack(device.hostname, request, times, search.memory))
      }
      // before the restart nothing was committed
      const isOver = (yield* Clock.currentTimeMillis) >= started + request.seconds * 1000
      if (state === "absent" && request.lookOnly && isOver) return onOld(null)
    }
    yield* Effect.sleep(PAUSE)
  } while ((yield* Clock.currentTimeMillis) < deadline)
  const last = yield* lookAt(search, atOld(search), DeviceConnection.makeRefusals(), () => Effect.succeed(true))
  if (last === true) {
    yield* tidy(login, device, request)
    return onOld(failure)
  }
  return { newAddressAnswers: false, oldAddressAnswers: false, aborted: false, failure }
})
