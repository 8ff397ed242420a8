/** The program `switchyard` as a package manager installs it: from any folder, by any link, whatever Node the system has. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import packageJson from "../../../package.json" with { type: "json" }

const root = path.resolve(import.meta.dirname, "../../..")
const program = path.join(root, packageJson.bin.switchyard)

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-program-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

interface End {
  readonly code: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

const run = (
  file: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {}
) =>
  Effect.callback<End>((resume) => {
    const child = spawn(file, args, {
      cwd: options.cwd ?? tmpdir(),
      env: { PATH: "/usr/bin:/bin", ...options.env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let [out, err] = ["", ""]
    child.stdout.on("data", (text) => (out += String(text)))
    child.stderr.on("data", (text) => (err += String(text)))
    child.on("error", (error) => resume(Effect.die(error)))
    child.on("close", (code, signal) => resume(Effect.succeed({ code, signal, out, err })))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

it.live("runs from any folder through links of links, and finds a Node automatically", () =>
  Effect.gen(function* () {
    const place = yield* folder
    // as `npm link` and a site's own link make them: one absolute, one relative
    yield* Effect.promise(() => fs.symlink(program, path.join(place, "one")))
    yield* Effect.promise(() => fs.symlink("one", path.join(place, "switchyard")))
    const end = yield* run(path.join(place, "switchyard"), ["version"], { cwd: place })
    assert.deepEqual(end, { code: 0, signal: null, out: `${packageJson.version}\n`, err: "" })
  }).pipe(Effect.scoped)
)

it.live("passes the exit codes of its commands on", () =>
  Effect.gen(function* () {
    assert.strictEqual((yield* run(program, ["dhcp-hook", "commit", "no-mac", "10.0.0.1", "eos"])).code, 2)
    const wrong = yield* run(program, ["lab", "--no-such-flag"])
    assert.strictEqual(wrong.code, 2)
    assert.include(wrong.err, "Unrecognized flag: --no-such-flag")
  })
)

it.live("becomes Node, so that a signal reaches it and nothing else", () =>
  Effect.gen(function* () {
    const place = yield* folder
    // a Node that never ends and identifies itself
    const node = path.join(place, "node")
    yield* Effect.promise(() => fs.writeFile(node, '#!/bin/sh\necho "$$"\nexec sleep 600\n', { mode: 0o755 }))
    const child = spawn(program, ["serve"], { env: { PATH: "/usr/bin:/bin", SWITCHYARD_NODE: node } })
    const said = yield* Effect.promise(
      () => new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text).trim())))
    )
    assert.strictEqual(said, String(child.pid), "one process, not a shell in front of one")
    const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)))
    child.kill("SIGTERM")
    assert.strictEqual(yield* Effect.promise(() => ended), "SIGTERM")
  }).pipe(Effect.scoped)
)

it.live("names the required Node when there is only an older one", () =>
  Effect.gen(function* () {
    const place = yield* folder
    const node = path.join(place, "node")
    const older = `data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.1.0"}})`
    const text = `#!/bin/sh\nexec '${process.execPath}' --import '${older}' "$@"\n`
    yield* Effect.promise(() => fs.writeFile(node, text, { mode: 0o755 }))
    const { code, err } = yield* run(program, ["version"], { env: { SWITCHYARD_NODE: node } })
    assert.strictEqual(code, 1)
    assert.include(err, "Switchyard runs on Node 24, this is 20.1.0.")
    assert.include(err, "npm install")
  }).pipe(Effect.scoped)
)

it("is named by all documents, images and examples instead of a file of its sources", () =>
  Effect.gen(function* () {
    const files = ["README.md", "ARCHITECTURE.md", "Dockerfile", "docker-compose.yml", "package.json"]
    const deploy = yield* Effect.promise(() => fs.readdir(path.join(root, "deploy"), { recursive: true }))
    for (const file of [...files, ...deploy.map((name) => `deploy/${name}`)]) {
      const text = yield* Effect.promise(() => fs.readFile(path.join(root, file), "utf8").catch(() => ""))
      assert.notInclude(text, "src/main.ts", file)
    }
  }).pipe(Effect.runPromise))
