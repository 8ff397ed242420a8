/**
 * The answers to what checks ask about one device: its own readings, and what other systems know of it, asked at the same time and each
 * question once.
 */
import { Effect, Result } from "effect"
import { type CheckQuestion, isOutside, type OutsideQuestion, questionAt } from "../domain/checks/Check.ts"
import type { ReadItems } from "../domain/checks/Conditions.ts"
import type { Question, StateAnswer, StateProblem } from "../domain/checks/Readings.ts"
import type { OutsideAnswer } from "./MonitoringSystem.ts"

/** How long an answer may take, in milliseconds. */
export const READING_LIMIT = 45_000

/** What was read, or why nothing was. */
export type Read = Result.Result<ReadItems, StateProblem>

/** Where the questions go; each yields the answers in the order of its questions. */
interface Asked {
  readonly device: (questions: ReadonlyArray<Question>) => Effect.Effect<ReadonlyArray<StateAnswer>>
  readonly outside: (questions: ReadonlyArray<OutsideQuestion>) => Effect.Effect<ReadonlyArray<OutsideAnswer>>
}

/** The problem of a question that got no answer of its own. */
export const NOT_ANSWERED: StateProblem = { type: "UnexpectedAnswer", message: "it was not answered" }

const keyOf = (question: CheckQuestion): string => JSON.stringify(question)

const distinct = <Each extends CheckQuestion>(questions: ReadonlyArray<Each>): ReadonlyArray<Each> => [
  ...new Map(questions.map((question) => [keyOf(question), question])).values()
]

const byKey = <Answer>(
  questions: ReadonlyArray<CheckQuestion>,
  answers: ReadonlyArray<Answer>,
  read: (answer: Answer) => Read
): ReadonlyArray<readonly [string, Read]> =>
  questions.map((question, index) => {
    const answer = answers[index]
    return [keyOf(question), answer === undefined ? Result.fail(NOT_ANSWERED) : read(answer)]
  })

const readOf = ({ problem, reading }: StateAnswer): Read =>
  reading === null ? Result.fail(problem ?? NOT_ANSWERED) : Result.succeed(reading)

/** Asks these questions, the log from `since` on (epoch milliseconds); yields the answer to each of them. */
export const answersTo = Effect.fnUntraced(function* (
  questions: ReadonlyArray<CheckQuestion>,
  since: number,
  asked: Asked
) {
  const outside = distinct(questions.filter(isOutside))
  const own = distinct(questions.filter((question) => !isOutside(question)))
  const [answers, outsideAnswers] = yield* Effect.all(
    [
      own.length === 0
        ? Effect.succeed<ReadonlyArray<StateAnswer>>([])
        : asked.device(own.map((question) => questionAt(question, since))),
      outside.length === 0 ? Effect.succeed<ReadonlyArray<OutsideAnswer>>([]) : asked.outside(outside)
    ],
    { concurrency: "unbounded" }
  )
  const found = new Map([
    ...byKey(own, answers, readOf),
    ...byKey(outside, outsideAnswers, (answer) => Result.map(answer, (items) => ({ items })))
  ])
  return (question: CheckQuestion): Read => found.get(keyOf(question)) ?? Result.fail(NOT_ANSWERED)
})
