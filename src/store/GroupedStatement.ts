/**
 * Answers simultaneous calls with one statement. A job that works on hundreds of devices sends the same small statement
 * for each of them; one by one, the messages cost both sides more than the work. A single call is sent at
 * once; while many calls come, each group waits a few milliseconds for more, unless it is full.
 *
 * Owner's note: Effect's `RequestResolver` collects the calls; this file only answers a group. `bench/README.md` has the measured
 * gain. This file can be removed once the driver pipelines the statements of a pool, so that a small one costs a few microseconds.
 */
import { Deferred, Effect, Exit, Option, Request, RequestResolver, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { failingWithoutDatabase, untilAnswered } from "./DatabaseClient.ts"

/** Milliseconds that a group waits for more calls if the previous group had more than one. */
const COMPANY_MILLIS = 20

/** The same for results, for which nothing waits but the end of a job. */
export const PATIENT_MILLIS = 100

/** The largest number of calls in a group, so its message can be built in one turn. */
const MOST = 64

/** The largest number of characters in a statement, except for a single item: configurations have megabytes. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Sends all items in one statement; answers in their order. A failure must have no effect. */
type Together<I, A> = (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>

/** One call, for one item. */
interface Call<I, A> extends Request.Request<A, SqlError.SqlError> {
  readonly item: I
}

/** Whether the statement was refused, not lost: then it had no effect, and one item may be the cause. */
const isRefusal = ({ reason }: SqlError.SqlError): boolean => reason._tag !== "ConnectionError"

/** The shared parts of grouped calls: a client, and the turns in which answered callers continue. */
export interface Grouping {
  readonly sql: SqlClient.SqlClient
  readonly inTurn: BackgroundWork["Service"]["inTurn"]
}

/** The client and the turns of this process. */
export const grouping: Effect.Effect<Grouping, never, SqlClient.SqlClient | BackgroundWork> = Effect.gen(function* () {
  return { sql: yield* SqlClient.SqlClient, inTurn: (yield* BackgroundWork).inTurn }
})

/** Gives each call its answer. Callers continue at once, so hundreds of them would block the event loop: they take turns. */
const giveAnswers = <I, A>(
  { inTurn }: Grouping,
  calls: ReadonlyArray<Request.Entry<Call<I, A>>>,
  answers: ReadonlyArray<Exit.Exit<A, SqlError.SqlError>>
) =>
  Effect.callback<void>((resume) => {
    let left = calls.length
    for (const [index, call] of calls.entries()) {
      const answer = answers[index] ?? Exit.die(new Error("A grouped statement gave too few answers"))
      inTurn(() => {
        call.completeUnsafe(answer)
        if (--left === 0) resume(Effect.void)
      })
    }
  })

/** The items in their order, cut so that no part is too long for one statement. */
const parts = <I>(items: ReadonlyArray<I>, lengthOf: (item: I) => number): ReadonlyArray<ReadonlyArray<I>> => {
  const found: Array<Array<I>> = []
  let room = 0
  for (const item of items) {
    const length = lengthOf(item)
    const last = found.at(-1)
    if (last === undefined || length > room) {
      found.push([item])
      room = MOST_CHARACTERS - length
    } else {
      last.push(item)
      room -= length
    }
  }
  return found
}

/** The characters of some texts. */
export const lengthOfTexts = (...texts: ReadonlyArray<string | null | undefined>): number =>
  texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)

const isShort = (): number => 0

/**
 * Calls that share statements; `lengthOf` is the number of characters of an item, if it may be large. A statement that the server refuses
 * is sent again for each item alone, so no caller fails because of another. Inside a transaction each call is a statement of its own, in
 * that transaction. Each caller decides whether it waits for an unreachable database.
 */
export const makeGrouped = <I, A>(
  grouping: Grouping,
  together: Together<I, A>,
  lengthOf: (item: I) => number = isShort,
  companyMillis = COMPANY_MILLIS
) => {
  const makeCall = Request.of<Call<I, A>>()
  let wasCrowded = false
  // overlapping groups can lock the same rows and deadlock
  const oneAtATime = Semaphore.makeUnsafe(1)

  const alone = (item: I): Effect.Effect<A, SqlError.SqlError> =>
    Effect.flatMap(together([item]), ([answer]) =>
      answer === undefined ? Effect.die(new Error("A grouped statement gave no answer")) : Effect.succeed(answer)
    )

  const answersTo = (
    items: ReadonlyArray<I>
  ): Effect.Effect<ReadonlyArray<Exit.Exit<A, SqlError.SqlError>>, SqlError.SqlError> =>
    Effect.map(Effect.forEach(parts(items, lengthOf), answersToPart), (answers) => answers.flat())

  const answersToPart = (
    items: ReadonlyArray<I>
  ): Effect.Effect<Array<Exit.Exit<A, SqlError.SqlError>>, SqlError.SqlError> =>
    together(items).pipe(
      Effect.map((answers) => answers.map(Exit.succeed)),
      Effect.catch((error) =>
        items.length > 1 && isRefusal(error)
          ? Effect.forEach(items, (item) => Effect.exit(alone(item)))
          : Effect.fail(error)
      )
    )

  const answerAll = (calls: ReadonlyArray<Request.Entry<Call<I, A>>>) => {
    wasCrowded = calls.length > 1
    return oneAtATime.withPermit(answersTo(calls.map(({ request }) => request.item))).pipe(
      Effect.flatMap((answers) => giveAnswers(grouping, calls, answers)),
      failingWithoutDatabase
    )
  }

  /** Waits for the answer of the current statement: calls in the meantime belong to the next group. */
  const company = Effect.suspend(() =>
    Effect.andThen(wasCrowded ? Effect.sleep(companyMillis) : Effect.yieldNow, oneAtATime.withPermit(Effect.void))
  )
  const resolver = RequestResolver.make<Call<I, A>>(answerAll).pipe(
    RequestResolver.setDelayEffect(company),
    RequestResolver.batchN(MOST)
  )

  return (item: I): Effect.Effect<A, SqlError.SqlError> =>
    // a group runs with the services of its first caller: a caller in a transaction must not begin a group
    Effect.flatMap(Effect.serviceOption(grouping.sql.transactionService), (transaction) =>
      transaction._tag === "Some" ? alone(item) : untilAnswered(Effect.request(makeCall({ item }), resolver))
    )
}

/** Calls that share statements and return no rows. */
export const makeGroupedWrite = <I>(
  grouping: Grouping,
  write: (items: ReadonlyArray<I>) => Effect.Effect<unknown, SqlError.SqlError>,
  lengthOf: (item: I) => number = isShort,
  companyMillis = COMPANY_MILLIS
): ((item: I) => Effect.Effect<void, SqlError.SqlError>) => {
  const together = (items: ReadonlyArray<I>) => Effect.map(write(items), () => items.map(() => true))
  const done = makeGrouped(grouping, together, lengthOf, companyMillis)
  return (item) => Effect.asVoid(done(item))
}

/** Reads rows by id; simultaneous reads share one statement. `idOf` is the id of a row. */
export const makeGroupedFind = <A>(
  grouping: Grouping,
  select: Together<number, A>,
  idOf: (row: A) => number
): ((id: number) => Effect.Effect<Option.Option<A>, SqlError.SqlError>) =>
  makeGrouped(grouping, (ids) =>
    Effect.map(select(ids), (rows) => {
      const byId = new Map(rows.map((row) => [idOf(row), row]))
      return ids.map((id) => Option.fromUndefinedOr(byId.get(id)))
    })
  )

// Lets simultaneous equal requests share one answer. A request never gets an answer of a read that began before the request:
// while one read runs, new requests wait for the next read, which begins after the first has ended. So every
// reader sees all commits before its request, and a thousand readers cost the database one query at a time.

interface Lane<A, E> {
  /** Requests that came during the current read. */
  next: Deferred.Deferred<A, E> | undefined
}

/** Shares reads between callers with the same key, which must stand for the same query. Lanes exist only while a caller reads. */
export const makeSharedRead = <A, E>() => {
  const lanes = new Map<string, Lane<A, E>>()

  const run = (key: string, lane: Lane<A, E>, read: Effect.Effect<A, E>, waiting: Deferred.Deferred<A, E>) =>
    Effect.exit(read).pipe(
      Effect.flatMap((exit) => Deferred.done(waiting, exit)),
      Effect.andThen(Effect.suspend(() => proceed(key, lane, read)))
    )

  const proceed = (key: string, lane: Lane<A, E>, read: Effect.Effect<A, E>): Effect.Effect<void> => {
    const waiting = lane.next
    lane.next = undefined
    if (waiting !== undefined) return run(key, lane, read, waiting)
    lanes.delete(key)
    return Effect.void
  }

  return (key: string, read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      const lane = lanes.get(key)
      if (lane !== undefined) {
        lane.next ??= Deferred.makeUnsafe<A, E>()
        return Deferred.await(lane.next)
      }
      const waiting = Deferred.makeUnsafe<A, E>()
      const fresh: Lane<A, E> = { next: undefined }
      lanes.set(key, fresh)
      // on its own fiber: if the caller disconnects, waiting callers must not lose their answer
      return Effect.andThen(Effect.forkDetach(run(key, fresh, read, waiting)), Deferred.await(waiting))
    })
}
