/** Which replicas work together, as the database knows them (docs/operations.md#replicas). */
import { Duration, Effect } from "effect"
import type { HealthReport } from "../../api/SystemApi.ts"
import { SILENT_REPLICA } from "../../domain/TakeOver.ts"
import { meaning } from "../../store/DatabaseErrors.ts"
import { failingWithoutDatabase } from "../../store/DatabaseClient.ts"
import { type ReplicaFigure, ServerFigures } from "../../store/Figures.ts"

const PATIENCE = Duration.seconds(2)

/** One that has gone without saying so is asked after for this long. */
const FORGOTTEN_SECONDS = 86_400

const wrong = ({ heard_seconds, is_healthy }: ReplicaFigure): string | null => {
  if (heard_seconds > SILENT_REPLICA) return `not heard of for ${Math.round(heard_seconds)} seconds`
  return is_healthy ? null : "other replicas do not reach it"
}

/** What is reported of these replicas. */
export const report = (replicas: ReadonlyArray<ReplicaFigure>): HealthReport => {
  const checks = replicas
    .filter(({ heard_seconds }) => heard_seconds < FORGOTTEN_SECONDS)
    .map((replica) => {
      const message = wrong(replica)
      const name = replica.address
      return message === null ? { name, status: "UP" as const } : { name, status: "DOWN" as const, message }
    })
  return checks.every(({ status }) => status === "UP") ? { status: "UP", checks } : { status: "DOWN", checks }
}

const away = (why: string): HealthReport => ({
  status: "DOWN",
  checks: [{ name: "postgres", status: "DOWN", message: `the database does not answer: ${why}` }]
})

/** An effect that asks the database now. */
export const makeReplicaReport = Effect.map(ServerFigures, ({ replicas }) =>
  failingWithoutDatabase(replicas).pipe(
    Effect.map(report),
    Effect.catchTag("SqlError", (error) => Effect.succeed(away(meaning(error)))),
    Effect.timeoutOrElse({ duration: PATIENCE, orElse: () => Effect.succeed(away("no answer within 2 seconds")) })
  )
)
