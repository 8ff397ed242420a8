/** Asking a Linux switch for JSON. */
import { Effect, Schema } from "effect"
import { UnexpectedAnswer } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { Remote } from "./Remote.ts"

const shownOfAnswer = 200

/** The value of what a command shows; UnexpectedAnswer when that is something else. */
export const readJson = <A>(remote: Remote, command: string, schema: Schema.ConstraintDecoder<A>) =>
  Effect.flatMap(remote.query(command), (text) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
      Effect.mapError((error) => {
        const message = maskSecrets(`the answer is not understood: ${error.message}`).slice(0, shownOfAnswer)
        return new UnexpectedAnswer({ hostname: remote.target.hostname, command, message })
      })
    )
  )
