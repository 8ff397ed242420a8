/**
 * The server from before the newest migration, out of the history of git: the release of a site that is upgraded one replica after the
 * other. A shallow clone or an archive has no history; then there is none.
 */
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")

const git = (...words: ReadonlyArray<string>): string =>
  execFileSync("git", ["-C", root, ...words], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()

/**
 * Replicas without these files connect without a key, and cannot work with replicas of today; the second has the key since the first was
 * replaced.
 */
const NEEDED = ["src/jobs/engine/ClusterSocket.ts", "src/jobs/requests/JobRequests.ts"]

const has = (commit: string): boolean => {
  try {
    return git("ls-tree", "--name-only", commit, ...NEEDED) !== ""
  } catch {
    return false
  }
}

const find = (): string | undefined => {
  try {
    // only what was joined to the main line is a whole server
    const newest = git(..."log --first-parent -m --diff-filter=A -1 --format=%H -- src/store/migrations".split(" "))
    return [`${newest}^`, "HEAD^"].find(has)
  } catch {
    return undefined
  }
}

/** The commit, if the history is here. */
export const commit: string | undefined = find()

/** Why there is none. */
export const WITHOUT = "skipped: it needs the history of git, which a shallow clone and an archive do not have"

/** A folder with the files of a commit, and with today's packages. */
export const unpack = (of: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), "switchyard-previous-"))
      const files = execFileSync("git", ["-C", root, "archive", of], { maxBuffer: 1 << 28 })
      execFileSync("tar", ["x", "-C", folder], { input: files })
      await fs.symlink(path.join(root, "node_modules"), path.join(folder, "node_modules"))
      return folder
    }),
    (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )
