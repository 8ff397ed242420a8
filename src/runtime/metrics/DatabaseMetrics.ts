/** The database: whether it answers, how fast, through how many connections, and the embedded server. */
import { counter, durations, gauge } from "./Family.ts"

export const databaseUp = gauge("switchyard_database_up", "1 when the database has answered this scrape, else 0")
export const statementSeconds = durations(
  "switchyard_database_statement_duration_seconds",
  "Time of statements with their wait for a connection",
  [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 60]
)
export const statementsActive = gauge("switchyard_database_statements_active", "Statements that wait for their answer")
export const statementsFailed = counter("switchyard_database_statements_failed_total", "Statements that have failed")
export const databaseAway = counter(
  "switchyard_database_away_total",
  "How often work began to wait for a database that was away"
)
export const databaseBlocked = gauge(
  "switchyard_database_blocked",
  "1 while work waits for a lock that somebody else's session holds"
)
export const databaseConnections = gauge(
  "switchyard_database_connections",
  "Connections of all replicas to the database, by their state",
  "state"
)
export const poolSize = gauge("switchyard_database_pool_size", "Connections that this process may have open")
export const embeddedUp = gauge(
  "switchyard_embedded_postgresql_up",
  "1 while the embedded PostgreSQL runs; absent with DATABASE_URL"
)
export const embeddedRestarts = counter(
  "switchyard_embedded_postgresql_restarts_total",
  "How often the embedded PostgreSQL had ended and was started again"
)

export const databaseMetrics = [
  databaseUp,
  statementSeconds,
  statementsActive,
  statementsFailed,
  databaseAway,
  databaseBlocked,
  databaseConnections,
  poolSize,
  embeddedUp,
  embeddedRestarts
]
