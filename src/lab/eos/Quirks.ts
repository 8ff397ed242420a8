/**
 * Differences of one switch from most others: by release, by the site's configuration, and by AAA. A quirk is data, so a topology,
 * a test and the table of faults name it the same way; quirks that occur together have a name (personalities). Faults (`Faults.ts`)
 * strike once or for a while, quirks are permanent.
 */
import { Schema } from "effect"

const flag = Schema.optionalKey(Schema.Boolean)
const count = Schema.optionalKey(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)))
const words = Schema.optionalKey(Schema.Array(Schema.String))
const oneOf = <const L extends ReadonlyArray<string>>(...names: L) => Schema.optionalKey(Schema.Literals(names))

/** Spellings of what the switch prints that differ from those that it was given. */
const Normalisation = Schema.Literals(["abbreviations", "defaults", "vlanLists", "masks", "mac", "ipv6"])

/** Some quirks, as a topology has them. */
export const Quirks = Schema.Struct({
  /**
   * Where `show configuration sessions` shows a running commit timer: `session` (a key of the session), `top` (keys of the
   * document), `text` (only in the text form, JSON has nothing), `never`. `release`: by the EOS version.
   */
  timerShown: oneOf("release", "session", "top", "text", "never"),
  /** JSON of `show configuration sessions` is "an unconverted command". */
  sessionsWithoutJson: flag,
  /** Whether a session may be opened while a commit timer runs. */
  sessionBesideTimer: oneOf("allowed", "refused"),
  /** `service configuration session commit save startup-config`: each commit saves, also one with a timer. */
  savesAtCommit: flag,
  /** `service configuration session commit merge`. */
  mergesAtCommit: flag,
  /** `service configuration terminal disabled`. */
  terminalDisabled: flag,
  /** Most sessions that may be open. */
  maxPending: count,
  /** Most sessions that are kept after their end. */
  maxSaved: count,
  /** How `show session-config diffs` prints: with `@@` lines, or with the headings of sections around what changes. */
  diffs: oneOf("unified", "sections"),
  /** `show session-config named X` is unknown; its form with `diffs` is not. */
  withoutNamedConfig: flag,
  /** Each load gives secrets in clear, salted type 7 and NTP keys another hash or obfuscation. */
  saltsSecrets: flag,
  /** With each commit keys of type 7 get another obfuscation once more. */
  saltsAtCommit: flag,
  normalises: Schema.optionalKey(Schema.Array(Normalisation)),
  /** Lines that the switch takes as others: a pattern, and the line that it stores (`$1` for a group). */
  rewrites: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Log lines and remarks (`% …`) that are no refusal stand in answers, also while lines are loaded and at commit. */
  chatty: flag,
  /** The answer to a refused line; `silent`: none, and the line is dropped. `eos`: EOS' own words. */
  refusal: oneOf("eos", "error", "percentError", "denied", "silent"),
  /**
   * The questions of a login: the password; name and password in one round; the password in other words; after the password a code,
   * or a new password. The last two never let a user in.
   */
  loginAsks: oneOf("password", "nameAndPassword", "passcode", "code", "newPassword"),
  /** Commands, by their beginnings, that AAA refuses. */
  denied: words,
  /** Unknown commands of its release, each with the known command that it resembles; configuration modes take them too. */
  moreCommands: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Pages its output despite `terminal length 0`. */
  pages: flag,
  /** Other people's sessions that are always open; `age`: seconds since they were opened when the switch starts. */
  foreignSessions: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, age: Schema.Int }))),
  /** `show running-config diffs` is unknown. */
  withoutRunningDiffs: flag,
  /** `write memory` reports success without saving. */
  saveLies: flag,
  /** Which SSH algorithms it offers. (Group exchange is in the tests with real servers: no server of ssh2 can do it.) */
  ssh: oneOf("modern", "group14sha1", "cbc"),
  /** So many connections are closed during the handshake before one is served, and so on. */
  closesEarly: count,
  /**
   * The text of the prompt: `%H` is the host name, `%D` the time of day, `%P` mode and sign (at the end when it is left out),
   * `%%` a percent sign. Empty: EOS' own.
   */
  prompt: Schema.optionalKey(Schema.String),
  /** How MAC addresses and chassis ids are spelled. */
  macSpelling: oneOf("eos", "dots", "colons", "dashes", "bare", "upper"),
  /** Keys that JSON answers lack, wherever they stand. */
  absentKeys: words,
  /** `show running-config` and its like print neither lines at the beginning nor `end`. */
  bareConfig: flag
})
export type Quirks = typeof Quirks.Type

/** A switch without quirks. */
export const none: Required<Quirks> = {
  timerShown: "release",
  sessionsWithoutJson: false,
  sessionBesideTimer: "allowed",
  savesAtCommit: false,
  mergesAtCommit: false,
  terminalDisabled: false,
  maxPending: 5,
  maxSaved: 1,
  diffs: "unified",
  withoutNamedConfig: false,
  saltsSecrets: false,
  saltsAtCommit: false,
  normalises: [],
  rewrites: {},
  chatty: false,
  refusal: "eos",
  loginAsks: "password",
  denied: [],
  moreCommands: {},
  pages: false,
  foreignSessions: [],
  withoutRunningDiffs: false,
  saveLies: false,
  ssh: "modern",
  closesEarly: 0,
  prompt: "",
  macSpelling: "eos",
  absentKeys: [],
  bareConfig: false
}

// Personalities: a release with the quirks that go together. The `usual` ones occur at sites, and work on them must succeed; on the
// others it is enough that no message is false.

export interface Personality {
  /** Its peculiarity in one sentence. */
  readonly description: string
  readonly usual: boolean
  readonly version?: string
  readonly quirks: Quirks
  /** Where such behaviour was seen: documents by their names, or `constructed`. */
  readonly seen: string
}

const MANUAL = "EOS User Manual"
const CONFIG_SESSIONS = `${MANUAL}: Configure Session`
const CONSTRUCTED = "constructed"
const REPORTED = "reported by operators of 4.3x, with the form of the answer"

/** What every switch of the lab does although tools are surprised by it, and where it was seen. */
export const common: ReadonlyArray<Pick<Personality, "description" | "seen">> = [
  {
    description:
      "takes access lists, prefix lists, route maps, class maps, policy maps and the like when they are left; before that no difference shows them",
    seen: `ansible-collections/arista.eos#476; ${MANUAL}: Route Maps, QoS (group-change modes)`
  },
  {
    description: "shows defaults in `show running-config all`, spelled as the release spells them",
    seen: "a recording of 4.13.7M in the tests of pyeapi; ansible-collections/arista.eos#133 and sonic-net/sonic-mgmt#3711 (spellings from 4.23 on)"
  }
]

const TABLE = {
  plain: { description: "behaves as the documentation says", usual: true, quirks: {}, seen: CONFIG_SESSIONS },
  timerAtSession: {
    description: "shows a running commit timer at its session",
    usual: true,
    version: "4.31.4M",
    quirks: { timerShown: "session" },
    seen: "napalm-automation/napalm#2166 (4.31 and before)"
  },
  timerAtTop: {
    description: "shows a running commit timer above the sessions",
    usual: true,
    version: "4.32.2F",
    quirks: { timerShown: "top" },
    seen: "napalm-automation/napalm#2166 (from 4.32 on); SUNET/cnaas-nms#395"
  },
  timerInText: {
    description: "shows a running commit timer in the text form only",
    usual: true,
    quirks: { timerShown: "text" },
    seen: `${CONSTRUCTED}, from both forms of napalm-automation/napalm#2166`
  },
  timerHidden: {
    description: "shows a running commit timer nowhere",
    usual: false,
    quirks: { timerShown: "never" },
    seen: CONSTRUCTED
  },
  sessionsAsText: {
    description: "has no JSON for its list of sessions",
    usual: true,
    quirks: { sessionsWithoutJson: true },
    seen: `${CONSTRUCTED}, from the answer of eAPI for commands without JSON`
  },
  noSessionBesideTimer: {
    description: "opens no session while a commit timer runs",
    usual: true,
    quirks: { sessionBesideTimer: "refused" },
    seen: CONSTRUCTED
  },
  savesAtCommit: {
    description: "saves its configuration with every commit",
    usual: true,
    quirks: { savesAtCommit: true },
    seen: "`service configuration session commit save startup-config` in public configurations; the field `saveToStartupConfigOnCommit` in napalm-automation/napalm#2166"
  },
  salting: {
    description: "gives secrets a new salt at each load",
    usual: true,
    quirks: { saltsSecrets: true },
    seen: `arista-eosplus/ansible-eos#50 (only hashed passwords can be loaded twice); ${MANUAL}: username`
  },
  saltingAtCommit: {
    description: "gives secrets a new salt at each load and with each commit",
    usual: true,
    quirks: { saltsSecrets: true, saltsAtCommit: true },
    seen: `${CONSTRUCTED}, from salting`
  },
  bySections: {
    description: "prints differences by sections, without `@@` lines",
    usual: true,
    version: "4.33.2F",
    quirks: { diffs: "sections" },
    seen: REPORTED
  },
  saltingBySections: {
    description: "gives secrets a new salt at each load, and prints differences by sections",
    usual: true,
    quirks: { saltsSecrets: true, diffs: "sections" },
    seen: `${REPORTED}; salted as in salting`
  },
  withoutNamedConfig: {
    description: "cannot show what a session's commit will run",
    usual: true,
    quirks: { withoutNamedConfig: true },
    seen: CONSTRUCTED
  },
  sectionsOnly: {
    description: "prints differences by sections, and cannot show what a session's commit will run",
    usual: true,
    quirks: { diffs: "sections", withoutNamedConfig: true },
    seen: `${CONSTRUCTED}, from bySections and withoutNamedConfig`
  },
  normalising: {
    description: "prints lines in another spelling than it was given",
    usual: true,
    quirks: { normalises: ["abbreviations", "defaults", "vlanLists", "masks", "mac", "ipv6"] },
    seen: "ansible/ansible#37413 (abbreviations), ansible/ansible#29539 (lists of VLANs)"
  },
  chatty: {
    description: "says more than it was asked, while lines are loaded and at commit",
    usual: true,
    quirks: { chatty: true },
    seen: `napalm-automation/napalm-logs#225 (the form of log lines); ${MANUAL}: logging monitor`
  },
  foreignSessions: {
    description: "has sessions of a management platform that never end",
    usual: true,
    quirks: { foreignSessions: [{ name: "cfg-4711-1", age: 86_400 }] },
    seen: "Config Session Timers – Arista EOS (advertisingemergency.net); sonic-net/sonic-mgmt#26993"
  },
  refusesWithError: {
    description: "refuses a line with `Error: …`",
    usual: false,
    quirks: { refusal: "error" },
    seen: CONSTRUCTED
  },
  refusesWithPercentError: {
    description: "refuses a line with `%Error …`",
    usual: false,
    quirks: { refusal: "percentError" },
    seen: CONSTRUCTED
  },
  refusesSilently: {
    description: "leaves out lines without a word",
    usual: false,
    quirks: { refusal: "silent" },
    seen: "ansible-collections/arista.eos#180 (lines that were sent and not applied)"
  },
  paging: {
    description: "pages its output despite terminal length 0",
    usual: true,
    quirks: { pages: true },
    seen: `${CONSTRUCTED}, from accounts that may not set the length of a terminal (ktbyers/netmiko#3054)`
  },
  withoutRunningDiffs: {
    description: "does not know `show running-config diffs`",
    usual: true,
    quirks: { withoutRunningDiffs: true },
    seen: CONSTRUCTED
  },
  lyingSave: {
    description: "says that it has saved when it has not, and cannot show what differs",
    usual: false,
    quirks: { saveLies: true, withoutRunningDiffs: true },
    seen: CONSTRUCTED
  },
  timerDenied: {
    description: "may not list its sessions, by the site's AAA",
    usual: false,
    quirks: { denied: ["show configuration sessions"] },
    seen: "ktbyers/netmiko#2175, ktbyers/netmiko#3054 (the words of the denial)"
  },
  terminalDisabled: {
    description: "allows configuration in sessions only",
    usual: true,
    quirks: { terminalDisabled: true },
    seen: "`service configuration terminal disabled` in public configurations"
  },
  mergesAtCommit: {
    description: "adds what others have changed meanwhile to what is committed",
    usual: true,
    quirks: { mergesAtCommit: true },
    seen: "`service configuration session commit merge` in public configurations; the field `mergeOnCommit` in napalm-automation/napalm#2166"
  },
  closesEarly: {
    description: "closes every second connection before the login",
    usual: true,
    quirks: { closesEarly: 1 },
    seen: "aristanetworks/avd#1150 (`connection limit`)"
  },
  otherPrompt: {
    description: "has a prompt with brackets, a clock and a star",
    usual: true,
    quirks: { prompt: "[%D] %H*" },
    seen: `${MANUAL}: prompt; ansible/ansible#28309`
  },
  bareConfig: {
    description: "prints its configuration without the lines around it, `end` among them",
    usual: true,
    quirks: { bareConfig: true },
    seen: CONSTRUCTED
  },
  taciturn: {
    description: "leaves out fields of its answers, and spells MAC addresses with dots",
    usual: true,
    quirks: { macSpelling: "dots", absentKeys: ["uptime", "memTotal", "memFree", "serialNumber"] },
    seen: "napalm-automation/napalm#810 and napalm-automation/napalm-eos#75 (fields that an answer lacks)"
  }
} as const satisfies Record<string, Personality>

export type PersonalityName = keyof typeof TABLE

/** The personalities by their names. */
export const personalities: Readonly<Record<PersonalityName, Personality>> = TABLE

/** Whether there is a personality of this name. */
export const isPersonality = (name: string): name is PersonalityName => Object.hasOwn(TABLE, name)
