/** `switchyard spellings`: what was learnt of how switches show lines (docs/changes.md#spellings). */
import { spellingWords } from "../../domain/words/ServerWords.ts"
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Data } from "../../api/Calls.ts"
import { ask } from "./Server.ts"
import { said, type Column, format, printJson, printRows, reported, say } from "./Terminal.ts"

type LearnedLine = Data<"GET /learned_lines">["learned_lines"][number]

const COLUMNS: ReadonlyArray<Column<LearnedLine>> = [
  ["id", ({ id }) => id],
  ["platform", ({ platform }) => platform],
  ["release", ({ release }) => release],
  ["section", ({ section }) => section.join(" / ")],
  ["line", ({ line }) => line],
  ["state", ({ state }) => said(spellingWords, state)],
  ["shown", ({ shown }) => shown.join(" / ")],
  ["learned_at", ({ learned_at }) => learned_at]
]

const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  {
    platform: text("platform", "Only those of this platform, such as eos"),
    release: text("release", "Only those of this release"),
    ...format
  },
  ({ csv, json, platform, release }) =>
    reported(
      Effect.gen(function* () {
        const query = {
          ...Option.match(platform, { onNone: () => ({}), onSome: (name) => ({ platform: name }) }),
          ...Option.match(release, { onNone: () => ({}), onSome: (name) => ({ release: name }) })
        }
        const { answer } = yield* ask("GET /learned_lines", { query })
        yield* printRows({ csv, json }, COLUMNS, answer.data.learned_lines, "Nothing was learnt yet.")
      })
    )
).pipe(Command.withDescription("List the lines that switches show in another spelling, or not at all."))

const withdraw = Command.make("withdraw", { id: Argument.Int("id"), json: format.json }, ({ id, json }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("DELETE /learned_lines/:id", { params: { id: String(id) } })
      if (json) return yield* printJson(answer.data.withdrawn_line)
      yield* say(
        `Withdrawn: "${answer.data.withdrawn_line.line}". The next change with such a line looks at the switch again.`
      )
    })
  )
).pipe(Command.withDescription("Withdraw one of them."))

/** The command. */
export const spellings = Command.make("spellings").pipe(
  Command.withDescription("Spellings of lines that were learnt from switches."),
  Command.withSubcommands([list, withdraw])
)
