/** The site of a benchmark: repositories from the examples, a data folder, and the environment of a server on them. */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"

/** Password of every simulated switch. */
export const PASSWORD = "bench"

/** What the templates put for the password of the switches' own user. */
export const HASH = "$6$saltsalt$switchyard-example-hash"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=Bench", "-c", "user.email=bench@example.org", ...args])

/** Commits everything in a repository. */
export const commit = (repository: string, message: string): void => {
  git(repository, "add", "-A")
  git(repository, "commit", "-q", "-m", message)
}

/** A folder with the repositories `settings` and `templates`, removed at the end. `prepare` may change the settings before their first commit. */
export const siteFolder = (prepare: (settings: string) => void = () => undefined) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempSync(path.join(tmpdir(), "switchyard-bench-"))
      // PostgreSQL runs as another user when root starts it
      execFileSync("chmod", ["711", folder])
      for (const name of ["settings", "templates"]) {
        const target = path.join(folder, name)
        cpSync(path.join(import.meta.dirname, "../examples", name), target, { recursive: true })
        if (name === "settings") prepare(target)
        git(target, "init", "-q", "-b", "main")
        commit(target, "bench")
      }
      return folder
    }),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
  )

/** A site as the examples have it. */
export const folderOf = siteFolder()

/** Environment of a server on this folder, whose switches listen on this port. */
export const environment = (folder: string, port: number): Record<string, string> => ({
  DATA_DIR: path.join(folder, "data"),
  GITREPO_SETTINGS: path.join(folder, "settings"),
  GITREPO_TEMPLATES: path.join(folder, "templates"),
  SSH_PORT: String(port),
  SSH_ADDRESS_MAP: "10.0.0.0/8=127.0.0.0/8",
  USERNAME_MANAGED: "switchyard",
  PASSWORD_MANAGED: PASSWORD,
  TEMPLATE_SECRET_SWITCHYARD_HASH: PASSWORD,
  COMMIT_CONFIRMED_TIMEOUT: "120",
  LOG_LEVEL: process.env["LOG_LEVEL"] ?? "Error"
})
