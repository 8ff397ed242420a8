/**
 * Carries a stored change through its protocol: claims each phase in the database before the step that touches the switch,
 * does the step, and asks the machine what follows. A change that another process left behind is resumed by looking at the
 * device. Carries promises 1 to 4 of DESIGN §2.
 */
import { Duration, Effect, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import {
  begin,
  type ChangeDecision,
  type ChangeOutcome,
  nextStep,
  resume
} from "../../machines/change/ChangeDecision.ts"
import { type ChangeEvent, type ChangeRow, type ChangeStep, changePhases } from "../../machines/change/ChangeRow.ts"
import type { Device } from "../domain/Device.ts"
import type { ChangeStore, ClaimTexts, StoredChange } from "../store/ChangeStore.ts"
import * as ChangeSteps from "./ChangeSteps.ts"
import * as DeviceConnection from "./DeviceConnection.ts"
import type { DeviceLogin } from "./DeviceLogin.ts"

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
  /** The name that the device gave after a mode-2 commit, as evidence that it answers. */
  fqdn: Schema.optionalKey(Schema.String)
})
export type ChangeReport = typeof ChangeReport.Type

/** Whether the change goes on although its job reports it: its end is recorded when it is known. */
export const isOpen = ({ phase, waiting }: ChangeReport): boolean => !waiting && phase === "expiring"

/** Another process works on this change: nothing more was sent from here. */
export class ChangeTakenOver extends Schema.TaggedError<ChangeTakenOver>()("ChangeTakenOver", { id: Schema.Int }) {
  override get message() {
    return `Change ${this.id} was taken over by another process`
  }
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
  hash: row.candidateHash
})

/** What a caller may tell a change that waits for the other devices of its job. */
export type Verdict = Extract<ChangeEvent["type"], "ALL_DEVICES_OK" | "OTHERS_FAILED" | "REVERT_NOW">

export interface Services {
  readonly changes: ChangeStore["Service"]
  readonly login: DeviceLogin["Service"]
  /** Seconds that a switch gets to settle between a mode-2 commit and its proof. */
  readonly proofDelay: number
}

/** How often a switch is told to take a change back before only its timer is waited for. */
const MAX_TELLS = 3

/** What the device calls itself; nothing when it does not say. */
const askName = (connection: DeviceConnection.DeviceConnection) =>
  connection.current.pipe(
    Effect.flatMap(({ session }) => session.facts),
    Effect.map(({ fqdn }) => ({ fqdn })),
    Effect.tapError((error) => Effect.logDebug("The device did not give its name", { error: error.message })),
    Effect.orElseSucceed(() => ({}))
  )

/** What the device was seen to run when its change ended well. */
const provedBy = ({ candidateHash, phase }: ChangeRow, running: string | null): Pick<ClaimTexts, "proved"> => {
  const isProved = phase === "confirmed" || phase === "unchanged"
  return isProved && running !== null && candidateHash !== null
    ? { proved: { hash: candidateHash, config: running } }
    : {}
}

/** The steps of this change over a connection that ends with the scope. */
const connect = Effect.fnUntraced(function* (services: Services, change: StoredChange, device: Device) {
  const connection = yield* DeviceConnection.make(services.login, device)
  const doStep = ChangeSteps.make({
    candidate: change.candidate,
    loadMode: change.load_mode,
    connection,
    mayAbort: { _tag: "allBut", jobs: change.unfinished_jobs.filter((job) => job !== change.job_id) }
  })
  return { connection, doStep }
})

/** What is known between the steps of one run. */
interface Memory {
  readonly failure: string | null
  /** The running configuration as it was read last. */
  readonly running: string | null
  /** The same, when it was read just now and before anything was changed. */
  readonly before: string | null
  /** How often the switch was told to take the change back, and whether it may be told again. */
  readonly tells: number
  readonly mayTell: boolean
  /** The difference as it stands in the database. */
  readonly diffStored: string | null
}

const after = (memory: Memory, step: ChangeStep, row: ChangeRow, ended: ChangeSteps.StepEnd): Memory => ({
  failure: memory.failure ?? ended.failure,
  running: ended.running ?? memory.running,
  before: step.type === "verify" && !row.dryRun ? ended.running : null,
  tells: memory.tells,
  mayTell: memory.mayTell || step.type === "waitForExpiry",
  diffStored: memory.diffStored
})

const drive = Effect.fnUntraced(function* (
  services: Services,
  change: StoredChange,
  device: Device,
  start: ChangeDecision
) {
  const { connection, doStep } = yield* connect(services, change, device)
  let memory: Memory = {
    failure: change.failure,
    running: null,
    before: null,
    tells: 0,
    mayTell: true,
    diffStored: change.protocol.diff
  }
  let decision = start
  while (true) {
    if (decision._tag === "Refused") return yield* Effect.die(new Error(decision.message))
    const { row } = decision.change
    const { claim } = decision
    if (claim !== null) {
      const texts = {
        before: memory.before,
        ...(row.diff === memory.diffStored ? {} : { diff: row.diff }),
        ...(decision._tag === "Ended" ? provedBy(row, memory.running) : {})
      }
      if (!(yield* services.changes.claim(change.id, claim, memory.failure, texts))) {
        return yield* new ChangeTakenOver({ id: change.id })
      }
      memory = { ...memory, diffStored: row.diff }
    }
    if (decision._tag === "Ended") {
      const isAsked = row.mode === 2 && !row.dryRun && row.phase === "unchanged" && memory.running !== null
      return { ...report(row, decision.outcome, memory.failure), ...(isAsked ? yield* askName(connection) : {}) }
    }
    const { step } = decision
    if (step.type === "awaitVerdict") return { ...report(row, null, memory.failure), ...(yield* askName(connection)) }
    const { mayTell, tells } = memory
    if (step.type === "waitForExpiry" && mayTell && tells < MAX_TELLS) {
      // taking the change back now is quicker than waiting for the timer; when it cannot be told, the timer does it
      memory = { ...memory, before: null, tells: tells + 1, mayTell: false }
      decision = nextStep(decision.change, { type: "REVERT_NOW" })
      continue
    }
    const ended = yield* doStep(step, row, tells < MAX_TELLS)
    memory = after(memory, step, row, ended)
    if (row.mode === 2 && ended.event.type === "COMMITTED") yield* Effect.sleep(Duration.seconds(services.proofDelay))
    yield* Effect.logDebug("Change step", { device: device.hostname, step: step.type, ended: ended.event.type })
    decision = nextStep(decision.change, ended.event)
  }
}, Effect.scoped)

/** Runs the change to its end, or to where it waits for a verdict. `resumed` is true when it may have been begun before. */
export const run = Effect.fn("ChangeExecutor.run")(function* (
  services: Services,
  changeId: number,
  device: Device
): Effect.fn.Return<ChangeReport, SqlError.SqlError | ChangeTakenOver> {
  const change = yield* stored(services, changeId)
  const { protocol } = change
  const untouched = protocol.phase === "planned" && protocol.epoch === 1
  return yield* drive(services, change, device, untouched ? begin(protocol) : resume(protocol))
})

/** Tells a waiting change what the other devices came to, and carries it to its end. */
export const settle = Effect.fn("ChangeExecutor.settle")(function* (
  services: Services,
  changeId: number,
  device: Device,
  verdict: Verdict
): Effect.fn.Return<ChangeReport, SqlError.SqlError | ChangeTakenOver> {
  const { protocol, ...change } = yield* stored(services, changeId)
  if (protocol.phase === "proved") {
    return yield* drive(
      services,
      { ...change, protocol },
      device,
      nextStep({ state: "proved", row: protocol }, { type: verdict })
    )
  }
  // picked up after a crash: the device is looked at first, and the verdict holds if the change waits for it again
  const report = yield* drive(services, { ...change, protocol }, device, resume(protocol))
  return report.waiting ? yield* settle(services, changeId, device, verdict) : report
})

const stored = (services: Services, id: number) =>
  Effect.flatMap(services.changes.get(id), (found) =>
    Option.isSome(found) ? Effect.succeed(found.value) : Effect.die(new Error(`There is no change ${id}`))
  )
