/** Endpoints of spellings that were learnt from switches (docs/changes.md#spellings). */
import { Result, Schema } from "effect"
import { HttpApiEndpoint } from "effect/http-api"
import * as Parameter from "../domain/fields/Parameter.ts"
import { platformOf, platforms } from "../domain/platforms/Platforms.ts"
import { BadRequest, Enveloped, NotFound } from "./Answers.ts"
import { documented, shown } from "./Documented.ts"
import { RequestBody, RequestParameters } from "./Requests.ts"

const LearnedLine = Schema.Struct({
  id: Schema.Int,
  platform: Schema.String,
  /** Empty for switches whose release is not known. */
  release: Schema.String,
  /** The headings; `#` stands for any number. */
  section: Schema.Array(Schema.String),
  /** `#` stands for a number that is shown in its place. */
  line: Schema.String,
  shown: Schema.Array(Schema.String),
  state: Schema.Literals(["spelled", "default", "not_taken", "not_used"]),
  learned_at: Schema.String
}).annotate({ identifier: "LearnedLine" })
/** A learnt line as the API shows it. */
export type LearnedLine = typeof LearnedLine.Type

const PLATFORM_RULE = `platform: expected one of ${platforms.map(({ name }) => name).join(", ")}`

const example: LearnedLine = {
  id: 12,
  platform: "eos",
  release: "4.31.4M",
  section: ["interface Ethernet#"],
  line: "storm level #",
  shown: ["storm-control all level #"],
  state: "spelled",
  learned_at: "2026-11-23T13:00:01.288471"
}

export const learnedLines = HttpApiEndpoint.get("learnedLines", "/learned_lines", {
  query: {
    platform: Schema.optionalKey(
      Parameter.parameter(
        Schema.String,
        (sent) => (platformOf(sent) === undefined ? Result.fail(PLATFORM_RULE) : Result.succeed(sent)),
        shown("only those of this platform", "eos")
      )
    ),
    release: Schema.optionalKey(Parameter.text(shown("only those of this release", "4.31.4M")))
  },
  success: Enveloped(Schema.Struct({ learned_lines: Schema.Array(LearnedLine) })),
  error: BadRequest
})
  .middleware(RequestParameters)
  .annotateMerge(
    documented({
      name: "listLearnedLines",
      summary: "List learnt spellings of lines",
      description:
        "How the switches of a platform and a release show lines of a section: `spelled` as the lines in `shown`, not at all because it is a `default`, or `not_taken`. One that is `not_used` was stored by an earlier release and has another meaning than its line. `#` stands for a number.",
      example: { response: { status: "success", data: { learned_lines: [example] } } }
    })
  )

export const withdrawLearnedLine = HttpApiEndpoint.delete("withdrawLearnedLine", "/learned_lines/:id(^\\d+$)", {
  params: { id: Parameter.id },
  success: Enveloped(Schema.Struct({ withdrawn_line: LearnedLine })),
  error: NotFound
})
  .middleware(RequestBody)
  .annotateMerge(
    documented({
      name: "withdrawLearnedLine",
      summary: "Withdraw a learnt spelling",
      description:
        "The next change with such a line looks at the switch again. Other replicas follow within five seconds. It needs the right `spellings`.",
      example: { response: { status: "success", data: { withdrawn_line: example } } }
    })
  )
