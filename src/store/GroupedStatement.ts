/**
 * Answers calls that come close together with one statement. A job that works on hundreds of devices asks the database the
 * same small thing for each of them; sent one by one, the messages cost both sides more than the work. A lone call is sent at
 * once; while calls are many, each group waits a few milliseconds for company, unless it is full.
 *
 * Owner's note: Effect's `RequestResolver` collects the calls; what is ours is how a group is answered. `bench/README.md` says
 * what grouping earns. It goes when the driver pipelines the statements of a pool, so that a small one costs a few microseconds.
 */
import { Deferred, Effect, Exit, Option, Request, RequestResolver, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { BackgroundWork } from "../runtime/BackgroundWork.ts"
import { failingWithoutDatabase, untilAnswered } from "./DatabaseClient.ts"

/** Milliseconds that a group waits for more calls when the one before it was more than one. */
const COMPANY_MILLIS = 20

/** A group holds no more calls than this, so that its message stays small enough to be built in one turn. */
const MOST = 64

/** A statement carries no more characters than this, but for one item alone: configurations have megabytes. */
const MOST_CHARACTERS = 4 * 1024 * 1024

/** Asks for all items in one statement; answers in their order. When it fails, nothing of it may have been done. */
export type Together<I, A> = (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>

/** One call, for one item. */
interface Call<I, A> extends Request.Request<A, SqlError.SqlError> {
  readonly item: I
}

/** Whether the statement was refused, not lost on the way: then nothing was done, and one item may be to blame. */
const isRefusal = ({ reason }: SqlError.SqlError): boolean => reason._tag !== "ConnectionError"

/** What calls share statements with: a client, and the turns in which those who are answered go on. */
export interface Grouping {
  readonly sql: SqlClient.SqlClient
  readonly inTurn: BackgroundWork["Service"]["inTurn"]
}

/** The client and the turns of this process. */
export const grouping: Effect.Effect<Grouping, never, SqlClient.SqlClient | BackgroundWork> = Effect.gen(function* () {
  return { sql: yield* SqlClient.SqlClient, inTurn: (yield* BackgroundWork).inTurn }
})

/** Gives each call its answer. Its caller goes on at once, so hundreds of them would hold the event loop: they have turns. */
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
 * Calls that share statements; `lengthOf` is how many characters an item brings, where there may be many. A statement that the server refuses is sent again for each item alone, so that nobody fails for
 * the sake of another. Inside a transaction each call is a statement of its own, in that transaction. Each caller decides for
 * itself whether it waits for a database that is away.
 */
export const makeGrouped = <I, A>(
  grouping: Grouping,
  together: Together<I, A>,
  lengthOf: (item: I) => number = isShort
) => {
  const makeCall = Request.of<Call<I, A>>()
  let wasCrowded = false
  // groups that overlap can meet in the same rows, and deadlock
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

  /** Until the statement under way has been answered: calls that come meanwhile belong to the next one. */
  const company = Effect.suspend(() =>
    Effect.andThen(wasCrowded ? Effect.sleep(COMPANY_MILLIS) : Effect.yieldNow, oneAtATime.withPermit(Effect.void))
  )
  const resolver = RequestResolver.make<Call<I, A>>(answerAll).pipe(
    RequestResolver.setDelayEffect(company),
    RequestResolver.batchN(MOST)
  )

  return (item: I): Effect.Effect<A, SqlError.SqlError> =>
    // a group runs with the services of the caller that began it: who is in a transaction must not begin one
    Effect.flatMap(Effect.serviceOption(grouping.sql.transactionService), (transaction) =>
      transaction._tag === "Some" ? alone(item) : untilAnswered(Effect.request(makeCall({ item }), resolver))
    )
}

/** Calls that share statements and want no answer but that it was done. */
export const makeGroupedWrite = <I>(
  grouping: Grouping,
  write: (items: ReadonlyArray<I>) => Effect.Effect<unknown, SqlError.SqlError>,
  lengthOf: (item: I) => number = isShort
): ((item: I) => Effect.Effect<void, SqlError.SqlError>) => {
  const together = (items: ReadonlyArray<I>) => Effect.map(write(items), () => items.map(() => true))
  const done = makeGrouped(grouping, together, lengthOf)
  return (item) => Effect.asVoid(done(item))
}

/** Reads rows by their numbers, those that are asked for together with one statement. `idOf` is the number of a row. */
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

// Lets requests that ask the same question at the same time share one answer. A request never gets an answer that was begun
// before it came: while one read runs, those who come wait for the next one, which begins when the first has ended. So every
// reader sees all that was committed before it asked, and a thousand readers cost the database one query at a time.

interface Lane<A, E> {
  /** Those who came during the read that runs now. */
  next: Deferred.Deferred<A, E> | undefined
}

/** Shares reads between callers with the same key, whose `read` has to be the same question. Lanes exist only while somebody reads. */
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
      // on its own fiber: the caller may hang up, those who wait must not lose their answer
      return Effect.andThen(Effect.forkDetach(run(key, fresh, read, waiting)), Deferred.await(waiting))
    })
}
