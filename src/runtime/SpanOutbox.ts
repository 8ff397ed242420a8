/**
 * The way of spans to their receiver, which may be away, slow or ill: batches wait in a short queue, one is sent at a time, each
 * send has a deadline and a few tries, and what finds the queue full is dropped. Nobody but this queue waits for the receiver.
 */
import { Cause, Duration, Effect, Fiber, Option, Queue, Schedule, type Scope } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"

/** Batches that wait. With those that the exporter fills, this bounds the memory. */
export const MOST_BATCHES = 16

/** How long one send may take. */
const DEADLINE = Duration.seconds(10)

/** How long the server's stop may wait for what was not sent. */
export const LAST_WORDS = Duration.seconds(3)

/** After these a receiver that cannot take a batch now is not asked for it again. */
const again = Schedule.exponential("1 second")
const TRIES = 3

/** Another try may help: the others say that the batch or its headers are wrong. */
const isPassing = (status: number): boolean => status === 429 || status >= 500

/** A client that takes every request at once and sends it later by another one. It sends what it has when the scope closes, within `LAST_WORDS`. */
export const make = Effect.fnUntraced(function* (
  client: HttpClient.HttpClient
): Effect.fn.Return<HttpClient.HttpClient, never, Scope.Scope> {
  const batches = yield* Queue.make<HttpClientRequest.HttpClientRequest, Cause.Done>({
    capacity: MOST_BATCHES,
    strategy: "dropping"
  })
  let isHeard = true

  const tell = Effect.fnUntraced(function* (problem: string | null) {
    if (isHeard === (problem === null)) return
    isHeard = problem === null
    yield* isHeard
      ? Effect.logInfo("The receiver of traces takes them again")
      : Effect.logWarning("Traces are lost: their receiver does not take them", { problem })
  })

  const attempt = (request: HttpClientRequest.HttpClientRequest) =>
    Effect.gen(function* () {
      const { status, arrayBuffer } = yield* client.execute(request)
      yield* arrayBuffer
      return isPassing(status) ? yield* Effect.fail(`status ${status}`) : status
    }).pipe(
      Effect.timeout(DEADLINE),
      Effect.mapError((error) => (typeof error === "string" ? error : error._tag))
    )

  const send = (request: HttpClientRequest.HttpClientRequest) =>
    attempt(request).pipe(
      Effect.retry({ times: TRIES, schedule: again }),
      Effect.match({
        onFailure: (problem) => problem,
        onSuccess: (status) => (status < 300 ? null : `status ${status}`)
      }),
      Effect.flatMap(tell),
      Effect.catchCause((cause) => (Cause.hasInterrupts(cause) ? Effect.failCause(cause) : tell("defect"))),
      Effect.withTracerEnabled(false)
    )

  const sending = yield* Effect.forkDetach(
    Effect.forever(Effect.flatMap(Queue.take(batches), send)).pipe(Effect.ignore)
  )
  yield* Effect.addFinalizer(() =>
    Queue.end(batches).pipe(
      Effect.andThen(Fiber.await(sending)),
      Effect.timeoutOption(LAST_WORDS),
      Effect.flatMap(Option.match({ onNone: () => Fiber.interrupt(sending), onSome: () => Effect.void }))
    )
  )

  return HttpClient.make((request) =>
    Effect.flatMap(Queue.offer(batches, request), (isTaken) =>
      Effect.as(
        isTaken ? Effect.void : tell("more spans than it takes"),
        HttpClientResponse.fromWeb(request, new Response(null, { status: 204 }))
      )
    )
  )
})
