/** The check of posted settings as it is asked of a thread (`src/runtime`): texts in, a text or a refusal out. */
import { Schema } from "effect"
import { Rpc, RpcGroup } from "effect/rpc"

/** The posted text is not taken: it is no object, breaks a rule, is meant for no known file, or needs a token to be checked. */
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
      /** Whether patterns of groups are compiled. */
      withPatterns: Schema.Boolean,
      /** The largest answer, in characters. */
      maxAnswer: Schema.Int
    },
    success: Schema.String,
    error: PostRefused
  })
)
