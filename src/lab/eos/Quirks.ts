/**
 * What one switch does otherwise than most: releases differ, sites configure, and AAA forbids. A quirk is data, so that a
 * topology, a test and the table of faults name it the same way; `Personalities.ts` has those that are found together. Faults
 * (`Faults.ts`) strike once or for a while, quirks are how the switch is.
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
   * Where `show configuration sessions` says that a commit timer runs: `session` (a key of the session), `top` (keys of the
   * document), `text` (only in the text form, JSON has nothing), `never`. `release`: as the EOS version does.
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
  /** Each load gives secrets in clear, salted type 7 and NTP keys another hash or obfuscation. */
  saltsSecrets: flag,
  /** With each commit keys of type 7 get another obfuscation once more. */
  saltsAtCommit: flag,
  normalises: Schema.optionalKey(Schema.Array(Normalisation)),
  /** Log lines and remarks (`% …`) that are no refusal stand in answers, also while lines are loaded and at commit. */
  chatty: flag,
  /** What a refused line is answered with; `silent`: nothing, and the line is missing. `eos`: EOS' own words. */
  refusal: oneOf("eos", "error", "percentError", "denied", "silent"),
  /**
   * What a login is asked: the password; name and password in one round; the password in other words; behind the password a
   * code, or a new password. The last two never let anybody in.
   */
  loginAsks: oneOf("password", "nameAndPassword", "passcode", "code", "newPassword"),
  /** Commands, by their beginnings, that AAA refuses. */
  denied: words,
  /** Commands of its release that nobody has heard of, and the known one that each is like; configuration modes take them too. */
  moreCommands: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** Pages its output although told not to. */
  pages: flag,
  /** Other people's sessions that are always open; `age`: seconds since they were opened when the switch starts. */
  foreignSessions: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, age: Schema.Int }))),
  /** `show running-config diffs` is unknown. */
  withoutRunningDiffs: flag,
  /** `write memory` says that it has saved, and has not. */
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
  saltsSecrets: false,
  saltsAtCommit: false,
  normalises: [],
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
