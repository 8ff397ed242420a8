/**
 * The failures of a job in groups by cause, with a sentence first (docs/jobs.md#in-brief): devices that failed with the same error at the
 * same step, apart from names and numbers, are one group. Also the totals of a job, and its remaining time. Pure.
 */
import { Schema } from "effect"
import type { ChangePhase, ChangeReason } from "../../machines/change/ChangeRow.ts"
import { causeSentence, commonCauses, switches, type Uplinks } from "./CommonUplinks.ts"
import { DeviceProgress, failedStep, functionOf, type JobTask, NOT_STARTED, saidAt } from "./Job.ts"
import { namesInOrder } from "./Natural.ts"

const FailureGroup = Schema.Struct({
  /** The name of the error; empty if the text names none. */
  class: Schema.String,
  /** The task that failed. */
  step: Schema.String,
  /** What happened to how many devices, and what they have in common. */
  sentence: Schema.String,
  /** What the job did to them; null when that is not known. */
  did: Schema.NullOr(Schema.String),
  /** What to do; null when nothing is known to help. */
  advice: Schema.NullOr(Schema.String),
  count: Schema.Int,
  /** All of them, in natural order. */
  devices: Schema.Array(Schema.String),
  /** Uplinks that all of them share; empty for one device. */
  uplinks: Schema.Array(Schema.String),
  /** The whole message of the first device. */
  said: Schema.NullOr(Schema.String)
}).annotate({ identifier: "FailureGroup" })
export type FailureGroup = typeof FailureGroup.Type

/** Each device of a job counts once. */
const JobTotals = Schema.Struct({
  devices: Schema.Int,
  done: Schema.Int,
  failed: Schema.Int,
  /** The job works on them now. */
  working: Schema.Int,
  /** They wait for their turn. */
  waiting: Schema.Int,
  /** The job ended, or was stopped, before their turn. Nothing happened to them, and they have not failed. */
  not_begun: Schema.Int
}).annotate({ identifier: "JobTotals" })
export type JobTotals = typeof JobTotals.Type

/** The devices of a job by name, as `GET /job/<id>/progress` answers. */
export const JobProgress = Schema.Struct({
  devices: Schema.Array(DeviceProgress),
  /** Why the job can never be paused; null when it can while it runs. */
  unpausable: Schema.NullOr(Schema.String),
  failures: Schema.Array(FailureGroup),
  totals: JobTotals,
  /** Seconds until the job is likely to end; null before five devices are done, while it is paused, and when it does not run. */
  seconds_left: Schema.NullOr(Schema.Int),
  /** How many devices an undo of the job would restore: those that no later job has changed. 0 while the job runs. */
  undoable: Schema.Int,
  /** The jobs that undo, or have undone, its changes. */
  undone_by: Schema.Array(Schema.Int)
}).annotate({ identifier: "JobProgress" })
export type JobProgress = typeof JobProgress.Type

/** What is known about a device of a job. */
export interface DeviceFacts {
  readonly hostname: string
  readonly phase: ChangePhase | null
  readonly reason: ChangeReason | null
  readonly failed: boolean | null
  readonly failures: ReadonlyArray<Pick<JobTask, "task_name" | "result">>
  /** The time from its beginning to its end; null without a known one. */
  readonly seconds: number | null
}

/** The job that works on them. */
export interface JobFacts {
  readonly function_name: string
  readonly hasEnded: boolean
  readonly isRunning: boolean
  /** Seconds since its beginning; null before it. */
  readonly seconds: number | null
  /** How many devices it works on at once. */
  readonly parallel: number
}

// One failure.

interface Failure {
  readonly class: string
  readonly step: string
  readonly message: string
  readonly said: string | null
  /** The last sentence of the failed step; for an upgrade its message may be the cause in an earlier line. */
  readonly end: string
}

/** A switch that could not be reached: in an upgrade it stands in a line before the last. */
const UNREACHED = /^(ConnectionException|CommandTimeout|ConnectAuthError): (.*)$/m

const TYPED = /^([A-Z]\w*): (.*)$/s

const failureOf = ({ failures }: DeviceFacts): Failure => {
  const { reason, step } = failedStep(failures)
  const [, name = "", message = reason] = TYPED.exec(reason) ?? []
  const said = saidAt(failures, step)
  const failure: Failure = { class: name, step, message, said, end: message }
  const [, unreached, why] = upgradeStepOf(failure)?.isUntouched === true ? (UNREACHED.exec(said ?? "") ?? []) : []
  return unreached === undefined || why === undefined ? failure : { ...failure, class: unreached, message: why }
}

/** The job was stopped, or ended, before it sent anything to the device. */
export const isNotBegun = (device: DeviceFacts, { function_name, hasEnded }: JobFacts): boolean => {
  if (device.failed === null) return hasEnded && device.phase === null
  if (!device.failed) return false
  const said = failureOf(device).said ?? ""
  return (
    said.startsWith(NOT_STARTED) ||
    device.reason === "cancelled" ||
    (functionOf(function_name) === "device_upgrade" && said.startsWith("JobAborted: "))
  )
}

/** A message without names and numbers: what is left is the same for devices with the same trouble. */
const normalised = (message: string, hostname: string): string =>
  message
    .replaceAll(hostname, "…")
    .replaceAll(/SHA256:\S+|\b[0-9a-f]{12,64}\b/g, "#")
    .replaceAll(/\d+(?:[.:/T-]\d+)*/g, "#")

// The words of errors: what devices did, and what helps. A table by class; the reason of a change says more than its class.

interface Words {
  /** Follows `7 switches`. */
  readonly what: string | ((message: string) => string)
  readonly advice: string | null
}

const NO_ANSWER = /no answer to "([^"]*)" in (\d+) s/

const CLASSES: Readonly<Record<string, Words>> = {
  InitError: {
    what: "did not move to the new address",
    advice: "Read the answer of the switch below, mend the base configuration or the cabling, then try again."
  },
  AddressOutside: {
    what: "would get an address outside the management networks",
    advice: "Correct the management domain or the management networks, then try again."
  },
  ConnectionException: {
    what: (message) =>
      message.startsWith("no answer from")
        ? "did not answer SSH"
        : /refused/i.test(message)
          ? "refused the SSH connection"
          : "could not be reached, or the connection broke",
    advice: "Check power and uplink, then retry."
  },
  CommandTimeout: {
    what: (message) => {
      const [, command, seconds] = NO_ANSWER.exec(message) ?? []
      if (command === undefined) return "did not answer in time"
      return command === "login"
        ? `did not answer SSH within ${seconds} s`
        : `did not answer "${command}" within ${seconds} s`
    },
    advice: "It may be busy, or the line to it full. Retry later."
  },
  ConnectAuthError: {
    what: "refused the sign-in",
    advice: "Check the account on the switch and the login of the server."
  },
  HostKeyChanged: {
    what: "showed another host key than the pinned one",
    advice: "If the switch was replaced, pin the new key; otherwise find out who answers at its address."
  },
  HostKeyNotApproved: {
    what: "showed a host key that nobody has approved",
    advice: "Compare the key with the switch, and approve it."
  },
  WrongDevice: {
    what: "answered as another switch",
    advice: "Check the addresses in the records of both devices."
  },
  CommandRejected: { what: "refused a command", advice: "Check the rights of the server's account on the switch." },
  UnexpectedAnswer: { what: "gave an answer that the server does not understand", advice: "Read the answer below." },
  SessionLockedException: {
    what: "had another configuration session or timer in the way",
    advice: "End the other session on the switch, then retry."
  },
  ReplaceConfigException: {
    what: "refused a line",
    advice: "Mend the line in the template or the settings, or upgrade the switch."
  },
  MergeConfigException: { what: "refused a line", advice: "Mend the line, or upgrade the switch." },
  LeftConfiguration: {
    what: "got a line that is a command and no configuration",
    advice: "Remove the line from the template or the settings."
  },
  CommitError: { what: "did not take the change", advice: "Read the answer of the switch below." },
  ConfigHashMismatch: {
    what: "was altered outside Switchyard",
    advice: "Look at the difference, then undo it, keep it, or push with force."
  },
  CheckRefused: {
    what: "failed a check before the change already",
    advice: "Mend what the check found, or push without checks and say why."
  },
  CheckFailed: {
    what: "failed a check after the change",
    advice: "Read what was before and what is now; mend the change, then try again."
  },
  CheckUnread: {
    what: "could not be checked after the change",
    advice: "Look whether the switch or its neighbour answers, then try again."
  },
  Fenced: { what: "has changed since the preview", advice: "Preview again, and push what the new preview shows." },
  FailedProof: {
    what: "was left out, because the same change has failed there before",
    advice: "Mend the cause; a new commit or a live run that a person starts tries again."
  },
  NotPrepared: { what: "could not be rendered", advice: "Mend the template or the settings." }
}

/** The steps of an upgrade by the sentence with which each fails (`src/firmware/UpgradeTasks.ts`). `isUntouched`: the old version stays. */
const UPGRADE: ReadonlyArray<{ readonly is: RegExp; readonly words: Words; readonly isUntouched: boolean }> = [
  {
    is: /^Pre-flight check failed/,
    words: {
      what: "was not ready for the image",
      advice: "Read below what is missing, such as space on the flash, then try again."
    },
    isUntouched: true
  },
  {
    is: /^Failed to download firmware/,
    words: {
      what: "did not get a whole image",
      advice: "Check its checksum, and whether the switches reach the address of the image, then try again."
    },
    isUntouched: true
  },
  {
    is: /^Failed to activate firmware/,
    words: {
      what: "did not take the image for the next start",
      advice: "Look at each switch before its next restart, then try again."
    },
    isUntouched: false
  },
  {
    is: /^The checks before the reboot did not pass/,
    words: {
      what: "was not restarted, because its checks did not pass",
      advice: "Mend what the check found, then try again. The image is set for the next start."
    },
    isUntouched: false
  },
  {
    is: /^A check failed/,
    words: {
      what: "failed a check after the upgrade",
      advice: "The new version runs. Read what was before and what is now. No further group of the order begins."
    },
    isUntouched: false
  },
  {
    is: /^A check could not be read/,
    words: {
      what: "could not be checked after the upgrade",
      advice:
        "The new version runs. Look whether the switch or its neighbour answers. No further group of the order begins."
    },
    isUntouched: false
  },
  {
    is: /^Failed to reboot device/,
    words: { what: "did not restart when asked", advice: "Look at each switch, then try again." },
    isUntouched: false
  },
  {
    is: /did not (come back|respond to check)/,
    words: {
      what: "did not come back after the restart",
      advice: "Look at the console: power, image and uplink. No further step of the order begins."
    },
    isUntouched: false
  },
  {
    is: /OS version (did not change|is )/,
    words: {
      what: "came back with another version than the wanted one",
      advice: "Check which image the switch boots, then try again."
    },
    isUntouched: false
  }
]

const upgradeStepOf = ({ end }: Pick<Failure, "end">) => UPGRADE.find(({ is }) => is.test(end))

const REASONS: Partial<Readonly<Record<ChangeReason, Words>>> = {
  unreachable: {
    what: "stopped answering during the change",
    advice: "Check power and uplink. What became of the change is recorded as soon as it is known."
  },
  commitRefused: { what: "refused to activate the configuration", advice: "Read the answer of the switch below." },
  commitNotApplied: {
    what: "answered, but kept its old configuration",
    advice: "Look at the switch before you retry."
  },
  notProved: {
    what: "could not be checked after the change",
    advice: "Look at the lines that the switch does not show, then retry."
  },
  othersFailed: {
    what: "went back because others failed",
    advice: "Mend what failed on the others, then start the rollout again."
  },
  rolledBack: { what: "went back without being asked", advice: "Look at the switch before you retry." },
  candidateEnded: { what: "lost the candidate with the connection", advice: "Start the job again." },
  confirmIgnored: { what: "did not stop the timer when asked", advice: "Look at the switch before you retry." },
  keptNew: { what: "kept the new configuration", advice: "Look at the switch: it does not go back on its own." },
  notSaved: {
    what: "could not save the configuration",
    advice: "Save it on the switch: a restart brings the old one."
  },
  outsideChange: {
    what: "runs neither the old nor the new configuration",
    advice: "Somebody changed it meanwhile. Compare, then decide."
  },
  loginRefused: {
    what: "refuses the login that the new configuration brings",
    advice: "Check users and passwords in the templates."
  }
}

const wordsOf = (failure: Failure, reason: ChangeReason | null): Words =>
  (failure.class === "CommitError" && reason !== null ? REASONS[reason] : undefined) ??
  (failure.class === "FirmwareError" ? upgradeStepOf(failure)?.words : undefined) ??
  CLASSES[failure.class] ?? {
    what: failure.step === "" ? "failed" : `failed at “${failure.step.replaceAll("_", " ")}”`,
    advice: null
  }

// What the job did to a device.

/** Jobs that change devices by steps of their own, which the phase of a change does not tell. */
const OWN_STEPS: ReadonlySet<string> = new Set([
  "device_upgrade",
  "device_erase",
  "renew_cert",
  "init_access_device_step1",
  "init_fabric_device_step1",
  "init_device_step2"
])

type Did = "nothing" | "oldVersion" | "back" | "kept" | "timer" | "unclear"

const didOf = ({ phase }: DeviceFacts, { function_name }: JobFacts, failure: Failure): Did | null => {
  if (upgradeStepOf(failure)?.isUntouched === true) return "oldVersion"
  if (phase === null) return OWN_STEPS.has(functionOf(function_name)) ? null : "nothing"
  if (phase === "discarded") return "nothing"
  if (phase === "reverted") return "back"
  if (phase === "confirmed" || phase === "unchanged") return "kept"
  return phase === "unknown" ? "unclear" : "timer"
}

const didText = (did: Did, count: number): string => {
  const [it, their, runs] = count === 1 ? ["It", "its", "runs"] : ["They", "their", "run"]
  switch (did) {
    case "nothing":
      return `Nothing was changed on ${count === 1 ? "it" : "them"}.`
    case "oldVersion":
      return `${it} ${runs} the old version, and ${count === 1 ? "was" : "were"} not restarted.`
    case "back":
      return `${it} went back to ${their} old configuration.`
    case "kept":
      return `${it} ${runs} the new configuration.`
    case "timer":
      return `${count === 1 ? "Its own timer takes" : "Their own timers take"} the change back.`
    case "unclear":
      return `It is not certain which configuration ${it.toLowerCase()} ${runs}. Look at ${count === 1 ? "it" : "them"}.`
  }
}

const PLURALS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^was /, "were "],
  [/^has /, "have "],
  [/^runs /, "run "],
  [/^refuses /, "refuse "]
]

/** The verb for so many devices; verbs in the past are the same for one and for many. */
const verbOf = (what: string, count: number): string =>
  count === 1 ? what : PLURALS.reduce((text, [one, many]) => text.replace(one, many), what)

interface Failed {
  readonly device: DeviceFacts
  readonly failure: Failure
  readonly did: Did | null
}

const groupOf = (alike: readonly [Failed, ...ReadonlyArray<Failed>], uplinks: Uplinks): FailureGroup => {
  const devices = namesInOrder(alike.map(({ device }) => device.hostname))
  const first = alike.find(({ device }) => device.hostname === devices[0]) ?? alike[0]
  const { did, failure } = first
  const { advice, what } = wordsOf(failure, first.device.reason)
  const [cause, ...others] = devices.length < 2 ? [] : commonCauses(devices, uplinks)
  const common = cause === undefined || others.length > 0 ? null : cause
  const where = common === null ? null : causeSentence(common)
  const said = typeof what === "string" ? what : what(failure.message)
  return {
    class: failure.class,
    step: failure.step,
    sentence: `${switches(devices.length)} ${verbOf(said, devices.length)}${where === null ? "" : `: ${where}`}`,
    did: did === null ? null : didText(did, devices.length),
    advice,
    count: devices.length,
    devices,
    uplinks: common?.uplinks ?? [],
    said: failure.said
  }
}

/** The groups of failed devices, the largest first. */
export const failureGroups = (
  devices: ReadonlyArray<DeviceFacts>,
  job: JobFacts,
  uplinks: Uplinks
): ReadonlyArray<FailureGroup> => {
  const failed = devices
    .filter((device) => device.failed === true && !isNotBegun(device, job))
    .map((device): Failed => {
      const failure = failureOf(device)
      return { device, failure, did: didOf(device, job, failure) }
    })
  const keyOf = ({ device, did, failure }: Failed) =>
    JSON.stringify([failure.class, failure.step, device.reason, did, normalised(failure.message, device.hostname)])
  return [...Map.groupBy(failed, keyOf).values()]
    .flatMap(([first, ...others]) => (first === undefined ? [] : [groupOf([first, ...others], uplinks)]))
    .toSorted((one, other) => other.count - one.count || one.sentence.localeCompare(other.sentence))
}

/** The totals of a job's devices. */
export const totalsOf = (devices: ReadonlyArray<DeviceFacts>, job: JobFacts): JobTotals => {
  const begun = devices.filter((device) => !isNotBegun(device, job))
  const open = begun.filter(({ failed }) => failed === null)
  return {
    devices: devices.length,
    done: begun.filter(({ failed }) => failed === false).length,
    failed: begun.filter(({ failed }) => failed === true).length,
    working: open.filter(({ phase }) => phase !== null).length,
    waiting: open.filter(({ phase }) => phase === null).length,
    not_begun: devices.length - begun.length
  }
}

/** Devices that must be done before their times say anything. */
const ENOUGH = 5

const medianOf = (numbers: ReadonlyArray<number>): number => {
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const [low = 0, high = low] = [sorted[sorted.length % 2 === 1 ? middle : middle - 1], sorted[middle]]
  return (low + high) / 2
}

/** The median time of a device, times those that are left, by how many are worked on at once; without times of devices, by the job's own. */
export const secondsLeft = (devices: ReadonlyArray<DeviceFacts>, job: JobFacts): number | null => {
  if (!job.isRunning) return null
  const { done, failed, waiting, working } = totalsOf(devices, job)
  if (done < ENOUGH) return null
  const remaining = working + waiting
  if (remaining === 0) return 0
  const times = devices.flatMap((device) =>
    device.failed === false && device.seconds !== null ? [device.seconds] : []
  )
  if (times.length >= ENOUGH) return Math.ceil((medianOf(times) * remaining) / Math.min(job.parallel, remaining))
  return job.seconds === null ? null : Math.ceil((job.seconds * remaining) / (done + failed))
}
