/**
 * Jobs of all kinds on switches of the lab with marked secrets in every source: afterwards none of them stands in clear in the log,
 * in the answers, in the database or in the data folder, but where docs/security.md#secrets lists it.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { CallerDevices } from "../../../src/access/CallerDevices.ts"
import { Permissions } from "../../../src/access/Permissions.ts"
import { makeSecretSight } from "../../../src/access/SecretSight.ts"
import { everybody } from "../../../src/domain/access/Identity.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

const PASSWORD = "MarkA-managed-Pw7"
const SECRET = "MarkB-Template-Xy9z"
const COMMUNITY = "MarkC-community-55"
const PLUGIN = "MarkD-plugin-token"
const DEVICE = "MarkE-enable-secret"
const KEY = "MarkF-key-of-this-installation-0123"

const LOWER = SECRET.toLowerCase()
const UPPER = SECRET.toUpperCase()
const REVERSED = [...SECRET].toReversed().join("")
const MARKS = [PASSWORD, SECRET, COMMUNITY, PLUGIN, DEVICE, KEY, LOWER, UPPER, REVERSED, Campus.HASH]

const users = (more = "") => `aaa authorization exec default local
!
username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
snmp-server community ${COMMUNITY} ro
!
interface Loopback77
   description {{ TEMPLATE_SECRET_MARKED | lower }}
interface Loopback78
   description {{ TEMPLATE_SECRET_MARKED[::-1] }}${more}
!
`

/** Every line at every level, with causes and details. */
const keepAll = () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>((options) => void lines.push(Logger.formatLogFmt.log(options)))
  return {
    lines,
    layer: Layer.merge(Logger.layer([logger]), Layer.succeed(References.MinimumLogLevel, "Trace"))
  }
}

const found = (text: string) => MARKS.filter((mark) => text.includes(mark))

/** Every text and JSON value of every table, by its place. */
const dump = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ table: string; column: string }>`select table_name as table, column_name as column
    from information_schema.columns where table_schema = 'public' and data_type not in ('integer', 'bigint', 'boolean')`
  const values: Array<readonly [place: string, text: string]> = []
  for (const { column, table } of columns) {
    const rows = yield* sql<{ value: string | null }>`select ${sql(column)}::text as value from ${sql(table)}`
    for (const { value } of rows) if (value !== null) values.push([`${table}.${column}`, value])
  }
  return values
})

/** Files of a folder by their paths in it. */
const filesIn = (folder: string) =>
  Effect.promise(async () => {
    const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
    return Promise.all(
      files.map(async (file) => [path.relative(folder, file), await fs.readFile(file, "latin1")] as const)
    )
  })

it.live("leaves no clear secret in logs, answers, database and files", () =>
  Effect.gen(function* () {
    const names = Managed.accessNames(2)
    const folders = yield* Campus.makeFolders
    const lab = yield* Managed.makeManagedLab(names, 0, 200, { passwords: { switchyard: PASSWORD } })
    yield* folders.templates.commit({ "eos/users.j2": users() })
    const kept = keepAll()
    yield* Effect.promise(() =>
      fs.writeFile(
        path.join(folders.folder, "plugins.yml"),
        "plugins:\n  - filename: nav.py\n    vars: {urlbase: 'http://127.0.0.1:1', apitoken_secret: NAV}\n"
      )
    )
    const env = {
      ...Campus.environment(lab, folders, folders.folder),
      PASSWORD_MANAGED: PASSWORD,
      TEMPLATE_SECRET_MARKED: SECRET,
      PLUGIN_SECRET_NAV: PLUGIN,
      DEVICE_SECRET_ENABLE: DEVICE,
      SECRET_KEY: KEY,
      LOG_LEVEL: "Trace",
      SYNC_CONCURRENCY: "2"
    }
    const { api, running } = yield* serve(env, kept.layer)
    yield* Effect.provide(Managed.seedManaged(names), running)
    const answers: Array<readonly [place: string, text: string]> = []
    const ask = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
      const reply = yield* api.send(method, path, body)
      answers.push([`${method} ${path}`, JSON.stringify(reply.body)])
      return reply.body
    })
    const job = Effect.fnUntraced(function* (path: string, body: unknown) {
      const { job_id } = yield* ask("POST", path, body)
      assert.isNumber(job_id, path)
      yield* api.ended(Number(job_id))
      yield* ask("GET", `/job/${job_id}`)
      return Number(job_id)
    })
    const refresh = (what: string) => ask("PUT", `/repository/${what}`, { action: "refresh" })
    const [host = ""] = names
    const sync = { hostname: host, dry_run: false, force: true }

    yield* refresh("templates")
    yield* refresh("settings")
    const first = yield* job("/device_syncto", { all: true, dry_run: false, force: true })
    const synced = yield* ask("GET", `/job/${first}`)
    assert.include(JSON.stringify(synced), "<hidden:")
    assert.include(yield* Effect.map(lab.get(host), (device) => device.running()), REVERSED)

    yield* folders.templates.commit({
      "eos/users.j2": users("\n   no such command {{ TEMPLATE_SECRET_MARKED | upper }}")
    })
    yield* refresh("templates")
    yield* job("/device_syncto", sync)
    yield* folders.templates.commit({ "eos/users.j2": users("\n   {{ TEMPLATE_SECRET_MARKED | nosuch }}") })
    yield* refresh("templates")
    yield* folders.templates.commit({ "eos/users.j2": users("\n   description {{ TEMPLATE_SECRET_MARKED[1:] }}") })
    yield* refresh("templates")
    const changed = yield* job("/device_syncto", sync)
    yield* job("/device_drift", { hostname: host })
    yield* job(`/job/${changed}/revert`, { dry_run: false })
    yield* job(`/device/${host}/apply_config`, {
      full_config: `hostname ${host}\nsnmp-server community ${COMMUNITY} ro\n`,
      dry_run: true
    })
    yield* job(`/device/${host}/previous_config`, { job_id: changed, dry_run: true })
    for (const path of [
      "/jobs",
      "/devices",
      "/plugins",
      "/settings/server",
      `/device/${host}`,
      `/device/${host}/generate_config`
    ]) {
      yield* ask("GET", path)
    }
    const marked = yield* ask("POST", `/device/${host}/apply_config`, { full_config: "enable secret <hidden:12ab>\n" })
    assert.include(String(marked.message), "<hidden:12ab>")

    // what may be looked at is looked at by name, and noted
    const shown = [
      yield* api.send("GET", `/device/${host}/running_config`),
      yield* api.send("GET", `/device/${host}/previous_config?job_id=${first}`),
      yield* api.send("GET", `/job/${first}?show_secrets=true`)
    ].map(({ body }) => JSON.stringify(body))
    for (const text of shown) assert.includeMembers(found(text), [COMMUNITY])
    assert.includeMembers(found(shown[1] ?? ""), [LOWER, REVERSED])
    const hidden = Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const events = yield* sql<{
        what: string
      }>`select data ->> 'what' as what from event where kind = 'secret' order by id`
      assert.deepStrictEqual(
        events.map(({ what }) => what),
        ["running_config", "previous_config", "job"]
      )
      const config = ServerConfig.of({ ...(yield* ServerConfig), SHOW_SECRETS: false })
      const blind = Layer.mergeAll(CallerDevices.layer, Permissions.layer).pipe(
        Layer.provideMerge(Layer.succeed(ServerConfig, config)),
        Layer.fresh
      )
      const text = yield* Effect.map(lab.get(host), (device) => device.running())
      const sight = yield* Effect.provide(makeSecretSight, blind)
      return yield* sight.config(everybody, { what: "running_config", hostname: host }, text)
    })
    const seen = yield* Effect.provide(hidden, running)
    assert.deepStrictEqual(found(seen), [])
    assert.include(seen, `hostname ${host}`)

    const stored = yield* Effect.provide(dump, running)
    const files = yield* filesIn(folders.folder)
    const log = kept.lines.map((line) => ["log", line] as const)
    // the templates' repository is a site's own: a community that an author has written there is readable there
    const listed = /^(?:repository\.|repositories\/)|^GET \/settings/
    const leaks = [...stored, ...answers, ...files, ...log].flatMap(([place, text]) =>
      listed.test(place) ? [] : found(text).map((mark) => `${place}: ${mark}: ${text.slice(0, 300)}`)
    )
    assert.deepStrictEqual(leaks, [])
    assert.isAbove(kept.lines.length, 20)
  }).pipe(Effect.scoped)
)
