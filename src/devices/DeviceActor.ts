/**
 * The entity of a device: it owns the one SSH session to the device and its live actor, and serves one call at a time. It is
 * started by the first call, on one replica only, and leaves memory after a minute without one; what it has to remember is in
 * the rows.
 */
import { Effect, Layer, Option, type Scope } from "effect"
import { Entity } from "effect/cluster"
import type { Verdict } from "../../machines/change/ChangeRow.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { IdentityStore } from "../store/IdentityStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { LearnedLineStore, ProvedConfigStore } from "../store/ConfigStore.ts"
import { LiveChangeStore } from "../store/UnfinishedChanges.ts"
import { OperationStore } from "../store/OperationStore.ts"
import { ActorInspection } from "./ActorInspection.ts"
import * as BaseConfiguration from "./BaseConfiguration.ts"
import * as ChangeExecutor from "./ChangeExecutor.ts"
import { errorText } from "./ChangeSteps.ts"
import { ChangeMoved, DeviceEntity, DeviceFailure } from "./DeviceCalls.ts"
import { DeviceLogin, type LoggedIn, type LoginOptions } from "./DeviceLogin.ts"
import type * as DeviceWork from "./DeviceWork.ts"
import * as DriftReading from "./DriftReading.ts"
import * as FirmwareSteps from "./FirmwareSteps.ts"
import * as OperationSteps from "./OperationSteps.ts"
import * as PortBounce from "./PortBounce.ts"
import * as ServedDevice from "./ServedDevice.ts"

const IDLE = "1 minute"

/** An error of the device or of the way to it, as callers on other replicas can read it. */
const toFailure = (error: DeviceWork.WorkError): DeviceFailure => {
  if (error._tag === "DeviceFailure") return error
  const text = errorText(error)
  const type = /^(\w+): /m.exec(text.trimEnd().split("\n").at(-1) ?? "")?.[1] ?? error._tag
  return new DeviceFailure({ type, message: error.message, text })
}

const readRunningConfig = ({ driver, session }: LoggedIn) =>
  Effect.map(session.runningConfig, (config) => ({ config, hash: driver.configHash(config) }))

/** What runs is read last: it is what the device is expected to run from then on. */
const finishInit = Effect.fnUntraced(function* (loggedIn: LoggedIn) {
  const { session } = loggedIn
  yield* session.save
  const facts = yield* session.facts
  return { facts, hostKey: session.hostKey, running: yield* readRunningConfig(loggedIn) }
})

const mergeConfig =
  ({ config, sessionName }: { readonly config: string; readonly sessionName: string }) =>
  ({ session }: LoggedIn) =>
    Effect.gen(function* () {
      const loaded = yield* session.load({ text: config, mode: "merge", name: sessionName })
      if (loaded.diff === "") yield* session.discard(sessionName)
      else yield* Effect.andThen(session.commit(sessionName), session.save)
      return loaded
    })

const make = Effect.gen(function* () {
  const operations = yield* OperationStore
  const jobs = yield* JobStore
  const login = yield* DeviceLogin
  const learned = yield* LearnedLineStore
  const config = yield* ServerConfig
  const executing = {
    changes: yield* ChangeStore,
    live: yield* LiveChangeStore,
    proved: yield* ProvedConfigStore,
    login,
    identities: yield* IdentityStore,
    learned,
    alone: Option.isNone(config.CLUSTER_HOST),
    proofDelay: config.COMMIT_CONFIRMED_WAIT,
    suffices: config.CHANGE_PROOFS,
    digest: (yield* SecretKey).digester("proved secrets")
  }
  const address = yield* Entity.CurrentAddress
  const id = Number(address.entityId)
  const { row: device, serve, serveChange, view } = yield* ServedDevice.make(id)

  /** Looked at as late as can be: the commit of a base configuration cannot be taken back. */
  const isWanted = (jobId: number): BaseConfiguration.MayCommit =>
    Effect.mapBoth(jobs.status(jobId), {
      onSuccess: (status) => status === "RUNNING",
      onFailure: (error) => `${error._tag}: ${error.message}\n`
    })

  /** Logs in, does the work and logs out. */
  const session = <A>(
    as: LoginOptions,
    work: (loggedIn: LoggedIn) => Effect.Effect<A, DeviceWork.WorkError, Scope.Scope>
  ) =>
    Effect.flatMap(device, (row) =>
      login.open(row, as).pipe(Effect.flatMap(work), Effect.scoped, Effect.mapError(toFailure))
    )

  const change = (name: string, before: Effect.Effect<void>, changeId: number, verdict: Verdict | null) =>
    serveChange(name, before, (actor, row) =>
      ChangeExecutor.run({ ...executing, actor }, changeId, row, verdict).pipe(
        Effect.mapError((error) => (error._tag === "SqlError" ? toFailure(error) : new ChangeMoved({ id: error.id })))
      )
    )

  /** A session for steps that are commands; they know the device by its name only. */
  const withSession =
    (as: LoginOptions): DeviceWork.WithSession =>
    (work) =>
      Effect.flatMap(device, ({ hostname }) => session(as, (loggedIn) => work(loggedIn.session, hostname)))

  const changing = withSession({ changes: {} })
  const ports = PortBounce.make(operations, id, changing)
  const discoveredAt = (address: string) => withSession({ state: "DISCOVERED", address })
  const firmware = FirmwareSteps.handlers(changing)
  const worker = { operations, deviceId: id }
  const operate = OperationSteps.handlers(worker, { reading: withSession({}), changing, discoveredAt }, ports)

  return DeviceEntity.of({
    ShowActor: () => view,
    // ports that are still down from a bounce would look like a change by somebody else
    RunChange: ({ payload }) => change("RunChange", ports.finishFirst, payload.changeId, null),
    SettleChange: ({ payload }) => change("SettleChange", Effect.void, payload.changeId, payload.verdict),

    ReadFacts: ({ payload }) =>
      serve(
        "READ",
        "ReadFacts",
        null,
        session(payload.login, ({ session }) => session.facts)
      ),
    ReadIdentity: () =>
      serve(
        "READ",
        "ReadIdentity",
        null,
        session({ asksIdentity: true }, ({ session: { hostKey, shown } }) => Effect.succeed({ hostKey, ...shown }))
      ),
    ReadNeighbours: ({ payload }) =>
      serve(
        "READ",
        "ReadNeighbours",
        null,
        session(payload.login, ({ session }) => session.lldp)
      ),
    ReadRunningConfig: ({ payload }) =>
      serve("READ", "ReadRunningConfig", null, session(payload.login, readRunningConfig)),
    ReadDrift: ({ payload }) => serve("READ", "ReadDrift", null, session({}, DriftReading.read(payload))),
    ReadInterfaces: () => serve("READ", "ReadInterfaces", null, operate.ReadInterfaces()),
    ReadOptics: () => serve("READ", "ReadOptics", null, operate.ReadOptics()),
    ReadNeighbourDetails: () => serve("READ", "ReadNeighbourDetails", null, operate.ReadNeighbourDetails()),
    ReadTables: () => serve("READ", "ReadTables", null, operate.ReadTables()),

    MergeConfig: ({ payload }) => serve("OPERATE", "MergeConfig", null, session(payload.login, mergeConfig(payload))),
    PushBase: ({ payload }) =>
      serve(
        "OPERATE",
        "PushBase",
        payload.jobId,
        Effect.flatMap(device, (row) =>
          BaseConfiguration.push({ login, learned }, row, payload, isWanted(payload.jobId))
        )
      ),
    FinishInit: () => serve("OPERATE", "FinishInit", null, session({ state: "INIT" }, finishInit)),
    BouncePorts: (request) => serve("OPERATE", "BouncePorts", null, operate.BouncePorts(request)),
    FinishBounce: () => serve("OPERATE", "FinishBounce", null, operate.FinishBounce()),
    InstallCertificate: (request) =>
      serve("OPERATE", "InstallCertificate", request.payload.jobId, operate.InstallCertificate(request)),
    EraseDevice: (request) => serve("OPERATE", "EraseDevice", request.payload.jobId, operate.EraseDevice(request)),

    FirmwarePreflight: (request) => serve("UPGRADE", "FirmwarePreflight", null, firmware.FirmwarePreflight(request)),
    FirmwareDownload: (request) => serve("UPGRADE", "FirmwareDownload", null, firmware.FirmwareDownload(request)),
    FirmwareActivate: (request) => serve("UPGRADE", "FirmwareActivate", null, firmware.FirmwareActivate(request)),
    FirmwareReboot: () => serve("UPGRADE", "FirmwareReboot", null, firmware.FirmwareReboot())
  })
})

/**
 * Serves the calls to devices. The entity runs them all at once and `DeviceTurns` gives each its turn, so that those that wait
 * can be seen and an actor can be shown while it works.
 */
export const layer = DeviceEntity.toLayer(make, {
  maxIdleTime: IDLE,
  concurrency: "unbounded",
  mailboxCapacity: "unbounded"
}).pipe(Layer.provide(ActorInspection.layer))
