/**
 * Handlers of the model of settings and the check of posted settings, which needs no token (docs/settings-repository.md#answers). It runs
 * in a thread with a budget. Without a token a small text is checked, within a tenth of a second of processor time and without the regular
 * expressions of groups. Callers with a token have a thread of their own and larger limits.
 */
import { makeCallerOf } from "../core/Callers.ts"
import { Effect } from "effect"
import * as ThreadPool from "../../runtime/ThreadPool.ts"
import { ownModule } from "../../runtime/OwnModule.ts"
import { MAX_BODY_BYTES, RequestBodies, type Sender } from "../core/RequestBodies.ts"
import { CheckRpc, type PostRefused } from "./PostedSettings.ts"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { ServerConfig } from "../../ServerConfig.ts"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { SettingsView } from "../../settings/SettingsView.ts"
import { answered } from "../core/HandlerErrors.ts"
import { BadRequest, PayloadTooLarge, ServiceUnavailable, Unauthorized } from "../../api/Answers.ts"

interface Terms {
  readonly cpuMillis: number
  readonly maxAnswer: number
  readonly withPatterns: boolean
  readonly waiting: number
  readonly megabytes: number
  readonly tooLong: string
}

const TOO_LONG = "The settings take too long to check, send them in smaller parts"

const TERMS: Readonly<Record<Sender, Terms>> = {
  anybody: {
    cpuMillis: 100,
    maxAnswer: 2_000_000,
    withPatterns: false,
    waiting: 32,
    megabytes: 64,
    tooLong: `${TOO_LONG} or with a token`
  },
  caller: {
    cpuMillis: 20_000,
    maxAnswer: 50_000_000,
    withPatterns: true,
    waiting: 8,
    megabytes: 512,
    tooLong: TOO_LONG
  }
}

const asFailure = ({ message, reason }: PostRefused) => {
  if (reason === "needsToken") return new Unauthorized({ message })
  return reason === "answerTooLarge" ? new PayloadTooLarge({ message }) : new BadRequest({ message })
}

const makeFor = Effect.fnUntraced(function* (sender: Sender) {
  const { cpuMillis, maxAnswer, megabytes, tooLong, waiting, withPatterns } = TERMS[sender]
  const { run } = yield* ThreadPool.make(CheckRpc, {
    program: ownModule("./checkMain", import.meta.url),
    name: `settings check for ${sender}`,
    threads: 1,
    waiting,
    megabytes
  })
  return (file: string | null, text: string) =>
    run({ cpuMillis }, (client) => client.Check({ file, text, maxAnswer, withPatterns })).pipe(
      Effect.catchTags({
        PostRefused: (refusal) => Effect.fail(asFailure(refusal)),
        CalculationStopped: ({ reason }) =>
          Effect.fail(
            reason === "ended"
              ? new ServiceUnavailable({ message: "The check was cut short, try again later" })
              : new PayloadTooLarge({ message: tooLong })
          ),
        ThreadsBusy: ({ message }) => Effect.fail(new ServiceUnavailable({ message }))
      })
    )
})

/** Answers with the normalised settings of the body; `file` null means settings of all files. */
const makeCheckRequest = Effect.gen(function* () {
  const checks = { anybody: yield* makeFor("anybody"), caller: yield* makeFor("caller") }
  const { OPEN_CHECK_MAX_SIZE } = yield* ServerConfig
  const callerOf = yield* makeCallerOf
  const bodies = yield* RequestBodies
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
    const { share, text } = yield* bodies.text(request, readings[sender])
    const settings = yield* checks[sender](file, text)
    yield* share.grow(settings.length)
    return HttpServerResponse.text(`{"status":"success","data":${settings}}`, { contentType: "application/json" })
  })
})

/** A model in both notations, and as `data` of the envelope. */
const modelAnswer = (model: Readonly<Record<string, unknown>>) => ({
  status: "success",
  ...model,
  $defs: model["definitions"] ?? {},
  data: model
})

/** Handlers of `SettingsModelGroup`. */
export const SettingsModelLive = HttpApiBuilder.group(Api, "settingsModel", (handlers) =>
  Effect.gen(function* () {
    const settings = yield* SettingsView
    const validate = yield* makeCheckRequest
    return handlers
      .handle("model", () => Effect.map(settings.model, modelAnswer))
      .handle("fileModel", ({ params }) => answered(Effect.map(settings.fileModel(params.file), modelAnswer)))
      .handleRaw("validate", ({ request }) => answered(validate(request, null)))
      .handleRaw("validateFile", ({ params, request }) => answered(validate(request, params.file)))
  })
)
