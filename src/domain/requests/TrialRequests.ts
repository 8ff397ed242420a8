/** Bodies about what is not in force: a template to try, and a branch to check (docs/templates.md#trying-templates). */
import { Result, Schema } from "effect"
import * as Body from "../fields/Body.ts"
import { ignorable, optional, type Rule } from "../fields/Field.ts"
import { accept } from "../fields/Rules.ts"
import { isObject } from "../fields/Values.ts"
import { nullAsAbsent } from "./RequestFields.ts"

/** The largest text that is rendered, in characters. */
const MAX_TEXT = 262_144
const MAX_NAME = 255

const isText = (sent: unknown): sent is string => typeof sent === "string" && sent.length <= MAX_TEXT
const isFlag = (sent: unknown): sent is boolean => typeof sent === "boolean"
const isPath = (sent: unknown): sent is string =>
  typeof sent === "string" && /^[^/\0(][^\0]*$/.test(sent) && sent.length <= MAX_NAME

/** What to render with the variables of a device; nothing means its whole configuration. */
export const TrialRequest = Body.make(
  {
    template: ignorable(
      Schema.String,
      nullAsAbsent(accept(isPath, () => "template should be a path in the directory of the device's platform"))
    ),
    text: ignorable(
      Schema.String,
      nullAsAbsent(accept(isText, () => `text should be a text of at most ${MAX_TEXT} characters`))
    ),
    whole: ignorable(Schema.Boolean, nullAsAbsent(accept(isFlag, () => "whole should be a boolean")))
  },
  {
    message: Body.firstOf,
    together: ({ template, text, whole }) =>
      whole === true && text !== undefined && template === undefined
        ? ["template should name the file that the text stands for when whole is true"]
        : []
  }
)
export type TrialRequest = typeof TrialRequest.schema.Type

const branchRule: Rule<string> = (sent) =>
  typeof sent === "string" && sent.trim() !== "" && sent.length <= MAX_NAME
    ? Result.succeed(sent.trim())
    : Result.fail(`branch should be the name of a branch, of 1 to ${MAX_NAME} characters`)

const isFiles = (sent: unknown): sent is Readonly<Record<string, string>> =>
  isObject(sent) && Object.values(sent).every((text) => typeof text === "string")

/** The branch to check (a tag or a commit will do), or the files of a working copy by their paths. */
export const BranchRequest = Body.make(
  {
    branch: optional(Schema.String, branchRule),
    files: optional(
      Schema.Record(Schema.String, Schema.String),
      accept(isFiles, () => "files should be an object with the text of each file by its path")
    )
  },
  {
    message: Body.firstOf,
    together: ({ branch, files }) => {
      if (branch === undefined && files === undefined) return ["branch must be specified"]
      return branch !== undefined && files !== undefined ? ["branch cannot be combined with files"] : []
    }
  }
)
export type BranchRequest = typeof BranchRequest.schema.Type
