/** Bodies of requests about proposals (docs/reviewing.md). */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { required } from "../fields/Body.ts"
import { accept } from "../fields/Rules.ts"

const MAX_NAME = 255

const Repository = Schema.Literals(["settings", "templates"])
const REPOSITORY_RULE = "repository must be settings or templates"
const BRANCH_RULE = `branch should be the name of a branch, of 1 to ${MAX_NAME} characters`

const isBranch = (sent: unknown): sent is string =>
  typeof sent === "string" && sent.trim() !== "" && sent.length <= MAX_NAME

/** The branch to propose. */
export const ProposalRequest = Body.make(
  {
    repository: required(
      Repository,
      () => REPOSITORY_RULE,
      accept(Schema.is(Repository), () => REPOSITORY_RULE)
    ),
    branch: required(
      Schema.String,
      () => BRANCH_RULE,
      (sent) => (isBranch(sent) ? Result.succeed(sent.trim()) : Result.fail(BRANCH_RULE))
    )
  },
  { message: Body.firstOf }
)
export type ProposalRequest = typeof ProposalRequest.schema.Type
