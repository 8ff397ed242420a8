/**
 * What a request for events means now: its names are looked up, and what the caller may hear of is found. Asked again while a stream is open,
 * because devices come into groups and rights change.
 */
import { Effect, Option } from "effect"
import { NotPermitted } from "../../access/Permit.ts"
import { BadRequest } from "../../api/Answers.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import {
  type EventFilter,
  isForAudit,
  type LiveOnlyKind,
  liveOnlyKinds,
  publicKinds
} from "../../domain/events/Event.ts"
import { toId } from "../../domain/fields/Values.ts"
import { SettingsView, UnknownGroup } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { EventPages } from "../../store/EventPages.ts"
import { JobStore } from "../../store/JobStore.ts"
import type { EventRequest } from "./EventRequest.ts"
import { makeSightOf, type Sight } from "./EventSight.ts"

/** A question that can be answered. */
export interface EventQuestion {
  readonly filter: EventFilter
  /** Names of the devices in the filter, for what is told without their ids. */
  readonly hostnames: ReadonlySet<string> | null
  readonly told: ReadonlySet<LiveOnlyKind>
  readonly sight: Sight
  /** Which devices it is about may change with each device that comes or moves. */
  readonly followsDevices: boolean
}

interface Named {
  readonly id: number
  readonly hostname: string
}

const isTold = (kind: string): kind is LiveOnlyKind => liveOnlyKinds.some((told) => told === kind)

const kept = (kinds: EventRequest["kinds"], { seesAudit }: Sight): EventFilter["kinds"] => {
  if (kinds === null) return seesAudit ? null : new Set(publicKinds)
  return new Set([...kinds].filter((kind) => !isTold(kind)))
}

const AUDIT_ONLY = "are part of the audit, which you may not read as a whole"

/** Finds out what a request asks for. Fails with BadRequest, whose message names the field, and NotPermitted. */
export const makeQuestionOf = Effect.gen(function* () {
  const sightOf = yield* makeSightOf
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const pages = yield* EventPages

  /** Events of a device that is gone can be asked for by its id. A caller of some devices is not told that there is none. */
  const deviceOf = Effect.fnUntraced(function* (text: string, { within }: Sight) {
    const nobody: Named = { id: 0, hostname: "" }
    const unknown =
      within === null
        ? Effect.fail(new BadRequest({ message: `device: there is no device ${text}` }))
        : Effect.succeed(nobody)
    if (!/^\d+$/.test(text)) return yield* Effect.catchTag(devices.getByHostname(text), "DeviceNotFound", () => unknown)
    const id = Option.getOrNull(toId(text))
    if (id === null) return yield* unknown
    const gone = Effect.gen(function* () {
      const scan = { after: 0, through: Number.MAX_SAFE_INTEGER, limit: 1, kinds: null, job: null }
      const [event] = (yield* pages.scan({ ...scan, devices: new Set([id]) })).rows
      if (event === undefined) return yield* unknown
      return { id, hostname: event.hostname ?? "" }
    })
    return yield* Effect.catchTag(devices.get(id), "DeviceNotFound", () => gone)
  })

  const devicesOf = Effect.fnUntraced(function* ({ devices: asked, groups }: EventRequest, sight: Sight) {
    const named: ReadonlyArray<Named> = yield* Effect.forEach(asked, (text) => deviceOf(text, sight))
    if (groups.length === 0) return asked.length === 0 ? null : named
    // all at once: the members of one are looked for among all devices
    const views = new Map((yield* settings.groups).map((view) => [view.name, view]))
    const unknown = groups.find((name) => !views.has(name))
    if (unknown !== undefined) {
      return yield* new BadRequest({ message: `group: ${new UnknownGroup({ name: unknown }).message}` })
    }
    const hostnames = new Set(groups.flatMap((name) => views.get(name)?.hostnames ?? []))
    const members: ReadonlyArray<Named> = yield* devices.byHostnames([...hostnames])
    const ids = new Set(members.map(({ id }) => id))
    return asked.length === 0 ? members : named.filter(({ id }) => ids.has(id))
  })

  return Effect.fn("EventQuestion.of")(function* (request: EventRequest, caller: Identity) {
    const { job, kinds } = request
    const sight = yield* sightOf(caller)
    const forAudit = [...(kinds ?? [])].filter((kind) => isForAudit(kind) && !isTold(kind))
    if (forAudit.length > 0 && !sight.seesAudit) {
      return yield* new NotPermitted({ rule: `kind: events of kind ${forAudit.join(", ")} ${AUDIT_ONLY}`, roles: [] })
    }
    if (job !== null && sight.within === null) {
      yield* Effect.catchTag(jobs.head(job), "JobNotFound", () =>
        Effect.fail(new BadRequest({ message: `job: there is no job with id ${job}` }))
      )
    }
    const named = yield* devicesOf(request, sight)
    return {
      filter: { kinds: kept(kinds, sight), devices: named && new Set(named.map(({ id }) => id)), job },
      hostnames: named && new Set(named.map(({ hostname }) => hostname)),
      told: new Set([...(kinds ?? [])].filter(isTold)),
      sight,
      followsDevices: sight.within !== null || request.groups.length > 0
    } satisfies EventQuestion
  })
})
