/**
 * Runs a stored change in the live actor of its device, and reports its result. The protocol is the statechart of
 * `machines/change/ConfigChange.ts`; its steps are in `ChangeRun.ts` and `ChangeSteps.ts`. Keeps promises 1 to 4 of
 * docs/concepts.md#the-promises.
 */
import { Effect, Option, type Scope } from "effect"
import { resultEnd } from "../../machines/change/ChangeChecks.ts"
import { type ChangeOutcome, inputOf, outcomeOf } from "../../machines/change/ChangeDecision.ts"
import type { ChangeRow, Proof, Verdict } from "../../machines/change/ChangeRow.ts"
import type { ChangeReport } from "./DeviceCalls.ts"
import type { Device } from "../domain/Device.ts"
import { platformOf } from "../domain/platforms/Platforms.ts"
import type { ChangeStore, StoredChange } from "../store/ChangeStore.ts"
import type { IdentityStore } from "../store/IdentityStore.ts"
import type { WorkClaim } from "../drivers/Driver.ts"
import * as ChangeChecks from "./ChangeChecks.ts"
import * as ChangeRun from "./ChangeRun.ts"
import { claimOf, type LastKnown, type RunError } from "./ChangeRun.ts"
import * as ChangeSteps from "./ChangeSteps.ts"
import * as DeviceConnection from "./DeviceConnection.ts"
import type { DeviceLogin } from "./DeviceLogin.ts"
import type { DeviceStatechart } from "./DeviceStatechart.ts"
import * as KnownSecrets from "./KnownSecrets.ts"
import { checkEnded } from "../runtime/metrics/Metrics.ts"
import type { ConfigStore } from "../store/ConfigStore.ts"
import type { ReadChange } from "./ServedDevice.ts"

/** The results of the checks, or those that a live run would make. */
const checksIn = (row: ChangeRow): Pick<ChangeReport, "checks" | "plannedChecks"> => {
  if (row.checking === undefined) return {}
  const { results = [] } = row.checking
  return row.dryRun ? { plannedChecks: ChangeChecks.planned(row) } : results.length === 0 ? {} : { checks: results }
}

/** Counts the checks that have ended in this run. */
const countChecks = (before: ChangeRow, { checking }: ChangeRow): void => {
  if (before.checking?.end !== undefined || checking?.end === undefined) return
  for (const result of checking.results ?? []) checkEnded(result.name, resultEnd(result), result.seconds)
}

const report = (row: ChangeRow, outcome: ChangeOutcome | null, failure: string | null): ChangeReport => ({
  waiting: outcome === null,
  result: outcome?.result ?? null,
  runs: outcome?.runs ?? "unclear",
  ok: outcome?.ok ?? false,
  phase: row.phase,
  reason: row.reason,
  message: outcome?.message ?? "",
  failure,
  diff: row.diff ?? "",
  hash: row.candidateHash,
  ...(row.proof === undefined ? {} : { proof: row.proof }),
  ...(row.remarks === undefined || row.remarks.length === 0 ? {} : { remarks: row.remarks }),
  ...(row.notes === undefined ? {} : { notes: row.notes }),
  ...checksIn(row)
})

export interface Services {
  readonly changes: ChangeStore["Service"]
  readonly live: Pick<ChangeStore["Service"]["live"], "place">
  readonly proved: Pick<ConfigStore["Service"]["proved"], "isRun" | "of">
  readonly login: DeviceLogin["Service"]
  readonly identities: IdentityStore["Service"]
  readonly learned: ConfigStore["Service"]["learned"]
  /** The live actor of the device. */
  readonly actor: DeviceStatechart
  /** No other replica can take a change over. */
  readonly alone: boolean
  /** Seconds that a switch gets to settle between a mode-2 commit and its proof. */
  readonly proofDelay: number
  /** The accepted proofs; one of them must be made. */
  readonly suffices: ReadonlyArray<Proof>
  /** A keyed digest of a secret. */
  readonly digest: (text: string) => string
  /** What checks need of the database and of other devices. */
  readonly checks: Pick<ChangeChecks.CheckContext, "ask" | "askOutside" | "portsOf"> & {
    readonly neighbours: (deviceId: number) => ChangeChecks.CheckContext["neighbours"]
  }
}

/** The name that the device reports; empty if it reports none. */
const askName = (connection: DeviceConnection.DeviceConnection) =>
  connection.current.pipe(
    Effect.flatMap(({ session }) => session.facts),
    Effect.map(({ fqdn }) => (fqdn === null ? {} : { fqdn })),
    Effect.tapError((error) => Effect.logDebug("The device did not give its name", { error: error.message })),
    Effect.orElseSucceed(() => ({}))
  )

/** The steps of this change over a connection that ends with the scope, and the texts that they have read. */
const connect = Effect.fnUntraced(function* (
  services: Services,
  change: StoredChange,
  device: Device,
  claim: WorkClaim
) {
  const { changes, identities, learned, login, proved } = services
  const connection = yield* DeviceConnection.make(login, device, {
    claim,
    jobId: change.job_id,
    changes: { candidate: change.candidate }
  })
  const { candidate, known_secrets: known } = change
  const platform = platformOf(device.platform)
  const secrets = KnownSecrets.make({ platform, deviceId: device.id, candidate, known, digest: services.digest })
  const seen: ChangeSteps.SeenTexts = { running: null, before: null, remarks: [], secretsOf: secrets.provedBy }
  const steps = ChangeSteps.make({
    candidate,
    secrets,
    suffices: services.suffices,
    loadMode: change.load_mode,
    connection,
    checks: {
      deviceId: device.id,
      hostname: device.hostname,
      connection,
      neighbours: services.checks.neighbours(device.id),
      portsOf: services.checks.portsOf,
      ask: services.checks.ask,
      askOutside: services.checks.askOutside
    },
    platform,
    mayAbort: { _tag: "allBut", jobs: change.unfinished_jobs.filter((job) => job !== change.job_id) },
    runsOther: (hash) => identities.runsElsewhere(device.id, hash, change.job_id),
    shown: {
      hostname: device.hostname,
      release: device.os_version ?? "",
      learned,
      previous: changes.candidateBefore(change.id),
      proved: Effect.map(
        proved.of(device.id),
        Option.map(({ config }) => config)
      ),
      remark: (sentence) => {
        seen.remarks = [...seen.remarks, sentence]
      }
    },
    seen,
    isExpected: (expected, running) => proved.isRun(device, expected, running)
  })
  return { connection, seen, steps }
})

/**
 * Runs a stored change to its end, or until it waits for a verdict. A change that was begun before is resumed by looking at the
 * device; an ended one is only reported. `verdict` is the joint result of the job's devices, if it is known. Fails with
 * ChangeTakenOver when another process works on the change, and with SqlError.
 */
export const run = Effect.fn("ChangeExecutor.run")(function* (
  services: Services,
  { at, change, device }: ReadChange,
  verdict: Verdict | null
): Effect.fn.Return<ChangeReport, RunError, Scope.Scope> {
  const { id: changeId } = change
  const outcome = outcomeOf(change.protocol)
  if (outcome !== null) return report(change.protocol, outcome, change.failure)
  const surroundings = yield* Effect.context<never>()
  const known: LastKnown = { written: change.protocol, at }
  const claim = claimOf(services.live, changeId, known, services.alone)
  const { connection, seen, steps } = yield* connect(services, change, device, claim)
  const end = yield* services.actor.change(
    { name: verdict === null ? "RunChange" : "SettleChange", job: change.job_id },
    {
      id: changeId,
      input: inputOf(change, verdict, services.proofDelay),
      run: (waits) => ({
        claim: ChangeRun.claims(services.changes, changeId, known, seen),
        steps,
        waits,
        within: Effect.setContext(surroundings)
      })
    }
  )
  const { row } = end
  countChecks(change.protocol, row)
  const isAsked = row.mode === 2 && !row.dryRun && row.phase === "unchanged" && seen.running !== null
  const name = end.waits || isAsked ? yield* askName(connection) : {}
  const remarks = [...new Set([...(row.remarks ?? []), ...seen.remarks])]
  return { ...report(row, outcomeOf(row), end.failure), ...name, ...(remarks.length === 0 ? {} : { remarks }) }
}, Effect.scoped)
