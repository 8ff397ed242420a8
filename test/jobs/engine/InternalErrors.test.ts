/** A job that meets an internal error quotes the database, once as an error in the log. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Engine from "../../../src/Engine.ts"
import { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { keepLines } from "../../support/LogLines.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { UpdateFacts } from "../../../src/domain/jobs/UpkeepJobs.ts"

const { layer: log, lines } = keepLines("Warn")

const engine = Engine.layer.pipe(
  Layer.provideMerge(ServerConfig.layerOf({ DATA_DIR: "/nonexistent", SECRET_KEY: "k".repeat(32) })),
  Layer.provideMerge(TestDatabase),
  Layer.provideMerge(log)
)

it.live("a job ends with the SQLSTATE of a statement that the database refuses, and one line of the level ERROR", () =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const jobs = yield* JobEngine
    yield* sql`alter table device rename column serial to other_name`
    const id = yield* jobs.start(UpdateFacts, { hostname: "sw1" }, { user: "tester" })
    const job = yield* jobs.ended(id)
    assert.strictEqual(job.status, "EXCEPTION")
    assert.strictEqual(job.exception?.type, "DatabaseError")
    assert.match(job.exception?.message ?? "", /\(SQLSTATE 42703\)$/)
    const errors = lines.filter(({ details, level }) => level === "Error" && details["job"] === id)
    assert.lengthOf(errors, 1, JSON.stringify(lines))
    assert.include(errors[0]?.text ?? "", "42703")
  }).pipe(Effect.provide(engine), Effect.scoped)
)
