/** Bodies of requests about tokens and people (docs/api.md#tokens). */
import { Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { optional, otherwise, required } from "../fields/Body.ts"
import { accept, boundedInteger, flag } from "../fields/Rules.ts"
import { lengthOf } from "../fields/Values.ts"
import { isText } from "../Text.ts"

/** A name in commands and paths. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9@._+-]{0,63}$/
const MAX_ROLES = 20
const MAX_DAYS = 3650

/** Whether a text can be the name of a token or a user. */
export const isName = (sent: unknown): sent is string => typeof sent === "string" && NAME.test(sent)
const isRoles = (sent: unknown): sent is ReadonlyArray<string> =>
  Array.isArray(sent) && sent.length <= MAX_ROLES && sent.every((role) => typeof role === "string")

const NAME_RULE = "name: expected 1 to 64 letters, digits and @._+-, beginning with a letter or a digit"
const ROLES_RULE = `roles: expected a list of at most ${MAX_ROLES} names of roles`

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
    days: optional(
      Schema.Int,
      boundedInteger({ min: 1, max: MAX_DAYS }, (shouldBe) => `days: should be ${shouldBe}`)
    ),
    is_machine: otherwise(
      Schema.Boolean,
      false,
      flag(() => "is_machine: expected true or false")
    )
  },
  { message: Body.firstOf }
)
export type NewTokenRequest = typeof NewTokenRequest.schema.Type

const MIN_PASSWORD = 12
const MAX_PASSWORD = 256
const PASSWORD_RULE = `password: expected ${MIN_PASSWORD} to ${MAX_PASSWORD} characters`

/** Whether a text has an allowed length for a password. */
export const isPassword = (sent: unknown): sent is string =>
  typeof sent === "string" && isText(sent, "secret") && lengthOf(sent) >= MIN_PASSWORD && lengthOf(sent) <= MAX_PASSWORD

export const NewUserRequest = Body.make(
  {
    name,
    roles,
    password: required(
      Schema.String,
      () => PASSWORD_RULE,
      accept(isPassword, () => PASSWORD_RULE)
    ),
    break_glass: otherwise(
      Schema.Boolean,
      false,
      flag(() => "break_glass: expected true or false")
    )
  },
  { message: Body.firstOf }
)
export type NewUserRequest = typeof NewUserRequest.schema.Type

/** Other roles, another password, whether they may log in, or several of these. */
export const UserChangeRequest = Body.make(
  {
    roles: optional(
      Schema.Array(Schema.String),
      accept(isRoles, () => ROLES_RULE)
    ),
    password: optional(
      Schema.String,
      accept(isPassword, () => PASSWORD_RULE)
    ),
    enabled: optional(
      Schema.Boolean,
      flag(() => "enabled: expected true or false")
    )
  },
  {
    message: Body.firstOf,
    together: ({ enabled, password, roles }) =>
      password === undefined && roles === undefined && enabled === undefined
        ? ["Nothing to change: expected roles, password or enabled"]
        : []
  }
)
export type UserChangeRequest = typeof UserChangeRequest.schema.Type

const MAX_PERSON = 1024
const PERSON_RULE = `person: expected the key of a person, as GET /auth/persons has it`

/** The person to withdraw or to admit again. */
export const PersonRequest = Body.make(
  {
    person: required(
      Schema.String,
      () => PERSON_RULE,
      accept(
        (sent: unknown): sent is string =>
          typeof sent === "string" && isText(sent, "line") && sent !== "" && lengthOf(sent) <= MAX_PERSON,
        () => PERSON_RULE
      )
    )
  },
  { identifier: "PersonRequest", message: Body.firstOf }
)
export type PersonRequest = typeof PersonRequest.schema.Type
