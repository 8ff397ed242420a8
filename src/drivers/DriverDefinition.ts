/**
 * Makes a complete driver from the verbs of a platform. The others get the answer that claims least, here and only here: nothing is
 * shown, a reading is refused, a group of verbs is null. `test/scenarios/bird/BirdDriver.ts` is the smallest driver;
 * docs/adding-a-driver.md explains it.
 */
import { hash } from "node:crypto"
import { Effect, Exit, Option, Scope } from "effect"
import { SHOWS_NOTHING } from "../domain/DeviceIdentity.ts"
import { cleanedValue } from "../domain/Text.ts"
import type { Platform } from "../domain/platforms/Platform.ts"
import { readOnlyFault } from "../domain/platforms/ReadOnlyCommands.ts"
import type { CommitHabits, ConfigSession, ConfigSessions, Driver, DriverSession, SessionLimits } from "./Driver.ts"
import { CommandRejected, CommitError, NotOffered, type ReadError } from "./DriverErrors.ts"
import { gatedSession } from "./LoadChecks.ts"
import { maskSecrets } from "./SecretMask.ts"
import type { Facts } from "../domain/DeviceReadings.ts"
import type { ReadingVerbs, ShowVerbs } from "./Verbs.ts"
import { textRemoved } from "../runtime/metrics/Metrics.ts"

/** The verbs that a platform may lack. */
type OptionalVerb =
  | "shown"
  | "interfaces"
  | "optics"
  | "lldp"
  | "lldpDetail"
  | "macTable"
  | "arpTable"
  | "runningDefaults"
  | "sessionsWhileTimed"
  | "commitAndSave"
  | "firmware"
  | "certificates"
  | "reset"
  | "ports"
  | "move"
  | "readings"
  | "show"
  | "abandon"

type CommitVerb = "commit" | "commitTimed" | "confirm"

/** A verb that may be refused in any way; its caller gets a refused commit. */
type Refusable<Verb> = Verb extends (...args: infer Args) => Effect.Effect<infer A, infer _E>
  ? (...args: Args) => Effect.Effect<A, ReadError | CommitError>
  : never

/** The verbs that every platform has, and those of the others that this one has. */
export type SessionDefinition = Omit<DriverSession, OptionalVerb | CommitVerb> &
  Partial<Pick<DriverSession, OptionalVerb>> & { readonly [Verb in CommitVerb]: Refusable<DriverSession[Verb]> }

/** Columns of facts hold this many characters. */
const FACT = 64
/** The longest name that LLDP can carry, and the widest column of a name. */
const NAME = 255
/** Descriptions are for people to read. */
const DESCRIPTION = 1024

/** The device's answer without characters that no text may hold: the device cannot be asked for another one. */
const cleaned = <A>(said: A, kind: "line" | "lines", longest?: number): A => {
  const { removed, value } = cleanedValue(said, kind, longest)
  if (removed > 0) textRemoved.add(removed)
  return value
}
const clean =
  (kind: "line" | "lines", longest?: number) =>
  <A, E>(reading: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.map(reading, (said) => cleaned(said, kind, longest))
const cleanNames = clean("line", NAME)
const cleanText = clean("lines")
const cleanFacts = (facts: Facts): Facts => {
  const { model, os_version, serial_number, vendor } = facts
  return cleaned({ ...facts, ...cleaned({ model, os_version, serial_number, vendor }, "line", FACT) }, "line", NAME)
}

const cleanReadings = ({ kinds, read }: ReadingVerbs): ReadingVerbs => ({
  kinds,
  read: (question) => clean("line", DESCRIPTION)(read(question))
})

const cleanShown = ({ show }: ShowVerbs): ShowVerbs => ({ show: (command) => cleanText(show(command)) })

/** Names and numbers are of one line, configurations and differences of many. */
const cleanSession = (session: DriverSession): DriverSession => ({
  ...session,
  shown: cleaned(session.shown, "line", FACT),
  facts: Effect.map(session.facts, cleanFacts),
  interfaces: clean("line", DESCRIPTION)(session.interfaces),
  optics: cleanNames(session.optics),
  lldp: cleanNames(session.lldp),
  // the description of a system may have several lines
  lldpDetail: clean("lines", DESCRIPTION)(session.lldpDetail),
  macTable: cleanNames(session.macTable),
  arpTable: cleanNames(session.arpTable),
  readings: session.readings === null ? null : cleanReadings(session.readings),
  show: session.show === null ? null : cleanShown(session.show),
  runningConfig: cleanText(session.runningConfig),
  runningDefaults: cleanText(session.runningDefaults),
  load: (request) => cleanText(session.load(request))
})

/** Refuses a kind that the platform does not have before anything is sent. */
const offeredReadings = (hostname: string, { kinds, read }: ReadingVerbs): ReadingVerbs => ({
  kinds,
  read: (question) =>
    kinds.has(question.reads)
      ? read(question)
      : Effect.fail(new NotOffered({ hostname, verbs: `readings of ${question.reads}` }))
})

/** A session of a device with the verbs of its platform. Missing readings are refused as a command would be. */
export const defineSession = (hostname: string, verbs: SessionDefinition): DriverSession => {
  const refused = (command: string) =>
    Effect.suspend(() =>
      Effect.fail(new CommandRejected({ hostname, command, message: "the platform has no way to ask for this" }))
    )
  const orNoCommit = <A>(session: string, step: Effect.Effect<A, ReadError | CommitError>) =>
    Effect.catchTag(
      step,
      ["CommandRejected", "UnexpectedAnswer"],
      ({ message }) => new CommitError({ hostname, session, message })
    )
  const readings = verbs.readings ?? null
  return cleanSession({
    shown: SHOWS_NOTHING,
    interfaces: refused("interfaces"),
    optics: Effect.succeed({}),
    lldp: refused("lldp"),
    lldpDetail: refused("lldp detail"),
    macTable: refused("MAC address table"),
    arpTable: refused("ARP table"),
    runningDefaults: Effect.succeed(""),
    sessionsWhileTimed: () => verbs.sessions,
    // a commit that ends with its connection could be lost half way
    commitAndSave: (session) =>
      Effect.fail(
        new CommitError({ hostname, session, message: "the platform has no commit that outlives its connection" })
      ),
    firmware: null,
    certificates: null,
    reset: null,
    ports: null,
    move: null,
    show: null,
    abandon: Effect.void,
    ...verbs,
    readings: readings === null ? null : offeredReadings(hostname, readings),
    commit: (name) => orNoCommit(name, verbs.commit(name)),
    commitTimed: (name, seconds) => orNoCommit(name, verbs.commitTimed(name, seconds)),
    confirm: (name, wasSeen, seen) => orNoCommit(name, verbs.confirm(name, wasSeen, seen))
  })
}

/** Complete facts from those that a device reports; the others are null. */
export const completeFacts = (said: Pick<Facts, "vendor"> & Partial<Facts>): Facts => ({
  hostname: null,
  fqdn: null,
  model: null,
  serial_number: null,
  os_version: null,
  uptime: null,
  interface_list: null,
  ...said
})

const silent: SessionLimits = { maxOpen: null, maxSaved: null, mergesAtCommit: null, savesAtCommit: null }

/**
 * The list of a platform that always shows a commit that waits: among its candidates, as `timed`. So one without it says that no
 * timer runs.
 */
export const listSessions = (
  sessions: ReadonlyArray<ConfigSession>,
  limits: SessionLimits = silent
): ConfigSessions => {
  const timed = sessions.find(({ state }) => state === "timed")
  return {
    isListed: true,
    sessions,
    pending: Option.map(Option.fromUndefinedOr(timed), ({ name }) => ({ name })),
    timer: timed === undefined ? { _tag: "none" } : { _tag: "running", name: timed.name },
    limits
  }
}

const habitsByList = ({ limits }: ConfigSessions): CommitHabits => ({
  savesAtCommit: limits.savesAtCommit === true,
  mergesAtCommit: limits.mergesAtCommit === true
})

const withoutBlankEnd = (text: string): string => `${text.trimEnd()}\n`

/** The hash of a driver: hexadecimal SHA-256 of a configuration without its volatile lines. */
export const configHashOf =
  (stableText: Driver["stableText"]): Driver["configHash"] =>
  (text) =>
    hash("sha256", stableText(text), "hex")

/**
 * The definition of a platform's driver. Defaults: `stableText` removes only blank lines at the end; `commitHabits` follows the
 * list of sessions.
 */
export type DriverDefinition = Pick<Driver, "platform" | "open"> & Partial<Pick<Driver, "stableText" | "commitHabits">>

/** Refuses a command that is not read-only on the platform before anything is sent. */
const readOnlySession = ({ capabilities }: Platform, hostname: string, session: DriverSession): DriverSession => {
  const verbs = session.show
  if (verbs === null) return session
  const show: ShowVerbs["show"] = (command) => {
    const fault = readOnlyFault(capabilities?.shows, command)
    return fault === null
      ? verbs.show(command)
      : Effect.fail(
          new CommandRejected({ hostname, command: maskSecrets(command), message: `it was not sent: ${fault}` })
        )
  }
  return { ...session, show: { show } }
}

/** The driver. A login that fails closes its connection at once, however long the caller's scope lives. */
export const defineDriver = ({
  commitHabits = habitsByList,
  open,
  platform,
  stableText = withoutBlankEnd
}: DriverDefinition): Driver => ({
  platform,
  stableText,
  configHash: configHashOf(stableText),
  commitHabits,
  open: Effect.fn(`open ${platform.name}`)(function* (target) {
    const scope = yield* Scope.fork(yield* Effect.scope)
    return yield* open(target).pipe(
      Effect.map((session) =>
        readOnlySession(platform, target.hostname, gatedSession(platform, target.hostname, session))
      ),
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
  })
})
