/** What the process of a plugin may say: lines of a bounded length and of a known form. Whatever else it writes is its end. */
import { Option, Schema } from "effect"
import { cleanedValue } from "../domain/Text.ts"
import { hookNames } from "./Plugin.ts"

/** Characters of a line; the texts in them are shorter. */
const LONGEST = 16_384

/** Lines between two calls: a call has one answer and some lines of log. */
const MOST = 200

const Answer = Schema.Union([
  Schema.Struct({ type: Schema.Literal("loaded"), hooks: Schema.Array(Schema.Literals(hookNames)) }),
  Schema.Struct({ type: Schema.Literal("refused"), error: Schema.String }),
  Schema.Struct({ type: Schema.Literal("done"), id: Schema.Int, value: Schema.NullOr(Schema.Boolean) }),
  Schema.Struct({ type: Schema.Literal("failed"), id: Schema.Int, error: Schema.String, retry: Schema.Boolean }),
  Schema.Struct({ type: Schema.Literal("log"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("ended"), reason: Schema.String })
])
export type Answer = typeof Answer.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** Takes what is written piece by piece. */
export interface AnswerReader {
  /** Lines may be counted anew: something was asked. */
  readonly asked: () => void
  /** Gives each answer to `use`; says false when the process is to be ended, and what follows is of no interest. */
  readonly read: (piece: string, use: (answer: Answer) => void) => boolean
}

export const make = (): AnswerReader => {
  let rest = ""
  let lines = 0
  return {
    asked: () => {
      lines = 0
    },
    read: (piece, use) => {
      const parts = (rest + piece).split("\n")
      rest = parts.pop() ?? ""
      for (const part of parts) {
        const answer = part.length > LONGEST || ++lines > MOST ? Option.none() : decode(part)
        if (Option.isNone(answer)) return false
        // it goes to the log and to the database
        use(cleanedValue(answer.value, "lines").value)
      }
      return rest.length <= LONGEST
    }
  }
}
