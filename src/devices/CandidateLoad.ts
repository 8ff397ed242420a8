/**
 * Loads the candidate of a change, and tells by the switch's own difference what it promises to run
 * (docs/changes.md#proof), what of that cannot be compared, and what was remarkable about the load.
 */
import { Effect, Option } from "effect"
import type { ChangeNotes, ChangeRow, LoadPromise } from "../../machines/change/ChangeRow.ts"
import type { JobSelection } from "../drivers/Candidate.ts"
import type { ConfigSessions, Driver } from "../drivers/Driver.ts"
import { reduceDiff, setsSecrets, withoutSecrets } from "../drivers/SecretEquivalence.ts"
import * as UnifiedDiff from "../drivers/UnifiedDiff.ts"
import type { LoggedIn } from "./DeviceLogin.ts"
import type { KnownSecrets } from "./KnownSecrets.ts"
import * as ShownCheck from "./ShownCheck.ts"

/** What is loaded, and what is known beforehand. */
export interface LoadContext {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly secrets: KnownSecrets
  /** The jobs whose sessions on the switch were left behind. */
  readonly mayAbort: JobSelection
  /** By which the candidate is held against what the switch promises to run. */
  readonly shown: ShownCheck.ShownContext
}

/** What was read of the switch right before. */
export interface SeenBefore {
  readonly running: string | null
  readonly sessions: ConfigSessions | null
}

type Promised = Required<LoadPromise> & Pick<ChangeRow, "candidateHash">

const NO_PROMISE: Promised = { candidateHash: null, promised: false, shape: null, setSecrets: [], remarks: [] }

/** What of a promise is kept, and what of its secrets cannot be compared. */
const promiseOf = (
  secrets: KnownSecrets,
  { configHash, platform }: Driver,
  before: string | null,
  promised: string | null,
  diff: string
): Promised => {
  if (before === null || promised === null) return NO_PROMISE
  const found = setsSecrets(platform, diff) ? secrets.compare(before, promised) : NO_PROMISE
  const { remarks, setSecrets } = found
  const shape = setSecrets.length === 0 ? null : configHash(withoutSecrets(platform, promised))
  return { candidateHash: configHash(promised), promised: true, shape, remarks, setSecrets }
}

/** What is remarkable about a candidate that was loaded. One that lacks lines is discarded. */
const notesOf = Effect.fnUntraced(function* (
  { candidate, loadMode, shown }: LoadContext,
  loggedIn: LoggedIn,
  { onMissingLines: policy, sessionName: name }: ChangeRow,
  running: string | null,
  loaded: Pick<ShownCheck.Loaded, "remarks" | "promised">
) {
  if (loadMode === "merge" || running === null) return undefined
  return yield* ShownCheck.check(shown, loggedIn, { ...loaded, name, candidate, running, policy }).pipe(
    Effect.tapErrorTag("ReplaceConfigException", () => loggedIn.session.discard(name))
  )
})

const noted = (notes: ChangeNotes | undefined) => (notes === undefined ? {} : { notes })

/**
 * Loads the candidate into the session of the row. `beside` are other people's sessions that were left alone. Fails with the
 * errors of `DriverSession.load`, and of the database.
 */
export const loadCandidate = Effect.fnUntraced(function* (
  context: LoadContext,
  loggedIn: LoggedIn,
  row: ChangeRow,
  { running, sessions }: SeenBefore
) {
  const { driver, session } = loggedIn
  const { candidate: text, loadMode: mode, mayAbort, secrets } = context
  const seen = sessions === null ? {} : { seen: sessions }
  // somebody else's session is waited for by the statechart, which tries the load again
  const loaded = yield* session.load({ text, mode, name: row.sessionName, mayAbort, foreignSessions: 0, ...seen })
  const promised = running === null ? null : Option.getOrNull(UnifiedDiff.apply(running, loaded.diff))
  const notes = yield* notesOf(context, loggedIn, row, running, { remarks: loaded.remarks, promised })
  const diff = reduceDiff(driver.platform, running ?? "", loaded.diff, secrets.isSame)
  return {
    beside: loaded.beside ?? [],
    candidate: { diff, ...promiseOf(secrets, driver, running, promised, loaded.diff), ...noted(notes) }
  }
})
