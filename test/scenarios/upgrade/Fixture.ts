/**
 * A site as the killed server of release 0.1.0 left it (`release-0.1.0/`, made by `MakeFirstRelease.ts`): its database with all times moved
 * to now, its repositories, and a lab whose switches have the running, saved and open configurations of that moment.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { gunzipSync } from "node:zlib"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { openShell } from "../../support/lab/Client.ts"
import { emptyDatabaseUrl } from "../../support/TestDatabase.ts"
import { stripped } from "../chaos/ManagedCampus.ts"
import { makeLab, SwitchState } from "./UpgradeSite.ts"

/** When the server was killed: while each device was confirmed for itself, while all wait for each other, while all are confirmed. */
export type Moment = "each" | "all" | "confirming"

const folder = path.join(import.meta.dirname, "release-0.1.0")

const Site = Schema.fromJsonString(
  Schema.Struct({
    /** The commit of the server that was killed, and when. */
    release: Schema.String,
    at: Schema.String,
    /** The rollout that was under way. */
    jobId: Schema.Int,
    switches: Schema.Record(Schema.String, SwitchState)
  })
)
type Site = typeof Site.Type

const read = (file: string) =>
  Effect.promise(async () => gunzipSync(await fs.readFile(path.join(folder, file))).toString("utf8"))

/** All points in time later by so many milliseconds: those of columns and in JSON, and numbers of milliseconds. */
export const later = (text: string, by: number): string =>
  text
    .replaceAll(/\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00(?::00)?|Z)/g, (at) =>
      new Date(Date.parse(at.replace(/\+00$/, "Z")) + by).toISOString()
    )
    .replaceAll(/\b1[789]\d{11}\b/g, (at) => String(Number(at) + by))

const isWhole = (statement: string): boolean =>
  statement.trimEnd().endsWith(";") &&
  (statement.match(/'/g) ?? []).length % 2 === 0 &&
  (statement.match(/\$\$/g) ?? []).length % 2 === 0

/** The statements of a script of pg_dump, whose lines between them are comments and commands of psql. */
export const statementsOf = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let open = ""
  for (const line of script.split("\n")) {
    if (open === "" && (line === "" || line.startsWith("--") || line.startsWith("\\"))) continue
    open += `${line}\n`
    if (!isWhole(open)) continue
    statements.push(open)
    open = ""
  }
  return statements
}

const loadDatabase = Effect.fnUntraced(function* (script: string, keys: HostKeys) {
  const url = yield* emptyDatabaseUrl
  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    for (const statement of statementsOf(script)) yield* sql.unsafe(statement)
    for (const [address, fingerprint] of keys) {
      yield* sql`update public.host_key set fingerprint = ${fingerprint} from public.device
        where device.id = device_id and management_ip = ${address}`
    }
    // the second step of the switch that joins is due
    const now = Date.now()
    yield* sql`update public.job set scheduled_time = now() where status = 'SCHEDULED'`
    yield* sql`update public.cluster_messages set deliver_at = ${now} where deliver_at > ${now}`
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)
  return url
})

/** Replaces the repositories of the examples by those that the site had. */
const cloneRepositories = (folders: Campus.Folders) =>
  Effect.promise(async () => {
    for (const name of ["settings", "templates"] as const) {
      await fs.rm(folders[name].folder, { recursive: true })
      execFileSync("git", ["clone", "-q", "-b", "main", path.join(folder, `${name}.bundle`), folders[name].folder])
    }
  })

/** The host keys that the server knows: the lab makes new keys each time. */
type HostKeys = ReadonlyArray<readonly [address: string, fingerprint: string]>

/** How much of a candidate a switch had when the server was killed while it loaded it. */
const SOME_LINES = 20

/** Commands that are typed at one prompt each: a banner is requested as a whole. */
const commandsOf = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.join("\n").match(/^banner [^]*?^EOF$|^.*$/gm) ?? []

/** Over SSH, as the server does it. */
const openSessions = (device: LabSwitch, port: number, { open, running, timer: timed }: SwitchState) =>
  Effect.promise(async () => {
    const [address = ""] = device.addresses()
    let key = ""
    const shell = await openShell({
      host: address,
      port,
      username: "switchyard",
      password: Campus.PASSWORD,
      onHostKey: (shown) => (key = `SHA256:${createHash("sha256").update(shown).digest("base64").replace(/=+$/, "")}`)
    })
    const lines = stripped(running).split("\n")
    const load = async (session: string, candidate: ReadonlyArray<string>, last: string) => {
      for (const command of [`configure session ${session}`, "rollback clean-config", ...commandsOf(candidate), last]) {
        await shell.ask(command)
      }
    }
    for (const session of open) await load(session, lines.slice(0, SOME_LINES), "end")
    if (timed !== null) await load(timed, lines, "commit timer 00:05:00")
    shell.close()
    await shell.closed
    return [address.replace(/^127/, "10"), key] as const
  })

/** A switch starts with what it had saved. */
const configured = ({ switches }: Site) =>
  Object.fromEntries(
    Object.entries(switches).map(([name, { startup }]) => [
      name,
      { "startup-config": stripped(startup), blank: false, gateway: true }
    ])
  )

/** The server of release 0.1.0 had none. */
const KEY = "the key of a site that is upgraded, long enough"

/** Its database alone, as it was. */
export const databaseOf = (moment: Moment) =>
  Effect.flatMap(read(`${moment}.sql.gz`), (script) => loadDatabase(script, []))

/** The site of that moment, with no server. */
export const load = Effect.fnUntraced(function* (moment: Moment) {
  const site = yield* Effect.orDie(Effect.flatMap(read(`${moment}.json.gz`), Schema.decodeUnknownEffect(Site)))
  const folders = yield* Campus.makeFolders
  yield* cloneRepositories(folders)
  const lab = yield* makeLab(configured(site))
  const keys = yield* Effect.forEach(Object.entries(site.switches), ([name, state]) =>
    Effect.flatMap(Effect.orDie(lab.get(name)), (device) => openSessions(device, lab.port, state))
  )
  const script = later(yield* read(`${moment}.sql.gz`), Date.now() - Date.parse(site.at))
    .replaceAll("@settings@", folders.settings.folder)
    .replaceAll("@templates@", folders.templates.folder)
  const url = yield* loadDatabase(script, keys)
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    COMMIT_CONFIRMED_TIMEOUT: "300",
    DATABASE_URL: url,
    SECRET_KEY: KEY,
    // its address is in the log
    LOG_LEVEL: "Info"
  }
  return { ...site, lab, url, env }
})
