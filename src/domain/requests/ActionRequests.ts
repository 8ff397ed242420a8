/**
 * Bodies that name an action: on a job, a lock, a repository or the plugins (docs/jobs.md#abort, docs/api.md#locks,
 * docs/settings-repository.md#refresh and docs/plugins.md).
 */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { ignorable, required, type Rule } from "../fields/Field.ts"
import { accept, flag } from "../fields/Rules.ts"
import { shown } from "../fields/Values.ts"
import { actionRule, nullAsAbsent } from "./RequestFields.ts"

/** What the database holds of a reason. */
const MAX_REASON = 255

/** Anything but a text counts as none. */
const reason = ignorable(Schema.String, (sent) =>
  Result.succeed(typeof sent === "string" ? sent.slice(0, MAX_REASON) : undefined)
)

/** Which action it is, in upper case, is looked at after the job. */
export const JobActionRequest = Body.make(
  {
    action: required(
      Schema.String,
      () => "Action must be specified",
      actionRule,
      Schema.Literals(["ABORT", "PAUSE", "RESUME"])
    ),
    abort_reason: reason,
    pause_reason: reason
  },
  { message: Body.firstOf }
)
export type JobActionRequest = typeof JobActionRequest.schema.Type

/** An approval, or its refusal, says why. */
export const DecisionRequest = Body.make(
  {
    comment: required(
      Schema.String,
      () => "comment must be specified",
      (sent) =>
        typeof sent === "string" && sent.trim() !== ""
          ? Result.succeed(sent.slice(0, MAX_REASON))
          : Result.fail("comment must be specified")
    )
  },
  { message: Body.firstOf }
)
export type DecisionRequest = typeof DecisionRequest.schema.Type

const NO_LOCK = "No lock name specified"

export const ClearLockRequest = Body.make(
  {
    name: required(
      Schema.String,
      () => NO_LOCK,
      (sent) => (sent === null || sent === "" ? Result.fail(NO_LOCK) : Result.succeed(shown(sent)))
    )
  },
  { message: Body.firstOf }
)

/** One action in any case. */
const only =
  <const Name extends string>(name: Name, otherwise: string): Rule<Name> =>
  (sent) =>
    typeof sent === "string" && sent.toUpperCase() === name.toUpperCase()
      ? Result.succeed(name)
      : Result.fail(otherwise)

const isHash = (sent: unknown): sent is string => typeof sent === "string" && /^[0-9a-fA-F]{7,64}$/.test(sent)

/** With the commit that may come into force whatever it takes away, and whether ports follow VLANs that it renames. */
export const RefreshRequest = Body.make(
  {
    action: required(Schema.Literal("REFRESH"), () => "No action specified", only("REFRESH", "Invalid action")),
    confirm: ignorable(
      Schema.String,
      nullAsAbsent(
        accept(isHash, () => "confirm should be the hash of the commit that waits, or its first 7 digits or more")
      )
    ),
    rename_ports: ignorable(Schema.Boolean, nullAsAbsent(flag(() => "rename_ports should be a boolean")))
  },
  { message: Body.firstOf }
)
export type RefreshRequest = typeof RefreshRequest.schema.Type

export const SelftestRequest = Body.make(
  {
    action: required(
      Schema.Literal("selftest"),
      () => "No action specified",
      only("selftest", "Unknown action specified")
    )
  },
  { message: Body.firstOf }
)
