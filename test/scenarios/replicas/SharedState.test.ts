/**
 * Changes at one replica take effect at the others at once, or at their next request (docs/operations.md#replicas). `SEEN=1` prints how
 * long each took.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Console, Effect, FileSystem } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { seconds } from "../../support/Patience.ts"
import { SHARED_KEY, startReplica } from "../../support/Replica.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { keyFile, makeIssuer, sign } from "../../support/TokenKeys.ts"

const issuer = makeIssuer("ES256")
const PASSWORD = "seven green bicycles"

interface Answer {
  readonly status: number
  readonly text: string
}

type Send = (method: string, path: string, json?: unknown) => Effect.Effect<Answer>

const caller =
  (url: string, authorization: string): Send =>
  (method, path, json) =>
    Effect.promise(async () => {
      const headers = { authorization, ...(json === undefined ? {} : { "content-type": "application/json" }) }
      const body = json === undefined ? {} : { body: JSON.stringify(json) }
      const response = await fetch(`${url}/api/v1.0${path}`, { method, headers, ...body })
      return { status: response.status, text: await response.text() }
    })

/** Two replicas with people, programs and repositories. */
const makeScene = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const JWT_CERT = yield* keyFile(issuer)
  const database = yield* databaseUrl
  const { settings, templates } = yield* Campus.makeFolders
  const start = Effect.gen(function* () {
    const DATA_DIR = yield* files.makeTempDirectoryScoped()
    yield* files.writeFileString(`${DATA_DIR}/permissions.yml`, "roles: {}\n")
    return yield* startReplica(database, {
      SECRET_KEY: SHARED_KEY,
      DATA_DIR,
      JWT_ENABLED: "true",
      JWT_CERT,
      LOCAL_USERS: "true",
      ROLES_CLAIM: "roles",
      GITREPO_SETTINGS: settings.folder,
      GITREPO_TEMPLATES: templates.folder
    })
  })
  const one = yield* start
  const other = yield* start
  const exp = Math.floor(Date.now() / 1000) + 3600
  const admin = `Bearer ${yield* sign(issuer, { sub: "indy", roles: ["administrator"], exp })}`
  return { settings, here: caller(one.url, admin), there: caller(other.url, admin), one, other }
})

type Scene = Effect.Success<typeof makeScene>

/** Something that is changed here, and whether it is seen there. */
interface Change {
  readonly what: string
  readonly prepare?: (scene: Scene) => Effect.Effect<unknown>
  readonly change: (scene: Scene) => Effect.Effect<Answer>
  readonly isSeen: (scene: Scene) => Effect.Effect<boolean>
}

const has = (send: Send, path: string, text: string) =>
  Effect.map(send("GET", path), (answer) => answer.status === 200 && answer.text.includes(text))

const bearer = ({ text }: Answer, field: string): string => {
  const found = new RegExp(`"${field}":"([^"]+)"`).exec(text)?.[1]
  return found === undefined ? assert.fail(text) : `Bearer ${found}`
}

/** Uses a credential there, which by then is well known there. */
const held = { program: "", person: "" }
const used = ({ other }: Scene, authorization: string) => caller(other.url, authorization)("GET", "/devices")

const login = Effect.fnUntraced(function* ({ one }: Scene) {
  const basic = `Basic ${Buffer.from(`rita:${PASSWORD}`).toString("base64")}`
  held.person = bearer(yield* caller(one.url, basic)("POST", "/auth"), "access_token")
})

const changes: ReadonlyArray<Change> = [
  {
    what: "settings in force",
    change: ({ here, settings }) =>
      Effect.promise(() => fs.readFile(path.join(settings.folder, "global/groups.yml"), "utf8")).pipe(
        Effect.flatMap((groups) => settings.commit({ "global/groups.yml": `${groups.trimEnd()}\n${GROUP}` })),
        Effect.andThen(here("PUT", "/repository/settings", { action: "REFRESH" }))
      ),
    isSeen: ({ there }) => has(there, "/groups", "SEEN_EVERYWHERE")
  },
  {
    what: "a device",
    change: ({ here }) =>
      here("POST", "/device", { hostname: "seen1", state: "UNMANAGED", device_type: "ACCESS", platform: "eos" }),
    isSeen: ({ there }) => has(there, "/device/seen1", "seen1")
  },
  {
    what: "a token that was made",
    change: ({ here }) =>
      Effect.tap(here("POST", "/auth/tokens", { name: "reader", roles: ["reader"], days: 3 }), (made) =>
        Effect.sync(() => (held.program = bearer(made, "token")))
      ),
    isSeen: (scene) => Effect.map(used(scene, held.program), ({ status }) => status === 200)
  },
  {
    what: "a token that was revoked",
    change: ({ here }) =>
      Effect.flatMap(here("GET", "/auth/tokens"), ({ text }) =>
        here("DELETE", `/auth/tokens/${/"id":(\d+)/.exec(text)?.[1]}`)
      ),
    isSeen: (scene) => Effect.map(used(scene, held.program), ({ status }) => status === 401)
  },
  {
    what: "a user's roles",
    prepare: (scene) =>
      scene
        .here("POST", "/auth/users", { name: "rita", roles: ["reader"], password: PASSWORD })
        .pipe(Effect.andThen(login(scene)), Effect.andThen(Effect.suspend(() => used(scene, held.person)))),
    change: ({ here }) => here("PUT", "/auth/users/rita", { roles: ["monitoring"] }),
    isSeen: ({ other }) => Effect.map(caller(other.url, held.person)("GET", "/plugins"), ({ status }) => status === 403)
  },
  {
    what: "a user who was removed",
    prepare: (scene) => used(scene, held.person),
    change: ({ here }) => here("DELETE", "/auth/users/rita"),
    isSeen: (scene) => Effect.map(used(scene, held.person), ({ status }) => status === 401)
  },
  {
    what: "alerts that were muted",
    change: ({ here }) => here("POST", "/alerts/mutes", { device: "seen*", reason: "seen everywhere", minutes: 5 }),
    isSeen: ({ there }) => has(there, "/alerts/mutes", "seen everywhere")
  }
]

const GROUP = `  - group:
      name: "SEEN_EVERYWHERE"
      regex: ".*"
      group_priority: 5
`

it.live(
  "applies a change at one replica to the other",
  () =>
    Effect.gen(function* () {
      const scene = yield* makeScene
      const ages: Array<string> = []
      for (const { change, isSeen, prepare, what } of changes) {
        if (prepare !== undefined) yield* prepare(scene)
        assert.isFalse(yield* isSeen(scene), what)
        const { status, text } = yield* change(scene)
        assert.isBelow(status, 300, `${what}: ${text}`)
        const since = Date.now()
        while (!(yield* isSeen(scene))) yield* Effect.sleep("20 millis")
        ages.push(`${what}: ${Date.now() - since} ms`)
      }
      if (process.env["SEEN"] !== undefined) yield* Console.log(ages.join("\n"))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
  seconds(120)
)
