/** A PostgreSQL of an older major version than the embedded one, as Debian installs it, on a data folder of the form that ours has. */
import { Effect } from "effect"
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { readdirSync } from "node:fs"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { freePort } from "./FreePort.ts"

const FOLDER = "/usr/lib/postgresql"
/** The oldest version that we work with, and the one that comes with the dependencies. */
const [OLDEST, EMBEDDED] = [14, 18]

const versions = (): ReadonlyArray<number> => {
  try {
    return readdirSync(FOLDER).map(Number)
  } catch {
    return []
  }
}

/** Its major version, if one is installed. */
export const version: number | undefined = versions()
  .filter((found) => found >= OLDEST && found < EMBEDDED)
  .toSorted((a, b) => a - b)[0]

/** Why there is none. */
export const WITHOUT = `skipped: it needs a PostgreSQL of ${OLDEST} to ${EMBEDDED - 1} in ${FOLDER} (Debian: postgresql-15)`

const NOBODY = 65_534
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const PASSWORD = "a password of the database"

const ended = (child: ChildProcess) => new Promise<void>((resolve) => child.once("exit", () => resolve()))

/** A server on `FOLDER/postgres`, with its password where ours has it. */
export interface OlderPostgres {
  readonly url: string
  readonly stop: Effect.Effect<void>
}

const initialise = async (program: (name: string) => string, folder: string) => {
  const passwordFile = path.join(folder, "postgres-password")
  await fs.mkdir(folder, { recursive: true })
  await fs.writeFile(passwordFile, PASSWORD, { mode: 0o600 })
  for (const one of [folder, passwordFile]) await fs.chown(one, owner.uid ?? process.getuid?.() ?? 0, owner.gid ?? -1)
  const data = path.join(folder, "postgres")
  const options = ["-U", "postgres", "-A", "scram-sha-256", `--pwfile=${passwordFile}`, "-E", "UTF8", "--locale=C"]
  await promisify(execFile)(program("initdb"), ["-D", data, ...options], { ...owner, cwd: folder })
  return data
}

const launch = (program: string, data: string, port: number) =>
  Effect.callback<ChildProcess, Error>((resume) => {
    const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off"]
    const flags = settings.flatMap((setting) => ["-c", setting])
    const child = spawn(program, ["-D", data, "-p", String(port), ...flags], {
      ...owner,
      cwd: data,
      stdio: ["ignore", "ignore", "pipe"]
    })
    child.stderr.on("data", (chunk) => {
      if (String(chunk).includes("ready to accept connections")) resume(Effect.succeed(child))
    })
    child.once("error", (error) => resume(Effect.fail(error)))
    child.once("exit", () => resume(Effect.fail(new Error("PostgreSQL has ended"))))
  })

/** A running server in this folder; it is stopped when the scope closes. */
export const make = Effect.fn("OlderPostgres.make")(function* (folder: string) {
  const program = (name: string) => path.join(FOLDER, String(version), "bin", name)
  const data = yield* Effect.promise(() => initialise(program, folder))
  const port = yield* freePort
  const child = yield* Effect.acquireRelease(Effect.orDie(launch(program("postgres"), data, port)), (started) =>
    Effect.sync(() => void started.kill("SIGQUIT"))
  )
  const end = ended(child)
  const server: OlderPostgres = {
    url: `postgres://postgres:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`,
    stop: Effect.promise(() => {
      child.kill("SIGINT")
      return end
    })
  }
  return server
})
