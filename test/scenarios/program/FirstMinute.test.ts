/** What goes wrong in the first minute with a new server: each mistake of its surroundings is one sentence that says what to do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as http from "node:http"
import * as net from "node:net"
import * as path from "node:path"
import { environmentOf, command, dataFolder, start, startInstalled, until } from "../../support/Program.ts"

const root = path.resolve(import.meta.dirname, "../../..")

const Report = Schema.Struct({
  checks: Schema.Array(Schema.Struct({ name: Schema.String, message: Schema.optionalKey(Schema.String) }))
})

/** The parts of the server's health that are wrong. */
const wrong = (url: string) =>
  Effect.promise(async () => {
    const { checks } = Schema.decodeUnknownSync(Report)(await (await fetch(`${url}/api/health/ready`)).json())
    return Object.fromEntries(checks.flatMap(({ message, name }) => (message === undefined ? [] : [[name, message]])))
  })

/** Waits until this part's fault is as expected; its sentence. */
const faultOf = Effect.fnUntraced(function* (url: string, part: string, expected: RegExp) {
  for (;;) {
    const said = (yield* wrong(url))[part] ?? ""
    if (expected.test(said)) return said
    yield* Effect.sleep("200 millis")
  }
})

const listening = <S extends net.Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => void server.close())
  )

const git = (folder: string, ...words: ReadonlyArray<string>) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=Site", "-c", "user.email=site@example.org", ...words], {
    stdio: "pipe"
  })

/** A repository of the examples in this folder. */
const repository = (folder: string, name: "settings" | "templates") => {
  const made = path.join(folder, name)
  fs.cpSync(path.join(root, "examples", name), made, { recursive: true })
  git(made, "init", "-q", "-b", "main")
  git(made, "add", "-A")
  git(made, "commit", "-q", "-m", "The examples")
  return made
}

describe("A port that another program has", () => {
  for (const variable of ["PORT", "ZTP_HTTP_PORT"]) {
    it.live(`ends the server with its address and ${variable}`, () =>
      Effect.gen(function* () {
        const port = yield* listening(net.createServer())
        const server = yield* start({
          DATA_DIR: yield* dataFolder,
          ZTP_HTTP_HOST: "127.0.0.1",
          [variable]: String(port)
        })
        assert.strictEqual(yield* server.ended, 1)
        assert.include(server.text(), `Port ${port} of 127.0.0.1 is taken`)
        assert.include(server.text(), `set ${variable} to a free port`)
        assert.notMatch(server.text(), /^\s+at /m)
      }).pipe(Effect.scoped)
    )
  }

  it.live("ends the demo before it builds anything, with another port to take", () =>
    Effect.gen(function* () {
      const port = yield* listening(net.createServer())
      const { code, text } = yield* command({}, ["demo", "--port", String(port)])
      assert.strictEqual(code, 1)
      assert.include(text, `Port ${port} of 127.0.0.1 is taken`)
      assert.include(text, `npm run demo -- --port ${port + 1}`)
      assert.notInclude(text, "==")
    }).pipe(Effect.scoped)
  )
})

it.live("an address that the machine does not have is named with HOST", () =>
  Effect.gen(function* () {
    const server = yield* start({ DATA_DIR: yield* dataFolder, HOST: "192.0.2.1", ALLOW_OPEN_API: "true" })
    assert.strictEqual(yield* server.ended, 1)
    assert.include(server.text(), "192.0.2.1 is no address of this machine")
    assert.include(server.text(), "Set HOST to one")
  }).pipe(Effect.scoped)
)

it.live("a setting that cannot be read is named", () =>
  Effect.gen(function* () {
    const server = yield* start({ DATA_DIR: yield* dataFolder, PORT: "http" })
    assert.strictEqual(yield* server.ended, 1)
    assert.strictEqual(server.text(), "PORT: Expected a string representing a finite number\n")
  }).pipe(Effect.scoped)
)

it.live("a server in a clone that another user has made knows its commit", () =>
  Effect.gen(function* () {
    // what git's own tests set
    const server = yield* start({ DATA_DIR: yield* dataFolder, GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" })
    const url = yield* server.url
    const said = yield* Effect.promise(async () => (await fetch(`${url}/api/v1.0/system/version`)).text())
    assert.match(said, /"git_version":"Git commit [0-9a-f]{40} /)
  }).pipe(Effect.scoped)
)

describe("A server without a repository in force", () => {
  it.live("says that its address is not set", () =>
    Effect.gen(function* () {
      const url = yield* (yield* start({ DATA_DIR: yield* dataFolder })).url
      assert.deepEqual(yield* wrong(url), {
        settings: "GITREPO_SETTINGS is not set, so nothing is in force",
        templates: "GITREPO_TEMPLATES is not set, so nothing is in force"
      })
    }).pipe(Effect.scoped)
  )

  it.live("says why git did not fetch it, and which file of its commit was refused", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const settings = repository(folder, "settings")
      fs.writeFileSync(path.join(settings, "global/base_system.yml"), "---\nntp_servers: 7\n")
      git(settings, "commit", "-q", "-a", "-m", "A mistake")
      const nowhere = path.join(folder, "nowhere")
      const data = path.join(folder, "data")
      const url = yield* (yield* start({ DATA_DIR: data, GITREPO_SETTINGS: settings, GITREPO_TEMPLATES: nowhere })).url
      const templates = yield* faultOf(url, "templates", /the last refresh failed/)
      assert.include(templates, `${nowhere}`)
      assert.include(templates, "switchyard repo refresh templates")
      const refused = yield* faultOf(url, "settings", /the last refresh failed/)
      assert.match(refused, /base_system\.yml:2: .*ntp_servers/)
      assert.include(refused, "switchyard repo refresh settings")
    }).pipe(Effect.scoped)
  )

  it.skipIf(process.getuid?.() !== 0)("is told what to do with a repository of another user", async () => {
    const play = Effect.gen(function* () {
      const folder = yield* dataFolder
      const templates = repository(folder, "templates")
      execFileSync("chown", ["-R", "65534:65534", templates])
      const data = path.join(folder, "data")
      const url = yield* (yield* start({ DATA_DIR: data, GITREPO_TEMPLATES: templates })).url
      const said = yield* faultOf(url, "templates", /the last refresh failed/)
      assert.include(said, "belongs to another user than the one that runs Switchyard")
      const [, place = ""] = /git config --system --add safe\.directory (\S+)\. /.exec(said) ?? []
      assert.include([templates, path.join(templates, ".git")], place)
    }).pipe(Effect.scoped)
    await Effect.runPromise(play)
  })
})

/** Runs `bin/switchyard` as an operator does. */
const installed = (env: Readonly<Record<string, string>>, ...words: ReadonlyArray<string>) =>
  Effect.callback<{ readonly code: number; readonly text: string }>((resume) => {
    execFile(path.join(root, "bin/switchyard"), [...words], { env: environmentOf(env) }, (error, out, err) =>
      resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), text: `${out}${err}` }))
    )
  })

/** The files of a folder over HTTP, as git reads them without a git server. */
const fileServer = (folder: string) =>
  http.createServer((request, response) => {
    const file = path.join(folder, decodeURIComponent((request.url ?? "/").split("?", 1)[0] ?? ""))
    if (!file.startsWith(folder) || !fs.existsSync(file) || fs.statSync(file).isDirectory())
      return response.writeHead(404).end()
    return response.end(fs.readFileSync(file))
  })

it.live("a proxy of the environment is never asked for this machine: by the server, git, or commands", () =>
  Effect.gen(function* () {
    const folder = yield* dataFolder
    const asked: Array<string> = []
    const proxy = http.createServer((request, response) => {
      asked.push(request.url ?? "")
      response.writeHead(502).end()
    })
    proxy.on("connect", (request, socket) => {
      asked.push(request.url ?? "")
      socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
    })
    const address = `http://127.0.0.1:${yield* listening(proxy)}`
    const names = ["http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"]
    const proxies = { ...Object.fromEntries(names.map((name) => [name, address])), NODE_USE_ENV_PROXY: "1" }

    const templates = repository(folder, "templates")
    git(templates, "update-server-info")
    const remote = `http://127.0.0.1:${yield* listening(fileServer(folder))}/templates/.git`
    const data = path.join(folder, "data")
    const server = yield* startInstalled({
      ...proxies,
      DATA_DIR: data,
      JWT_ENABLED: "false",
      GITREPO_TEMPLATES: remote
    })
    const url = yield* server.url
    yield* until(Effect.map(wrong(url), (parts) => parts["templates"] === undefined))
    // as sites have it: with hosts of their own
    for (const own of ["", "intranet.example.org", "*"]) {
      const client = { ...proxies, NO_PROXY: own, SWITCHYARD_URL: url, DATA_DIR: data }
      const { code, text } = yield* installed(client, "devices")
      assert.strictEqual(code, 0, text)
    }
    const lease = { ...proxies, SWITCHYARD_URL: url, DATA_DIR: path.join(folder, "hook") }
    const hook = yield* installed(lease, "dhcp-hook", "commit", "00:1c:73:00:0d:01", "10.0.9.20", "eos")
    assert.strictEqual(hook.code, 0, hook.text)
    assert.deepEqual(asked, [])
  }).pipe(Effect.scoped)
)
