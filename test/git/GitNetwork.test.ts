import { readFileSync, statSync } from "node:fs"
import { createServer as createWebServer } from "node:http"
import { createServer, type Server } from "node:net"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, layer } from "@effect/vitest"
import { Duration, Effect, FileSystem, Result } from "effect"
import { redactor } from "../../src/git/GitAddress.ts"
import { makeGitRepository } from "../../src/git/GitRepository.ts"
import { gitIn, makeRemote } from "./gitRemote.ts"

/** A server that takes connections and never says a word. */
const silentServer = Effect.acquireRelease(
  Effect.callback<{ readonly server: Server; readonly port: number }>((resume) => {
    const server = createServer()
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(Effect.succeed({ server, port: address !== null && typeof address === "object" ? address.port : 0 }))
    })
  }),
  ({ server }) => Effect.sync(() => server.close())
)

/** The port of a server that hands out the files of a bare repository to who knows the credentials. */
const webServer = (directory: string, credentials: string) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly close: () => void; readonly port: number }>((resume) => {
      const wanted = `Basic ${Buffer.from(credentials).toString("base64")}`
      const server = createWebServer((request, response) => {
        const path = `${directory}${(request.url ?? "").replace(/^\/settings\.git/, "").replace(/\?.*$/, "")}`
        const there = statSync(path, { throwIfNoEntry: false })?.isFile() === true
        const allowed = request.headers.authorization === wanted
        response.writeHead(allowed ? (there ? 200 : 404) : 401, { "www-authenticate": "Basic" })
        response.end(allowed && there ? readFileSync(path) : "")
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const port = address !== null && typeof address === "object" ? address.port : 0
        resume(Effect.succeed({ close: () => void server.close(), port }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ port }) => port))

/** One that has ended and was not waited for yet does not live. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

layer(NodeServices.layer, { excludeTestServices: true })("a git repository", (it) => {
  describe("over the network", () => {
    it.effect("is read over http with the credentials of its address, and a refusal does not mention them", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        gitIn(remote.bare)("update-server-info")
        const port = yield* webServer(remote.bare, "robot:s@cret")
        const at = (credentials: string) =>
          remote.repository({ address: `http://${credentials}@127.0.0.1:${port}/settings.git#main` })
        const repository = yield* at("robot:s%40cret")
        assert.strictEqual((yield* repository.refresh).commit.hash, hash)
        const state = yield* (yield* FileSystem.FileSystem).readFileString(`${remote.copy}/switchyard.json`)
        assert.notInclude(state, "robot")
        assert.notInclude(gitIn(remote.copy)("config", "--list", "--local"), "robot")
        const refused = yield* at("robot:wr0ng")
        const { message } = yield* Effect.flip(refused.refresh)
        assert.match(message, /^Error fetching remote repository http:\/\/127\.0\.0\.1:\d+\/settings\.git: /)
        for (const secret of ["robot", "wr0ng", "s@cret"]) assert.notInclude(message, secret)
      })
    )

    it.effect("is read over ssh with the site's own command", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const ssh = `${remote.directory}/ssh`
        yield* fs.writeFileString(ssh, '#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nexec sh -c "$1"\n', {
          mode: 0o755
        })
        for (const address of [`ssh://git@switch.example:2222${remote.bare}`, `git@switch.example:${remote.bare}`]) {
          const repository = yield* remote.repository({ address, sshCommand: `${ssh} -i key` })
          assert.deepStrictEqual(yield* Effect.map(repository.refresh, ({ commit }) => commit.hash), hash)
        }
      })
    )

    it.effect("is read although ssh keeps its connection open for later, with the streams of git", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const hash = yield* remote.commit({ "a.txt": "one\n" })
        remote.push("main")
        const ssh = `${remote.directory}/ssh`
        const script = '#!/bin/sh\nwhile [ $# -gt 1 ]; do shift; done\nsleep 300 >/dev/null &\nexec sh -c "$1"\n'
        yield* (yield* FileSystem.FileSystem).writeFileString(ssh, script, { mode: 0o755 })
        const address = `git@switch.example:${remote.bare}`
        const repository = yield* remote.repository({ address, sshCommand: ssh, timeout: "60 seconds" })
        const [took, { commit }] = yield* Effect.timed(repository.refresh)
        assert.strictEqual(commit.hash, hash)
        assert.isBelow(Duration.toSeconds(took), 50)
      })
    )

    it.effect("leaves no process after it is given up", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const remote = yield* makeRemote
        const [ssh, pids] = [`${remote.directory}/ssh`, `${remote.directory}/pids`]
        // one that ignores its answers
        const script = `#!/bin/sh\ntrap '' TERM HUP INT PIPE\necho $$ >> ${pids}\nwhile :; do sleep 1; done\n`
        yield* fs.writeFileString(ssh, script, { mode: 0o755 })
        const address = `git@switch.example:${remote.bare}`
        const repository = yield* remote.repository({ address, sshCommand: ssh, timeout: "2 seconds" })
        assert.strictEqual((yield* Effect.flip(repository.refresh)).reason, "late")
        const started = (yield* fs.readFileString(pids)).trim().split("\n")
        assert.isAbove(started.length, 0)
        for (const pid of started) assert.isFalse(isAlive(Number(pid)), `${pid} lives`)
      })
    )

    it.effect("reports a missing git", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const [before, nowhere] = [process.env["PATH"], remote.directory]
        yield* Effect.acquireRelease(
          Effect.sync(() => (process.env["PATH"] = nowhere)),
          () => Effect.sync(() => (process.env["PATH"] = before))
        )
        const { message } = yield* Effect.flip((yield* remote.repository()).refresh)
        assert.include(message, "git cannot be started: it is not in PATH")
        assert.notInclude(message, "ENOENT")
      }).pipe(Effect.scoped)
    )

    for (const scheme of ["http", "git"]) {
      it.effect(`ends in time over ${scheme}, and shows no credentials`, () =>
        Effect.gen(function* () {
          const remote = yield* makeRemote
          const { port } = yield* silentServer
          const user = scheme === "http" ? "robot:s%40cret@" : ""
          const address = `${scheme}://${user}127.0.0.1:${port}/settings.git`
          const repository = yield* remote.repository({ address, timeout: "3 seconds" })
          const error = yield* Effect.flip(repository.refresh)
          assert.strictEqual(
            error.message,
            `Error cloning remote repository ${scheme}://127.0.0.1:${port}/settings.git: ` +
              "git ls-remote of settings.git did not end within 3s"
          )
          assert.strictEqual(error.reason, "late")
        })
      )
    }

    it.effect("shows no credentials when the connection is refused, nor stores them on disk", () =>
      Effect.gen(function* () {
        const remote = yield* makeRemote
        const { port, server } = yield* silentServer
        yield* Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
        const address = `https://robot:s%40cret@127.0.0.1:${port}/settings.git#main`
        const repository = yield* remote.repository({ address, timeout: "3 seconds" })
        assert.strictEqual(repository.address, `https://127.0.0.1:${port}/settings.git`)
        const { message } = yield* Effect.flip(repository.refresh)
        for (const secret of ["robot", "s%40cret", "s@cret"]) assert.notInclude(message, secret)
        assert.include(message, "Failed to connect")
      })
    )

    it.effect("hides passwords and tokens in any text of git, but not the user name git", () =>
      Effect.sync(() => {
        const token = "ghp_0123456789abcdef"
        assert.strictEqual(
          redactor(`https://${token}@x/y`)(`fatal: ${token} for 'https://${token}@x/y'`),
          "fatal: *** for 'https://x/y'"
        )
        assert.strictEqual(redactor("https://u:p%40w@x/y")("p%40w p@w https://a:b@c/d"), "*** *** https://c/d")
        assert.strictEqual(redactor("ssh://git@x/y.git")("fatal: not a git repository"), "fatal: not a git repository")
      })
    )

    it.effect("is refused at once if the kind of the address could run programs", () =>
      Effect.gen(function* () {
        for (const address of [
          "ext::sh -c x",
          "--upload-pack=x",
          "",
          "file:///x#a b",
          "ftp://x/y",
          "fd::17",
          "/x#--x"
        ]) {
          const made = yield* Effect.result(makeGitRepository({ address, directory: "/nowhere" }))
          assert.isTrue(Result.isFailure(made), address)
          if (Result.isFailure(made)) assert.match(made.failure.message, /^Invalid remote repository /)
        }
      })
    )
  })
})
