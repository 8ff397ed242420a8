/**
 * The device's actor: a cluster entity per device id that owns the one SSH session and serves one call at a time. It is
 * started by the first call, on one replica only, and leaves memory after a minute without one; what it has to remember is
 * in the change rows.
 */
import { Effect, Layer, type Scope } from "effect"
import { Entity } from "effect/cluster"
import type { Device } from "../domain/Device.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { DeviceStore } from "../store/DeviceStore.ts"
import { OperationStore } from "../store/OperationStore.ts"
import { JobStore } from "../store/JobStore.ts"
import * as BaseConfiguration from "./BaseConfiguration.ts"
import * as ChangeExecutor from "./ChangeExecutor.ts"
import * as ConfigDiff from "../drivers/ConfigDiff.ts"
import { errorText } from "./ChangeSteps.ts"
import { ChangeMoved, DeviceEntity, DeviceFailure, type LoginAs } from "./DeviceCalls.ts"
import { DeviceLogin, type LoggedIn } from "./DeviceLogin.ts"
import * as DeviceWork from "./DeviceWork.ts"
import * as FirmwareSteps from "./FirmwareSteps.ts"
import * as OperationSteps from "./OperationSteps.ts"
import * as PortBounce from "./PortBounce.ts"

const IDLE = "1 minute"

/** An error of the device or of the way to it, as callers on other replicas can read it. */
const toFailure = (error: DeviceWork.WorkError): DeviceFailure => {
  if (error._tag === "DeviceFailure") return error
  const text = errorText(error)
  const type = /^(\w+): /m.exec(text.trimEnd().split("\n").at(-1) ?? "")?.[1] ?? error._tag
  return new DeviceFailure({ type, message: error.message, text })
}

const internal = (defect: unknown): DeviceFailure => {
  const message = defect instanceof Error ? defect.message : "an internal error"
  return new DeviceFailure({ type: "InternalError", message, text: `InternalError: ${message}\n` })
}

/** A defect must not take the actor down with the calls that wait behind it. */
const contained = <A, E, R>(call: Effect.Effect<A, E, R>) =>
  Effect.catchDefect(call, (defect) =>
    Effect.andThen(Effect.logError("A device actor met a defect", defect), Effect.fail(internal(defect)))
  )

const make = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const changes = yield* ChangeStore
  const operations = yield* OperationStore
  const jobs = yield* JobStore
  const login = yield* DeviceLogin
  const { COMMIT_CONFIRMED_WAIT } = yield* ServerConfig
  const address = yield* Entity.CurrentAddress
  const id = Number(address.entityId)

  const device = devices
    .get(id)
    .pipe(
      Effect.mapError(
        (error) =>
          new DeviceFailure({ type: error._tag, message: error.message, text: `${error._tag}: ${error.message}\n` })
      )
    )

  /** Looked at as late as can be: the commit of a base configuration cannot be taken back. */
  const isWanted = (jobId: number): BaseConfiguration.MayCommit =>
    Effect.mapBoth(jobs.status(jobId), {
      onSuccess: (status) => status === "RUNNING",
      onFailure: (error) => `${error._tag}: ${error.message}\n`
    })

  /** Logs in, does the work and logs out. */
  const session = <A>(
    as: typeof LoginAs.Type,
    work: (loggedIn: LoggedIn) => Effect.Effect<A, DeviceWork.WorkError, Scope.Scope>
  ) =>
    Effect.flatMap(device, (row) =>
      login.open(row, as).pipe(Effect.flatMap(work), Effect.scoped, Effect.mapError(toFailure))
    )

  const change = (run: (services: ChangeExecutor.Services, row: Device) => ReturnType<typeof ChangeExecutor.run>) =>
    Effect.flatMap(device, (row) =>
      run({ changes, login, proofDelay: COMMIT_CONFIRMED_WAIT }, row).pipe(
        Effect.mapError((error) => (error._tag === "SqlError" ? toFailure(error) : new ChangeMoved({ id: error.id })))
      )
    ).pipe(contained)

  /** A session for steps that are commands; they know the device by its name only. */
  const withSession =
    (as: typeof LoginAs.Type): DeviceWork.WithSession =>
    (work) =>
      contained(Effect.flatMap(device, ({ hostname }) => session(as, (loggedIn) => work(loggedIn.session, hostname))))

  const ports = PortBounce.make(operations, id, withSession({}))
  const discoveredAt = (address: string) => withSession({ state: "DISCOVERED", address })

  return DeviceEntity.of({
    ...FirmwareSteps.handlers(withSession({})),
    ...OperationSteps.handlers({ operations, deviceId: id }, withSession({}), discoveredAt, ports),
    // ports that are still down from a bounce would look like a change by somebody else
    RunChange: ({ payload }) =>
      Effect.andThen(
        ports.finishFirst,
        change((services, row) => ChangeExecutor.run(services, payload.changeId, row))
      ),
    SettleChange: ({ payload: { changeId, verdict } }) =>
      change((services, row) => ChangeExecutor.settle(services, changeId, row, verdict)),
    ReadFacts: ({ payload }) => contained(session(payload.login, ({ session }) => session.facts)),
    ReadNeighbours: ({ payload }) => contained(session(payload.login, ({ session }) => session.lldp)),
    ReadRunningConfig: ({ payload }) =>
      contained(
        session(payload.login, ({ driver, session }) =>
          Effect.map(session.runningConfig, (config) => ({ config, hash: driver.configHash(config) }))
        )
      ),
    ReadDrift: ({ payload: { config, hash } }) =>
      contained(
        session({}, ({ driver, session }) =>
          Effect.map(session.runningConfig, (running) => {
            const found = driver.configHash(running)
            const diff = found === hash ? "" : ConfigDiff.diff(driver.stableText(config), driver.stableText(running))
            return { hash: found, diff }
          })
        )
      ),
    MergeConfig: ({ payload: { config, login: as, sessionName } }) =>
      contained(
        session(
          as,
          Effect.fnUntraced(function* ({ session }) {
            const loaded = yield* session.load({ text: config, mode: "merge", name: sessionName })
            if (loaded.diff === "") yield* session.discard(sessionName)
            else yield* Effect.andThen(session.commit(sessionName), session.save)
            return loaded
          })
        )
      ),
    PushBase: ({ payload }) =>
      contained(Effect.flatMap(device, (row) => BaseConfiguration.push(login, row, payload, isWanted(payload.jobId)))),
    FinishInit: () =>
      contained(
        session({ state: "INIT" }, ({ session }) =>
          Effect.map(Effect.andThen(session.save, session.facts), (facts) => ({ facts, hostKey: session.hostKey }))
        )
      )
  })
})

/** Serves the calls to devices. */
export const layer: Layer.Layer<
  never,
  never,
  | DeviceStore
  | ChangeStore
  | JobStore
  | OperationStore
  | DeviceLogin
  | ServerConfig
  | import("effect/cluster").Sharding.Sharding
> = DeviceEntity.toLayer(make, { maxIdleTime: IDLE, concurrency: 1, mailboxCapacity: "unbounded" })
