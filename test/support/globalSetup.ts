/**
 * Starts one PostgreSQL for all test files, in memory where the machine has /dev/shm, and migrates a template database. Programs
 * that tests start share a cache of compiled code.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../src/store/EmbeddedPostgres.ts"
import { bringPageUpToDate } from "../../scripts/build-page.mjs"
import { bringServerUpToDate } from "../../scripts/build-server.mjs"
import * as Migrations from "../../src/store/Migrations.ts"

declare module "vitest" {
  export interface ProvidedContext {
    readonly postgres: { readonly port: number; readonly password: string }
  }
}

export const TEMPLATE = "template_switchyard"
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_connections=400"]

const prepareTemplate = (where: { port: number; password: Redacted.Redacted }) => {
  const connect = (database: string) =>
    PgClient.layer({ host: "127.0.0.1", username: "postgres", database, maxConnections: 1, ...where })
  const create = Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`create database ${sql(TEMPLATE)}`
  }).pipe(Effect.provide(connect("postgres")))
  return Effect.andThen(create, Migrations.run.pipe(Effect.provide(connect(TEMPLATE))))
}

export default async (project: TestProject) => {
  await bringServerUpToDate()
  await bringPageUpToDate()
  const folder = await mkdtemp(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "switchyard-test-"))
  // the database may run as another user, who has to get in
  await chmod(folder, 0o711)
  process.env["NODE_COMPILE_CACHE"] = path.join(folder, "compiled")
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(
    EmbeddedPostgres.make({ dataDir: folder, flags: FAST.flatMap((flag) => ["-c", flag]) }).pipe(
      // tests make PostgreSQL complain on purpose
      Effect.provideService(References.MinimumLogLevel, "None"),
      Scope.provide(scope)
    )
  )
  await Effect.runPromise(prepareTemplate({ port: server.port(), password: server.password }))
  project.provide("postgres", { port: server.port(), password: Redacted.value(server.password) })
  return async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    // programs that were stopped may still write into it
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
