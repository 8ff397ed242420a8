/**
 * What a request for events means now: its names are looked up, and what the caller may hear of is found. Asked again while a stream is open,
 * because devices come into groups and rights change.
 */
import { Effect, Option, Result } from "effect"
import { NotPermitted } from "../../access/Permit.ts"
import { BadRequest } from "../../api/Answers.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import {
  type EventFilter,
  eventKinds,
  isForAudit,
  type LiveEvent,
  type LiveOnlyKind,
  liveOnlyKinds,
  matchesFilter,
  publicKinds
} from "../../domain/events/Event.ts"
import { toId } from "../../domain/fields/Values.ts"
import { SettingsView, UnknownGroup } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type EventAccess, hostnamesIn, isAllowed, judgeEvent, makeAccessOf, makeVisibleJobs } from "./EventAccess.ts"
import { EventPages, type ScannedEvent } from "../../store/EventStore.ts"

/** A question that can be answered. */
export interface EventQuestion {
  readonly filter: EventFilter
  /** Names of the devices in the filter, for what is told without their ids. */
  readonly hostnames: ReadonlySet<string> | null
  readonly told: ReadonlySet<LiveOnlyKind>
  readonly sight: EventAccess
  /** Which devices it is about may change with each device that comes or moves. */
  readonly followsDevices: boolean
}

interface Named {
  readonly id: number
  readonly hostname: string
}

const isTold = (kind: string): kind is LiveOnlyKind => liveOnlyKinds.some((told) => told === kind)

const kept = (kinds: EventRequest["kinds"], { seesAudit }: EventAccess): EventFilter["kinds"] => {
  if (kinds === null) return seesAudit ? null : new Set(publicKinds)
  return new Set([...kinds].filter((kind) => !isTold(kind)))
}

const AUDIT_ONLY = "are part of the audit, which you may not read as a whole"

/** Finds out what a request asks for. Fails with BadRequest, whose message names the field, and NotPermitted. */
export const makeQuestionOf = Effect.gen(function* () {
  const sightOf = yield* makeAccessOf
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const pages = yield* EventPages

  /** Events of a device that is gone can be asked for by its id. A caller of some devices is not told that there is none. */
  const deviceOf = Effect.fnUntraced(function* (text: string, { within }: EventAccess) {
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

  const devicesOf = Effect.fnUntraced(function* ({ devices: asked, groups }: EventRequest, sight: EventAccess) {
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

// What a request for events asks for, as far as the request alone says it (docs/events.md#pages). Pure.

/** Names and numbers as they were sent. */
export interface EventRequest {
  /** Null for all that are kept. */
  readonly kinds: ReadonlySet<string> | null
  /** Hostnames or ids. */
  readonly devices: ReadonlyArray<string>
  readonly groups: ReadonlyArray<string>
  readonly job: number | null
  /** The number after which events are wanted; null when nothing is said of it. */
  readonly since: number | null
  readonly limit: number
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
const MAX_DEVICES = 1000
const MAX_JOB = 2 ** 31 - 1

type Parameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A parameter may be repeated, and each may be a list with commas. A name counts once, however often it is written. */
const listOf = (sent: Parameters[string]): ReadonlyArray<string> => [
  ...new Set(
    [sent ?? []]
      .flat()
      .flatMap((text) => text.split(","))
      .map((text) => text.trim())
      .filter((text) => text !== "")
  )
]

const lastOf = (sent: Parameters[string]): string | undefined => [sent ?? []].flat().at(-1)

const kindsIn = (sent: Parameters[string]): Result.Result<EventRequest["kinds"], string> => {
  const kinds = listOf(sent)
  const unknown = kinds.find((kind) => !eventKinds.has(kind))
  if (unknown !== undefined)
    return Result.fail(`kind: there are no events of kind ${unknown}; there are ${[...eventKinds].join(", ")}`)
  return Result.succeed(kinds.length === 0 ? null : new Set(kinds))
}

const numberIn = (
  field: string,
  sent: string | undefined,
  { max, min }: { readonly min: number; readonly max: number }
): Result.Result<number | null, string> => {
  if (sent === undefined || sent === "") return Result.succeed(null)
  const number = /^\d{1,16}$/.test(sent) ? Number(sent) : Number.NaN
  return number >= min && number <= max
    ? Result.succeed(number)
    : Result.fail(`${field}: must be a whole number from ${min} to ${max}`)
}

/**
 * Reads the parameters of a request, and the number that its header `Last-Event-ID` names, which counts before `since`. The failure is the
 * sentence for the client, which begins with the name of the field.
 */
export const readEventRequest = (
  parameters: Parameters,
  lastEventId: string | undefined
): Result.Result<EventRequest, string> =>
  Result.gen(function* () {
    const numbers = { min: 0, max: Number.MAX_SAFE_INTEGER }
    const resumed = yield* numberIn("Last-Event-ID", lastEventId, numbers)
    const since = yield* numberIn("since", lastOf(parameters["since"]), numbers)
    const devices = listOf(parameters["device"])
    if (devices.length > MAX_DEVICES) return yield* Result.fail(`device: at most ${MAX_DEVICES} can be named`)
    return {
      kinds: yield* kindsIn(parameters["kind"]),
      devices,
      groups: listOf(parameters["group"]),
      job: yield* numberIn("job", lastOf(parameters["job"]), { min: 1, max: MAX_JOB }),
      since: resumed ?? since,
      limit: (yield* numberIn("limit", lastOf(parameters["limit"]), { min: 1, max: MAX_LIMIT })) ?? DEFAULT_LIMIT
    }
  })

// Reads the log for one caller, page by page (docs/events.md#pages). A page looks at a bounded number of rows, whatever is asked for; where it
// has looked at others in between it says from where to go on.

/** How many rows a page looks at, and how many of them at once. */
const MAX_SCANNED = 4000
const SCAN = 2000

/** Where a page begins, and up to where it may go. */
export interface PageRange {
  readonly after: number
  readonly through: number
  readonly limit: number
}

/** Events, and the number up to which everything that is asked for was read. */
export interface EventPage {
  readonly events: ReadonlyArray<LiveEvent>
  readonly next: number
}

/** What a caller sees of an event: addresses are of the audit. */
export const shownTo = ({ sight }: EventQuestion, event: LiveEvent): LiveEvent =>
  sight.seesAudit ? event : { ...event, address: null }

/** How many rows to look at next, by how many of those before were for the caller. */
const nextCount = (limit: number, chosen: number, scanned: number): number =>
  chosen === 0 ? SCAN : Math.min(SCAN, Math.max(limit, Math.ceil((1.2 * (limit - chosen) * scanned) / chosen)))

/** Reads a page. */
export const makeReadPage = Effect.gen(function* () {
  const pages = yield* EventPages
  const seenJobs = yield* makeVisibleJobs

  const chosenOf = Effect.fnUntraced(function* (question: EventQuestion, rows: ReadonlyArray<ScannedEvent>) {
    const asked = rows.filter((row) => matchesFilter(question.filter, row))
    const sight = yield* question.sight.knowing(hostnamesIn(asked))
    const matching = asked.map((row) => ({ id: row.id, verdict: judgeEvent(sight, row) }))
    const jobs = yield* seenJobs(
      sight,
      matching.map(({ verdict }) => verdict)
    )
    return matching.filter(({ verdict }) => isAllowed(verdict, jobs)).map(({ id }) => id)
  })

  return Effect.fn("EventReading.page")(function* (question: EventQuestion, range: PageRange) {
    const { limit, through } = range
    const { filter } = question
    const isNothing = filter.kinds?.size === 0 || filter.devices?.size === 0
    const chosen: Array<number> = []
    let after = range.after
    let isMore = !isNothing && after < through
    let count = limit
    for (let scanned = 0; isMore && chosen.length < limit && scanned < MAX_SCANNED;) {
      const { last, looked, rows } = yield* pages.scan({ ...filter, after, through, limit: count })
      chosen.push(...(yield* chosenOf(question, rows)))
      scanned += looked
      isMore = looked === count
      after = last ?? after
      count = nextCount(limit, chosen.length, scanned)
    }
    const taken = chosen.slice(0, limit)
    const last = chosen.length >= limit ? taken.at(-1) : undefined
    const events = taken.length === 0 ? [] : yield* pages.load(taken)
    return {
      events: events.map((event) => shownTo(question, event)),
      next: last ?? (isMore ? after : Math.max(range.after, through))
    } satisfies EventPage
  })
})
