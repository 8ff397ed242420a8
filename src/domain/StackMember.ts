/** A member of a switch stack (contract `api-devices.md` §9). */
import { Schema } from "effect"

export const StackMember = Schema.Struct({
  member_no: Schema.NullOr(Schema.Int),
  hardware_id: Schema.String,
  priority: Schema.NullOr(Schema.Int)
})
export type StackMember = typeof StackMember.Type
