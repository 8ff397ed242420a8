/** What PostgreSQL does not come through with by itself. */
import { type Finding, lengthOf, MINUTE } from "../Finding.ts"

export interface DatabaseFact {
  /** Transactions since the oldest row that was not frozen. */
  readonly age: number
  /** Seconds for which the oldest transaction is open. */
  readonly oldest_transaction: number
  /** Tables with many dead rows. */
  readonly bloated: ReadonlyArray<{ readonly table: string; readonly dead: number; readonly live: number }>
}

/** Of two thousand million transactions, after which PostgreSQL takes no more. */
const OLD_ROWS = 1_000_000_000
const LONG_TRANSACTION = 60 * MINUTE

/** A lock of somebody else that holds work up; `sentence` names who has it. */
export const ofBlockade = (sentence: string): Finding => ({
  kind: "database",
  level: "bad",
  about: "database",
  since: null,
  what: sentence,
  why: "Requests that need it get 503, and jobs wait.",
  next: "Ask whoever runs it to end it, or pg_terminate_backend with its process: docs/operations.md#locks-of-others.",
  repair: null
})

/** Rows, transactions and tables. */
export const ofDatabase = ({ age, bloated, oldest_transaction }: DatabaseFact): ReadonlyArray<Finding> => {
  const finding = { kind: "database", since: null, repair: null } as const
  return [
    ...(age < OLD_ROWS
      ? []
      : [
          {
            ...finding,
            level: "bad" as const,
            about: "transactions",
            what: `The oldest rows are ${Math.floor(age / 1_000_000)} million transactions old`,
            why: "PostgreSQL takes no transaction any more at about 2,100 million. Its vacuum does not come through.",
            next: "Run `vacuum freeze` when nothing else is under way, and look for transactions that are never ended."
          }
        ]),
    ...(oldest_transaction < LONG_TRANSACTION
      ? []
      : [
          {
            ...finding,
            level: "warn" as const,
            about: "transactions",
            what: `A transaction has been open for ${lengthOf(oldest_transaction)}`,
            why: "While it is open nothing that was removed gives its room back.",
            next: "Find it in pg_stat_activity; a backup or a forgotten console ends by itself or by pg_terminate_backend."
          }
        ]),
    ...bloated.map(({ dead, live, table }) => ({
      ...finding,
      level: "warn" as const,
      about: table,
      what: `The table ${table} has ${dead} dead rows beside ${live}`,
      why: "Rows were removed or changed faster than the vacuum comes after.",
      next: `Run \`vacuum (analyze) ${table}\`.`
    }))
  ]
}
