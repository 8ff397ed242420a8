/**
 * Checks a text that was posted as settings, or as the content of one settings file (docs/settings-repository.md#answers and
 * docs/settings-repository.md#check-of-one-file-for-editors).
 */
import { Result, Schema } from "effect"
import { checkFile, fileModelOf, holdsPatterns, type Json, POSTED, settingsToJson } from "../../settings/FileModels.ts"
import { validationMessage } from "../../settings/SettingsProblem.ts"
import { validateSettings } from "../../settings/SettingValidator.ts"
import { parseJsonObject, unacceptableField } from "../core/JsonText.ts"
import type { JsonObject } from "../../domain/fields/Values.ts"
import { faultText, valueFaults } from "../../domain/Text.ts"
import { Rpc, RpcGroup } from "effect/rpc"

// The messages between the server and the thread that checks (`src/runtime/ThreadPool.ts`).

/** The posted text is refused: it is no object, breaks a rule, belongs to no known file, or needs a token. */
export class PostRefused extends Schema.TaggedError<PostRefused>()("PostRefused", {
  reason: Schema.Literals(["unreadable", "invalid", "needsToken", "answerTooLarge"]),
  message: Schema.String
}) {}

export const CheckRpc = RpcGroup.make(
  Rpc.make("Check", {
    payload: {
      /** The settings file whose content is posted; null for settings of all files. */
      file: Schema.NullOr(Schema.String),
      text: Schema.String,
      /** Whether regular expressions of groups are compiled. */
      withPatterns: Schema.Boolean,
      /** The largest answer, in characters. */
      maxAnswer: Schema.Int
    },
    success: Schema.String,
    error: PostRefused
  })
)

/** The posted text, and the limits for its sender. */
interface Post {
  readonly file: string | null
  readonly text: string
  readonly withPatterns: boolean
  readonly maxAnswer: number
}

type PostCheck<A> = Result.Result<A, PostRefused>

const refuse = (reason: PostRefused["reason"], message: string): PostCheck<never> =>
  Result.fail(new PostRefused({ reason, message }))

const checkAll = (content: JsonObject): PostCheck<Json> =>
  Result.mapBoth(validateSettings(content), {
    onFailure: (faults) => new PostRefused({ reason: "invalid", message: validationMessage(faults, () => POSTED) }),
    onSuccess: settingsToJson
  })

/** The sentence for a name that no settings file has. */
const unknownFile = (file: string): string => `Filename: '${file}' does not map to any model.`

const checkOne = (file: string, content: JsonObject, withPatterns: boolean): PostCheck<Json> => {
  const model = fileModelOf(file)
  if (model === undefined) return refuse("invalid", unknownFile(file))
  if (!withPatterns && holdsPatterns(content)) {
    return refuse("needsToken", "Patterns of groups are checked for callers with a token only")
  }
  return Result.mapError(checkFile(model, content), (message) => new PostRefused({ reason: "invalid", message }))
}

/** The normalised settings as JSON text. */
export const checkPost = ({ file, maxAnswer, text, withPatterns }: Post): PostCheck<string> => {
  const content = parseJsonObject(text)
  if (content === undefined) return refuse("unreadable", unacceptableField(text) ?? "Bad Request")
  // the model reports texts that must be one line, because it knows their place
  const [fault] = valueFaults(content, "lines", () => "lines")
  if (fault !== undefined) return refuse("unreadable", faultText(fault))
  const checked = file === null ? checkAll(content) : checkOne(file, content, withPatterns)
  return Result.flatMap(checked, (settings) => {
    const answer = JSON.stringify(settings)
    return answer.length > maxAnswer
      ? refuse("answerTooLarge", `The normalised settings are larger than ${maxAnswer} characters; send them in parts`)
      : Result.succeed(answer)
  })
}
