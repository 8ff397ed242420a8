/**
 * What comes of each operation on a switch of each personality. `FAULTS.md` is made from this table, and
 * `Personalities.test.ts` plays it. What is not said here ends as on a usual switch.
 */
import { isPersonality, personalities, type PersonalityName } from "../../../src/lab/eos/Personalities.ts"
import { type CellEnding, type Operation, usualEndings } from "./Operations.ts"

export const personalityNames: ReadonlyArray<PersonalityName> = Object.keys(personalities).filter(isPersonality)

type Otherwise = Readonly<Partial<Record<Operation, CellEnding>>>

const usual: Otherwise = {}

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
  normalising: usual,
  chatty: usual,
  foreignSessions: usual,
  refusesWithError: usual,
  refusesWithPercentError: usual,
  refusesSilently: usual,
  paging: usual,
  withoutRunningDiffs: usual,
  lyingSave: usual,
  timerDenied: usual,
  terminalDisabled: usual
}

/** How this cell must end. */
export const endingOf = (personality: PersonalityName, operation: Operation): CellEnding =>
  otherwise[personality][operation] ?? usualEndings[operation]
