/** The approver is another person, and calls that could weaken approvals wait for one themselves if the site requires it. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"
import { keyFile, makeIssuer, sign } from "../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")
const PASSWORD = "seven green bicycles"

const ROLES = `roles:
  junior: { extends: operator, approval: true }
`

const Site = (permissions: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const folder = yield* files.makeTempDirectoryScoped()
      yield* files.writeFileString(`${folder}/permissions.yml`, permissions)
      const JWT_CERT = yield* keyFile(issuer)
      const own = { JWT_ENABLED: "true", LOCAL_USERS: "true", JWT_CERT, DATA_DIR: folder, ROLES_CLAIM: "roles" }
      return SiteServer(own)
    })
  ).pipe(Layer.provide(NodeServices.layer))

const jwt = (sub: string, role: string, more: Readonly<Record<string, unknown>> = {}) =>
  sign(issuer, { sub, roles: [role], exp: Math.floor(Date.now() / 1000) + 600, ...more })

const as = Effect.fnUntraced(function* (token: string, method: string, path: string, json?: unknown) {
  const api = yield* ApiClient
  const headers = { authorization: `Bearer ${token}` }
  return yield* api.send(method, `/api/v1.0${path}`, json === undefined ? { headers } : { headers, json })
})

const login = Effect.fnUntraced(function* (name: string, password = PASSWORD) {
  const api = yield* ApiClient
  const authorization = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
  const { text } = yield* api.send("POST", "/api/v1.0/auth", { headers: { authorization } })
  return /^\{"access_token":"([^"]+)"\}$/.exec(text)?.[1] ?? assert.fail(text)
})

const Message = Schema.Struct({ message: Schema.String })
const messageOf = (body: unknown) => Schema.decodeUnknownSync(Message)(body).message
const Started = Schema.Struct({ job_id: Schema.Int })

const start = Effect.fnUntraced(function* (token: string) {
  const { body } = yield* as(token, "POST", "/device_syncto", { hostname: "dist1", dry_run: false, dry_run_job: 1 })
  return Schema.decodeUnknownSync(Started)(body).job_id
})

const seen = { comment: "seen" }

layer(Site(ROLES), { excludeTestServices: true })("A job that waits for another person", (it) => {
  it.effect(
    "cannot be approved by its requester under another spelling, another issuer's name, or an account of theirs",
    () =>
      Effect.gen(function* () {
        yield* setScene()
        const id = yield* start(yield* jwt("indy", "junior"))
        const approve = (token: string) => as(token, "POST", `/job/${id}/approve`, seen)
        const others = [
          yield* jwt("Indy", "operator"),
          yield* jwt(" INDY", "operator"),
          yield* jwt("ｉｎｄｙ", "operator"),
          yield* jwt("in\u200bdy", "operator"),
          yield* jwt("indy@example.org", "operator"),
          yield* jwt("somebody", "operator", { preferred_username: "INDY" }),
          yield* jwt("somebody", "operator", { email: "indy@example.org" })
        ]
        for (const other of others) {
          const { body, status } = yield* approve(other)
          assert.strictEqual(status, 403)
          assert.include(messageOf(body), "somebody else has to decide")
        }
        assert.strictEqual((yield* approve(yield* jwt("kim", "operator"))).status, 200)
      })
  )

  it.effect("cannot be approved by an account that the requester has created or changed, before or since", () =>
    Effect.gen(function* () {
      yield* setScene()
      const indy = yield* jwt("indy", "administrator")
      const kim = yield* jwt("kim", "administrator")
      const add = (by: string, name: string, role = "operator") =>
        as(by, "POST", "/auth/users", { name, roles: [role], password: PASSWORD })
      yield* add(indy, "puppet")
      yield* add(kim, "lee")
      yield* add(kim, "mo")
      yield* add(kim, "pat")
      const id = yield* start(yield* jwt("indy", "junior"))
      const approve = (token: string) => as(token, "POST", `/job/${id}/approve`, seen)
      const before = yield* approve(yield* login("puppet"))
      assert.strictEqual(before.status, 403)
      assert.match(messageOf(before.body), /indy has asked for it, and has created the account puppet.*somebody else/)
      yield* add(indy, "second")
      assert.strictEqual((yield* approve(yield* login("second"))).status, 403)
      yield* as(indy, "PUT", "/auth/users/lee", { password: "another long one" })
      assert.strictEqual((yield* approve(yield* login("lee", "another long one"))).status, 403)
      // by a token of the requester, which counts as its owner
      const made = yield* as(indy, "POST", "/auth/tokens", { name: "robot", roles: ["administrator"] })
      const robot = /swy_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text)
      yield* as(robot, "PUT", "/auth/users/mo", { roles: ["administrator"] })
      assert.strictEqual((yield* approve(yield* login("mo"))).status, 403)
      assert.strictEqual((yield* approve(robot)).status, 403)
      assert.strictEqual((yield* approve(yield* login("pat"))).status, 200)
    })
  )

  it.effect("cannot be approved by an account that an account of the requester has created", () =>
    Effect.gen(function* () {
      yield* setScene()
      const indy = yield* jwt("indy", "administrator")
      const add = (by: string, name: string, role: string) =>
        as(by, "POST", "/auth/users", { name, roles: [role], password: PASSWORD })
      const id = yield* start(yield* jwt("indy", "junior"))
      yield* add(indy, "straw", "administrator")
      const straw = yield* login("straw")
      const made = yield* as(straw, "POST", "/auth/tokens", { name: "straw-robot", roles: ["administrator"] })
      yield* add(straw, "doll", "administrator")
      yield* add(/swy_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text), "figure", "operator")
      yield* add(yield* login("doll"), "shadow", "operator")
      for (const name of ["straw", "doll", "figure", "shadow"]) {
        const { body, status } = yield* as(yield* login(name), "POST", `/job/${id}/approve`, seen)
        assert.strictEqual(status, 403, name)
        assert.include(messageOf(body), "somebody else has to decide")
      }
      // an earlier identity stays the same person
      const kim = yield* jwt("kim", "administrator")
      yield* add(kim, "lou", "administrator")
      yield* add(yield* login("lou"), "ray", "operator")
      yield* as(indy, "PUT", "/auth/users/lou", { roles: ["operator"] })
      assert.strictEqual((yield* as(yield* login("ray"), "POST", `/job/${id}/approve`, seen)).status, 200)
    })
  )

  it.effect("cannot be approved by the creator or editor of the requesting account", () =>
    Effect.gen(function* () {
      yield* setScene()
      const [kim, lia] = [yield* jwt("kim", "administrator"), yield* jwt("lia", "administrator")]
      const add = (by: string, name: string, role = "junior") =>
        as(by, "POST", "/auth/users", { name, roles: [role], password: PASSWORD })
      yield* add(kim, "mask")
      yield* add(kim, "stage", "administrator")
      yield* add(yield* login("stage"), "costume")
      yield* add(lia, "tom")
      yield* as(kim, "PUT", "/auth/users/tom", { password: "another long one" })
      const made = yield* as(yield* login("stage"), "POST", "/auth/tokens", {
        name: "puppet-robot",
        roles: ["junior"],
        is_machine: true
      })
      const askers = [
        yield* login("mask"),
        yield* login("costume"),
        yield* login("tom", "another long one"),
        /swy_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text)
      ]
      for (const asker of askers) {
        const id = yield* start(asker)
        const { body, status } = yield* as(kim, "POST", `/job/${id}/approve`, seen)
        assert.strictEqual(status, 403, JSON.stringify(body))
        assert.include(messageOf(body), "kim has")
        assert.strictEqual((yield* as(yield* jwt("una", "operator"), "POST", `/job/${id}/approve`, seen)).status, 200)
      }
    })
  )

  it.effect("is requested by a token in the name of its owner", () =>
    Effect.gen(function* () {
      yield* setScene()
      const made = yield* as(yield* jwt("ines", "junior"), "POST", "/auth/tokens", {
        name: "nightly2",
        roles: ["junior"]
      })
      const id = yield* start(/swy_[\w-]+/.exec(made.text)?.[0] ?? assert.fail(made.text))
      assert.strictEqual((yield* as(yield* jwt("INES", "operator"), "POST", `/job/${id}/approve`, seen)).status, 403)
      assert.strictEqual((yield* as(yield* jwt("kim", "operator"), "POST", `/job/${id}/approve`, seen)).status, 200)
    })
  )
})

const Asked = Schema.Struct({ message: Schema.String, data: Schema.Struct({ approval_id: Schema.Int }) })

const waits = Effect.fnUntraced(function* (token: string, method: string, path: string, json?: unknown) {
  const { body, status, text } = yield* as(token, method, path, json)
  assert.strictEqual(status, 202, `${method} ${path}: ${text}`)
  return Schema.decodeUnknownSync(Asked)(body).data.approval_id
})

layer(Site(`approval: { security: true }\n${ROLES}`), { excludeTestServices: true })(
  "A call that could weaken approvals, if the site requires one for it",
  (it) => {
    it.effect("users are created, changed and removed as requested once another administrator approves", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ann = yield* jwt("ann", "administrator")
        const bob = yield* jwt("bob", "administrator")
        const decide = (token: string, id: number, verb = "approve") =>
          as(token, "POST", `/approvals/${id}/${verb}`, seen)
        const wanted = { name: "otto", roles: ["operator"], password: PASSWORD }
        const bad = yield* as(ann, "POST", "/auth/users", { ...wanted, password: "short" })
        assert.strictEqual(bad.status, 400)
        assert.strictEqual((yield* as(ann, "POST", "/auth/users", { ...wanted, roles: ["nobody"] })).status, 400)
        assert.strictEqual((yield* as(yield* jwt("rita", "reader"), "POST", "/auth/users", wanted)).status, 403)

        const id = yield* waits(ann, "POST", "/auth/users", wanted)
        assert.notInclude((yield* as(ann, "GET", "/auth/users")).text, "otto")
        const [row] = yield* sql<{
          text: string
        }>`select row_to_json(r)::text as text from request_approval r where id = ${id}`
        assert.notInclude(row?.text, PASSWORD)
        const events = yield* sql<{ text: string }>`select data::text as text from event where kind = 'approval'`
        assert.isFalse(events.some(({ text }) => text.includes(PASSWORD)))
        const list = yield* as(bob, "GET", "/approvals")
        assert.include(list.text, '"name":"otto"')
        assert.notInclude(list.text, PASSWORD)
        assert.notInclude((yield* as(yield* jwt("rita", "reader"), "GET", "/approvals")).text, "otto")

        assert.strictEqual((yield* decide(ann, id)).status, 403)
        assert.strictEqual((yield* decide(yield* jwt("ANN", "administrator"), id)).status, 403)
        assert.strictEqual((yield* decide(yield* jwt("kim", "operator"), id)).status, 403)
        assert.strictEqual((yield* decide(bob, 9999)).status, 404)
        const [one, two] = yield* Effect.all([decide(bob, id), decide(yield* jwt("cid", "administrator"), id)], {
          concurrency: 2
        })
        assert.deepEqual([one.status, two.status].toSorted(), [200, 409])
        yield* login("otto")
        const [made] =
          yield* sql`select actor from event where kind = 'user' and action = 'created' and data ->> 'name' = 'otto'`
        assert.deepEqual(made, { actor: "ann" })

        const change = yield* waits(ann, "PUT", "/auth/users/otto", { roles: ["administrator"] })
        assert.strictEqual((yield* decide(bob, change, "reject")).status, 200)
        assert.notInclude((yield* as(ann, "GET", "/auth/users")).text, "administrator")
        assert.strictEqual((yield* decide(bob, change)).status, 409)
        const removal = yield* waits(ann, "DELETE", "/auth/users/otto")
        assert.strictEqual((yield* decide(bob, removal)).status, 200)
        assert.notInclude((yield* as(ann, "GET", "/auth/users")).text, "otto")
        assert.strictEqual((yield* as(ann, "DELETE", "/auth/users/otto")).status, 404)
        const steps =
          yield* sql`select action, actor from event where kind = 'approval' and (data ->> 'request')::integer = ${id} order by id`
        assert.strictEqual(steps.length, 3)
      })
    )

    it.effect("is checked again before it is carried out, and refused if the requester has lost their role", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const ann = yield* jwt("ann", "administrator")
        const bob = yield* jwt("bob", "administrator")
        const wanted = { roles: ["reader"], password: PASSWORD }
        const first = yield* waits(ann, "POST", "/auth/users", { name: "twice", ...wanted })
        const second = yield* waits(ann, "POST", "/auth/users", { name: "twice", ...wanted })
        assert.strictEqual((yield* as(bob, "POST", `/approvals/${first}/approve`, seen)).status, 200)
        const again = yield* as(bob, "POST", `/approvals/${second}/approve`, seen)
        assert.strictEqual(again.status, 409)
        assert.include(messageOf(again.body), "There is a user twice already")

        const third = yield* waits(ann, "POST", "/auth/users", { name: "later", ...wanted })
        yield* sql`update person set roles = '{reader}' where name = 'ann'`
        assert.strictEqual((yield* as(bob, "POST", `/approvals/${third}/approve`, seen)).status, 409)
        assert.notInclude((yield* as(bob, "GET", "/auth/users")).text, "later")

        const fourth = yield* waits(yield* jwt("dan", "administrator"), "POST", "/auth/users", {
          name: "late",
          ...wanted
        })
        yield* sql`update request_approval set expires_at = now() where id = ${fourth}`
        assert.strictEqual((yield* as(bob, "POST", `/approvals/${fourth}/approve`, seen)).status, 409)
        assert.include((yield* as(bob, "GET", "/approvals")).text, '"decision":"expired"')
      })
    )

    it.effect("the address of a managed device waits, other fields and other devices do not", () =>
      Effect.gen(function* () {
        yield* setScene()
        const sql = yield* SqlClient.SqlClient
        const [managed] = yield* sql<{
          id: number
          port: number | null
        }>`select id, port from device where hostname = 'dist1'`
        const id = managed?.id ?? assert.fail("no dist1")
        const kim = yield* jwt("kim", "administrator")
        const boss = yield* jwt("boss", "administrator")
        assert.strictEqual((yield* as(kim, "PUT", `/device/${id}`, { description: "by the door" })).status, 200)
        const request = yield* waits(kim, "PUT", `/device/${id}`, { port: 2222, description: "no" })
        const padded = yield* as(kim, "PUT", `/device/${id}`, {
          port: 2223,
          description: "x".repeat(200),
          note: " ".repeat(20_000)
        })
        assert.notStrictEqual(padded.status, 200)
        const [same] = yield* sql<{
          port: number | null
          description: string
        }>`select port, description from device where id = ${id}`
        assert.deepEqual([same?.port, same?.description], [managed?.port, "by the door"])
        assert.strictEqual(
          (yield* as(yield* jwt("rita", "reader"), "POST", `/approvals/${request}/approve`, seen)).status,
          403
        )
        assert.strictEqual((yield* as(boss, "POST", `/approvals/${request}/approve`, seen)).status, 200)
        const [moved] = yield* sql<{ port: number | null }>`select port from device where id = ${id}`
        assert.strictEqual(moved?.port, 2222)
        // not by a way round: out of management, where it is logged in to with the same login, moved, and back again
        assert.strictEqual((yield* as(boss, "PUT", `/device/${id}`, { state: "UNMANAGED" })).status, 200)
        yield* waits(boss, "PUT", `/device/${id}`, { port: 22 })
        yield* waits(boss, "PUT", `/device/${id}`, { state: "MANAGED" })
        const [address] = yield* sql<{ management_ip: string }>`select management_ip from device where id = ${id}`
        // nor by another record that takes its address away
        const taker = { hostname: "new0", platform: "eos", device_type: "ACCESS" }
        yield* waits(boss, "POST", "/device", { ...taker, state: "DISCOVERED", dhcp_ip: address?.management_ip })
        yield* waits(boss, "POST", "/device", { ...taker, state: "UNMANAGED", management_ip: "10.0.6.78" })
        yield* waits(boss, "PUT", "/device/6", { dhcp_ip: address?.management_ip })
        const [still] = yield* sql<{ management_ip: string }>`select management_ip from device where id = ${id}`
        assert.deepEqual(still, address)
        const lease = { ...taker, state: "DISCOVERED", dhcp_ip: "10.0.0.77" }
        assert.strictEqual((yield* as(boss, "POST", "/device", lease)).status, 200)
        yield* waits(boss, "POST", "/device", {
          hostname: "new1",
          state: "MANAGED",
          device_type: "ACCESS",
          platform: "eos",
          management_ip: "10.0.6.77"
        })
        yield* setScene()
      })
    )

    it.effect(
      "switches are onboarded, and managed, once another person approves; before that nothing is added or read",
      () =>
        Effect.gen(function* () {
          yield* setScene()
          const sql = yield* SqlClient.SqlClient
          const ann = yield* jwt("eli", "administrator")
          const bob = yield* jwt("bob", "administrator")
          const decide = (token: string, id: number, verb = "approve") =>
            as(token, "POST", `/approvals/${id}/${verb}`, seen)
          const happened = Effect.all([
            sql`select hostname, state::text as state from device order by hostname`,
            sql`select device_id from onboarding order by device_id`,
            sql`select function_name from job where function_name in ('onboard_devices', 'manage_onboarded')`
          ])
          const before = yield* happened
          const list = {
            source: "csv",
            text: "hostname,management_ip,device_type,platform\neyes-a1,10.0.6.71,ACCESS,eos\neyes-a2,10.0.6.72,ACCESS,eos\n"
          }
          const wrong = yield* as(ann, "POST", "/onboarding", {
            ...list,
            text: `${list.text}eyes-a3,10.0.6.999,ACCESS,eos\n`
          })
          assert.strictEqual(wrong.status, 400)
          const tried = yield* as(ann, "POST", "/onboarding", { ...list, dry_run: true })
          assert.strictEqual(tried.status, 200, tried.text)
          const id = yield* waits(ann, "POST", "/onboarding", list)
          assert.deepEqual(yield* happened, before)
          assert.include((yield* as(bob, "GET", "/approvals")).text, "eyes-a2")
          assert.strictEqual((yield* decide(ann, id)).status, 403)
          assert.deepEqual(yield* happened, before)
          assert.strictEqual((yield* decide(bob, id)).status, 200)
          const [devices, rows, jobs] = yield* happened
          assert.deepEqual(
            devices.filter(({ hostname }) => String(hostname).startsWith("eyes-")),
            [
              { hostname: "eyes-a1", state: "UNMANAGED" },
              { hostname: "eyes-a2", state: "UNMANAGED" }
            ]
          )
          assert.strictEqual(rows.length - before[1].length, 2)
          assert.deepEqual(jobs, [...before[2], { function_name: "onboard_devices" }])
          const [by] =
            yield* sql`select actor from event where kind = 'device' and action = 'created' and hostname = 'eyes-a1'`
          assert.deepEqual(by, { actor: "eli" })

          const added = yield* happened
          const manage = { hostnames: ["eyes-a1"] }
          const no = yield* waits(ann, "POST", "/onboarding/manage", manage)
          assert.strictEqual((yield* decide(bob, no, "reject")).status, 200)
          const yes = yield* waits(ann, "POST", "/onboarding/manage", manage)
          assert.strictEqual((yield* decide(ann, yes)).status, 403)
          assert.deepEqual(yield* happened, added)
          assert.strictEqual((yield* decide(bob, yes)).status, 200)
          assert.deepEqual((yield* happened)[2], [...added[2], { function_name: "manage_onboarded" }])
          yield* setScene()
        })
    )

    it.effect("none of it happens before the approval, and the log shows nothing of it", () =>
      Effect.gen(function* () {
        const fingerprint = "SHA256:6HRvVGMdKhvCXlDIDJkEHzJxbYlLjHlhOGuFrBSdpVA"
        yield* setScene([`insert into host_key (device_id, refused_fingerprint) values (4, '${fingerprint}')`])
        const sql = yield* SqlClient.SqlClient
        const happened = Effect.all([
          sql`select * from host_key order by device_id`,
          sql`select id from event where kind = 'host_key'`
        ])
        const before = yield* happened
        const eli = yield* jwt("eli", "administrator")
        const path = "/device/east-a1/hostkey/approve"
        const id = yield* waits(eli, "POST", path, { fingerprint })
        yield* waits(eli, "POST", "/device_hostkeys/approve", { host_keys: [{ hostname: "east-a1", fingerprint }] })
        yield* waits(eli, "PUT", "/device/east-a1/host_key", { action: "PIN", fingerprint })
        // nor does the fleet's login go to a switch that shows another key: here it would be tried in vain
        yield* waits(eli, "POST", "/device/east-a1/trust", { comment: "a new supervisor" })
        assert.deepEqual(yield* happened, before)
        const bob = yield* jwt("bob", "administrator")
        // the approver sees the request
        const { text } = yield* as(bob, "GET", "/approvals")
        assert.include(text, JSON.stringify({ host_keys: [{ hostname: "east-a1", fingerprint }] }))
        assert.strictEqual((yield* as(bob, "POST", `/approvals/${id}/approve`, seen)).status, 200)
        assert.notDeepEqual(yield* happened, before)
      })
    )

    it.effect("is carried out completely although the approver does not wait for the answer", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const wanted = { name: "patient", roles: ["reader"], password: PASSWORD }
        const id = yield* waits(yield* jwt("ann", "administrator"), "POST", "/auth/users", wanted)
        const approving = yield* Effect.forkChild(
          as(yield* jwt("bob", "administrator"), "POST", `/approvals/${id}/approve`, seen)
        )
        const becomes = (condition: string) =>
          Effect.repeat(sql.unsafe(`select id from request_approval where id = ${id} and ${condition}`), {
            until: (rows) => rows.length > 0,
            schedule: Schedule.spaced("20 millis")
          })
        yield* becomes("decision is not null")
        yield* Fiber.interrupt(approving)
        yield* becomes("answer is not null")
        yield* login("patient")
      })
    )

    it.effect("is not carried out in the name of a token that another user has since created under its name", () =>
      Effect.gen(function* () {
        yield* setScene()
        const tokenOf = Effect.fnUntraced(function* (by: string) {
          const { text } = yield* as(by, "POST", "/auth/tokens", { name: "mover", roles: ["administrator"] })
          const id = /"id":(\d+)/.exec(text)?.[1] ?? assert.fail(text)
          return { id, secret: /swy_[\w-]+/.exec(text)?.[0] ?? assert.fail(text) }
        })
        const [eli, una, bob] = [
          yield* jwt("eli", "administrator"),
          yield* jwt("una", "administrator"),
          yield* jwt("bob", "administrator")
        ]
        const first = yield* tokenOf(eli)
        const id = yield* waits(first.secret, "PUT", "/device/east-a1/host_key", { action: "FORGET" })
        assert.strictEqual((yield* as(eli, "DELETE", `/auth/tokens/${first.id}`)).status, 200)
        yield* tokenOf(una)
        const { body, status } = yield* as(bob, "POST", `/approvals/${id}/approve`, seen)
        assert.strictEqual(status, 409)
        assert.include(messageOf(body), "mover")
      })
    )

    it.effect("host keys, tokens of others and muted alerts wait; one's own token does not", () =>
      Effect.gen(function* () {
        yield* setScene()
        const ann = yield* jwt("eli", "administrator")
        const made = yield* as(yield* jwt("rita", "reader"), "POST", "/auth/tokens", {
          name: "of-rita",
          roles: ["reader"]
        })
        const theirs = /"id":(\d+)/.exec(made.text)?.[1]
        yield* waits(ann, "DELETE", `/auth/tokens/${theirs}`)
        assert.strictEqual((yield* as(yield* jwt("rita", "reader"), "DELETE", `/auth/tokens/${theirs}`)).status, 200)
        yield* waits(ann, "PUT", "/device/dist1/host_key", { action: "FORGET" })
        yield* waits(ann, "POST", "/alerts/mutes", { rule: "a rule", minutes: 60, reason: "work" })
        const unknown = yield* as(ann, "PUT", "/device/nobody/host_key", { action: "FORGET" })
        assert.strictEqual(unknown.status, 404)
      })
    )
  }
)
