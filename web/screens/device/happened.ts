/** What happened to a device as sentences, of events of the audit and of jobs. Pure. */
import type { Data } from "../../../src/api/Calls.ts"
import { phaseWords } from "../../../src/domain/words/ChangeWords.ts"
import { causeWords, stateWords } from "../../../src/domain/words/DeviceWords.ts"
import { jobTitle, jobWord } from "../../../src/domain/words/JobWords.ts"
import { eventWords } from "../../../src/domain/words/ServerWords.ts"
import { inSentence, plainly, textOf, wordOf } from "../../../src/domain/words/Word.ts"
import type { ToneName } from "../../parts/tones.ts"

export type Event = Data<"GET /device/:hostname/audit">["events"][number]
type Job = Data<"GET /jobs">["jobs"][number]

/** One thing that happened. */
export interface Happening {
  readonly key: string
  readonly at: string
  /** What the filter of the history calls it. */
  readonly kind: "job" | "change" | "other"
  readonly tone: ToneName
  /** The person, or null for the server's own work. */
  readonly by: string | null
  readonly sentence: string
  readonly job_id: number | null
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const SERVERS: ReadonlySet<string> = new Set(["server", "switchyard", "scheduler", ""])

const personIn = (actor: string): string | null => (SERVERS.has(actor) ? null : actor)

/** A field of the record after or before the event. */
const field = ({ data }: Pick<Event, "data">, when: "before" | "after", name: string): string | undefined => {
  const record = data[when]
  const value = isRecord(record) ? record[name] : undefined
  return typeof value === "string" ? value : undefined
}

/** The object of an event: the name of a port, a link. */
export const keyIn = ({ data }: Pick<Event, "data">): string => (typeof data["key"] === "string" ? data["key"] : "")

const changedFields = ({ data }: Pick<Event, "data">): ReadonlyArray<string> =>
  isRecord(data["after"]) ? Object.keys(data["after"]).map(plainly) : []

/** The words without their beginning, which is who did it. */
const wordsOf = (event: Event): readonly [tone: ToneName, words: string] => {
  const { action, data, kind } = event
  if (kind === "change") {
    const { text, tone } = wordOf(phaseWords, action)
    return [tone, `change: ${inSentence(text)}`]
  }
  if (kind === "sync") {
    const cause = typeof data["cause"] === "string" ? data["cause"] : "unknown"
    const { text, tone } = wordOf(causeWords, cause)
    return [tone, `out of sync: ${text}`]
  }
  if (kind === "interface" && keyIn(event) !== "") return ["info", `${keyIn(event)} ${plainly(action)}`]
  if (kind === "device") {
    const state = field(event, "after", "state")
    if (state !== undefined) return [wordOf(stateWords, state).tone, inSentence(textOf(stateWords, state))]
    const fields = changedFields(event)
    return ["quiet", fields.length === 0 ? `record ${plainly(action)}` : `record changed: ${fields.join(", ")}`]
  }
  if (kind === "reachability") return action === "reachable" ? ["good", "answers again"] : ["bad", "stopped answering"]
  if (kind === "drift") return ["wait", "changed by hand"]
  return ["quiet", `${inSentence(textOf(eventWords, kind))} ${plainly(action)}`]
}

const sentenceOf = (event: Event): readonly [tone: ToneName, sentence: string] => {
  const [tone, words] = wordsOf(event)
  return [tone, `${words.charAt(0).toUpperCase()}${words.slice(1)}`]
}

/** Fields that follow from what other events say. */
const FOLLOWING: ReadonlySet<string> = new Set(["synchronized", "confhash", "last_seen", "id"])

/** Whether an event says something that no other one says. */
const isTelling = (event: Event): boolean => {
  const { after } = event.data
  return event.kind !== "device" || !isRecord(after) || Object.keys(after).some((name) => !FOLLOWING.has(name))
}

export const eventRows = (events: ReadonlyArray<Event>): ReadonlyArray<Happening> =>
  events.filter(isTelling).map((event): Happening => {
    const [tone, sentence] = sentenceOf(event)
    const { actor, at, id, job_id, kind } = event
    const isChange = kind === "change" || kind === "sync" || kind === "interface" || kind === "drift"
    return {
      key: `event ${id}`,
      at,
      kind: isChange ? "change" : "other",
      tone,
      by: personIn(actor),
      sentence,
      job_id
    }
  })

export const jobRows = (jobs: ReadonlyArray<Job>, hostname: string): ReadonlyArray<Happening> =>
  jobs.flatMap((job): ReadonlyArray<Happening> => {
    const at = job.finish_time ?? job.start_time
    if (at === null) return []
    const hasFailed = job.failed_devices?.includes(hostname) === true
    const word = hasFailed ? { text: "Failed here", tone: "bad" as const } : jobWord(job)
    const comment = job.comment === null || job.comment === "" ? "" : `: ${job.comment}`
    return [
      {
        key: `job ${job.id}`,
        at,
        kind: "job",
        tone: word.tone,
        by: personIn(job.scheduled_by ?? ""),
        sentence: `${jobTitle(job.function_name)}${comment}, ${inSentence(word.text)}`,
        job_id: job.id
      }
    ]
  })

const millisOf = ({ at }: Happening): number => Date.parse(`${at.replace(" ", "T").replace(/Z?$/, "Z")}`)

/** Of several lists the newest first. */
export const newestFirst = (...lists: ReadonlyArray<ReadonlyArray<Happening>>): ReadonlyArray<Happening> =>
  lists.flat().toSorted((one, other) => millisOf(other) - millisOf(one))

/** When a device first came to each of its states, and who brought it there. Of several times the newest counts. */
export const reachedStates = (
  events: ReadonlyArray<Event>
): ReadonlyMap<string, { readonly at: string; readonly by: string | null }> => {
  const reached = new Map<string, { readonly at: string; readonly by: string | null }>()
  for (const event of events) {
    const state = field(event, "after", "state")
    if (state !== undefined && !reached.has(state)) reached.set(state, { at: event.at, by: personIn(event.actor) })
  }
  return reached
}
