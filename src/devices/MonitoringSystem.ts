/**
 * Questions of checks to monitoring systems (docs/checks.md#a-question-to-a-monitoring-system), bounded in time, size and number at once.
 * Only origins of CHECK_HOSTS are asked, each gets its own secret, and redirects are not followed. Whatever is not a JSON answer of status
 * 200 that the path fits is a problem of the reading. No text repeats a secret.
 */
import { Context, Duration, Effect, Layer, Option, Redacted, Result, Semaphore } from "effect"
import {
  addressFor,
  type DeviceFacts,
  hostOf,
  type HttpQuestion,
  originOf,
  type SecretHeader,
  secretHeader,
  secretParts
} from "../domain/checks/HttpQuestion.ts"
import { itemsInAnswer, type OutsideItems } from "../domain/checks/OutsideItems.ts"
import type { StateProblem } from "../domain/checks/Readings.ts"
import * as OutboundFetch from "../runtime/OutboundFetch.ts"
import { ServerConfig } from "../ServerConfig.ts"

/** The items of an answer, or why there are none. */
export type OutsideAnswer = Result.Result<OutsideItems, StateProblem>

/** The longest time of one request, in milliseconds. */
const LONGEST = 10_000

const MOST_BYTES = 1_048_576

/** Many devices that change at once must not flood the monitoring system. */
const AT_ONCE = 16

const problem = (type: string, message: string): StateProblem => ({ type, message })

const notAllowed = ({ url }: HttpQuestion) => problem("HostNotAllowed", `CHECK_HOSTS does not name ${originOf(url)}`)

const noAnswer = (origin: string, why: string) => problem("NoAnswer", `${origin} did not answer: ${why}`)

const LATE = "there was no answer in time"

const wrongAnswer = (origin: string, why: string) => problem("UnexpectedAnswer", `the answer of ${origin}: ${why}`)

const parsed = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "it is no JSON" })

/** Requests that are alike are one request. */
const keyOf = ({ query, url }: HttpQuestion): string => JSON.stringify([url, query])

const make = Effect.gen(function* () {
  const { CHECK_HOSTS, checkSecrets } = yield* ServerConfig
  const places = yield* Semaphore.make(AT_ONCE)

  /** The header with the secret of a host, and what no text may repeat. */
  const secretOf = (name: string) => {
    const secret = checkSecrets.get(`CHECK_SECRET_${name}`)
    if (secret === undefined || Redacted.value(secret).trim() === "")
      return Result.fail(problem("NoSecret", `CHECK_SECRET_${name} is not set`))
    const header = secretHeader(Redacted.value(secret))
    return header === null
      ? Result.fail(problem("NoSecret", `CHECK_SECRET_${name} has characters that no header may have`))
      : Result.succeed({ header, parts: secretParts(Redacted.value(secret)) })
  }

  const send = (address: URL, header: SecretHeader | null) =>
    Effect.gen(function* () {
      const response = yield* OutboundFetch.open(address.href, {
        headers: {
          accept: "application/json",
          "user-agent": "switchyard",
          ...(header === null ? {} : { [header.name]: header.value })
        },
        verifyTls: true,
        // the server's own settings name the host
        guard: null,
        redirects: 0,
        idleSeconds: LONGEST / 1_000
      })
      const status = response.statusCode ?? 0
      if (status !== 200) return yield* Effect.fail(wrongAnswer(address.origin, `its status is ${status}, not 200`))
      return yield* OutboundFetch.textOf(response, MOST_BYTES)
    }).pipe(
      Effect.scoped,
      Effect.catchTags({
        OutboundRefused: ({ message }) => Effect.fail(noAnswer(address.origin, message)),
        OutboundAway: ({ code, message }) => Effect.fail(noAnswer(address.origin, code ?? message)),
        OwnFault: ({ message }) => Effect.fail(noAnswer(address.origin, message))
      })
    )

  /** The JSON value that the system answers for a device. */
  const answerTo = Effect.fn("MonitoringSystem.answerTo")(function* (question: HttpQuestion, facts: DeviceFacts) {
    const host = hostOf(CHECK_HOSTS, question.url)
    if (host === undefined) return yield* Effect.fail(notAllowed(question))
    const address = yield* Effect.fromResult(
      Result.mapError(addressFor(question, facts), (why) => problem("NotAsked", why))
    )
    const secret = host.secret === null ? null : yield* Effect.fromResult(secretOf(host.secret))
    const sent = send(address, secret?.header ?? null).pipe(
      Effect.timeoutOrElse({ duration: LONGEST, orElse: () => Effect.fail(noAnswer(address.origin, LATE)) })
    )
    const text = yield* places.withPermit(sent)
    const answer = yield* Effect.fromResult(Result.mapError(parsed(text), (why) => wrongAnswer(host.origin, why)))
    // written anew, because escapes in the text could hide it
    const plain = JSON.stringify(answer)
    const isRepeated = secret?.parts.some((part) => plain.includes(JSON.stringify(part).slice(1, -1))) === true
    return isRepeated
      ? yield* Effect.fail(wrongAnswer(host.origin, "it repeats the credentials of the request"))
      : answer
  })

  /** Asks each address once, and yields an answer to each question, in their order. */
  const ask = Effect.fnUntraced(function* (questions: ReadonlyArray<HttpQuestion>, facts: DeviceFacts, limit: number) {
    const requests = new Map(questions.map((question) => [keyOf(question), question]))
    const answers = yield* Effect.forEach(
      [...requests],
      ([key, question]) =>
        answerTo(question, facts).pipe(
          Effect.timeoutOption(Duration.millis(limit)),
          Effect.result,
          Effect.map((answer) => [key, answer] as const)
        ),
      // they take turns for places, and together they have the time of one
      { concurrency: "unbounded" }
    )
    const byKey = new Map(answers)
    return questions.map((question): OutsideAnswer => {
      const origin = originOf(question.url)
      return Result.flatMap(
        byKey.get(keyOf(question)) ?? Result.succeed(Option.none<unknown>()),
        Option.match({
          onNone: () => Result.fail(noAnswer(origin, LATE)),
          onSome: (answer) => Result.mapError(itemsInAnswer(question, answer), (why) => wrongAnswer(origin, why))
        })
      )
    })
  })

  return MonitoringSystem.of({ ask })
})

/** The monitoring systems that checks may ask. */
export class MonitoringSystem extends Context.Service<
  MonitoringSystem,
  {
    /** The answers to questions about a device with these facts, in their order; `limit` in milliseconds. */
    readonly ask: (
      questions: ReadonlyArray<HttpQuestion>,
      facts: DeviceFacts,
      limit: number
    ) => Effect.Effect<ReadonlyArray<OutsideAnswer>>
  }
>()("switchyard/devices/MonitoringSystem") {
  static readonly layer = Layer.effect(MonitoringSystem, make)
}
