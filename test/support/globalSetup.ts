/**
 * Removes what killed runs have left, and starts one PostgreSQL for all test files, in memory where the machine has /dev/shm, with a
 * migrated template database. Programs that tests start share a bundle and a cache of compiled code.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, References, Scope } from "effect"
import { SqlClient } from "effect/sql"
import * as path from "node:path"
import type { TestProject } from "vitest/node"
import * as EmbeddedPostgres from "../../src/store/EmbeddedPostgres.ts"
import { bringPageUpToDate } from "../../scripts/build-page.mjs"
import { bringServerUpToDate, bringTestProgramUpToDate } from "../../scripts/build-server.mjs"
import * as Migrations from "../../src/store/Migrations.ts"
import { ENGINE } from "./ServerProcess.ts"
import { clearDeadRuns, makeRunFolders } from "./RunFolders.ts"

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

const start = async () => {
  await bringServerUpToDate()
  await bringTestProgramUpToDate(ENGINE)
  await bringPageUpToDate()
  clearDeadRuns()
  const { memory, remove } = makeRunFolders()
  process.env["NODE_COMPILE_CACHE"] = path.join(memory, "compiled")
  const scope = Scope.makeUnsafe()
  const server = await Effect.runPromise(
    EmbeddedPostgres.make({ dataDir: path.join(memory, "database"), flags: FAST.flatMap((flag) => ["-c", flag]) }).pipe(
      // tests make PostgreSQL complain on purpose
      Effect.provideService(References.MinimumLogLevel, "None"),
      Scope.provide(scope)
    )
  )
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    // programs that were stopped may still write into them
    remove()
  }
  await Effect.runPromise(prepareTemplate({ port: server.port(), password: server.password }))
  return { postgres: { port: server.port(), password: Redacted.value(server.password) }, stop }
}

/** Each project of a run sets itself up, with a copy of this module of its own; what they share is started once. */
const shared: { made?: ReturnType<typeof start>; users: number } = ((
  globalThis as { switchyardTests?: typeof shared }
).switchyardTests ??= { users: 0 })

export default async (project: TestProject) => {
  shared.users++
  const { postgres, stop } = await (shared.made ??= start())
  project.provide("postgres", postgres)
  return async () => {
    if (--shared.users === 0) await stop()
  }
}
