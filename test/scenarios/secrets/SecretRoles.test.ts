/** Who is shown secrets, by roles, over the API of a whole server: of all devices, of some, or of none; and that each showing is told. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { seconds } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"
import { makeIssuer, sign } from "../../support/TokenKeys.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

const SECRET = "MarkA-template-Xy9z"
const REVERSED = [...SECRET].toReversed().join("")
const [TEN, ELEVEN] = ["lhv-acc10", "lhv-acc11"] as const

const ROLES = `roles:
  boss: { extends: administrator }
  looker: { extends: reader }
  looker-of-ten:
    permissions:
      - { methods: [GET], endpoints: ["*"] }
      - { methods: [GET], endpoints: ["*"], groups: [TEN], rights: [show_secrets] }
  ten:
    groups: [TEN]
    permissions: [{ methods: ["*"], endpoints: ["*"], rights: [show_secrets] }]
`

const USERS = `username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
aaa authorization exec default local
!
interface Loopback77
   description {{ TEMPLATE_SECRET_MARKED[::-1] }}
!
`

/** A server with two synchronized switches, and requests in the name of a role. */
const makeScene = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const groups = path.join(folders.settings.folder, "global/groups.yml")
  const text = yield* Effect.promise(() => fs.readFile(groups, "utf8"))
  yield* folders.settings.commit({
    "global/groups.yml": `${text}  - group:\n      name: TEN\n      regex: '${TEN}$'\n`
  })
  yield* folders.templates.commit({ "eos/users.j2": USERS })
  const lab = yield* Managed.makeManagedLab([TEN, ELEVEN])
  const issuer = makeIssuer("ES256")
  const JWT_CERT = path.join(folders.folder, "public.pem")
  yield* Effect.promise(async () => {
    await fs.writeFile(JWT_CERT, issuer.publicPem)
    await fs.writeFile(path.join(folders.folder, "permissions.yml"), ROLES)
  })
  const { running, url } = yield* serve({
    ...Campus.environment(lab, folders, folders.folder),
    TEMPLATE_SECRET_MARKED: SECRET,
    JWT_ENABLED: "true",
    JWT_CERT,
    ROLES_CLAIM: "roles"
  })
  yield* Effect.provide(Managed.seedManaged([TEN, ELEVEN]), running)
  const as = Effect.fnUntraced(function* (role: string) {
    const token = yield* sign(issuer, { sub: role, roles: [role], exp: Math.floor(Date.now() / 1000) + 3600 })
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
    return (method: string, path: string, body?: unknown) =>
      Effect.promise(async () => {
        const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
        const response = await fetch(`${url}/api/v1.0${path}`, init)
        return { status: response.status, text: await response.text() }
      })
  })
  return { as }
})

type Ask = Effect.Success<ReturnType<Effect.Success<typeof makeScene>["as"]>>

const synced = Effect.fnUntraced(function* (boss: Ask, body: Readonly<Record<string, unknown>>) {
  const { text } = yield* boss("POST", "/device_syncto", { dry_run: false, force: true, resync: true, ...body })
  const id = /"job_id":(\d+)/.exec(text)?.[1]
  assert.isDefined(id, text)
  while (!/"status":"(FINISHED|EXCEPTION)"/.test((yield* boss("GET", `/job/${id}`)).text)) yield* Effect.sleep(50)
  return Number(id)
})

const shows = (text: string) => text.includes(REVERSED)

it.live(
  "shows secrets to roles with the right, of their devices alone, and tells so in the audit",
  () =>
    Effect.gen(function* () {
      const { as } = yield* makeScene
      const [boss, looker, lookerOfTen, ten] = yield* Effect.all([
        as("boss"),
        as("looker"),
        as("looker-of-ten"),
        as("ten")
      ])
      while ((yield* boss("GET", "/settings")).status !== 200) yield* Effect.sleep(50)
      yield* boss("PUT", "/repository/templates", { action: "refresh" })
      const both = yield* synced(boss, { hostnames: [TEN, ELEVEN] })
      yield* boss("PUT", `/device/${TEN}/interfaces`, {
        interfaces: { Ethernet1: { configtype: "ACCESS_AUTO", data: { description: "another" } } }
      })
      const one = yield* synced(boss, { hostname: TEN })

      const reads = [
        `/device/${TEN}/running_config`,
        `/device/${TEN}/previous_config?job_id=${both}`,
        `/job/${both}`,
        "/jobs"
      ]
      for (const read of reads) {
        const { status, text } = yield* looker("GET", read)
        assert.strictEqual(status, 200, read)
        assert.isFalse(shows(text), read)
        assert.include(text, "<hidden:", read)
      }
      const refused = yield* looker("GET", `/job/${both}?show_secrets=true`)
      assert.strictEqual(refused.status, 403)
      assert.include(refused.text, "none of your roles has the right show_secrets")
      assert.match(refused.text, /Allowed by: .*administrator/)

      const asked = [...reads.slice(0, 2), `/job/${both}?show_secrets=true`]
      for (const read of asked) assert.isTrue(shows((yield* boss("GET", read)).text), read)
      assert.isFalse(shows((yield* boss("GET", `/job/${both}`)).text), "secrets have to be asked for")

      // a reader of everything who may see the secrets of some devices
      assert.isTrue(shows((yield* lookerOfTen("GET", `/device/${TEN}/running_config`)).text))
      assert.isFalse(shows((yield* lookerOfTen("GET", `/device/${ELEVEN}/running_config`)).text))
      const mixed = (yield* lookerOfTen("GET", `/job/${both}?show_secrets=true`)).text
      const [, ofTen = "", ofEleven = ""] = /"lhv-acc10":(.*)"lhv-acc11":(.*)/s.exec(mixed) ?? []
      assert.isTrue(shows(ofTen))
      assert.isFalse(shows(ofEleven))
      assert.include(ofEleven, "<hidden:")

      // somebody of these devices sees no other ones at all
      assert.strictEqual((yield* ten("GET", `/device/${ELEVEN}/running_config`)).status, 403)
      assert.strictEqual((yield* ten("GET", `/job/${both}?show_secrets=true`)).status, 403)
      assert.strictEqual((yield* ten("GET", `/job/${one}?show_secrets=true`)).status, 200)
      assert.isTrue(shows((yield* ten("GET", `/device/${TEN}/running_config`)).text))

      const audit = (yield* boss("GET", "/audit?filter[kind]=secret&per_page=100&sort=id")).text
      const told = [...audit.matchAll(/"actor":"([^"]+)"/g)].map(([, actor]) => actor)
      assert.deepStrictEqual(told.toSorted(), ["boss", "boss", "boss", "looker-of-ten", "looker-of-ten", "ten", "ten"])
      assert.isFalse(shows(audit))
    }).pipe(Effect.scoped),
  seconds(120)
)
