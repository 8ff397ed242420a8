/** What to do about a device that failed, from why its change ended. Pure. */

interface Failed {
  readonly phase: string | null
  readonly reason: string | null
}

const BY_REASON: Readonly<Record<string, string>> = {
  unreachable:
    "The switch did not answer. Look at its power, its uplink and its management address, then retry the failed ones.",
  connectionLost:
    "The connection was cut on the way. The switch was looked at again; retry the failed ones when it answers.",
  hashMismatch:
    "Somebody has changed the switch by hand. Look at its drift: take it over into the settings, or undo it by a forced sync.",
  otherRunning: "The switch runs something else than was shown. Start a new dry run, and look at what it shows.",
  otherDiff: "The difference is another one than the dry run has shown, so nothing was pushed. Start a new dry run.",
  locked: "Somebody else holds the configuration of the switch. Wait until they have finished, or ask them.",
  rejected: "The switch refuses lines of the configuration: its words are above. Mend the settings or the template.",
  commitRefused: "The switch refused the commit: its words are above.",
  commitNotApplied: "The switch took the commit and does not run it. Look at the switch before trying again.",
  notProved: "Nobody could prove that the switch runs the new configuration, so it went back. Look at the switch.",
  othersFailed: "This one was fine, and went back because another one failed.",
  rolledBack:
    "The switch's own timer took the change back, because nobody could confirm it: often the change cuts the switch off.",
  outsideChange: "Somebody changed the switch while the change was under way. Look at its drift.",
  leftConfiguration:
    "A line of the configuration is a command. It is named above: take it out of the template, the port or the settings.",
  loginRefused:
    "The switch refuses our login after the change, so it went back. Look at the users and passwords in the change.",
  notSaved:
    "The new configuration runs and could not be saved: a restart would lose it. Look at the flash of the switch.",
  notRestored: "The old configuration runs and could not be saved. Look at the flash of the switch.",
  timerStuck: "A commit timer still runs on the switch. Wait for its end, then look."
}

/** One or two sentences. */
export const adviceFor = ({ phase, reason }: Failed): string => {
  if (phase === "unknown")
    return "Nobody knows which configuration this switch runs. Look at it before anything else is pushed to it."
  return (
    (reason === null ? undefined : BY_REASON[reason]) ?? "Read what was said above, mend it, and retry the failed ones."
  )
}
