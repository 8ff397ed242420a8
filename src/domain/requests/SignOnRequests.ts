/** Bodies of requests about tokens and people (docs/api.md#tokens). */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { otherwise, required } from "../fields/Field.ts"
import { accept, boundedInteger } from "../fields/Rules.ts"

/** A name in commands and paths. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/
const MAX_ROLES = 20
export const MAX_DAYS = 3650
const DEFAULT_DAYS = 365

const isName = (sent: unknown): sent is string => typeof sent === "string" && NAME.test(sent)
const isRoles = (sent: unknown): sent is ReadonlyArray<string> =>
  Array.isArray(sent) && sent.length <= MAX_ROLES && sent.every((role) => typeof role === "string")

const NAME_RULE = "name: expected 1 to 64 letters, digits and @._+-, beginning with a letter or a digit"
const ROLES_RULE = `roles: expected a list of at most ${MAX_ROLES} names of roles`

/** The name of a token or a person, or what is wrong with it. */
export const parseName = (sent: string) => (isName(sent) ? Result.succeed(sent) : Result.fail(NAME_RULE))

const name = required(
  Schema.String,
  () => NAME_RULE,
  accept(isName, () => NAME_RULE)
)
const roles = otherwise(
  Schema.Array(Schema.String),
  [],
  accept(isRoles, () => ROLES_RULE)
)

export const NewTokenRequest = Body.make(
  {
    name,
    roles,
    days: otherwise(
      Schema.Int,
      DEFAULT_DAYS,
      boundedInteger({ min: 1, max: MAX_DAYS }, (shouldBe) => `days: should be ${shouldBe}`)
    )
  },
  { message: Body.firstOf, unknownKey: (key) => `${key}: there is no such field` }
)
export type NewTokenRequest = typeof NewTokenRequest.schema.Type
