/** Where the clients are, how the TypeScript one is built, and the Python of this machine. */
import { Effect } from "effect"
import { execFile, spawnSync } from "node:child_process"
import { cpSync, mkdirSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../../..")
export const clients = path.join(root, "clients")

/** The Python of this machine, if it has one that the client can run with. */
export const python: string | undefined =
  spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0 ? "python3" : undefined

export const WITHOUT_PYTHON = "this machine has no Python 3.9 or later"

/** Puts the package that npm would install into a folder. */
export const buildTypeScript = (folder: string) =>
  Effect.sync(() => {
    mkdirSync(folder, { recursive: true })
    const source = path.join(clients, "typescript")
    const words = ["-p", source, "--outDir", path.join(folder, "dist")]
    const built = spawnSync(path.join(root, "node_modules/.bin/tsc"), words, { encoding: "utf8" })
    if (built.status !== 0) throw new Error(`${built.stdout}${built.stderr}`)
    cpSync(path.join(source, "package.json"), path.join(folder, "package.json"))
  })

/** Runs a program to its end while the server of this process goes on. */
export const runBeside = (program: string, words: ReadonlyArray<string>, env: NodeJS.ProcessEnv) =>
  Effect.callback<{ readonly isGood: boolean; readonly stdout: string; readonly stderr: string }>((resume) => {
    execFile(program, [...words], { env }, (error, stdout, stderr) =>
      resume(Effect.succeed({ isGood: error === null, stdout, stderr }))
    )
  })
