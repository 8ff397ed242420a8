/**
 * Whether a record is true, held against the lab alone: no expectation of the tables is known here. `old` and `wanted` are the
 * configurations of before and of the templates.
 */
import type { Operation } from "./Operations.ts"
import type { Left } from "./PersonalityScene.ts"
import { differing, which } from "./Snapshot.ts"

/** What an operation that went well leaves on the switch. */
const aims: Readonly<Record<Operation, "old" | "new">> = {
  dryRun: "old",
  mode0: "new",
  mode1: "new",
  mode2: "new",
  undo: "old",
  init: "new"
}

const claims = [
  { says: "The device runs the configuration that it had before.", runs: "old" },
  { says: "The device runs the new configuration.", runs: "new" }
] as const

/** What a record is judged by. */
export type Judged = Omit<Left, "personality" | "again">

/** What the record of a cell says that is not so; empty when all of it is true. */
export const untruths = (left: Judged, wanted: string): ReadonlyArray<string> => {
  const { after, before, done, operation, says, synchronized } = left
  const runs = which(after.running, before.running, wanted)
  const saved = which(after.startup, before.startup, wanted)
  const aim = aims[operation]
  const problems: Array<string> = []
  const aimed = aim === "old" ? before.running : wanted
  if (done && runs !== aim) problems.push(`false success: it runs ${runs}:\n${differing(after.running, aimed)}`)
  if (done && saved !== aim) problems.push(`false success: ${saved} is saved`)
  if (done && after.debris.length > 0) problems.push(`false success: ${after.debris.join(", ")}`)
  if (synchronized && runs !== "new") problems.push(`synchronized, but it runs ${runs}`)
  if (operation === "dryRun" && (runs !== "old" || saved !== "old")) problems.push("a dry run has changed it")
  if (operation === "init" && left.state === "MANAGED" && runs !== "new") problems.push(`MANAGED, but it runs ${runs}`)
  for (const claim of claims) {
    if (!done && says.includes(claim.says) && runs !== claim.runs) problems.push(`says ${claim.runs}, runs ${runs}`)
  }
  return problems
}
