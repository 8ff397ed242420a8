/**
 * The identity of the installation (docs/operations.md#identity). Its id is in a file of DATA_DIR, in the database and in every backup. A
 * database is created only if nothing shows that one existed: a missing file may be on an unmounted volume, and an empty database
 * would be used instead. A file that cannot be read does not count as missing.
 */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { randomUUID } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { compareReleases, release } from "../domain/Release.ts"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import type { ServerSettings } from "../ServerConfig.ts"
import { type Home, homeFor, isHomeOfOthers, lookAt, namesIn } from "./postgres/PostgresPrograms.ts"

/** The database is neither created nor used; the message says what is missing and how to continue. */
export class InstallationRefused extends Schema.TaggedError<InstallationRefused>()("InstallationRefused", {
  message: Schema.String
}) {}

/** Name of the file in DATA_DIR. */
export const FILE = "installation.id"

/** The oldest release that can work with a DATA_DIR of this one. */
const OLDEST = "0.2.0"

/** The content of the file. */
interface Identity {
  readonly id: string
  readonly oldest: string
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const textOf = (
  id: string
): string => `# The identity of this installation of Switchyard. Keep this file: by it the server knows that an empty
# database, or that of another installation, is not its own. See docs/operations.md#identity.
id: ${id}
oldest_release: ${OLDEST}
`

/** The identity in the text of the file. */
export const identityIn = (text: string): Result.Result<Identity, string> => {
  const fields = new Map(
    text.split("\n").flatMap((line) => {
      const [, name, value] = /^(\w+):\s*(\S+)\s*$/.exec(line) ?? []
      return name === undefined || value === undefined ? [] : [[name, value] as const]
    })
  )
  const id = fields.get("id")
  if (id === undefined || !UUID.test(id)) return Result.fail("it has no line `id:` with a UUID")
  return Result.succeed({ id: id.toLowerCase(), oldest: fields.get("oldest_release") ?? OLDEST })
}

/** The state of a DATA_DIR. */
export interface Seen {
  readonly dataDir: string
  readonly identity: Option.Option<Identity>
  /** Names in it that the server created or that are unknown, except the embedded database while it is used. */
  readonly traces: ReadonlyArray<string>
  /** The embedded database; null where the settings name another one. */
  readonly embedded: Home | null
}

const EMBEDDED = "database"

/** The folder of the embedded database. */
export const embeddedFolder = (dataDir: string): string => path.join(dataDir, EMBEDDED)

/** Names that operators and the DHCP hook may create before the first start. */
const PREPARED =
  "switchyard.env permissions.yml windows.yml alerts.yml plugins.yml plugins jwt tls secrets dhcp-queue".split(" ")

/** Certificate files that DATABASE_URL names. */
const inAddress = (url: Redacted.Redacted): ReadonlyArray<string> => {
  const given = URL.parse(Redacted.value(url))?.searchParams
  return ["sslrootcert", "sslcert", "sslkey"].flatMap((name) => given?.get(name) ?? [])
}

/** Further names of files and repositories in these settings that operators provide. */
const namedBy = (config: ServerSettings) => {
  const { GITREPO_SETTINGS, GITREPO_TEMPLATES, PLUGIN_FOLDER, TLS_CERT, TLS_KEY } = config
  const named = [GITREPO_SETTINGS, GITREPO_TEMPLATES, PLUGIN_FOLDER, TLS_CERT, TLS_KEY].flatMap(Option.toArray)
  const ofDatabase = Option.match(config.DATABASE_URL, { onNone: () => [], onSome: inAddress })
  return [config.JWT_CERT, config.PLUGIN_FILE, ...named, ...ofDatabase].flatMap((file) => {
    const [first = ""] = path
      .relative(path.resolve(config.DATA_DIR), path.resolve(file.replace(/#.*/, "")))
      .split(path.sep)
    return first === "" || first === ".." ? [] : [first]
  })
}

/**
 * Whether a folder contains a file at any depth; mounted volumes and prepared folders are empty. A folder that cannot be read counts as not
 * empty.
 */
const holdsFiles = async (at: string): Promise<boolean> => {
  try {
    if (!(await fs.lstat(at)).isDirectory()) return true
    for (const name of await fs.readdir(at))
      if (name !== "lost+found" && (await holdsFiles(path.join(at, name)))) return true
    return false
  } catch {
    return true
  }
}

const fileOf = (dataDir: string) => path.join(dataDir, FILE)

const refuse = (message: string) => new InstallationRefused({ message })

const readIdentity = Effect.fnUntraced(function* (dataDir: string) {
  const file = fileOf(dataDir)
  const text = yield* Effect.tryPromise(() => fs.readFile(file, "utf8")).pipe(
    Effect.asSome,
    Effect.catch(({ cause }) =>
      isMissing(cause) ? Effect.succeedNone : Effect.fail(refuse(`${file} cannot be read: ${reasonOf(cause)}`))
    )
  )
  if (Option.isNone(text)) return Option.none<Identity>()
  const identity = identityIn(text.value)
  if (Result.isFailure(identity))
    return yield* refuse(
      `${file} does not say which installation this is: ${identity.failure}. Write the id of the database and its backups into it; if the right database exists, you can remove the file, and the next start writes it again`
    )
  return Option.some(identity.success)
})

interface LookOptions {
  /** Names in DATA_DIR that operators created. */
  readonly prepared?: ReadonlyArray<string>
  /** Whether the settings name a database other than the embedded one. */
  readonly isExternal?: boolean
}

/**
 * Inspects a DATA_DIR; changes nothing and needs no database. Fails with InstallationRefused if a file cannot be read, if
 * PostgreSQL cannot reach its data, or if the folder needs a newer release.
 */
export const look = Effect.fn("Installation.look")(
  function* (dataDir: string, { isExternal = false, prepared = [] }: LookOptions = {}) {
    const names = (yield* namesIn(dataDir)) ?? []
    const identity = yield* readIdentity(dataDir)
    if (Option.isSome(identity) && compareReleases(release, identity.value.oldest) < 0)
      return yield* refuse(
        `${dataDir} needs release ${identity.value.oldest} or newer, and this is release ${release}: start the newer release, or restore a backup of this one into another DATA_DIR`
      )
    const embedded = isExternal ? null : yield* homeFor(embeddedFolder(dataDir))
    const known = [FILE, EMBEDDED, ...PREPARED, ...prepared]
    const unknown = names.filter((name) => !known.includes(name) && !isHomeOfOthers(dataDir, name))
    const traces = yield* Effect.filter(unknown, (name) => Effect.promise(() => holdsFiles(path.join(dataDir, name))))
    // an unused embedded database was used earlier
    if (
      isExternal &&
      names.includes(EMBEDDED) &&
      (yield* Effect.orElseSucceed(lookAt(embeddedFolder(dataDir)), () => null))?.holds !== "nothing"
    )
      traces.push(EMBEDDED)
    return { dataDir: path.resolve(dataDir), identity, traces, embedded } satisfies Seen
  },
  Effect.catchTag("EmbeddedPostgresError", ({ message }) => Effect.fail(refuse(message)))
)

/** The same for these settings. */
export const lookBy = (config: ServerSettings) =>
  look(config.DATA_DIR, { prepared: namedBy(config), isExternal: Option.isSome(config.DATABASE_URL) })

/** The identity in a database: `none` for one that Switchyard never used, `unnamed` for one of a release before identities. */
export type InDatabase = { readonly kind: "none" | "unnamed" } | { readonly kind: "named"; readonly id: string }

/** Reads the identity in a database with any schema. */
export const inDatabase = Effect.fn("Installation.inDatabase")(function* (): Effect.fn.Return<
  InDatabase,
  SqlError.SqlError,
  SqlClient.SqlClient
> {
  const sql = yield* SqlClient.SqlClient
  // the list of migrations is created before the first migration, in its own transaction; a migrating server has it locked
  const [there] = yield* sql<{ schema: boolean; named: boolean }>`
    select to_regclass('switchyard_migrations') is not null
      and coalesce(to_regclass('device'), to_regclass('installation')) is not null as schema, to_regclass('installation') is not null as named`
  if (there?.schema !== true) return { kind: "none" }
  const [row] = there.named ? yield* sql<{ id: string }>`select id::text as id from installation` : []
  return row === undefined ? { kind: "unnamed" } : { kind: "named", id: row.id }
})

/**
 * The purpose of a database connection: `serve` creates a database for a new installation, `setup` creates one on request, `command`
 * creates none.
 */
export type Purpose = "serve" | "command" | "setup" | "restore"

/** The signs that a database existed, in words; null if there are none. */
const signsOf = ({ dataDir, embedded, identity, traces }: Seen, expected: string | null): string | null => {
  if (Option.isSome(identity)) return `${dataDir} belongs to installation ${identity.value.id} (${FILE})`
  if (expected !== null) return `INSTALLATION_ID names installation ${expected}`
  if (traces.length > 0) return `${dataDir} holds ${traces.slice(0, 5).join(", ")} of an installation`
  const remains = embedded?.remains ?? []
  return remains.length === 0 ? null : `${embedded?.home} holds ${remains.slice(0, 5).join(", ")} of one`
}

const HOW_TO_GO_ON =
  "No database was made. Mount the volume or name the database that it has, or restore a backup (switchyard restore); who means a new and empty one says: switchyard setup --new-database"

/** Why no embedded database may be created for this purpose; null if it may, or if it exists. `expected` is INSTALLATION_ID. */
export const againstMaking = (seen: Seen, expected: string | null, purpose: Purpose): string | null => {
  const { embedded } = seen
  if (embedded === null || embedded.holds === "database") return null
  const missing = `There is no database in ${embedded.home}`
  if (purpose === "setup" || purpose === "restore")
    return embedded.remains.includes("postgres")
      ? `${path.join(embedded.home, "postgres")} holds files and no whole database: move it away. Nothing was changed`
      : null
  const signs = signsOf(seen, expected)
  if (signs !== null) return `${missing}, but ${signs}. ${HOW_TO_GO_ON}`
  return purpose === "serve"
    ? null
    : `${missing}: switchyard serve, or switchyard setup --new-database, makes one for a new installation`
}

/** The decision about a database: create a new schema in it, or use the existing one. */
type Verdict = "make" | "use"

const foreign = (seen: Seen, expected: string, id: string | null): string => {
  const named = Option.isSome(seen.identity) ? `${path.join(seen.dataDir, FILE)} names` : "INSTALLATION_ID names"
  const found = id === null ? "does not say that it is of that one" : `is of installation ${id}`
  return `The database ${found}, and ${named} installation ${expected}. Nothing was changed. Name the right database or DATA_DIR; if they do belong together, ${Option.isSome(seen.identity) ? `remove ${path.join(seen.dataDir, FILE)}` : "leave INSTALLATION_ID away"} and start again`
}

/** Decides whether the database may be used for this purpose; a failure holds the reason. `setting` is INSTALLATION_ID. */
export const judge = (
  seen: Seen,
  setting: string | null,
  found: InDatabase,
  purpose: Purpose
): Result.Result<Verdict, string> => {
  const own = Option.getOrNull(Option.map(seen.identity, ({ id }) => id))
  if (purpose === "restore") return Result.succeed("use")
  if (purpose === "setup")
    return found.kind === "none"
      ? Result.succeed("make")
      : Result.fail(
          `There is a database already${found.kind === "named" ? `, of installation ${found.id}` : ""}: no new one was made. Name another one, or move it away`
        )
  if (own !== null && setting !== null && own !== setting)
    return Result.fail(
      `INSTALLATION_ID names installation ${setting}, and ${path.join(seen.dataDir, FILE)} names ${own}: this DATA_DIR is of another installation. Nothing was changed`
    )
  const expected = own ?? setting
  if (found.kind === "none") {
    const signs = signsOf(seen, setting)
    if (signs !== null) return Result.fail(`The database is empty, but ${signs}. ${HOW_TO_GO_ON}`)
    return purpose === "serve"
      ? Result.succeed("make")
      : Result.fail(
          "The database is empty: switchyard serve, or switchyard setup --new-database, makes it for a new installation"
        )
  }
  const id = found.kind === "named" ? found.id : null
  return expected === null || expected === id ? Result.succeed("use") : Result.fail(foreign(seen, expected, id))
}

/** Writes the id into DATA_DIR, completely or not at all. Fails with InstallationRefused. */
export const write = Effect.fn("Installation.write")((dataDir: string, id: string) => {
  const file = fileOf(dataDir)
  const draft = `${file}.${randomUUID()}`
  return Effect.tryPromise(async () => {
    await fs.mkdir(dataDir, { recursive: true, mode: 0o711 })
    await fs.writeFile(draft, textOf(id), { mode: 0o600, flush: true })
    await fs.rename(draft, file)
  }).pipe(
    Effect.tapError(() => Effect.ignore(Effect.tryPromise(() => fs.rm(draft, { force: true })))),
    Effect.mapError(({ cause }) => refuse(`${file} cannot be written: ${reasonOf(cause)}`))
  )
})

/** Moves the file of an abandoned installation away, so the new database does not count as a foreign one. */
export const setAside = Effect.fn("Installation.setAside")(function* ({ dataDir, identity }: Seen) {
  if (Option.isNone(identity)) return
  const file = fileOf(dataDir)
  yield* Effect.tryPromise(() => fs.rename(file, path.join(dataDir, `.${FILE}.${identity.value.id}`))).pipe(
    Effect.mapError(({ cause }) => refuse(`${file} cannot be moved: ${reasonOf(cause)}`))
  )
})
