/** Permitted connections by socket.io and their events: tokens, roles of some devices, origins. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import * as Campus from "../../support/Campus.ts"
import { keepLines } from "../../support/LogLines.ts"
import { attempt, EVERYTHING, listen, sentence } from "../../support/LiveClient.ts"
import { serve } from "../../support/ServedCampus.ts"
import { makeIssuer, sign } from "../../support/TokenKeys.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

const names = Managed.accessNames(2)
const [mine = "", others = ""] = names

const ROLES = `roles:
  some: { extends: operator, interfaces: ["${mine}:*"] }
  blind: { permissions: [{ methods: [POST], endpoints: ["*"] }] }
`
const REJECTED = "Connection rejected by server"

it.live(
  "admits the callers of the API, refuses others by the sentence that the web client knows, and sends each the permitted events",
  () =>
    Effect.gen(function* () {
      const { as, boss, running, tokenOf, url } = yield* makeCampusWithRoles({
        names,
        roles: ROLES,
        logging: keepLines("Info").layer
      })
      const stranger = yield* sign(makeIssuer("ES256"), { sub: "eve", roles: ["administrator"], exp: 4_000_000_000 })
      const query = (jwt: string) => ({ query: { jwt } })
      for (const options of [
        {},
        query(""),
        query("abc"),
        query(stranger),
        query(yield* tokenOf("some", "old", -3600))
      ]) {
        assert.strictEqual(yield* attempt(url, options), REJECTED)
        assert.strictEqual(yield* attempt(url, { ...options, transports: ["websocket"] }), REJECTED)
      }
      const program = yield* boss("POST", "/auth/tokens", { name: "watcher", roles: ["reader"], days: 1 })
      const apiToken = /"token":"([^"]+)"/.exec(program.text)?.[1] ?? program.text

      const all = yield* listen(url, EVERYTHING, query(yield* tokenOf("administrator", "boss")))
      const viewer = yield* listen(url, EVERYTHING, query(apiToken))
      const some = yield* listen(url, EVERYTHING, { ...query(yield* tokenOf("some")), transports: ["websocket"] })
      const blind = yield* listen(url, EVERYTHING, { ...query(yield* tokenOf("blind")), transports: ["polling"] })

      const limited = yield* as("some")
      const own = jobIn(yield* limited("POST", "/device_syncto", { hostname: mine, dry_run: true }))
      yield* ended(boss, own)
      const foreign = jobIn(yield* boss("POST", "/device_syncto", { hostname: others, dry_run: true }))
      yield* ended(boss, foreign)
      yield* Effect.provideContext(
        Effect.flatMap(DeviceStore, (devices) =>
          Effect.andThen(devices.getByHostname(mine), ({ id }) => devices.update(id, { description: "the last one" }))
        ),
        running
      )
      for (const client of [all, viewer, some]) {
        yield* client.until("The last event", () => JSON.stringify(client.events).includes("the last one"))
      }
      yield* all.untilEnd(foreign)
      yield* viewer.untilEnd(foreign)
      yield* some.untilEnd(own)
      assert.deepStrictEqual(viewer.events, all.events)
      // exactly their own events, in the order in which all clients receive them
      assert.deepStrictEqual(
        some.events.map(sentence),
        all.events.filter(({ hostname, job_id }) => hostname === mine || job_id === own).map(sentence)
      )
      yield* some.until("Lines", () => some.lines.some((line) => line.includes(`job #${own}:`)))
      assert.isEmpty(some.lines.filter((line) => !line.includes(`job #${own}:`)))
      assert.isNotEmpty(all.lines.filter((line) => line.includes(`job #${foreign}:`)))
      assert.deepStrictEqual([blind.events, blind.lines], [[], []])

      const refusals = yield* boss("GET", "/audit?filter[kind]=login&per_page=100")
      assert.include(refusals.text, '"path":"/socket.io/"')
      assert.notInclude(refusals.text, stranger)
    }).pipe(Effect.scoped)
)

it.live(
  "ends the connections of a program whose token is revoked, and of a user who is removed or gets other roles, and no others",
  () =>
    Effect.gen(function* () {
      const { folder } = yield* Campus.makeFolders
      const issuer = makeIssuer("ES256")
      const JWT_CERT = `${folder}/public.pem`
      yield* Effect.promise(() => fs.writeFile(JWT_CERT, issuer.publicPem))
      const env = { DATA_DIR: folder, HOST: "127.0.0.1", JWT_ENABLED: "true", JWT_CERT, LOCAL_USERS: "true" }
      const { url } = yield* serve({ ...env, SSH_REFUSED_DELAY: "0" }, keepLines("Info").layer)
      const boss = yield* sign(issuer, { sub: "boss", exp: 4_000_000_000 })
      const send = (method: string, path: string, body?: unknown, authorization = `Bearer ${boss}`) =>
        Effect.promise(async () => {
          const headers = { authorization, "content-type": "application/json" }
          const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
          const response = await fetch(`${url}/api/v1.0${path}`, init)
          const text = await response.text()
          assert.isTrue(response.ok, text)
          return text
        })
      const found = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? assert.fail(text)
      const program = Effect.fnUntraced(function* (name: string) {
        const made = yield* send("POST", "/auth/tokens", { name, roles: ["reader"], days: 1 })
        return { token: found(made, /"token":"([^"]+)"/), id: found(made, /"id":(\d+)/) }
      })
      const user = Effect.fnUntraced(function* (name: string) {
        const password = "a password that is long enough"
        yield* send("POST", "/auth/users", { name, password, roles: ["reader"] })
        const login = `Basic ${Buffer.from(`${name}:${password}`).toString("base64")}`
        return found(yield* send("POST", "/auth", undefined, login), /"access_token":"([^"]+)"/)
      })
      const connect = (jwt: string) => listen(url, EVERYTHING, { query: { jwt }, transports: ["websocket"] })

      const [gone, stays] = [yield* program("gone"), yield* program("stays")]
      const revoked = yield* connect(gone.token)
      const kim = yield* connect(yield* user("kim"))
      const others = [yield* connect(stays.token), yield* connect(yield* user("lee")), yield* connect(boss)]
      yield* send("DELETE", `/auth/tokens/${gone.id}`)
      yield* send("PUT", "/auth/users/kim", { roles: ["monitoring"] })
      for (const { socket, until } of [revoked, kim]) yield* until("The end", () => !socket.connected)
      assert.strictEqual(yield* attempt(url, { query: { jwt: gone.token } }), REJECTED)
      assert.deepStrictEqual(
        others.map(({ socket }) => socket.connected),
        [true, true, true]
      )
    }).pipe(Effect.scoped)
)

/** The browser's view of a poll of a page of this origin. */
const polled = (url: string, origin: string) =>
  Effect.promise(async () => {
    const { headers, status } = await fetch(`${url}/socket.io/?EIO=4&transport=polling`, { headers: { origin } })
    return [status, headers.get("access-control-allow-origin"), headers.get("access-control-allow-credentials")]
  })

it.live("answers pages of any origin without credentials, or those that are allowed with them", () =>
  Effect.gen(function* () {
    const { folder } = yield* Campus.makeFolders
    const env = {
      DATA_DIR: folder,
      HOST: "127.0.0.1",
      JWT_ENABLED: "false",
      LOG_LEVEL: "Error",
      SSH_REFUSED_DELAY: "0"
    }
    const page = "https://ui.example.org"
    const open = yield* serve({ ...env, ALLOW_OPEN_API: "true" })
    assert.deepStrictEqual(yield* polled(open.url, page), [200, page, null])
    const strict = yield* serve({ ...env, ALLOW_OPEN_API: "true", ALLOWED_ORIGINS: page })
    assert.deepStrictEqual(yield* polled(strict.url, page), [200, page, "true"])
    assert.strictEqual((yield* polled(strict.url, "https://evil.example.org"))[0], 403)
    assert.isString(
      yield* attempt(strict.url, { transports: ["websocket"], extraHeaders: { origin: "https://evil.example.org" } })
    )
    assert.isNotString(yield* attempt(strict.url, { transports: ["websocket"], extraHeaders: { origin: page } }))

    // without tokens: only this machine, and no page that gives its own name our address
    const closed = yield* serve(env)
    assert.strictEqual((yield* polled(closed.url, "https://evil.example.org"))[0], 403)
    assert.isString(
      yield* attempt(closed.url, { transports: ["websocket"], extraHeaders: { host: "evil.example.org" } })
    )
    assert.isNotString(yield* attempt(closed.url, { transports: ["websocket"] }))
    assert.isNotString(yield* attempt(closed.url, { transports: ["polling"] }))
  }).pipe(Effect.scoped)
)
