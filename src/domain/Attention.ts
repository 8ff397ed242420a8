/**
 * What needs a person now, the most urgent first (docs/api.md#attention): facts that the store reads become entries, one for each
 * likely cause, each with its age, its devices, one next action and the place where it is done. Pure.
 */
import { Schema } from "effect"
import { causeSentence, type CommonCause, commonCauses, switches, type Uplinks } from "./CommonUplinks.ts"
import { namesInOrder } from "./Natural.ts"
import { placeText, type Remark } from "./Repository.ts"

/** The most urgent first. */
const attentionKinds = [
  "silent",
  "rollout",
  "approval",
  "commit",
  "changed_by_hand",
  "alert",
  "new_device",
  "certificate"
] as const

/** The next step: one for each entry. */
const attentionActions = [
  "show_devices",
  "open_job",
  "decide",
  "show_commit",
  "confirm_commit",
  "compare",
  "show_alerts",
  "set_up",
  "renew"
] as const

const nullableText = Schema.NullOr(Schema.String)

/** Where the action is done: a kind of screen or command, and what it is about. */
const Place = Schema.Struct({
  screen: Schema.Literals(["device", "devices", "job", "approvals", "repository", "alerts", "new_devices"]),
  /** A hostname, the id of a job or the name of a repository; the filter of a list of devices; null for the whole list. */
  of: nullableText
}).annotate({ identifier: "AttentionPlace" })

const Item = Schema.Struct({
  /** The same for the same trouble as long as it lasts and its cause is the same. */
  key: Schema.String,
  kind: Schema.Literals(attentionKinds),
  /** Since when it has needed attention, and until when somebody must act, ISO 8601 without a zone, UTC; null when not known. */
  since: nullableText,
  until: nullableText,
  /** Of devices, of approvals or of alerts. */
  count: Schema.Int,
  /** Of how many devices it is a part, for a rollout; null for all others. */
  total: Schema.NullOr(Schema.Int),
  sentence: Schema.String,
  /** What it has in common, or the place in a file; null without any. */
  detail: nullableText,
  /** The devices in natural order, the first hundred; `count` has the number of all. */
  devices: Schema.Array(Schema.String),
  /** Uplinks that all of these devices share. */
  uplinks: Schema.Array(Schema.String),
  action: Schema.Literals(attentionActions),
  place: Place
}).annotate({ identifier: "AttentionItem" })
export type AttentionItem = typeof Item.Type

export const Attention = Schema.Struct({ items: Schema.Array(Item) }).annotate({ identifier: "Attention" })
export type Attention = typeof Attention.Type

/** A device, and since when; times are ISO 8601 without a zone, UTC. */
export interface DeviceSince {
  readonly hostname: string
  readonly since: string | null
}

/** A live rollout that runs, or that ended within a day and has left devices out of sync that no later job has tried. */
export interface FailingRollout {
  readonly job_id: number
  readonly comment: string | null
  readonly is_running: boolean
  /** When its first device failed. */
  readonly since: string | null
  readonly failed: ReadonlyArray<string>
  readonly total: number
}

/** A job or a request that waits for this caller's decision. */
export interface WaitingApproval {
  /** `job 12` or `request 3`. */
  readonly about: string
  readonly title: string
  readonly asked_by: string
  readonly since: string
  readonly until: string
}

/** The newest commit of a repository is not in force. */
export interface HeldCommit {
  readonly repository: "settings" | "templates"
  readonly commit: string
  readonly state: "refused" | "waiting"
  readonly since: string | null
  readonly message: string
  readonly problem: Remark | null
}

export interface OpenAlert {
  readonly rule: string
  readonly level: string
  readonly since: string
  readonly title: string
  readonly count: number
  readonly devices: ReadonlyArray<string>
}

export interface EndingCertificate {
  readonly hostname: string
  /** The end of its newest certificate. */
  readonly until: string
  readonly has_ended: boolean
}

/** The facts of one moment that a caller may see; a kind that they may not see is empty. */
export interface AttentionFacts {
  readonly silent: ReadonlyArray<DeviceSince>
  readonly uplinks: Uplinks
  readonly rollouts: ReadonlyArray<FailingRollout>
  readonly approvals: ReadonlyArray<WaitingApproval>
  readonly commits: ReadonlyArray<HeldCommit>
  readonly changed: ReadonlyArray<DeviceSince>
  readonly alerts: ReadonlyArray<OpenAlert>
  readonly waiting: ReadonlyArray<DeviceSince>
  readonly certificates: ReadonlyArray<EndingCertificate>
}

const MOST_DEVICES = 100

const either = (count: number, one: string, many: string): string => (count === 1 ? one : many)

const earliest = (times: ReadonlyArray<string | null>): string | null =>
  times.flatMap((time) => (time === null ? [] : [time])).toSorted()[0] ?? null

type Part = Pick<AttentionItem, "key" | "kind" | "count" | "sentence" | "action" | "place"> & Partial<AttentionItem>

const item = (part: Part): AttentionItem => ({
  since: null,
  until: null,
  total: null,
  detail: null,
  uplinks: [],
  ...part,
  devices: namesInOrder(part.devices ?? []).slice(0, MOST_DEVICES)
})

/** The place of one device, or of the list of several. */
const placeOf = (devices: ReadonlyArray<string>, filter: string): AttentionItem["place"] => {
  const [only] = devices
  return devices.length === 1 && only !== undefined ? { screen: "device", of: only } : { screen: "devices", of: filter }
}

const ofSilent = (cause: CommonCause, silent: ReadonlyMap<string, string | null>): AttentionItem => {
  const { devices, root, uplinks } = cause
  const common = causeSentence(cause)
  const start = common === null ? null : `${common.slice(0, 1).toUpperCase()}${common.slice(1)}`
  return item({
    key: `silent ${root ?? (common === null ? "" : uplinks.join(" "))}`.trim(),
    kind: "silent",
    since: earliest(devices.map((name) => silent.get(name) ?? null)),
    count: devices.length,
    sentence: `${switches(devices.length)} ${either(devices.length, "has", "have")} stopped answering`,
    detail: start === null ? null : `${start}. Look there first.`,
    devices,
    uplinks: [...uplinks],
    action: "show_devices",
    place: root === null ? placeOf(devices, "filter[unreachable]=true") : { screen: "device", of: root }
  })
}

const ofRollout = (rollout: FailingRollout): AttentionItem => {
  const { comment, failed, is_running, job_id, since, total } = rollout
  return item({
    key: `rollout ${job_id}`,
    kind: "rollout",
    since,
    count: failed.length,
    total,
    sentence: is_running
      ? `${switches(failed.length)} of ${total} failed in a running rollout`
      : `${switches(failed.length)} of ${total} failed in a rollout, and nobody has tried ${either(failed.length, "it", "them")} again`,
    detail: comment === null || comment === "" ? null : comment,
    devices: failed,
    action: "open_job",
    place: { screen: "job", of: String(job_id) }
  })
}

/** All approvals are one entry; the oldest one is named. */
const ofApprovals = (approvals: ReadonlyArray<WaitingApproval>): ReadonlyArray<AttentionItem> => {
  const [oldest] = approvals.toSorted((one, other) => one.since.localeCompare(other.since))
  if (oldest === undefined) return []
  const count = approvals.length
  return [
    item({
      key: "approval",
      kind: "approval",
      since: oldest.since,
      until: earliest(approvals.map(({ until }) => until)),
      count,
      sentence: `${count} ${either(count, "request waits", "requests wait")} for your approval`,
      detail: `${count === 1 ? "" : "The oldest: "}${oldest.title}, asked for by ${oldest.asked_by}`,
      action: "decide",
      place:
        count === 1 && oldest.about.startsWith("job ")
          ? { screen: "job", of: oldest.about.slice("job ".length) }
          : { screen: "approvals", of: null }
    })
  ]
}

const ofCommit = ({ commit, message, problem, repository, since, state }: HeldCommit): AttentionItem => {
  const place = problem === null ? "" : placeText(problem)
  const why = problem === null ? message : `${place}${place === "" ? "" : ": "}${problem.message}`
  return item({
    key: `commit ${repository} ${commit}`,
    kind: "commit",
    since,
    count: 1,
    sentence:
      state === "refused"
        ? `The newest commit of the ${repository} was refused`
        : `The newest commit of the ${repository} removes so much that a person must confirm it`,
    detail: why,
    action: state === "refused" ? "show_commit" : "confirm_commit",
    place: { screen: "repository", of: repository }
  })
}

const ofChanged = (changed: ReadonlyArray<DeviceSince>): ReadonlyArray<AttentionItem> => {
  if (changed.length === 0) return []
  const devices = changed.map(({ hostname }) => hostname)
  return [
    item({
      key: "changed_by_hand",
      kind: "changed_by_hand",
      since: earliest(changed.map(({ since }) => since)),
      count: devices.length,
      sentence: `${switches(devices.length)} ${either(devices.length, "was", "were")} changed by hand`,
      devices,
      action: "compare",
      place: placeOf(devices, "filter[drifted]=true")
    })
  ]
}

/** Alerts of one rule are one entry. */
const ofAlerts = (alerts: ReadonlyArray<OpenAlert>): ReadonlyArray<AttentionItem> =>
  [...Map.groupBy(alerts, ({ rule }) => rule)].map(([rule, same]) => {
    const [first] = same.toSorted((one, other) => one.since.localeCompare(other.since))
    return item({
      key: `alert ${rule}`,
      kind: "alert",
      since: first?.since ?? null,
      count: same.length,
      sentence: `${same.length} ${either(same.length, "alert is", "alerts are")} open: ${rule.replaceAll("_", " ")}`,
      detail: first?.title ?? null,
      devices: same.flatMap(({ devices }) => devices),
      action: "show_alerts",
      place: { screen: "alerts", of: null }
    })
  })

const ofWaiting = (waiting: ReadonlyArray<DeviceSince>): ReadonlyArray<AttentionItem> => {
  if (waiting.length === 0) return []
  const count = waiting.length
  return [
    item({
      key: "new_device",
      kind: "new_device",
      since: earliest(waiting.map(({ since }) => since)),
      count,
      sentence: `${count} new ${either(count, "switch waits", "switches wait")} to be set up`,
      devices: waiting.map(({ hostname }) => hostname),
      action: "set_up",
      place: { screen: "new_devices", of: null }
    })
  ]
}

const ofCertificates = (certificates: ReadonlyArray<EndingCertificate>): ReadonlyArray<AttentionItem> => {
  if (certificates.length === 0) return []
  const devices = certificates.map(({ hostname }) => hostname)
  const ended = certificates.filter(({ has_ended }) => has_ended).length
  const count = devices.length
  return [
    item({
      key: "certificate",
      kind: "certificate",
      until: earliest(certificates.map(({ until }) => until)),
      count,
      sentence: `The ${either(count, "certificate", "certificates")} of ${switches(count)} ${either(count, "ends", "end")} soon`,
      detail: ended === 0 ? null : `${ended} of them ${either(ended, "has", "have")} ended already`,
      devices,
      action: "renew",
      place: count === 1 ? placeOf(devices, "") : { screen: "devices", of: null }
    })
  ]
}

const rankOf = ({ kind }: AttentionItem): number => attentionKinds.indexOf(kind)

/** The entries: by kind, then running work first and the larger number first, then the oldest first. */
export const attentionOf = (facts: AttentionFacts): ReadonlyArray<AttentionItem> => {
  const silent = new Map(facts.silent.map(({ hostname, since }) => [hostname, since]))
  const causes = commonCauses(silent.keys(), facts.uplinks)
  return [
    ...causes.map((cause) => ofSilent(cause, silent)),
    ...facts.rollouts.toSorted((one, other) => Number(other.is_running) - Number(one.is_running)).map(ofRollout),
    ...ofApprovals(facts.approvals),
    ...facts.commits.map(ofCommit),
    ...ofChanged(facts.changed),
    ...ofAlerts(facts.alerts),
    ...ofWaiting(facts.waiting),
    ...ofCertificates(facts.certificates)
  ].toSorted(
    (one, other) =>
      rankOf(one) - rankOf(other) ||
      // rollouts keep their order
      (one.kind === "rollout" ? 0 : other.count - one.count || (one.since ?? "").localeCompare(other.since ?? ""))
  )
}
