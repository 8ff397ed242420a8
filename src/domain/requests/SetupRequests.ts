/** Bodies of the first run (docs/installing.md#first-run). */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { optional } from "../fields/Body.ts"

/** Longer texts are no address and no list of networks. */
const MOST = 1000

const line = (name: string) =>
  optional(Schema.String, (sent) =>
    typeof sent === "string" && sent.trim() !== "" && sent.length <= MOST && !/\p{Cc}/u.test(sent)
      ? Result.succeed(sent.trim())
      : Result.fail(`${name} should be one line of text`)
  )

/** Settings that the first run tries, or sets. */
export const FirstSettings = Body.make(
  { settings: line("settings"), templates: line("templates"), networks: line("networks") },
  {
    message: Body.firstOf,
    together: (sent) =>
      Object.values(sent).some((value) => value !== undefined)
        ? []
        : ["One of settings, templates and networks is needed"]
  }
)
export type FirstSettings = typeof FirstSettings.schema.Type
