/**
 * The entity of a device: it owns the one SSH session to the device and its live actor, and serves one call at a time. It is
 * started by the first call, on one replica only, and leaves memory some seconds after the last one; its lasting state is in the rows.
 */
import { Effect, Layer, Option, Result, type Scope } from "effect"
import { Entity } from "effect/cluster"
import type { Verdict } from "../../machines/change/ChangeRow.ts"
import { SecretKey } from "../runtime/SecretKey.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { ChangeStore } from "../store/ChangeStore.ts"
import { IdentityStore } from "../store/IdentityStore.ts"
import { JobStore } from "../store/JobStore.ts"
import { OperationStore } from "../store/OperationStore.ts"
import { ActorInspection } from "./ActorInspection.ts"
import * as BaseConfiguration from "./BaseConfiguration.ts"
import * as TimedMove from "./TimedMove.ts"
import * as ChangeExecutor from "./ChangeExecutor.ts"
import * as CheckReadings from "./CheckReadings.ts"
import { errorText, errorType } from "./ChangeSteps.ts"
import { ChangeMoved, DeviceEntity, DeviceFailure } from "./DeviceCalls.ts"
import { DeviceLogin, type LoggedIn, type LoginOptions } from "./DeviceLogin.ts"
import { MonitoringSystem } from "./MonitoringSystem.ts"
import * as Operations from "./Operations.ts"
import * as PortBounce from "./PortBounce.ts"
import * as ServedDevice from "./ServedDevice.ts"
import { withoutOwnLines } from "../domain/ConfigLines.ts"
import type { OurSession } from "../domain/DeviceActivity.ts"
import { jobOf } from "../drivers/Candidate.ts"
import * as UnifiedDiff from "../drivers/UnifiedDiff.ts"
import type { ConfigSession, ConfigSessions } from "../drivers/Driver.ts"
import { ConfigStore } from "../store/ConfigStore.ts"

// The reads of a drift check (docs/changes.md#drift): the running configuration, and then the sessions, to find abandoned ones of
// Switchyard.

/** The expected configuration; `withJobs`: after a restore, the jobs with candidates on the device must be known. */
export interface DriftQuestion {
  readonly config: string
  readonly hash: string
  readonly withJobs?: boolean
}

/** Jobs whose candidates a switch lists, committed ones too. */
const jobsOf = ({ sessions }: ConfigSessions): ReadonlyArray<number> => [
  ...new Set(sessions.map(({ name }) => jobOf(name)).filter((job) => job !== null))
]

const ours = ({ name, state }: ConfigSession): ReadonlyArray<OurSession> => {
  const job = jobOf(name)
  return job === null || state === "done" ? [] : [{ name, job, state }]
}

/** Our own sessions, and their jobs if asked for. Absent if the switch does not list its sessions. */
const ownSessions = (found: ConfigSessions, withJobs: boolean) => ({
  ...(found.isListed ? { sessions: found.sessions.flatMap(ours) } : {}),
  ...(withJobs ? { jobs: jobsOf(found) } : {})
})

/**
 * Reads a device. The running configuration is read before the sessions, so an unreadable list is no failure, unless the jobs must
 * be known.
 */
const readDrift =
  ({ config, hash, withJobs = false }: DriftQuestion) =>
  ({ driver, session }: LoggedIn) =>
    Effect.gen(function* () {
      const running = yield* session.runningConfig
      const found = driver.configHash(running)
      const plain = (text: string) => withoutOwnLines(driver.platform.configuration, text)
      const diff = found === hash ? "" : UnifiedDiff.diff(plain(config), plain(running))
      const listed = yield* Effect.result(session.sessions)
      if (Result.isSuccess(listed)) return { hash: found, diff, ...ownSessions(listed.success, withJobs) }
      if (withJobs) return yield* listed.failure
      yield* Effect.logDebug("The sessions of a device could not be read", { error: listed.failure.message })
      return { hash: found, diff }
    })

/** An actor without a call takes 40 KB, and a job on thousands of devices leaves one behind for each. */
const IDLE = "10 seconds"

/** An error of the device or of the way to it, as callers on other replicas can read it. */
const toFailure = (error: Operations.WorkError): DeviceFailure => {
  if (error._tag === "DeviceFailure") return error
  return new DeviceFailure({ type: errorType(error), message: error.message, text: errorText(error) })
}

const readRunningConfig = ({ driver, session }: LoggedIn) =>
  Effect.map(session.runningConfig, (config) => ({ config, hash: driver.configHash(config) }))

/** Reads the running configuration last: the device is expected to run it from then on. */
const finishInit = Effect.fnUntraced(function* (loggedIn: LoggedIn, hostname: string) {
  const { session } = loggedIn
  yield* TimedMove.insistOnEnd(loggedIn, hostname)
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
  const { learned, proved } = yield* ConfigStore
  const changes = yield* ChangeStore
  const config = yield* ServerConfig
  const executing = {
    changes,
    live: changes.live,
    proved,
    login,
    identities: yield* IdentityStore,
    learned,
    alone: Option.isNone(config.CLUSTER_HOST),
    proofDelay: config.COMMIT_CONFIRMED_WAIT,
    suffices: config.CHANGE_PROOFS,
    digest: (yield* SecretKey).digester("proved secrets"),
    checks: yield* CheckReadings.make
  }
  const address = yield* Entity.CurrentAddress
  const id = Number(address.entityId)
  const { row: device, serve, serveChange, view } = yield* ServedDevice.make(id)

  /** Checked as late as possible: the commit of a base configuration cannot be taken back. */
  const isWanted = (jobId: number): BaseConfiguration.MayCommit =>
    Effect.mapBoth(jobs.status(jobId), {
      onSuccess: (status) => status === "RUNNING",
      onFailure: (error) => `${error._tag}: ${error.message}\n`
    })

  /** Logs in, does the work and logs out. */
  const session = <A>(
    as: LoginOptions,
    work: (loggedIn: LoggedIn) => Effect.Effect<A, Operations.WorkError, Scope.Scope>
  ) =>
    Effect.flatMap(device, (row) =>
      login.open(row, as).pipe(Effect.flatMap(work), Effect.scoped, Effect.mapError(toFailure))
    )

  const change = (name: string, before: Effect.Effect<void>, changeId: number, verdict: Verdict | null) =>
    serveChange(name, before, changeId, (actor, read) =>
      ChangeExecutor.run({ ...executing, actor }, read, verdict).pipe(
        Effect.mapError((error) => (error._tag === "SqlError" ? toFailure(error) : new ChangeMoved({ id: error.id })))
      )
    )

  /** A session for steps that are commands; they get only the device's name. */
  const withSession =
    (as: LoginOptions): Operations.WithSession =>
    (work) =>
      Effect.flatMap(device, ({ hostname }) => session(as, (loggedIn) => work(loggedIn.session, hostname)))

  const reading = withSession({})
  const beside = CheckReadings.makeBeside()
  const changing = withSession({ changes: {} })
  const ports = PortBounce.make(operations, id, changing)
  const worker = { operations, deviceId: id }

  return DeviceEntity.of({
    ShowActor: () => view,
    // ports that are still down from a bounce would look like another person's change
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
    ReadDrift: ({ payload }) => serve("READ", "ReadDrift", null, session({}, readDrift(payload))),
    ReadInterfaces: () =>
      serve(
        "READ",
        "ReadInterfaces",
        null,
        reading((session) => session.interfaces)
      ),
    ReadOptics: () =>
      serve(
        "READ",
        "ReadOptics",
        null,
        reading((session) => session.optics)
      ),
    ReadNeighbourDetails: () =>
      serve(
        "READ",
        "ReadNeighbourDetails",
        null,
        reading((session) => session.lldpDetail)
      ),
    // out of turn, because a device that waits for its neighbour's turn may be the one that the neighbour waits for
    ReadBeside: ({ payload }) => beside.read(reading, payload.questions),
    ShowBeside: ({ payload }) => beside.show(reading, payload.commands),
    ReadTables: () => serve("READ", "ReadTables", null, reading(Operations.readTables)),

    ReadState: ({ payload }) =>
      serve(
        "READ",
        "ReadState",
        null,
        reading((session, hostname) => Operations.readState(session, hostname, payload.questions))
      ),

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
    FinishInit: () =>
      serve(
        "OPERATE",
        "FinishInit",
        null,
        Effect.flatMap(device, ({ hostname }) =>
          session({ state: "INIT" }, (loggedIn) => finishInit(loggedIn, hostname))
        )
      ),
    BouncePorts: ({ payload }) => serve("OPERATE", "BouncePorts", null, ports.bounce(payload)),
    FinishBounce: () =>
      serve(
        "OPERATE",
        "FinishBounce",
        null,
        Effect.map(ports.finish, (raised) => ({ ports: raised }))
      ),
    InstallCertificate: ({ payload }) => {
      const { discoveredAt } = payload
      const login = discoveredAt === null ? changing : withSession({ state: "DISCOVERED", address: discoveredAt })
      return serve(
        "OPERATE",
        "InstallCertificate",
        payload.jobId,
        Operations.installCertificate(login, worker, payload)
      )
    },
    EraseDevice: ({ payload: { jobId } }) =>
      serve("OPERATE", "EraseDevice", jobId, Operations.erase(changing, worker, jobId)),

    FirmwarePreflight: ({ payload }) =>
      serve(
        "UPGRADE",
        "FirmwarePreflight",
        null,
        changing((session, hostname) => Operations.preflight(session, hostname, payload))
      ),
    FirmwareDownload: ({ payload }) =>
      serve(
        "UPGRADE",
        "FirmwareDownload",
        null,
        changing((session, hostname) => Operations.download(session, hostname, payload))
      ),
    FirmwareActivate: ({ payload }) =>
      serve(
        "UPGRADE",
        "FirmwareActivate",
        null,
        changing((session, hostname) => Operations.activate(session, hostname, payload.file))
      ),
    FirmwareReboot: () => serve("UPGRADE", "FirmwareReboot", null, changing(Operations.reboot))
  })
})

/**
 * Serves the calls to devices. The entity runs them all at once and `ServedDevice` gives each its turn, so waiting calls can be
 * listed and an actor can be shown while it works.
 */
export const layer = DeviceEntity.toLayer(make, {
  maxIdleTime: IDLE,
  concurrency: "unbounded",
  mailboxCapacity: "unbounded"
}).pipe(Layer.provide([ActorInspection.layer, MonitoringSystem.layer]))
