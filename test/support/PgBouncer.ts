/** A real PgBouncer in front of a PostgreSQL, on a port and with files of its own. */
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { freePort } from "./FreePort.ts"
import { accepts } from "./PostgresProcesses.ts"
import { until } from "./Program.ts"

const program = "/usr/sbin/pgbouncer"
const NOBODY = 65534
// it refuses to run as root
const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

/** Why there is none here. */
export const missing: string | undefined = existsSync(program)
  ? undefined
  : "PgBouncer is not installed (Debian: pgbouncer)"

/** Starts it in front of the database of this URL and yields the URL by way of it; it ends when the scope closes. */
export const make = Effect.fnUntraced(function* (url: string, mode: "session" | "transaction" | "statement") {
  const { hostname, password, port, username } = new URL(url)
  const listen = yield* freePort
  const file = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), "switchyard-pgbouncer-"))
      await fs.chmod(folder, 0o711)
      const settings = path.join(folder, "pgbouncer.ini")
      await fs.writeFile(
        settings,
        `[databases]
postgres = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listen}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
ignore_startup_parameters = extra_float_digits,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,idle_in_transaction_session_timeout
`
      )
      return settings
    }),
    (settings) => Effect.promise(() => fs.rm(path.dirname(settings), { recursive: true, force: true }))
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(program, [file], { ...owner, stdio: "ignore" })),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  yield* until(accepts(listen))
  return `postgres://${username}@127.0.0.1:${listen}/postgres`
})
