/** Taking ports down and up: lines in a configuration session of their own (docs/switch-dialogues.md#eos-ports-up-and-down). */
import { Effect } from "effect"
import type { ForeignSessions } from "../ForeignSessions.ts"
import type { Cli } from "../ssh/Cli.ts"
import type { PortLines, PortVerbs } from "../Verbs.ts"
import { commit, discard } from "./Commit.ts"
import { load } from "./Load.ts"

const apply = Effect.fnUntraced(function* <E>(
  cli: Cli,
  foreign: ForeignSessions,
  lines: PortLines,
  claim: Effect.Effect<unknown, E>
) {
  const { diff } = yield* load(cli, { ...lines, mode: "merge" }, foreign)
  if (diff === "") yield* discard(cli, lines.name)
  else yield* Effect.andThen(claim, commit(cli, lines.name))
  return diff !== ""
})

/** The verbs on this switch. */
export const ports = (cli: Cli, foreign: ForeignSessions): PortVerbs => ({
  apply: (lines, claim) => apply(cli, foreign, lines, claim)
})
