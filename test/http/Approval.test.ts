/** Live jobs that wait for another person's approval, through the API. */
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { JobApproval } from "../../src/jobs/requests/JobApproval.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"
import { keyFile, makeIssuer, sign } from "../support/TokenKeys.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"

const issuer = makeIssuer("ES256")

const FILE = `
roles:
  junior: { extends: operator, approval: true }
  east: { extends: operator, groups: [EAST_WING] }
`

const Site = (variables: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/permissions.yml`, FILE)
      const JWT_CERT = yield* keyFile(issuer)
      return SiteServer({ JWT_ENABLED: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles", ...variables })
    })
  ).pipe(Layer.provide(NodeServices.layer))

const withToken = Effect.fnUntraced(function* (token: string, method: string, path: string, sent?: unknown) {
  const api = yield* ApiClient
  const body = sent === undefined ? {} : { json: sent }
  const headers = { authorization: `Bearer ${token}` }
  return yield* api.send(method, `/api/v1.0${path}`, { headers, ...body })
})

const as = Effect.fnUntraced(function* (who: string, method: string, path: string, sent?: unknown) {
  const [sub = "", role = ""] = who.split("/")
  const token = yield* sign(issuer, { sub, roles: [role], exp: Date.now() / 1000 + 600 })
  return yield* withToken(token, method, path, sent)
})

const Started = Schema.Struct({ job_id: Schema.Int })
const Created = Schema.Struct({ data: Schema.Struct({ token: Schema.String }) })
const Jobs = Schema.Struct({
  data: Schema.Struct({
    jobs: Schema.Tuple([Schema.Struct({ status: Schema.String, waiting_for: Schema.Unknown, result: Schema.Unknown })])
  })
})

const sync = { hostname: "dist1", dry_run: false, dry_run_job: 1 }

const start = Effect.fnUntraced(function* (who: string, sent: unknown = sync) {
  const { body } = yield* as(who, "POST", "/device_syncto", sent)
  return Schema.decodeUnknownSync(Started)(body).job_id
})

const job = Effect.fnUntraced(function* (id: number) {
  const { body } = yield* as("ann/administrator", "GET", `/job/${id}`)
  return Schema.decodeUnknownSync(Jobs)(body).data.jobs[0]
})

const messageOf = (body: unknown) => Schema.decodeUnknownSync(Schema.Struct({ message: Schema.String }))(body).message

layer(Site({}), { excludeTestServices: true })("A role whose live jobs need an approval", (it) => {
  it.effect("waits for another person who may start such a job themselves, and only for them", () =>
    Effect.gen(function* () {
      yield* setScene()
      const unpinned = yield* as("indy/junior", "POST", "/device_syncto", { hostname: "dist1", dry_run: false })
      assert.strictEqual(unpinned.status, 400)
      assert.include(messageOf(unpinned.body), "dry_run_job")
      const pushing = { hostname: "dist1", dry_run: true, auto_push: true }
      assert.strictEqual((yield* as("indy/junior", "POST", "/device_syncto", pushing)).status, 400)

      const id = yield* start("indy/junior")
      const waiting = yield* job(id)
      assert.strictEqual(waiting.status, "SCHEDULED")
      assert.deepInclude(waiting.waiting_for, { reason: "approval", dry_run_job: 1 })
      const approve = (who: string, sent: unknown = { comment: "seen" }) => as(who, "POST", `/job/${id}/approve`, sent)
      const own = yield* approve("indy/operator")
      assert.strictEqual(own.status, 403)
      assert.include(messageOf(own.body), "somebody else")
      assert.include(messageOf((yield* approve("kim/junior")).body), "role junior needs approvals itself")
      assert.strictEqual((yield* approve("kim/east")).status, 403)
      assert.strictEqual((yield* approve("kim/reader")).status, 403)
      assert.strictEqual((yield* approve("kim/operator", {})).status, 400)
      assert.strictEqual((yield* job(id)).status, "SCHEDULED")
      assert.strictEqual((yield* approve("kim/operator")).status, 200)
      // what a server does that works on the job
      yield* (yield* JobApproval).wait(id)
      assert.isNull((yield* job(id)).waiting_for)
      assert.strictEqual((yield* approve("kim/operator")).status, 409)
    })
  )

  it.effect("ends when it is rejected or aborted, and each step is in the log of events", () =>
    Effect.gen(function* () {
      yield* setScene()
      const rejected = yield* start("indy/junior")
      assert.strictEqual(
        (yield* as("kim/operator", "POST", `/job/${rejected}/reject`, { comment: "not today" })).status,
        200
      )
      assert.deepInclude(yield* job(rejected), {
        status: "ABORTED",
        result: { message: "Rejected: not today (aborted by kim)" }
      })
      const aborted = yield* start("indy/junior")
      assert.strictEqual((yield* as("indy/junior", "PUT", `/job/${aborted}`, { action: "ABORT" })).status, 200)
      assert.strictEqual((yield* job(aborted)).status, "ABORTED")
      assert.strictEqual(
        (yield* as("kim/operator", "POST", `/job/${aborted}/approve`, { comment: "late" })).status,
        409
      )
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select action, actor, data ->> 'comment' as comment from event
        where kind = 'approval' and job_id = ${rejected} order by id desc limit 2`
      assert.deepEqual(events, [
        { action: "rejected", actor: "kim", comment: "not today" },
        { action: "asked", actor: "indy", comment: null }
      ])
    })
  )

  it.effect("continues when the roles need no approval any more, and waits while they do", () =>
    Effect.gen(function* () {
      yield* setScene()
      const { DATA_DIR } = yield* ServerConfig
      const approvals = yield* JobApproval
      const put = (text: string) => Effect.promise(() => fs.writeFile(path.join(DATA_DIR, "permissions.yml"), text))
      const id = yield* start("indy/junior")
      yield* approvals.lookAgain
      assert.deepInclude((yield* job(id)).waiting_for, { reason: "approval" })
      // a role that may do nothing says nothing about its callers
      yield* put(FILE.replace("junior: { extends: operator, approval: true }", "junior: { extends: reader }"))
      const untilReader = Effect.map(as("indy/junior", "POST", "/device_syncto", sync), ({ status }) => status === 403)
      while (!(yield* untilReader)) yield* Effect.sleep("100 millis")
      yield* approvals.lookAgain
      assert.deepInclude((yield* job(id)).waiting_for, { reason: "approval" })
      yield* put(FILE.replace(", approval: true", ""))
      while ((yield* job(id)).waiting_for !== null) {
        yield* approvals.lookAgain
        yield* Effect.sleep("100 millis")
      }
      yield* approvals.wait(id)
      assert.deepInclude(yield* job(id), { status: "SCHEDULED" })
      const late = yield* as("kim/operator", "POST", `/job/${id}/approve`, { comment: "late" })
      assert.strictEqual(late.status, 409)
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql`select action, actor from event where kind = 'approval' and job_id = ${id}
        order by id desc limit 1`
      assert.deepEqual(events, [{ action: "unneeded", actor: "server" }])
      yield* put(FILE)
      while ((yield* job(yield* start("indy/junior"))).waiting_for === null) yield* Effect.sleep("100 millis")
    })
  )

  it.effect("is decided by people, and not by the creator of the requesting token", () =>
    Effect.gen(function* () {
      yield* setScene()
      const makeToken = Effect.fnUntraced(function* (who: string, name: string, role: string) {
        const { body } = yield* as(who, "POST", "/auth/tokens", { name, roles: [role] })
        return Schema.decodeUnknownSync(Created)(body).data.token
      })
      const asking = yield* makeToken("indy/junior", "nightly", "junior")
      const deciding = yield* makeToken("kim/operator", "robot", "operator")
      const { body } = yield* withToken(asking, "POST", "/device_syncto", sync)
      const id = Schema.decodeUnknownSync(Started)(body).job_id
      const path = `/job/${id}/approve`
      const seen = { comment: "seen" }
      assert.include(messageOf((yield* withToken(deciding, "POST", path, seen)).body), "people decide")
      assert.include(messageOf((yield* as("indy/operator", "POST", path, seen)).body), "somebody else")
      assert.strictEqual((yield* as("kim/operator", "POST", path, seen)).status, 200)
    })
  )

  it.effect("does not apply to roles that need no approval", () =>
    Effect.gen(function* () {
      yield* setScene()
      const id = yield* start("kim/operator", { hostname: "dist1", dry_run: false })
      assert.isNull((yield* job(id)).waiting_for)
    })
  )
})

layer(Site({ APPROVAL_WAIT: "1", APPROVAL_SCORE: "20" }), { excludeTestServices: true })("A limit of risk", (it) => {
  it.effect("makes a dry run above it wait, and gives it up without an approval in time", () =>
    Effect.gen(function* () {
      yield* setScene([
        `insert into job_device (job_id, hostname, failed, reached_end, changed, score, job_tasks)
          values (1, 'dist1', false, true, true, 21, '[]')`
      ])
      assert.strictEqual(
        (yield* as("kim/operator", "POST", "/device_syncto", { hostname: "dist1", dry_run: false })).status,
        400
      )
      const id = yield* start("kim/operator")
      const { waiting_for } = yield* job(id)
      assert.deepInclude(waiting_for, { why: "the change score of dist1 is 21.0, above 20" })
      yield* (yield* JobApproval).wait(id)
      assert.strictEqual((yield* job(id)).status, "ABORTED")
      assert.deepInclude(yield* job(id), {
        result: { message: "Nobody has approved it within 1 s (aborted by switchyard)" }
      })
    })
  )
})
