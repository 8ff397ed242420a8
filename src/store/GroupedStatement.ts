/**
 * Answers calls that come close together with one statement. A job that works on hundreds of devices asks the database the
 * same small thing for each of them; sent one by one, the messages cost both sides more than the work. A lone call is sent at
 * once; while calls are many, each group waits a few milliseconds for company.
 */
import { Deferred, Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { goOn } from "../runtime/BackgroundWork.ts"
import { failingWithoutDatabase, untilAnswered } from "./DatabaseClient.ts"

/** Milliseconds that a group waits for more calls when the one before it was more than one. */
const COMPANY_MILLIS = 20

/** A group holds no more calls than this, so that its message stays small enough to be built in one turn. */
const MOST = 64

/** Asks for all items in one statement; answers in their order. When it fails, nothing of it may have been done. */
export type Together<I, A> = (items: ReadonlyArray<I>) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError>

interface Waiting<I, A> {
  readonly item: I
  readonly answer: Deferred.Deferred<A, SqlError.SqlError>
}

/** Whether the statement was refused, not lost on the way: then nothing was done, and one item may be to blame. */
const isRefusal = ({ reason }: SqlError.SqlError): boolean => reason._tag !== "ConnectionError"

/**
 * Calls that share statements. A statement that the server refuses is sent again for each item alone, so that nobody fails for
 * the sake of another. Inside a transaction each call is a statement of its own, in that transaction. Each caller decides for
 * itself whether it waits for a database that is away.
 */
export const makeGrouped = <I, A>(sql: SqlClient.SqlClient, together: Together<I, A>) => {
  const queue: Array<Waiting<I, A>> = []
  let isRunning = false
  let wasCrowded = false

  const alone = (item: I): Effect.Effect<A, SqlError.SqlError> =>
    Effect.flatMap(together([item]), ([answer]) =>
      answer === undefined ? Effect.die(new Error("A grouped statement gave no answer")) : Effect.succeed(answer)
    )

  const oneByOne = (group: ReadonlyArray<Waiting<I, A>>) =>
    Effect.forEach(group, ({ answer, item }) => Deferred.into(alone(item), answer), { discard: true })

  const answerAll = (group: ReadonlyArray<Waiting<I, A>>) =>
    Effect.map(together(group.map(({ item }) => item)), (answers) => {
      for (const [index, { answer }] of group.entries()) {
        const given = answers[index]
        const result =
          given === undefined
            ? Effect.die(new Error("A grouped statement gave too few answers"))
            : Effect.succeed(given)
        goOn(() => Deferred.doneUnsafe(answer, result))
      }
    })

  const send = (group: ReadonlyArray<Waiting<I, A>>): Effect.Effect<unknown> =>
    group.length === 1
      ? oneByOne(group)
      : answerAll(group).pipe(
          Effect.catch((error) =>
            isRefusal(error)
              ? oneByOne(group)
              : Effect.forEach(group, ({ answer }) => Deferred.fail(answer, error), { discard: true })
          ),
          Effect.onError((cause) => Effect.forEach(group, ({ answer }) => Deferred.failCause(answer, cause)))
        )

  /** The next group, or nothing; then nobody is left who waits for this fiber. */
  const next = () => {
    const group = queue.splice(0, MOST)
    isRunning = group.length > 0
    wasCrowded = group.length > 1
    return group
  }

  const drain = Effect.gen(function* () {
    while (true) {
      if (queue.length < MOST) yield* wasCrowded ? Effect.sleep(COMPANY_MILLIS) : Effect.yieldNow
      const group = next()
      if (group.length === 0) return
      yield* Effect.exit(send(group))
    }
  }).pipe(failingWithoutDatabase, Effect.uninterruptible)

  const shared = (item: I): Effect.Effect<A, SqlError.SqlError> =>
    Effect.suspend(() => {
      const waiting: Waiting<I, A> = { item, answer: Deferred.makeUnsafe() }
      queue.push(waiting)
      const answer = Deferred.await(waiting.answer)
      if (isRunning) return answer
      isRunning = true
      // on its own fiber: the caller may hang up, those who wait must not lose their answers
      return Effect.andThen(Effect.forkDetach(drain), answer)
    })

  return (item: I): Effect.Effect<A, SqlError.SqlError> =>
    Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
      transaction._tag === "Some" ? alone(item) : untilAnswered(shared(item))
    )
}

/** Calls that share statements and want no answer but that it was done. */
export const makeGroupedWrite = <I>(
  sql: SqlClient.SqlClient,
  write: (items: ReadonlyArray<I>) => Effect.Effect<unknown, SqlError.SqlError>
): ((item: I) => Effect.Effect<void, SqlError.SqlError>) => {
  const done = makeGrouped(sql, (items: ReadonlyArray<I>) => Effect.map(write(items), () => items.map(() => true)))
  return (item) => Effect.asVoid(done(item))
}

/** Reads rows by their numbers, those that are asked for together with one statement. `idOf` is the number of a row. */
export const makeGroupedFind = <A>(
  sql: SqlClient.SqlClient,
  select: Together<number, A>,
  idOf: (row: A) => number
): ((id: number) => Effect.Effect<Option.Option<A>, SqlError.SqlError>) =>
  makeGrouped(sql, (ids) =>
    Effect.map(select(ids), (rows) => {
      const byId = new Map(rows.map((row) => [idOf(row), row]))
      return ids.map((id) => Option.fromUndefinedOr(byId.get(id)))
    })
  )
