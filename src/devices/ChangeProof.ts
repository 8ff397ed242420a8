/**
 * Proves that a device which runs what the switch promised also took all of its candidate: by loading it again beside the commit
 * timer, or, where the switch opens no session there, by what it shows as committed, or by the lines of the candidate
 * (docs/changes.md#proof). Only reads: what a proof means for the change is decided by its statechart.
 */
import { Effect, Option } from "effect"
import type { ChangeRow, Proof } from "../../machines/change/ChangeRow.ts"
import * as Candidate from "../drivers/Candidate.ts"
import type { ConfigSessions, Driver, JobSelection } from "../drivers/Driver.ts"
import type { LoadError } from "../drivers/DriverErrors.ts"
import { missingLines } from "../drivers/MissingLines.ts"
import { maskSecrets } from "../drivers/SecretMask.ts"
import { reduceDiff, withoutSecrets } from "../drivers/SecretEquivalence.ts"
import type { LoggedIn } from "./DeviceLogin.ts"
import type { KnownSecrets } from "./KnownSecrets.ts"

/** What is to be proved, and what suffices. */
export interface ProofWanted {
  readonly candidate: string
  readonly loadMode: "replace" | "merge"
  readonly mayAbort: JobSelection
  readonly secrets: KnownSecrets
  /** In any order. */
  readonly suffices: ReadonlyArray<Proof>
}

/** How it was proved, or why it could not be: the text of an error, null when the device was shown to differ. */
export type Proved = { readonly proof: Proof } | { readonly proof: null; readonly failure: string | null }

/** How often a missing line is named. */
const MOST_NAMED = 5

const differs: Proved = { proof: null, failure: null }

const failed = (why: ReadonlyArray<string>): Proved => ({
  proof: null,
  failure: `CommitError: ${why.join("; ")}\n`
})

/** The switch answers, and opens no session beside the timer or does not let us load. Another timer is another matter. */
const isRefusal = (error: LoadError, name: string): boolean => {
  switch (error._tag) {
    case "CommandRejected":
      return true
    case "SessionLockedException":
      return error.session === name
    case "ReplaceConfigException":
      return error.rejected.length === 0
    default:
      return false
  }
}

/** A configuration without comments, for comparing what two commands show. */
const linesOf = ({ configuration: { comment } }: Driver["platform"], text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trimStart().startsWith(comment))
    .join("\n")

/**
 * Proves that the device took all of the candidate; `running` is its running configuration, which has the hash of the row.
 * `seen` are its sessions, as they were read a moment ago.
 */
export const prove = Effect.fnUntraced(function* (
  wanted: ProofWanted,
  { driver, session }: LoggedIn,
  row: ChangeRow,
  running: string,
  seen: ConfigSessions | undefined
) {
  const { platform } = driver
  const suffices = (proof: Proof) => wanted.suffices.includes(proof)
  const why: Array<string> = []

  /** The difference when the candidate is loaded once more; none when the switch does not let us. */
  const loadAgain = Effect.gen(function* () {
    const name = Candidate.checkOf(row.sessionName)
    const loaded = yield* session
      .load({
        text: wanted.candidate,
        mode: "replace",
        name,
        mayAbort: wanted.mayAbort,
        foreignSessions: "ignore",
        besideTimer: row.sessionName,
        inParts: true,
        ...(seen === undefined ? {} : { seen })
      })
      .pipe(
        Effect.asSome,
        Effect.catchIf(
          (error) => isRefusal(error, name),
          (error) => {
            why.push(`the candidate could not be loaded again (${error.message.trim()})`)
            return Effect.succeedNone
          }
        )
      )
    if (Option.isSome(loaded)) yield* session.discard(name)
    return Option.map(loaded, ({ diff }) => diff)
  })

  /** What is left of a difference but for secrets that this change has set, or that are known. */
  const reduced = (diff: string) =>
    reduceDiff(
      platform,
      running,
      diff,
      (pair) => row.setSecrets?.includes(pair.line) === true || wanted.secrets.isSame(pair)
    )

  const isShown = Effect.map(session.committedConfig(row.sessionName), (shown) => {
    const isSame =
      Option.isSome(shown) &&
      linesOf(platform, withoutSecrets(platform, shown.value)) === linesOf(platform, withoutSecrets(platform, running))
    if (!isSame) why.push("the switch does not show what the session has committed")
    return isSame
  })

  const hasAllLines = () => {
    const text = withoutSecrets(platform, running)
    const missing = missingLines(platform, withoutSecrets(platform, wanted.candidate), text)
    const names = missing
      .slice(0, MOST_NAMED)
      .map(({ line, lineNumber }) => `line ${lineNumber} "${maskSecrets(line)}"`)
    if (missing.length > 0)
      why.push(`${missing.length} lines of the candidate were not found, such as ${names.join(", ")}`)
    return missing.length === 0
  }

  // what is merged has no difference to nothing: the promise is all there is
  if (wanted.loadMode === "merge") return { proof: "promised-text" } as Proved
  if (suffices("loaded-again")) {
    const again = yield* loadAgain
    if (Option.isSome(again)) return reduced(again.value) === "" ? ({ proof: "loaded-again" } as Proved) : differs
  }
  if (row.promised !== true) return failed([...why, "its own difference promised nothing that could be compared"])
  if (suffices("promised-text") && (yield* isShown)) return { proof: "promised-text" } as Proved
  if (suffices("lines") && hasAllLines()) return { proof: "lines" } as Proved
  return failed(why)
})
