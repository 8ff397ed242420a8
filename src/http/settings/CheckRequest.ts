/** A request to check settings: who sends it decides how much is read and done (`SettingsCheck.ts`). */
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../../ServerConfig.ts"
import { makeCallerOf } from "../core/AuthorizationLive.ts"
import type { Sender } from "../core/BodyMemory.ts"
import { makeReadText, MAX_BODY_BYTES } from "../core/JsonBody.ts"
import { SettingsCheck } from "./SettingsCheck.ts"

/** Answers with the normalised settings of the body; `file` null means settings of all files. */
export const makeCheckRequest = Effect.gen(function* () {
  const { check } = yield* SettingsCheck
  const { OPEN_CHECK_MAX_SIZE } = yield* ServerConfig
  const callerOf = yield* makeCallerOf
  const readText = yield* makeReadText
  const readings = {
    caller: { sender: "caller", maxBytes: MAX_BODY_BYTES },
    anybody: {
      sender: "anybody",
      maxBytes: OPEN_CHECK_MAX_SIZE,
      tooLarge: `Without a token at most ${OPEN_CHECK_MAX_SIZE} bytes are checked`
    }
  } as const
  return Effect.fn("CheckRequest")(function* (request: HttpServerRequest.HttpServerRequest, file: string | null) {
    const sender: Sender = yield* Effect.match(callerOf(request), {
      onFailure: () => "anybody" as const,
      onSuccess: () => "caller" as const
    })
    const { share, text } = yield* readText(request, readings[sender])
    const settings = yield* check(sender, file, text)
    yield* share.grow(settings.length)
    return HttpServerResponse.text(`{"status":"success","data":${settings}}`, { contentType: "application/json" })
  })
})
