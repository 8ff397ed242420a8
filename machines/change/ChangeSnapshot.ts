/**
 * A change in memory and its row in the database: the one is the snapshot of the statechart of `ConfigChange.ts`, the other is
 * what another process needs to resume it. Everything but the row and the error text is forgotten with the process.
 */
import type { SnapshotFrom } from "xstate"
import type { ChangeRow, Verdict } from "./ChangeRow.ts"
import type { ChangeInput } from "./ChangeSetup.ts"
import { configChange } from "./ConfigChange.ts"

export type ChangeSnapshot = SnapshotFrom<typeof configChange>

/** What is stored of a change, as far as its protocol goes. */
interface StoredProtocol {
  readonly protocol: ChangeRow
  readonly failure: string | null
}

/**
 * What a run of a stored change starts with: the statechart decides by the row whether it begins, resumes or is over. `verdict`
 * is what the other devices came to, `proofSeconds` what a switch gets to settle before its proof in mode 2.
 */
export const inputOf = (
  { failure, protocol }: StoredProtocol,
  verdict: Verdict | null = null,
  proofSeconds = 0
): ChangeInput => ({ row: protocol, failure, verdict, proofSeconds })

/** The row as it has to be stored when the change is in this state. */
export const rowOf = ({ context }: ChangeSnapshot): ChangeRow => context.row

/** A snapshot of a change for which nothing was sent yet, for decisions without an actor. */
export const snapshotOf = (row: ChangeRow): ChangeSnapshot =>
  configChange.resolveState({
    value: { planned: "opening" },
    context: {
      ...inputOf({ protocol: row, failure: null }),
      attempts: 0,
      tells: 0,
      mayTell: true,
      waitsSince: 0,
      outlasted: false
    }
  })
