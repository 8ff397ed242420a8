/** The first work of `npm run demo` and `npm test`, with the real npm, in a small repository with local packages. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as http from "node:http"
import * as os from "node:os"
import * as path from "node:path"

const script = path.resolve(import.meta.dirname, "../../../scripts/ensure-installed.mjs")

interface Ended {
  readonly code: number
  readonly said: string
}

const run = (
  folder: string,
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) =>
  Effect.promise(
    () =>
      new Promise<Ended>((resolve) => {
        const options = { cwd: folder, env: { HOME: folder, PATH: process.env["PATH"] ?? "", ...env } }
        execFile(program, [...args], options, (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? 1), said: `${stdout}${stderr}` })
        )
      })
  )

/** A registry that answers nothing: all that these tests install comes from files. */
const nowhere = { npm_config_registry: "http://127.0.0.1:9/" }
const npm = (folder: string, ...words: ReadonlyArray<string>) => run(folder, "npm", words, nowhere)
const ensure = (folder: string, env: Readonly<Record<string, string>> = nowhere) =>
  run(folder, process.execPath, ["scripts/ensure-installed.mjs"], env)

const write = (file: string, value: unknown) =>
  Effect.promise(() => fs.writeFile(file, typeof value === "string" ? value : JSON.stringify(value)))

/** Packs a package `node` of this version, whose program stands for the Node that the real one brings. */
const packNode = Effect.fnUntraced(function* (folder: string, version: string) {
  const source = path.join(folder, "source")
  yield* Effect.promise(() => fs.mkdir(source, { recursive: true }))
  yield* write(path.join(source, "package.json"), { name: "node", version, bin: { node: "node.sh" } })
  yield* write(path.join(source, "node.sh"), "#!/bin/sh\n")
  assert.strictEqual((yield* npm(source, "pack", "--pack-destination", folder)).code, 0)
})

/** A repository that needs `node` of this version, with its lock file, as a fresh clone has it. */
const clone = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.promise(() => fs.mkdtemp(path.join(os.tmpdir(), "switchyard-install-"))),
    (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )
  yield* Effect.promise(() => fs.mkdir(path.join(folder, "scripts")))
  yield* Effect.promise(() => fs.copyFile(script, path.join(folder, "scripts/ensure-installed.mjs")))
  yield* need(folder, "1.0.0")
  return folder
})

/** Makes the repository need this version, as a commit would that changes both files. */
const need = Effect.fnUntraced(function* (folder: string, version: string) {
  yield* packNode(folder, version)
  const wanted = { name: "small", version: "1.0.0", devDependencies: { node: `file:node-${version}.tgz` } }
  yield* write(path.join(folder, "package.json"), wanted)
  assert.strictEqual((yield* npm(folder, "install", "--package-lock-only")).code, 0)
})

const installedVersion = (folder: string) =>
  Effect.promise(async () => {
    const text = await fs.readFile(path.join(folder, "node_modules/node/package.json"), "utf8")
    return (JSON.parse(text) as { readonly version: string }).version
  })

/** A registry that takes every request and answers none; how many it took. */
const hangingRegistry: Effect.Effect<{ readonly url: string; readonly taken: () => number }, never, Scope.Scope> =
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly server: http.Server; readonly taken: () => number }>((resume) => {
        let taken = 0
        const server = http.createServer(() => void taken++)
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed({ server, taken: () => taken })))
      }),
      ({ server }) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    ({ server, taken }) => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { url: `http://127.0.0.1:${port}/`, taken }
    }
  )

/** A repository with a package that only a registry has. */
const cloneOfTheWorld = Effect.gen(function* () {
  const folder = yield* clone
  const integrity = `sha512-${Buffer.alloc(64).toString("base64")}`
  const devDependencies = { "switchyard-needs-this": "1.0.0" }
  yield* write(path.join(folder, "package.json"), { name: "small", version: "1.0.0", devDependencies })
  yield* write(path.join(folder, "package-lock.json"), {
    name: "small",
    version: "1.0.0",
    lockfileVersion: 3,
    requires: true,
    packages: {
      "": { name: "small", version: "1.0.0", devDependencies },
      "node_modules/switchyard-needs-this": { version: "1.0.0", integrity, dev: true }
    }
  })
  return folder
})

describe("Before a command of package.json", () => {
  for (const way of ["ci", "install"]) {
    it.live(`installs nothing again after npm ${way}`, () =>
      Effect.gen(function* () {
        const folder = yield* clone
        assert.strictEqual((yield* npm(folder, way)).code, 0)
        // nothing to find npm with
        assert.deepEqual(yield* ensure(folder, { PATH: "" }), { code: 0, said: "" })
      })
    )
  }

  it.live("installs missing dependencies, and again after a commit changed them, once each", () =>
    Effect.gen(function* () {
      const folder = yield* clone
      for (const version of ["1.0.0", "1.1.0"]) {
        yield* need(folder, version)
        const first = yield* ensure(folder)
        assert.deepEqual([first.code, yield* installedVersion(folder)], [0, version], first.said)
        assert.deepEqual(yield* ensure(folder, { PATH: "" }), { code: 0, said: "" })
      }
    })
  )

  it.live("reports a missing network when nothing answers", () =>
    Effect.gen(function* () {
      const { code, said } = yield* ensure(yield* cloneOfTheWorld)
      assert.notStrictEqual(code, 0)
      assert.include(said, "The dependencies could not be installed: the package registry cannot be reached.")
    })
  )

  it.live("gives up a registry that accepts the request and never answers", () =>
    Effect.gen(function* () {
      const registry = yield* hangingRegistry
      const { code, said } = yield* ensure(yield* cloneOfTheWorld, {
        npm_config_registry: registry.url,
        npm_config_fetch_timeout: "1000"
      })
      assert.notStrictEqual(code, 0)
      assert.include(said, "The dependencies could not be installed: the package registry cannot be reached.")
      assert.isAbove(registry.taken(), 0)
    })
  )
})
