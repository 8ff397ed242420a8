/**
 * What a job that commits nothing, such as a firmware upgrade, keeps of its checks, so that after a restart it compares with the same
 * earlier readings.
 */
import { Schema } from "effect"
import { CheckResult } from "../Job.ts"

/** A check as `machines/change` has it; what is read and what must hold is parsed when it is read. */
const KeptCheck = Schema.Struct({
  name: Schema.String,
  settle: Schema.Finite,
  within: Schema.Finite,
  definition: Schema.Unknown
})

export const KeptChecks = Schema.Struct({
  list: Schema.Array(KeptCheck),
  /** When the work that they judge had ended, in epoch milliseconds; absent before that. */
  since: Schema.optionalKey(Schema.Finite),
  checking: Schema.Struct({
    names: Schema.Array(Schema.String),
    at: Schema.optionalKey(Schema.Finite),
    before: Schema.optionalKey(Schema.Unknown),
    results: Schema.optionalKey(Schema.Array(CheckResult))
  })
})
export type KeptChecks = typeof KeptChecks.Type
