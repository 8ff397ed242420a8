/**
 * Has a stored change run by the live actor of its device, and reports what it came to. The protocol is the statechart of
 * `machines/change/ConfigChange.ts`; its steps are in `ChangeRun.ts` and `ChangeSteps.ts`. Carries promises 1 to 4 of
 * docs/concepts.md#the-promises.
 */
import { Effect, Option, Schema, type Scope } from "effect"
import { type ChangeOutcome, outcomeOf } from "../../machines/change/ChangeDecision.ts"
import { changePhases, type ChangeRow, type Verdict } from "../../machines/change/ChangeRow.ts"
import { inputOf } from "../../machines/change/ChangeSnapshot.ts"
import type { Device } from "../domain/Device.ts"
import type { ChangeStore, StoredChange } from "../store/ChangeStore.ts"
import * as ChangeRun from "./ChangeRun.ts"
import type { RunError } from "./ChangeRun.ts"
import * as ChangeSteps from "./ChangeSteps.ts"
import * as DeviceConnection from "./DeviceConnection.ts"
import type { DeviceLogin } from "./DeviceLogin.ts"
import type { DeviceStatechart } from "./DeviceStatechart.ts"

/** What a change came to, for the job's record. `waiting` is true for a mode-2 change that is proved and needs a verdict. */
export const ChangeReport = Schema.Struct({
  waiting: Schema.Boolean,
  result: Schema.NullOr(Schema.Literals(["confirmed", "reverted", "unchanged", "discarded", "unknown"])),
  runs: Schema.Literals(["new", "old", "unclear"]),
  ok: Schema.Boolean,
  phase: Schema.Literals(changePhases),
  reason: Schema.NullOr(Schema.String),
  message: Schema.String,
  /** Error text of the step that failed, ending in `Type: message` and a newline. */
  failure: Schema.NullOr(Schema.String),
  diff: Schema.String,
  hash: Schema.NullOr(Schema.String),
  /** What people should know of the device although nothing is wrong. */
  remarks: Schema.optionalKey(Schema.Array(Schema.String)),
  /** The name that the device gave after a mode-2 commit, as evidence that it answers. */
  fqdn: Schema.optionalKey(Schema.String)
})
export type ChangeReport = typeof ChangeReport.Type

/** Whether the change goes on although its job reports it: its end is recorded when it is known. */
export const isOpen = ({ phase, waiting }: ChangeReport): boolean => !waiting && phase === "expiring"

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
  hash: row.candidateHash
})

export type { Verdict }

export interface Services {
  readonly changes: ChangeStore["Service"]
  readonly login: DeviceLogin["Service"]
  /** The live actor of the device. */
  readonly actor: DeviceStatechart
  /** Seconds that a switch gets to settle between a mode-2 commit and its proof. */
  readonly proofDelay: number
}

/** What the device calls itself; nothing when it does not say. */
const askName = (connection: DeviceConnection.DeviceConnection) =>
  connection.current.pipe(
    Effect.flatMap(({ session }) => session.facts),
    Effect.map(({ fqdn }) => ({ fqdn })),
    Effect.tapError((error) => Effect.logDebug("The device did not give its name", { error: error.message })),
    Effect.orElseSucceed(() => ({}))
  )

/** The steps of this change over a connection that ends with the scope, and what they have read. */
const connect = Effect.fnUntraced(function* ({ login }: Services, change: StoredChange, device: Device) {
  const connection = yield* DeviceConnection.make(login, device)
  const seen: ChangeSteps.SeenTexts = { running: null, before: null, remarks: [] }
  const steps = ChangeSteps.make({
    candidate: change.candidate,
    loadMode: change.load_mode,
    connection,
    mayAbort: { _tag: "allBut", jobs: change.unfinished_jobs.filter((job) => job !== change.job_id) },
    seen
  })
  return { connection, seen, steps }
})

const stored = (services: Services, id: number) =>
  Effect.flatMap(services.changes.get(id), (found) =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.die(new Error(`There is no change ${id}`))
  )

/**
 * Runs a stored change to its end, or to where it waits for a verdict; one that was begun before is resumed by looking at the
 * device, and one that is over only reports. `verdict` is what the other devices of the job came to, when that is known. Fails
 * with ChangeTakenOver when another process works on the change, and with SqlError.
 */
export const run = Effect.fn("ChangeExecutor.run")(function* (
  services: Services,
  changeId: number,
  device: Device,
  verdict: Verdict | null
): Effect.fn.Return<ChangeReport, RunError, Scope.Scope> {
  const change = yield* stored(services, changeId)
  const outcome = outcomeOf(change.protocol)
  if (outcome !== null) return report(change.protocol, outcome, change.failure)
  const surroundings = yield* Effect.context<never>()
  const { connection, seen, steps } = yield* connect(services, change, device)
  const end = yield* services.actor.change(
    { name: verdict === null ? "RunChange" : "SettleChange", job: change.job_id },
    {
      id: changeId,
      input: inputOf(change, verdict, services.proofDelay),
      run: (waits) => ({
        claim: ChangeRun.claims(services.changes, change, seen),
        steps,
        waits,
        within: Effect.setContext(surroundings)
      })
    }
  )
  const { row } = end
  const isAsked = row.mode === 2 && !row.dryRun && row.phase === "unchanged" && seen.running !== null
  const name = end.waits || isAsked ? yield* askName(connection) : {}
  const remarks = seen.remarks.length === 0 ? {} : { remarks: [...new Set(seen.remarks)] }
  return { ...report(row, outcomeOf(row), end.failure), ...name, ...remarks }
}, Effect.scoped)
