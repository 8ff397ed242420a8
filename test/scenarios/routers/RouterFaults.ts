/**
 * Everything that may go wrong with a real router during a live sync, as data: what is done to it and at which step, and what
 * its record must say at the end. `FAULTS.md` is made from this table, and `RouterFaults.test.ts` plays it.
 */
import { Effect } from "effect"
import { changedByOthers, done, type Ending, outOfSight, takenBack, unsaved, untouched } from "../chaos/FaultEndings.ts"
import type { Outside, Strike } from "./StruckRouter.ts"

/** The properties of each step: how the router sees it, and its words in the documentation. */
export const steps = {
  connecting: { at: "before start connect", place: "before connecting" },
  reading: { at: "before start show", place: "before reading the running configuration" },
  loading: { at: "amid start load", place: "amid loading the candidate" },
  loaded: { at: "before start commit", place: "before committing with a timer" },
  armed: { at: "before start apply", place: "committing: before it is applied" },
  applied: { at: "after start apply", place: "committing: after it is applied" },
  committed: { at: "after start commit", place: "after committing with a timer" },
  proving: { at: "before committed connect", place: "in the proof: before connecting" },
  comparing: { at: "amid committed load", place: "in the proof: amid loading the candidate" },
  confirming: { at: "before committed confirm", place: "before confirming" },
  confirmed: { at: "after committed confirm", place: "after confirming" },
  saving: { at: "before confirmed save", place: "after the confirmation: before saving" },
  saved: { at: "after confirmed save", place: "after the confirmation: after saving" }
} as const satisfies Readonly<Record<string, { readonly at: string; readonly place: string }>>
export type StepName = keyof typeof steps
export const stepNames = Object.keys(steps) as ReadonlyArray<StepName>

/** One cell of the table; `line` is what the candidate adds if not the usual, `mend` ends a fault that would last. */
export interface RouterFault {
  readonly fault: string
  readonly place: string
  readonly at: string
  readonly strike: Strike
  readonly line?: string
  readonly mend?: Strike
  readonly ending: Ending
  /** How it may end as well: by chance the server looks again before what it has sent is applied. */
  readonly or?: Ending
}

/** Cells that are played together, each on a router of its own. */
export interface Round {
  readonly title: string
  /** Of the commit timer. */
  readonly timerSeconds: number
  readonly cells: ReadonlyArray<RouterFault>
}

/** No timer runs out while it is not meant to. */
const LONG = 150
const SHORT = 20

const lost = untouched("ConnectionException: ")

/** A fault at every step. */
const everywhere = (
  fault: string,
  strike: Strike,
  endings: Readonly<Record<StepName, Ending>>,
  others: Partial<Readonly<Record<StepName, Ending>>> = {}
): Round => ({
  title: fault,
  timerSeconds: LONG,
  cells: stepNames.map((name) => {
    const or = others[name]
    return { fault, ...steps[name], strike, ending: endings[name], ...(or === undefined ? {} : { or }) }
  })
})

const at =
  (...names: ReadonlyArray<StepName>) =>
  (ending: Ending) =>
    Object.fromEntries(names.map((name) => [name, ending])) as Partial<Record<StepName, Ending>>

const allDone = Object.fromEntries(stepNames.map((name) => [name, done])) as Record<StepName, Ending>
const beforeCommit = at("connecting", "reading", "loading")

/** The answer to the commit is lost, and the look at what came of it comes before it is applied: then it is taken back. */
export const lookedTooEarly = at("loaded", "armed")(takenBack("CommitError: "))

const unplug: Outside = (fabric, name) =>
  Effect.andThen(Effect.andThen(fabric.pull(name), Effect.sleep("4 seconds")), fabric.plug(name))
const reboot: Outside = (fabric, name) => Effect.andThen(fabric.halt(name), fabric.boot(name))
const stranger = "vtysh -c 'configure terminal' -c 'ip prefix-list STRANGER seq 5 permit 10.1.0.0/16' 2>/dev/null"
const fill = "dd if=/dev/zero of=/fill bs=64k 2>/dev/null"

const alteredBefore: Ending = { ...untouched("ConfigHashMismatch: "), runs: "other", event: "confighash" }
const alteredSinceLoad: Ending = {
  ...untouched("the configuration was altered since the candidate was loaded", "It is not certain", "CommitError: "),
  runs: "other",
  event: "commit_confirm_failed"
}

const itself: Round = {
  title: "what the candidate brings with it",
  timerSeconds: SHORT,
  cells: [
    { fault: "none", place: "as usual", at: "never", strike: "true", ending: done },
    {
      fault: "none",
      place: "with the shell of BusyBox",
      at: steps.connecting.at,
      strike: "[ ! -x /usr/bin/busybox ] || ln -sf busybox /usr/bin/sh",
      ending: done
    },
    {
      fault: "wrong syntax",
      place: "a line of the candidate",
      at: "never",
      strike: "true",
      line: "ip prefix-lost OFFICES seq 5 permit 10.0.0.0/8",
      ending: untouched("ReplaceConfigException: % Unknown command at line 9")
    },
    {
      fault: "a daemon is wanted that does not run",
      place: "by the candidate",
      at: "never",
      strike: "true",
      line: "router ospf\n ospf router-id 1.1.1.1\nexit",
      ending: takenBack("CommitError: ")
    },
    {
      fault: "locks the server out",
      place: "with the commit",
      at: "never",
      strike: "true",
      line: "interface eth0\n shutdown\nexit",
      ending: takenBack("CommitError: ")
    },
    {
      fault: "out of reach",
      place: "ever after the commit",
      at: steps.committed.at,
      strike: "pkill -9 sshd",
      mend: "/usr/sbin/sshd",
      ending: outOfSight
    }
  ]
}

const full = { fault: "full disk, until the job has ended", strike: fill, mend: "rm -f /fill" }

const fullAtSave: Ending = {
  ...unsaved,
  says: ["CommandRejected: ", "The device runs the new configuration, but a restart may bring the old one back."]
}

const fullToTheEnd: Round = {
  title: full.fault,
  timerSeconds: SHORT,
  cells: [
    { ...full, ...steps.connecting, ending: lost },
    { ...full, ...steps.reading, ending: untouched("CommandRejected: ") },
    { ...full, ...steps.loading, ending: untouched("CommandRejected: ") },
    { ...full, ...steps.loaded, ending: takenBack("CommitError: The device refused to commit") },
    { ...full, ...steps.armed, ending: takenBack("CommitError: ") },
    { ...full, ...steps.applied, ending: takenBack("CommitError: ") },
    { ...full, ...steps.committed, ending: takenBack("CommitError: ") },
    { ...full, ...steps.proving, ending: takenBack("CommitError: ") },
    { ...full, ...steps.comparing, ending: takenBack("CommitError: ") },
    { ...full, ...steps.confirming, ending: done },
    { ...full, ...steps.confirmed, ending: fullAtSave },
    { ...full, ...steps.saving, ending: fullAtSave },
    { ...full, ...steps.saved, ending: done }
  ]
}

const killKeeper = "kill -9 $(cat /etc/frr/switchyard/pending/pid)"
const whileItWaits: ReadonlyArray<StepName> = ["armed", "applied", "committed", "proving", "comparing", "confirming"]

const keeperKilled: Round = {
  title: "the process that waits is killed",
  timerSeconds: LONG,
  cells: whileItWaits.map((name) => ({
    fault: "the process that waits is killed",
    ...steps[name],
    strike: killKeeper,
    ending: done
  }))
}

/** The table. */
export const rounds: ReadonlyArray<Round> = [
  itself,
  everywhere("SSH cut", "pkill -9 -f 'sshd.*: root@'", { ...allDone, ...beforeCommit(lost) }, lookedTooEarly),
  everywhere(
    "sshd killed, back after 3 s",
    "pkill -9 sshd; sleep 3; /usr/sbin/sshd",
    { ...allDone, ...beforeCommit(lost) },
    lookedTooEarly
  ),
  everywhere("paused for 4 s", "kill -STOP -1; sleep 4; kill -CONT -1", allDone),
  everywhere("management cable out for 4 s", unplug, allDone),
  everywhere("edited with vtysh by another person", stranger, {
    ...allDone,
    ...at("connecting", "reading")(alteredBefore),
    ...at("loading", "loaded")(alteredSinceLoad),
    ...at("applied", "committed", "proving")(takenBack("CommitError: ")),
    ...at("comparing", "confirming", "confirmed", "saving")(changedByOthers),
    ...at("saved")({ ...changedByOthers, saved: "new" })
  }),
  everywhere("script removed", "rm -f /etc/frr/switchyard/change", {
    ...allDone,
    ...at("reading")(untouched("CommandRejected: ")),
    ...at("loading", "loaded", "armed", "applied", "committed")(takenBack("CommitError: The device refused to commit"))
  }),
  keeperKilled,
  everywhere("reboot", reboot, {
    ...allDone,
    ...beforeCommit(lost),
    ...at(
      "armed",
      "applied",
      "committed",
      "proving",
      "comparing",
      "confirming",
      "confirmed",
      "saving"
    )(takenBack("CommitError: "))
  }),
  fullToTheEnd
]

/** Routers of one round: more would wait for each other on a small machine. */
const MOST_CELLS = 14
/** Every so manyth step of a fault, beginning with another one for each. */
const STRIDE = 4

const inRounds = (timerSeconds: number, cells: ReadonlyArray<RouterFault>): ReadonlyArray<Round> => {
  const count = Math.ceil(cells.length / MOST_CELLS)
  return Array.from({ length: count }, (_, round) => ({
    title: `a part of the table with a timer of ${timerSeconds} s, ${round + 1} of ${count}`,
    timerSeconds,
    cells: cells.filter((_cell, index) => index % count === round)
  }))
}

const ofTimer = (timerSeconds: number) => rounds.filter((round) => round.timerSeconds === timerSeconds)

/**
 * The cells of every test run: all unique ones, and of the faults at all steps some steps each, so that every step has several. `npm run
 * chaos -- routers` covers the whole table.
 */
export const sample: ReadonlyArray<Round> = [
  ...inRounds(
    SHORT,
    ofTimer(SHORT).flatMap(({ cells }) => cells)
  ),
  ...inRounds(
    LONG,
    ofTimer(LONG).flatMap(({ cells }, fault) => cells.filter((_cell, step) => (step + fault) % STRIDE === 0))
  )
]
