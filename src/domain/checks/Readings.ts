/**
 * Readings of the state of a device, which checks compare before and after a change (docs/switch-dialogues.md#readings): the kinds,
 * the question of each, and its typed answer. A reading has items under names that people know, and a name stays the same for as
 * long as the thing behind it exists. Units stand in the names of fields; durations without a unit are in seconds. A field that the device
 * does not report is null; a table that it does not show at all is an error of the reading and never an empty answer.
 */
import { Option, Schema } from "effect"
import { parseAddress } from "../Network.ts"

/** Severities of syslog, the most severe first. */
export const logSeverities = [
  "emergency",
  "alert",
  "critical",
  "error",
  "warning",
  "notice",
  "informational",
  "debugging"
] as const
export const LogSeverity = Schema.Literals(logSeverities)
export type LogSeverity = typeof LogSeverity.Type

const Flag = Schema.NullOr(Schema.Boolean)
const Amount = Schema.NullOr(Schema.Finite)
const Name = Schema.NullOr(Schema.String)
const Names = Schema.Array(Schema.String)

/** The fields of an item, by kind. `state` is in lower case and the same word on all platforms where they mean the same. */
export const readingItems = {
  /** By local port and name of the neighbour, as in `Ethernet1 lhv-e-dist1`; `port` is the one of the neighbour. */
  neighbours: Schema.Struct({ hostname: Name, port: Name }).annotate({ identifier: "NeighbourState" }),
  /** By port. `is_enabled`: not shut down by its configuration. */
  interfaces: Schema.Struct({ is_up: Schema.Boolean, is_enabled: Flag }).annotate({ identifier: "InterfaceUpState" }),
  /** By VRF and neighbour, as in `default 10.0.0.1`. `asn` is the neighbour's. */
  bgp: Schema.Struct({
    state: Schema.String,
    is_established: Schema.Boolean,
    prefixes_received: Amount,
    asn: Amount
  }).annotate({ identifier: "BgpState" }),
  /** By VRF, router id of the neighbour and own interface, as in `default 10.0.0.1 Ethernet1`. */
  ospf: Schema.Struct({ state: Schema.String, is_full: Schema.Boolean }).annotate({ identifier: "OspfState" }),
  /** By VRF and protocol, as in `default bgp`; IPv6 as in `default bgp ipv6`. */
  routes: Schema.Struct({ count: Schema.Finite }).annotate({ identifier: "RouteCount" }),
  /** By domain; no items on a device that is in none. `sane`: both switches agree on their configuration. */
  mlag: Schema.Struct({ state: Schema.String, is_active: Schema.Boolean, peer_link_up: Flag, sane: Flag }).annotate({
    identifier: "MlagState"
  }),
  /** By interface and group, as in `Vlan10 1`. */
  vrrp: Schema.Struct({ state: Schema.String }).annotate({ identifier: "VrrpState" }),
  /** By port-channel. `members` are configured, `active` carry traffic. */
  port_channels: Schema.Struct({ members: Names, active: Names }).annotate({ identifier: "PortChannelState" }),
  /** By port: packets since the counters were cleared. `total` is the sum of the others that are reported. */
  errors: Schema.Struct({
    in_errors: Amount,
    out_errors: Amount,
    in_discards: Amount,
    out_discards: Amount,
    total: Schema.Finite
  }).annotate({ identifier: "PortErrorCounts" }),
  /** By VLAN id: learnt MAC addresses. */
  macs: Schema.Struct({ count: Schema.Finite }).annotate({ identifier: "MacCount" }),
  /** By interface, such as `Vlan10`, with its VRF before it outside the default one: addresses of both IP versions. */
  arp: Schema.Struct({ count: Schema.Finite }).annotate({ identifier: "ArpCount" }),
  /** By instance, such as `MST0` or `VL10`. `root` is its priority and address; `since_change` is in seconds. */
  spanning_tree: Schema.Struct({
    root: Schema.String,
    is_root: Schema.Boolean,
    topology_changes: Amount,
    since_change: Amount
  }).annotate({ identifier: "SpanningTreeState" }),
  /** By sensor, fan or power supply. `value` in degrees Celsius, percent of the speed of a fan, or watts. */
  environment: Schema.Struct({ ok: Schema.Boolean, state: Schema.String, value: Amount }).annotate({
    identifier: "EnvironmentState"
  }),
  /** By process: `uptime` in seconds. */
  processes: Schema.Struct({ uptime: Amount }).annotate({ identifier: "ProcessState" }),
  /** By running number from 1, oldest first. Secrets in `message` are masked. `at` in epoch milliseconds. */
  log: Schema.Struct({ severity: LogSeverity, message: Schema.String, at: Amount }).annotate({ identifier: "LogLine" }),
  /** By the address that was asked for. `rtt_ms` is the average; null when nothing came back. */
  ping: Schema.Struct({
    sent: Schema.Finite,
    received: Schema.Finite,
    loss_percent: Schema.Finite,
    rtt_ms: Amount
  }).annotate({ identifier: "PingResult" }),
  /** By source of time. `is_synchronized`: the clock follows this one. */
  ntp: Schema.Struct({ is_synchronized: Schema.Boolean, offset_ms: Amount, stratum: Amount }).annotate({
    identifier: "TimeSource"
  })
} as const

export type ReadingKind = keyof typeof readingItems

/** All kinds, in the order in which they are documented. */
export const readingKinds = [
  "neighbours",
  "interfaces",
  "bgp",
  "ospf",
  "routes",
  "mlag",
  "vrrp",
  "port_channels",
  "errors",
  "macs",
  "arp",
  "spanning_tree",
  "environment",
  "processes",
  "log",
  "ping",
  "ntp"
] as const satisfies ReadonlyArray<ReadingKind>
export const ReadingKind = Schema.Literals(readingKinds)

/** An item of a kind. */
export type ReadingItem<Kind extends ReadingKind> = (typeof readingItems)[Kind]["Type"]

/** The items of a reading by their names. */
export type ReadingItems<Kind extends ReadingKind> = Readonly<Record<string, ReadingItem<Kind>>>

/** A reading of one kind. */
export type ReadingOf<Kind extends ReadingKind> = Kind extends ReadingKind
  ? { readonly reads: Kind; readonly items: ReadingItems<Kind> }
  : never

const reading = <Kind extends ReadingKind, Item extends Schema.Top>(kind: Kind, item: Item) =>
  Schema.Struct({ reads: Schema.Literal(kind), items: Schema.Record(Schema.String, item) })

/** What a device answered to a question, as it is stored and sent. */
export const Reading = Schema.Union([
  reading("neighbours", readingItems.neighbours),
  reading("interfaces", readingItems.interfaces),
  reading("bgp", readingItems.bgp),
  reading("ospf", readingItems.ospf),
  reading("routes", readingItems.routes),
  reading("mlag", readingItems.mlag),
  reading("vrrp", readingItems.vrrp),
  reading("port_channels", readingItems.port_channels),
  reading("errors", readingItems.errors),
  reading("macs", readingItems.macs),
  reading("arp", readingItems.arp),
  reading("spanning_tree", readingItems.spanning_tree),
  reading("environment", readingItems.environment),
  reading("processes", readingItems.processes),
  reading("log", readingItems.log),
  reading("ping", readingItems.ping),
  reading("ntp", readingItems.ntp)
]).annotate({ identifier: "DeviceStateReading" })
export type Reading = typeof Reading.Type

/** Why a question has no answer; `type` is the name of the error. */
export const StateProblem = Schema.Struct({ type: Schema.String, message: Schema.String }).annotate({
  identifier: "DeviceStateProblem"
})
export type StateProblem = typeof StateProblem.Type

/** The answer to a question, for those who ask several: a reading, or why there is none. */
export const StateAnswer = Schema.Struct({
  reading: Schema.NullOr(Reading),
  problem: Schema.NullOr(StateProblem)
}).annotate({ identifier: "DeviceStateAnswer" })
export type StateAnswer = typeof StateAnswer.Type

/** The answers to questions that could not be asked at all, or not in time. */
export const unanswered = (questions: ReadonlyArray<unknown>, problem: StateProblem): ReadonlyArray<StateAnswer> =>
  questions.map(() => ({ reading: null, problem }))

/** What is said when a device has not answered its questions in time. */
export const answeredLate: StateProblem = { type: "CommandTimeout", message: "there was no answer in time" }

// Questions. Their parameters become words of commands, so each is limited to characters that cannot end a word or begin another one.

const isAddress = (text: string): boolean =>
  /^[\da-fA-F:.]{2,45}$/.test(text) && Option.isSome(parseAddress(text.includes(":") ? 6 : 4, text))

/** A name of an interface, such as `Loopback0`, `Ethernet1/1` or `lo`. */
const INTERFACE = /^[A-Za-z][A-Za-z-]{0,30}\d{0,5}(?:[/.:]\d{1,5}){0,3}$/

const VRF = /^[A-Za-z0-9_][\w.-]{0,63}$/

const Address = Schema.String.pipe(
  Schema.check(Schema.makeFilter((text: string) => isAddress(text) || "Expected an IPv4 or IPv6 address"))
)

const Source = Schema.String.pipe(
  Schema.check(
    Schema.makeFilter(
      (text: string) => isAddress(text) || INTERFACE.test(text) || "Expected an address or the name of an interface"
    )
  )
)

const Vrf = Schema.String.pipe(
  Schema.check(Schema.makeFilter((text: string) => VRF.test(text) || "Expected the name of a VRF"))
)

/** The most packets of one ping. */
export const MOST_PINGS = 20

const Count = Schema.Int.pipe(
  Schema.check(
    Schema.makeFilter(
      (count: number) => (count >= 1 && count <= MOST_PINGS) || `Expected a number of packets from 1 to ${MOST_PINGS}`
    )
  )
)

/** Kinds whose question has no parameters. */
const PlainKind = Schema.Literals(
  readingKinds.filter((kind): kind is Exclude<ReadingKind, "log" | "ping"> => kind !== "log" && kind !== "ping")
)

/** Messages that are at least as severe as `severity`, from `since` on in epoch milliseconds by our clock. */
export const LogQuestion = Schema.Struct({
  reads: Schema.Literal("log"),
  severity: LogSeverity,
  since: Schema.Finite
})
export type LogQuestion = typeof LogQuestion.Type

/** A ping from the device to an address; `source` is an address or an interface of the device. */
export const PingQuestion = Schema.Struct({
  reads: Schema.Literal("ping"),
  to: Address,
  source: Schema.optionalKey(Source),
  vrf: Schema.optionalKey(Vrf),
  count: Count
})
export type PingQuestion = typeof PingQuestion.Type

/** What a device is asked. */
export const Question = Schema.Union([Schema.Struct({ reads: PlainKind }), LogQuestion, PingQuestion]).annotate({
  identifier: "DeviceStateQuestion"
})
export type Question = typeof Question.Type

/** The question in words for people, such as `ping 10.0.0.1 from Loopback0 in VRF mgmt`. */
export const questionText = (question: Question): string => {
  if (question.reads === "log") return `log of severity ${question.severity} or worse`
  if (question.reads !== "ping") return question.reads.replaceAll("_", " ")
  const { source, to, vrf } = question
  return `ping ${to}${source === undefined ? "" : ` from ${source}`}${vrf === undefined ? "" : ` in VRF ${vrf}`}`
}
