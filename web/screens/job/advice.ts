/** Advice about a failed device, from the reason why its change ended. Pure. */

import type { ChangeReason } from "../../../machines/change/ChangeRow.ts"

interface Failed {
  readonly phase: string | null
  readonly reason: string | null
}

const BY_REASON: Partial<Readonly<Record<ChangeReason, string>>> = {
  unreachable:
    "The switch did not answer. Look at its power, its uplink and its management address, then retry the failed ones.",
  connectionLost:
    "The connection was cut on the way. The switch was looked at again; retry the failed ones when it answers.",
  hashMismatch:
    "The switch was changed outside Switchyard. Look at its drift: take it over into the settings, or undo it by a forced sync.",
  otherRunning:
    "The switch no longer runs the configuration that was shown. Start a new dry run, and look at its result.",
  otherDiff: "The difference is not the one that the dry run has shown, so nothing was pushed. Start a new dry run.",
  locked: "Another user's session holds the configuration of the switch. Wait until it has ended, or ask them.",
  rejected:
    "The switch refuses lines of the configuration: its message is above. Correct the settings or the template.",
  commitRefused: "The switch refused the commit: its message is above.",
  commitNotApplied: "The switch took the commit and does not run it. Look at the switch before trying again.",
  notProved: "The new configuration could not be proved, so the change was rolled back. Look at the switch.",
  othersFailed: "This device was fine, and was rolled back because another one failed.",
  rolledBack:
    "The switch's own timer took the change back, because the change could not be confirmed: often the change cuts the switch off.",
  outsideChange: "The switch was changed by another user while the change was under way. Look at its drift.",
  leftConfiguration:
    "A line of the configuration is a command. It is named above: take it out of the template, the port or the settings.",
  loginRefused:
    "The switch refuses our login after the change, so the change was rolled back. Look at the users and passwords in the change.",
  notSaved:
    "The new configuration runs and could not be saved: a restart would lose it. Look at the flash of the switch.",
  notRestored: "The old configuration runs and could not be saved. Look at the flash of the switch.",
  timerStuck: "A commit timer still runs on the switch. Wait for its end, then look."
}

/** One or two sentences. */
export const adviceFor = ({ phase, reason }: Failed): string => {
  if (phase === "unknown")
    return "It is unknown which configuration this switch runs. Look at it before anything else is pushed to it."
  return (
    (reason === null ? undefined : Object.entries(BY_REASON).find(([known]) => known === reason)?.[1]) ??
    "Read the message above, correct the cause, and retry the failed ones."
  )
}
