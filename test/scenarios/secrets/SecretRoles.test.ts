/** Display of secrets by roles, over the API of a whole server: of all devices, of some, or of none; and that each display is recorded. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"

const SECRET = "MarkA-template-Xy9z"
const REVERSED = [...SECRET].toReversed().join("")
const [TEN, ELEVEN] = ["lhv-acc10", "lhv-acc11"] as const

const ROLES = `roles:
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

/** Two switches, of which one is a group of its own. */
const site = makeCampusWithRoles({
  names: [TEN, ELEVEN],
  roles: ROLES,
  variables: { TEMPLATE_SECRET_MARKED: SECRET },
  prepare: ({ settings, templates }) =>
    Effect.gen(function* () {
      const groups = path.join(settings.folder, "global/groups.yml")
      const text = yield* Effect.promise(() => fs.readFile(groups, "utf8"))
      yield* settings.commit({
        "global/groups.yml": `${text}  - group:\n      name: TEN\n      regex: '${TEN}$'\n`
      })
      yield* templates.commit({ "eos/users.j2": USERS })
    })
})

const synced = Effect.fnUntraced(function* (boss: Ask, body: Readonly<Record<string, unknown>>) {
  const id = jobIn(yield* boss("POST", "/device_syncto", { dry_run: false, force: true, resync: true, ...body }))
  yield* ended(boss, id)
  return id
})

const shows = (text: string) => text.includes(REVERSED)

it.live("shows secrets to roles with the right, of their devices only, and records it in the audit", () =>
  Effect.gen(function* () {
    const { as, boss } = yield* site
    const [looker, lookerOfTen, ten] = yield* Effect.all([as("looker"), as("looker-of-ten"), as("ten")])
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

    // a user of these devices sees no others
    assert.strictEqual((yield* ten("GET", `/device/${ELEVEN}/running_config`)).status, 403)
    assert.strictEqual((yield* ten("GET", `/job/${both}?show_secrets=true`)).status, 403)
    assert.strictEqual((yield* ten("GET", `/job/${one}?show_secrets=true`)).status, 200)
    assert.isTrue(shows((yield* ten("GET", `/device/${TEN}/running_config`)).text))

    const audit = (yield* boss("GET", "/audit?filter[kind]=secret&per_page=100&sort=id")).text
    const told = [...audit.matchAll(/"actor":"([^"]+)"/g)].map(([, actor]) => actor)
    assert.deepStrictEqual(told.toSorted(), ["boss", "boss", "boss", "looker-of-ten", "looker-of-ten", "ten", "ten"])
    assert.isFalse(shows(audit))
  }).pipe(Effect.scoped)
)
