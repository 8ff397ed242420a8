/**
 * A request for events: its parameters, the devices and permissions that they mean now, and the pages of the log for it. An open stream
 * asks again, because devices join groups and permissions change.
 */
import { Effect, Option, Result } from "effect"
import { NotPermitted } from "../../access/Permit.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { toId } from "../../domain/fields/Values.ts"
import { SettingsView, UnknownGroup } from "../../settings/SettingsView.ts"
import { DeviceStore } from "../../store/DeviceStore.ts"
import { JobStore } from "../../store/JobStore.ts"
import { type EventAccess, hostnamesIn, isAllowed, judgeEvent, makeAccessOf, makeVisibleJobs } from "./EventAccess.ts"
import { BadRequest } from "../../api/Answers.ts"
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
import { EventStore, type ScannedEvent } from "../../store/EventStore.ts"

// The parameters of a request for events (docs/events.md#pages). Pure.

/** The parameters, not yet resolved. */
export interface EventRequest {
  /** Null for all stored events. */
  readonly kinds: ReadonlySet<string> | null
  /** Hostnames or ids. */
  readonly devices: ReadonlyArray<string>
  readonly groups: ReadonlyArray<string>
  readonly job: number | null
  /** The number of the last event that the client has; null if it is not given. */
  readonly since: number | null
  readonly limit: number
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 1000
const MAX_DEVICES = 1000
const MAX_JOB = 2 ** 31 - 1

type Parameters = Readonly<Record<string, string | ReadonlyArray<string> | undefined>>

/** A parameter may be repeated, and may be a list with commas. Duplicates count once. */
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
 * Reads the parameters, and the number in `Last-Event-ID`, which takes precedence over `since`. The failure is the sentence for the client,
 * which begins with the name of the field.
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

/** A request with its names resolved. */
export interface EventQuestion {
  readonly filter: EventFilter
  /** Hostnames of the devices in the filter, for live messages, which have no ids. */
  readonly hostnames: ReadonlySet<string> | null
  readonly live: ReadonlySet<LiveOnlyKind>
  readonly access: EventAccess
  /** Whether new and moved devices can change the filter. */
  readonly followsDevices: boolean
}

interface Named {
  readonly id: number
  readonly hostname: string
}

const isLiveOnly = (kind: string): kind is LiveOnlyKind => liveOnlyKinds.some((live) => live === kind)

const kept = (kinds: EventRequest["kinds"], { seesAudit }: EventAccess): EventFilter["kinds"] => {
  if (kinds === null) return seesAudit ? null : new Set(publicKinds)
  return new Set([...kinds].filter((kind) => !isLiveOnly(kind)))
}

const AUDIT_ONLY = "are part of the audit, which you may not read as a whole"

/** Resolves a request. Fails with BadRequest, whose message names the field, and with NotPermitted. */
export const makeQuestionOf = Effect.gen(function* () {
  const accessOf = yield* makeAccessOf
  const settings = yield* SettingsView
  const devices = yield* DeviceStore
  const jobs = yield* JobStore
  const { pages } = yield* EventStore

  /** Events of a deleted device can be read by its id. A caller of some devices does not learn whether a device exists. */
  const deviceOf = Effect.fnUntraced(function* (text: string, { within }: EventAccess) {
    const noDevice: Named = { id: 0, hostname: "" }
    const unknown =
      within === null
        ? Effect.fail(new BadRequest({ message: `device: there is no device ${text}` }))
        : Effect.succeed(noDevice)
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

  const devicesOf = Effect.fnUntraced(function* ({ devices: asked, groups }: EventRequest, access: EventAccess) {
    const named: ReadonlyArray<Named> = yield* Effect.forEach(asked, (text) => deviceOf(text, access))
    if (groups.length === 0) return asked.length === 0 ? null : named
    // all at once, because finding the members of a group searches all devices
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
    const access = yield* accessOf(caller)
    const forAudit = [...(kinds ?? [])].filter((kind) => isForAudit(kind) && !isLiveOnly(kind))
    if (forAudit.length > 0 && !access.seesAudit) {
      return yield* new NotPermitted({ rule: `kind: events of kind ${forAudit.join(", ")} ${AUDIT_ONLY}`, roles: [] })
    }
    if (job !== null && access.within === null) {
      yield* Effect.catchTag(jobs.head(job), "JobNotFound", () =>
        Effect.fail(new BadRequest({ message: `job: there is no job with id ${job}` }))
      )
    }
    const named = yield* devicesOf(request, access)
    return {
      filter: { kinds: kept(kinds, access), devices: named && new Set(named.map(({ id }) => id)), job },
      hostnames: named && new Set(named.map(({ hostname }) => hostname)),
      live: new Set([...(kinds ?? [])].filter(isLiveOnly)),
      access,
      followsDevices: access.within !== null || request.groups.length > 0
    } satisfies EventQuestion
  })
})

// Pages of the log for one caller (docs/events.md#pages). A page looks at a bounded number of rows; if it has to stop early, it says where
// to continue.

/** Rows that a page looks at, and rows of one query. */
const MAX_SCANNED = 4000
const SCAN = 2000

/** The numbers between which a page reads. */
interface PageRange {
  readonly after: number
  readonly through: number
  readonly limit: number
}

/** Events, and the number up to which the log was read. */
interface EventPage {
  readonly events: ReadonlyArray<LiveEvent>
  readonly next: number
}

/** An event as the caller may see it: addresses belong to the audit. */
export const shownTo = ({ access }: EventQuestion, event: LiveEvent): LiveEvent =>
  access.seesAudit ? event : { ...event, address: null }

/** How many rows to read next, by the share of rows that were chosen before. */
const nextCount = (limit: number, chosen: number, scanned: number): number =>
  chosen === 0 ? SCAN : Math.min(SCAN, Math.max(limit, Math.ceil((1.2 * (limit - chosen) * scanned) / chosen)))

/** Reads a page. */
export const makeReadPage = Effect.gen(function* () {
  const { pages } = yield* EventStore
  const seenJobs = yield* makeVisibleJobs

  const chosenOf = Effect.fnUntraced(function* (question: EventQuestion, rows: ReadonlyArray<ScannedEvent>) {
    const asked = rows.filter((row) => matchesFilter(question.filter, row))
    const access = yield* question.access.knowing(hostnamesIn(asked))
    const matching = asked.map((row) => ({ id: row.id, verdict: judgeEvent(access, row) }))
    const jobs = yield* seenJobs(
      access,
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
