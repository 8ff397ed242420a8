/** A site for a compressed month: PostgreSQL with a calendar, switches of the lab, repositories, and the server as a process of its own. */
import { Effect, Redacted } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Database from "../../../src/store/Database.ts"
import * as EmbeddedPostgres from "../../../src/store/EmbeddedPostgres.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Campus from "../Campus.ts"
import { dataFolder, startInstalled } from "../Program.ts"
import { TEST_KEY, storesOn } from "../TestStores.ts"
import { makeIssuer, sign } from "../TokenKeys.ts"
import { installCalendar } from "./Calendar.ts"

/** Days for which everything is kept. */
export const KEPT_DAYS = 1

const RETENTION = Object.fromEntries(
  ["JOB", "JOB_DEVICE", "CHANGE", "CONFIG", "OPERATION", "EVENT", "AUDIT", "ALERT", "JOB_RECORD"].map((kind) => [
    `${kind}_DAYS`,
    String(KEPT_DAYS)
  ])
)
const ROLES = `roles:
  administrator:
    permissions:
      - { methods: ["*"], endpoints: ["*"] }
`
// nothing of it has to outlive the machine; what is deleted is given back within seconds of a day that has some
const POSTGRES = ["fsync=off", "full_page_writes=off", "autovacuum_naptime=2s"].flatMap((flag) => ["-c", flag])

/** Starts it with so many access switches. */
export const makeMonthSite = Effect.fnUntraced(function* (count: number) {
  const names = Managed.accessNames(count)
  const folders = yield* Campus.makeFolders
  const lab = yield* Managed.makeManagedLab(names)
  const issuer = makeIssuer("ES256")
  const JWT_CERT = path.join(folders.folder, "public.pem")
  yield* Effect.promise(async () => {
    await fs.writeFile(JWT_CERT, issuer.publicPem)
    await fs.writeFile(path.join(folders.folder, "permissions.yml"), ROLES)
  })
  const postgres = yield* EmbeddedPostgres.make({ dataDir: yield* dataFolder, flags: POSTGRES })
  const url = `postgres://postgres:${Redacted.value(postgres.password)}@127.0.0.1:${postgres.port()}/postgres`
  yield* Effect.provide(installCalendar, Database.layerUrl(Redacted.make(url), 1))
  const env = {
    ...Campus.environment(lab, folders, folders.folder),
    ...TEST_KEY,
    ...RETENTION,
    CONFIG_COUNT: "2",
    UPKEEP_INTERVAL: "1",
    JWT_ENABLED: "true",
    JWT_CERT,
    ROLES_CLAIM: "roles",
    LOCAL_USERS: "true",
    LOG_LEVEL: "Info",
    DATABASE_URL: url,
    // its temporary files are looked at with the others
    TMPDIR: folders.folder,
    // data that only the process itself has are read through its inspector
    NODE_OPTIONS: "--inspect=127.0.0.1:0"
  }
  const server = yield* startInstalled(env)
  const base = yield* server.url
  const database = storesOn(Database.layerUrl(Redacted.make(url)))
  yield* Effect.provide(Managed.seedManaged(names), database)
  const token = yield* sign(issuer, {
    sub: "boss",
    roles: ["administrator"],
    exp: Math.floor(Date.now() / 1000) + 86_400
  })

  /** A request with this token, which is an administrator's unless another is given; headers may say otherwise. */
  const ask = (method: string, target: string, body?: unknown, authorization = `Bearer ${token}`) =>
    Effect.promise(async () => {
      const headers = { authorization, "content-type": "application/json", connection: "close" }
      const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const response = await fetch(`${base}/api/v1.0${target}`, init)
      return { status: response.status, text: await response.text() }
    })
  while ((yield* ask("GET", "/settings")).status !== 200) yield* Effect.sleep(50)
  yield* ask("PUT", "/repository/templates", { action: "refresh" })
  return { ask, base, database, env, folders, names, server, token }
})

export type MonthSite = Effect.Success<ReturnType<typeof makeMonthSite>>
