/** A member of a switch stack, and the members that a client sends for one (docs/api.md#stack-members). */
import { Result, Schema } from "effect"
import * as Body from "./fields/Body.ts"
import { otherwise, type Place, required, type Rule } from "./fields/Field.ts"
import { boundedInteger, listOf, orNull } from "./fields/Rules.ts"
import { lengthOf, MAX_INTEGER } from "./fields/Values.ts"

export const StackMember = Schema.Struct({
  member_no: Schema.NullOr(Schema.Int),
  hardware_id: Schema.String,
  priority: Schema.NullOr(Schema.Int)
})
export type StackMember = typeof StackMember.Type

const MAX_HARDWARE_ID = 64

const hardwareId: Rule<string> = (sent, { key }) => {
  if (typeof sent !== "string") return Result.fail(`${key}: Input should be a valid string`)
  if (sent === "") return Result.fail(`Value error, ${key} cannot be an empty string`)
  return lengthOf(sent) > MAX_HARDWARE_ID
    ? Result.fail(`${key}: String should have at most ${MAX_HARDWARE_ID} characters`)
    : Result.succeed(sent)
}

const number = orNull(
  boundedInteger({ min: 0, max: MAX_INTEGER }, (shouldBe, { key }) => `${key}: Input should be ${shouldBe}`)
)

const missing = ({ key }: Place) => `${key}: Field required`

const SentMember = Body.make({
  member_no: otherwise(Schema.NullOr(Schema.Int), null, number),
  hardware_id: required(Schema.String, missing, hardwareId),
  priority: otherwise(Schema.NullOr(Schema.Int), null, number)
})

const isDuplicated = (values: ReadonlyArray<unknown>): boolean => new Set(values).size < values.length

/** The whole stack of a device. Two members without a number collide, too; of two collisions the first is told. */
export const SentStack = Body.make(
  {
    stackmembers: required(
      Schema.Array(StackMember),
      missing,
      listOf(SentMember, {
        noList: "stackmembers: Input should be a valid list",
        noObject: "stackmembers: Input should be a valid dictionary"
      }),
      Schema.Array(SentMember.wire)
    )
  },
  {
    together: ({ stackmembers }) =>
      (["member_no", "hardware_id"] as const)
        .filter((key) => isDuplicated(stackmembers.map((member) => member[key])))
        .slice(0, 1)
        .map((key) => `Value error, ${key} must be unique for stackmembers belonging to the same device`)
  }
)
