/** Rules of the stack members that a client sends (contract api-devices.md §9.2). Pure. */
import { Result } from "effect"
import type { StackMember } from "../../domain/StackMember.ts"
import type { JsonObject } from "../core/JsonBody.ts"
import { has, isObject, lengthOf, MAX_INTEGER, own } from "../core/Values.ts"

type Checked<A> = Result.Result<A, string>

const MAX_HARDWARE_ID = 64

const hardwareId = (member: JsonObject): Checked<string> => {
  if (!has(member, "hardware_id")) return Result.fail("hardware_id: Field required")
  const value = member["hardware_id"]
  if (typeof value !== "string") return Result.fail("hardware_id: Input should be a valid string")
  if (value === "") return Result.fail("Value error, hardware_id cannot be an empty string")
  return lengthOf(value) > MAX_HARDWARE_ID
    ? Result.fail(`hardware_id: String should have at most ${MAX_HARDWARE_ID} characters`)
    : Result.succeed(value)
}

const number = (member: JsonObject, key: "member_no" | "priority"): Checked<number | null> => {
  const value = own(member, key) ?? null
  if (value === null) return Result.succeed(null)
  const rule = `${key}: Input should be`
  const parsed = typeof value === "string" && /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : value
  if (typeof parsed === "string") {
    return Result.fail(`${rule} a valid integer, unable to parse string as an integer`)
  }
  if (typeof parsed !== "number") return Result.fail(`${rule} a valid integer`)
  if (!Number.isInteger(parsed)) return Result.fail(`${rule} a valid integer, got a number with a fractional part`)
  if (parsed < 0) return Result.fail(`${rule} greater than -1`)
  return parsed > MAX_INTEGER ? Result.fail(`${rule} less than ${MAX_INTEGER + 1}`) : Result.succeed(parsed)
}

const failures = (...results: ReadonlyArray<Checked<unknown>>): ReadonlyArray<string> =>
  results.flatMap((result) => (Result.isFailure(result) ? [result.failure] : []))

const duplicated = (values: ReadonlyArray<unknown>): boolean => new Set(values).size < values.length

const NOT_UNIQUE = "must be unique for stackmembers belonging to the same device"

/** The members of a body, or the list of what is wrong. Two members without a number collide, too. */
export const parseStackMembers = (
  body: JsonObject
): Result.Result<ReadonlyArray<StackMember>, ReadonlyArray<string>> => {
  if (!has(body, "stackmembers")) return Result.fail(["stackmembers: Field required"])
  const list = body["stackmembers"]
  if (!Array.isArray(list)) return Result.fail(["stackmembers: Input should be a valid list"])
  const errors: Array<string> = []
  const members: Array<StackMember> = []
  for (const element of list) {
    if (!isObject(element)) {
      errors.push("stackmembers: Input should be a valid dictionary")
      continue
    }
    const [member_no, hardware_id, priority] = [
      number(element, "member_no"),
      hardwareId(element),
      number(element, "priority")
    ] as const
    errors.push(...failures(member_no, hardware_id, priority))
    if (Result.isSuccess(member_no) && Result.isSuccess(hardware_id) && Result.isSuccess(priority)) {
      members.push({
        member_no: member_no.success,
        hardware_id: hardware_id.success,
        priority: priority.success
      })
    }
  }
  if (errors.length > 0) return Result.fail(errors)
  if (duplicated(members.map((member) => member.member_no)))
    return Result.fail([`Value error, member_no ${NOT_UNIQUE}`])
  return duplicated(members.map((member) => member.hardware_id))
    ? Result.fail([`Value error, hardware_id ${NOT_UNIQUE}`])
    : Result.succeed(members)
}
