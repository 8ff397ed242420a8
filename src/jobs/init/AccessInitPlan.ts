/**
 * Prepares the initialisation of an access switch: asks it, checks its neighbours and has its place in the network written
 * (docs/provisioning.md).
 */
import { Context, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql"
import type { Device } from "../../domain/Device.ts"
import type { JobFailure } from "../../domain/Job.ts"
import type { InitDecision } from "../../domain/jobs/InitJobs.ts"
import { uplinkHostnames } from "../../provisioning/InterfaceDatabase.ts"
import { InterfaceStore } from "../../store/InterfaceStore.ts"
import { AccessInitRows, type AccessRequest } from "./AccessInitRows.ts"
import { AccessPlace } from "./AccessPlace.ts"
import { AccessPlanner } from "./AccessPlanner.ts"
import type { InitJob } from "./InitJob.ts"
import { InitProgress } from "./InitProgress.ts"
import { InitReplacement } from "./InitReplacement.ts"
import { InitRows } from "./InitRows.ts"
import { surveyFailure } from "./InitSurvey.ts"
import { refusedAsFailure } from "../engine/JobHandler.ts"
import { NeighbourSync } from "./NeighbourSync.ts"

const make = Effect.gen(function* () {
  const interfaces = yield* InterfaceStore
  const neighbourSync = yield* NeighbourSync
  const place = yield* AccessPlace
  const planner = yield* AccessPlanner
  const accessRows = yield* AccessInitRows
  const rows = yield* InitRows
  const replacement = yield* InitReplacement
  const progress = yield* InitProgress

  const survey = Effect.fnUntraced(function* (job: InitJob, device: Device, newHostname: string) {
    yield* progress.begin(job, "survey", `Reading what ${device.hostname} is and which neighbours it has`)
    return yield* Effect.catchTag(place.ask(device, newHostname), "SurveyImpossible", (error) =>
      Effect.fail(surveyFailure(error))
    )
  })

  const prepare = Effect.fn("AccessInitPlan.prepare")(function* (job: InitJob, request: AccessRequest) {
    const { device, newHostname, peer, replace } = request
    const first = yield* survey(job, device, newHostname)
    const members = [first, ...(peer === null ? [] : [yield* survey(job, peer.device, peer.newHostname)])] as const
    if (request.uplinks === null) {
      const old = replace ? yield* replacement.find(newHostname) : null
      // rows that another job is writing look like anything; that job is what has to be told
      const others = peer === null ? [device] : [device, peer.device]
      const plan = yield* Effect.tapError(planner.cabled(members, old), () => rows.aloneOn(job, others))
      yield* progress.begin(job, "neighbours", `Checking the neighbours ${plan.uplinks.join(" and ")}`)
      yield* neighbourSync.check(plan.uplinks, "ACCESS", job.id)
    }
    yield* progress.checkpoint(job, `Planning the place of ${newHostname}`)
    const decided = yield* accessRows.write(job, request, members)
    const at = [decided.primary, decided.secondary].flatMap((address) => address?.ip ?? []).join(" and ")
    yield* progress.say(job, "planned", `${decided.previousHostname} becomes ${newHostname} at ${at}`)
    for (const name of decided.lost.interfaces) {
      yield* progress.say(job, "lost", `The new unit has no port ${name}: its configuration is lost`)
    }
    return decided
  }, refusedAsFailure)

  /** The uplinks of a pair whose first switch is managed already, as the rows say. */
  const uplinksOfPair = Effect.fn("AccessInitPlan.uplinksOfPair")(function* (ids: ReadonlyArray<number>) {
    return uplinkHostnames(yield* interfaces.ofDevices(ids))
  })

  return AccessInitPlan.of({ prepare, uplinksOfPair })
})

type Step<A> = Effect.Effect<A, JobFailure | SqlError.SqlError>

/** Plans the initialisation of an access switch. */
export class AccessInitPlan extends Context.Service<
  AccessInitPlan,
  {
    /** Surveys, checks and writes; a check that fails changes nothing. The device has its new hostname afterwards. */
    readonly prepare: (job: InitJob, request: AccessRequest) => Step<InitDecision>
    /** Hostnames above an MLAG pair whose ports are written, one per uplink. */
    readonly uplinksOfPair: (
      deviceIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<string>, SqlError.SqlError>
  }
>()("switchyard/jobs/AccessInitPlan") {
  static readonly layer = Layer.effect(AccessInitPlan, make)
}
