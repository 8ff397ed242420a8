/** A remote git repository in a temporary directory that a test commits to and pushes to. */
import { execFileSync } from "node:child_process"
import { Effect, FileSystem, Path, type Scope } from "effect"
import { type GitRepository, type GitRepositoryConfig, makeGitRepository } from "../../src/git/GitRepository.ts"

const WHO = { NAME: "Åsa Ek", EMAIL: "asa@lindhaven.example", DATE: "2026-01-31T10:07:32+02:00" }

/** A remote that a test writes to: a working copy and the bare repository that it is pushed to. */
export interface Remote {
  readonly directory: string
  readonly bare: string
  readonly copy: string
  readonly git: (...args: ReadonlyArray<string>) => string
  readonly commit: (files: Readonly<Record<string, string>>, message?: string) => Effect.Effect<string>
  readonly push: (...args: ReadonlyArray<string>) => string
  readonly repository: (
    extra?: Partial<GitRepositoryConfig>
  ) => Effect.Effect<GitRepository, never, FileSystem.FileSystem | Path.Path>
}

/** Runs git in a directory, independent of the configuration of the user who runs the tests. */
export const gitIn =
  (cwd: string) =>
  (...args: ReadonlyArray<string>): string =>
    execFileSync("git", [...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_AUTHOR_NAME: WHO.NAME,
        GIT_AUTHOR_EMAIL: WHO.EMAIL,
        GIT_AUTHOR_DATE: WHO.DATE,
        GIT_COMMITTER_NAME: WHO.NAME,
        GIT_COMMITTER_EMAIL: WHO.EMAIL,
        GIT_COMMITTER_DATE: WHO.DATE
      }
    }).trim()

/** A new empty remote; it goes with the scope. */
export const makeRemote: Effect.Effect<Remote, never, FileSystem.FileSystem | Path.Path | Scope.Scope> = Effect.gen(
  function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "switchyard-git-" }))
    const work = path.join(directory, "work")
    const bare = path.join(directory, "remote.git")
    const copy = path.join(directory, "data", "settings")
    gitIn(directory)("init", "--quiet", "--bare", "--initial-branch=main", bare)
    gitIn(directory)("init", "--quiet", "--initial-branch=main", work)
    const git = gitIn(work)
    git("remote", "add", "origin", bare)
    const write = ([name, text]: readonly [string, string]) =>
      Effect.andThen(
        fs.makeDirectory(path.dirname(path.join(work, name)), { recursive: true }),
        fs.writeFileString(path.join(work, name), text)
      )
    return {
      directory,
      bare,
      copy,
      git,
      commit: (files, message = "change") =>
        Effect.orDie(Effect.forEach(Object.entries(files), write)).pipe(
          Effect.map(() => {
            git("add", "--all")
            git("commit", "--quiet", "--allow-empty", "--message", message)
            return git("rev-parse", "HEAD")
          })
        ),
      push: (...args) => git("push", "--quiet", "--force", "origin", ...args),
      repository: (extra = {}) => Effect.orDie(makeGitRepository({ address: bare, directory: copy, ...extra }))
    }
  }
)

/** Every path of a commit. */
export const everything = () => true
