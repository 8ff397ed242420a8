/** Learnt spellings: a list, and withdrawing one, which the audit notes (docs/changes.md#spellings). */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { enveloped, NotFound } from "../../api/Answers.ts"
import type { LearnedLine } from "../../api/LearnedLineEndpoints.ts"
import { filled } from "../../domain/ConfigLines.ts"
import { toId } from "../../domain/fields/Values.ts"
import { platformOf } from "../../domain/platforms/Platforms.ts"
import { keepsMeaning } from "../../drivers/SameMeaning.ts"
import { maskSecrets } from "../../drivers/SecretMask.ts"
import { ConfigStore } from "../../store/ConfigStore.ts"
import type { LearnedLine as StoredLine } from "../../store/LearnedLines.ts"
import { EventStore } from "../../store/EventStore.ts"

/** Whether a spelling keeps the meaning of its line, tried with different numbers in the places that are open. */
const isUsed = ({ line, platform, shown }: StoredLine): boolean => {
  const known = platformOf(platform)
  if (known === undefined || shown === "not taken") return false
  let number = 0
  const sample = line.replaceAll("#", () => String(++number))
  return keepsMeaning(known, sample, line === sample ? shown : filled(sample, shown.join("\n")))
}

const stateOf = (stored: StoredLine): LearnedLine["state"] => {
  if (stored.shown === "not taken") return "not_taken"
  if (stored.shown.length === 0) return "default"
  return isUsed(stored) ? "spelled" : "not_used"
}

const shownLine = (stored: StoredLine): LearnedLine => ({
  ...stored,
  line: maskSecrets(stored.line),
  shown: stored.shown === "not taken" ? [] : stored.shown.map(maskSecrets),
  state: stateOf(stored)
})

/** The two calls. */
export const makeLearnedLines = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { learned } = yield* ConfigStore
  const events = yield* EventStore

  const list = Effect.fn("LearnedLines.list")(function* (asked: {
    readonly platform?: string
    readonly release?: string
  }) {
    return enveloped({ learned_lines: (yield* learned.list(asked)).map(shownLine) })
  })

  const withdraw = Effect.fn("LearnedLines.withdraw")(function* (digits: string) {
    const unknown = () => new NotFound({ message: `No learned line with id ${digits} found` })
    const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), unknown)
    const stored = yield* Effect.catchTag(learned.withdraw(id), "LearnedLineNotFound", () => Effect.fail(unknown()))
    const withdrawn_line = shownLine(stored)
    yield* events.append({ kind: "spelling", action: "withdrawn", isAudit: true, data: { ...withdrawn_line } })
    return enveloped({ withdrawn_line })
  }, sql.withTransaction)

  return { list, withdraw }
})
