/**
 * The result of each operation on a switch of each personality. `FAULTS.md` is made from this table, and `Personalities.test.ts` tests it.
 * Cells that are not listed here end as on a usual switch.
 */
import { isPersonality, personalities, type PersonalityName } from "../../../src/lab/eos/Quirks.ts"
import { type CellEnding, type Operation, unsaved, untouched, usualEndings } from "./Operations.ts"

export const personalityNames: ReadonlyArray<PersonalityName> = Object.keys(personalities).filter(isPersonality)

type Otherwise = Readonly<Partial<Record<Operation, CellEnding>>>

const usual: Otherwise = {}

/** Nothing is undone of a sync that has changed nothing. */
const NOTHING = "is not in the record"

/** Nothing but these words comes of any operation. */
const refused = (...says: ReadonlyArray<string>): Otherwise => ({
  dryRun: untouched(...says),
  mode0: untouched(...says),
  mode1: untouched(...says),
  mode2: untouched(...says),
  undo: untouched(NOTHING),
  init: untouched(...says)
})

const NOT_SAVED = [
  "CommandRejected: the switch answered, but its startup configuration is not the running one",
  "CommitError: The new configuration runs but could not be saved"
]

const neverSaved: Otherwise = {
  mode0: unsaved(...NOT_SAVED),
  mode1: unsaved(...NOT_SAVED),
  mode2: unsaved(...NOT_SAVED),
  undo: unsaved(NOTHING),
  init: unsaved("CommandRejected: the switch answered, but its startup configuration is not the running one")
}

const otherwise: Readonly<Record<PersonalityName, Otherwise>> = {
  plain: usual,
  timerAtSession: usual,
  timerAtTop: usual,
  timerInText: usual,
  timerHidden: usual,
  sessionsAsText: usual,
  noSessionBesideTimer: usual,
  savesAtCommit: usual,
  salting: usual,
  saltingAtCommit: usual,
  bySections: usual,
  saltingBySections: usual,
  withoutNamedConfig: usual,
  sectionsOnly: usual,
  normalising: usual,
  chatty: usual,
  foreignSessions: usual,
  refusesWithError: refused("ReplaceConfigException: Error: this command is not taken here at line "),
  refusesWithPercentError: refused("ReplaceConfigException: %Error this command is not taken here at line "),
  refusesSilently: refused(
    "ReplaceConfigException: the switch does not show this line, and has not refused it at line "
  ),
  paging: usual,
  withoutRunningDiffs: usual,
  lyingSave: neverSaved,
  timerDenied: usual,
  terminalDisabled: usual,
  mergesAtCommit: usual,
  closesEarly: usual,
  otherPrompt: usual,
  bareConfig: usual,
  taciturn: usual
}

/** How this cell must end. */
export const endingOf = (personality: PersonalityName, operation: Operation): CellEnding =>
  otherwise[personality][operation] ?? usualEndings[operation]
