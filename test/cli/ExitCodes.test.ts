/** The results of commands for calling programs: exit codes, and no control characters of a terminal. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Command } from "effect/cli"
import * as fs from "node:fs/promises"
import * as http from "node:http"
import * as path from "node:path"
import { rootFor } from "../../src/cli/Commands.ts"
import { COMMANDS, LOCAL } from "../support/CommandLines.ts"
import { begin, command, dataFolder, until } from "../support/Program.ts"

/** The commands that there are, as words; of those with sub-commands these. */
const commandsIn = (
  command: Command.Command.Any,
  before: ReadonlyArray<string> = []
): ReadonlyArray<ReadonlyArray<string>> => {
  const inside = command.subcommands.flatMap(({ commands }) => commands)
  return inside.length === 0 ? [before] : inside.flatMap((one) => commandsIn(one, [...before, one.name]))
}

interface Said {
  status: number
  body: string
  /** Nothing is answered. */
  isSilent: boolean
}

/** A server that says the same to everybody; below `/s404`, with that status. */
const makeServer = Effect.gen(function* () {
  const said: Said = { status: 200, body: "{}", isSilent: false }
  const asked: Array<string> = []
  const server = yield* Effect.acquireRelease(
    Effect.callback<http.Server>((resume) => {
      const made = http.createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`)
        if (said.isSilent) return
        const [, status = said.status] = /^\/s(\d{3})\//.exec(request.url ?? "") ?? []
        response.writeHead(Number(status), { "content-type": "application/json" }).end(said.body)
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  return { asked, said, url }
})

const INPUT = "seven green bicycles\n"
const words = (line: string): ReadonlyArray<string> => line.split(" ")
const environment = (url: string, more: Readonly<Record<string, string>> = {}) => ({
  SWITCHYARD_URL: url,
  SWITCHYARD_TOKEN: "swy_token",
  XDG_CONFIG_HOME: "/nonexistent",
  ...more
})

const statuses = [
  [400, 1],
  [401, 3],
  [403, 3],
  [404, 1],
  [409, 1],
  [429, 1],
  [500, 1],
  [502, 4],
  [503, 4]
] as const

/** Each command meets one of the statuses, and one meets all of them. */
const cases = [
  ...COMMANDS.map((line, index) => ({ line, expected: statuses[index % statuses.length] ?? statuses[0] })),
  ...statuses.map((expected) => ({ line: "token list", expected }))
]
/** Commands that meet another program in place of the server. */
const SOME: ReadonlySet<string> = new Set([
  "devices",
  "login --user maria --stdin",
  "token list",
  "alerts list",
  "doctor",
  "person list",
  "approvals list",
  "hostkeys"
])
const AT_ONCE = { concurrency: 3, discard: true } as const

describe("A command", () => {
  it.effect("is listed in the tables here, whichever exists", () =>
    Effect.gen(function* () {
      const here = [...COMMANDS, ...LOCAL.map(([line]) => line)].map(words)
      const all = commandsIn(yield* rootFor([]))
      const missing = all.filter((one) => !here.some((line) => one.every((word, at) => line[at] === word)))
      assert.deepEqual(missing, [])
    })
  )

  it.live("reports the answer of the server by its exit code and in one sentence", () =>
    Effect.gen(function* () {
      const { said, url } = yield* makeServer
      said.body = JSON.stringify({ status: "error", message: "No \u001b[31mway\u009b" })
      yield* Effect.forEach(
        cases,
        Effect.fnUntraced(function* ({ expected: [status, code], line }) {
          const at = `${url}/s${status}`
          const end = yield* command(environment(at), words(line.replace("URL", at)), INPUT)
          // what is wrong with a password is a matter of signing on, whatever the status
          const wanted = line.startsWith("login --user") && code === 1 ? 3 : code
          assert.deepEqual([line, status, end.code, end.out], [line, status, wanted, ""])
          assert.include(end.err, "No  [31mway", line)
          // oxlint-disable-next-line no-control-regex
          assert.notMatch(end.err, /[\u0007\u001b\u009b]/, line)
        }),
        AT_ONCE
      )
    }).pipe(Effect.scoped)
  )

  it.live("that waits for another person is not successful, and says so in words for its user", () =>
    Effect.gen(function* () {
      const { said, url } = yield* makeServer
      said.status = 202
      const data = { approval_id: 4, waits_until: "2026-11-23T13:59:05Z", operation: "a new user" }
      said.body = JSON.stringify({ status: "success", message: "This waits", data })
      const waiting = [
        "user add maria",
        "user password maria",
        "user remove maria",
        "user role maria --role reader",
        "token revoke 7",
        "person withdraw local:maria",
        "person admit local:maria",
        "hostkeys approve lhv-a1=SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c",
        "alerts mute --rule drift --reason work",
        "alerts unmute 7"
      ]
      yield* Effect.forEach(
        waiting,
        Effect.fnUntraced(function* (line) {
          const { code, err, out } = yield* command(environment(url), words(line))
          assert.deepEqual([line, code], [line, 1])
          assert.match(err, /^Not done yet: it waits until 2026-11-23T13:59:05Z for the approval of another person/)
          assert.include(err, "switchyard approvals approve 4 --comment", line)
          // output that cannot be looked up later
          if (!/^user (?:add|password)/.test(line)) return assert.strictEqual(out, "", line)
          assert.match(out, /"password": "[\w-]{24}",\s+"approval_id": 4/)
        }),
        AT_ONCE
      )
    }).pipe(Effect.scoped)
  )

  it.live("that works at no server and fails ends with 1", () =>
    Effect.gen(function* () {
      for (const line of ["dhcp-hook --nonsense", "setup --name maria"]) {
        const end = yield* command({ DATABASE_URL: "postgres://nobody@127.0.0.1:9/nothing" }, words(line))
        assert.deepEqual([line, end.code, end.out], [line, 1, ""])
        assert.notStrictEqual(end.err, "")
      }
    })
  )

  it.live("reports an unreachable server if nothing listens, nothing answers, or another program answers", () =>
    Effect.gen(function* () {
      const { said, url } = yield* makeServer
      said.body = "<html>"
      yield* Effect.forEach(
        COMMANDS,
        Effect.fnUntraced(function* (line) {
          const nowhere = "http://127.0.0.1:9"
          const away = yield* command(environment(nowhere), words(line.replace("URL", nowhere)), INPUT)
          assert.deepEqual([line, away.code, away.out], [line, 4, ""])
          if (!SOME.has(line)) return
          const other = yield* command(environment(url), words(line), INPUT)
          assert.deepEqual([line, other.code], [line, 4])
        }),
        AT_ONCE
      )
      said.isSilent = true
      const silent = yield* command(environment(url, { SWITCHYARD_TIMEOUT: "0.3" }), ["devices"])
      assert.deepEqual([silent.code, silent.err.includes("does not answer within 0.3 seconds")], [4, true])
    }).pipe(Effect.scoped)
  )

  it.live("reports mistyped arguments before it calls the server", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* makeServer
      const mistyped = [
        "devices --nonsense",
        "nonsense",
        "device",
        "job seven",
        "init 7 name --mlag-peer seven",
        "token create --name hook --expires soon",
        "token create --name hook --expires 0d",
        "token create --name a/b",
        "user add a/b",
        "sync --batch many --all",
        "sync",
        "sync lhv-a1 --all",
        "firmware upgrade EOS.swi",
        "hostkeys approve",
        "ports set lhv-a1 Ethernet1",
        ...COMMANDS.map((line) => `${line} --nonsense`),
        "approvals approve seven --comment yes",
        "approvals approve 7",
        "person withdraw",
        ...LOCAL.filter(([, code]) => code === 2).map(([line]) => `${line} --nonsense`)
      ]
      yield* Effect.forEach(
        mistyped,
        Effect.fnUntraced(function* (line) {
          const end = yield* command(environment(url), words(line), INPUT)
          assert.deepEqual([line, end.code], [line, 2])
        }),
        AT_ONCE
      )
      assert.strictEqual((yield* command(environment("nms.example.org"), ["devices"])).code, 2)
      assert.strictEqual((yield* command(environment(url, { SWITCHYARD_TIMEOUT: "soon" }), ["devices"])).code, 2)
      assert.deepEqual(asked, [])
    }).pipe(Effect.scoped)
  )

  it.live("that is stopped before its end is not successful", () =>
    Effect.gen(function* () {
      const { asked, said, url } = yield* makeServer
      said.isSilent = true
      for (const line of [
        "devices",
        "token list",
        "alerts list",
        "sync --all",
        "undo 7",
        "job 7 --watch",
        "repo refresh",
        "hostkeys"
      ]) {
        const before = asked.length
        const running = yield* begin(environment(url), words(line))
        yield* until(Effect.sync(() => asked.length > before))
        running.kill("SIGINT")
        assert.deepEqual([line, (yield* running.ended).code], [line, 130])
      }
    }).pipe(Effect.scoped)
  )

  it.live("that follows events says once that its stream was cut, and goes on trying", () =>
    Effect.gen(function* () {
      const { asked, said, url } = yield* makeServer
      said.body = 'id: 7\nevent: job\ndata: {"kind":"job"}\n\n'
      const running = yield* begin(environment(url), words("events --follow --json"))
      yield* until(Effect.sync(() => asked.length > 0))
      // a server that starts
      said.status = 503
      yield* until(Effect.sync(() => asked.length > 3))
      running.kill("SIGINT")
      const { code, err } = yield* running.ended
      assert.strictEqual(code, 0)
      assert.strictEqual(err, `The stream of ${url} was cut; it continues after 7\n`)
    }).pipe(Effect.scoped)
  )

  it.live("reads its token from no file that others can read or own", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* makeServer
      const file = path.join(yield* dataFolder, "token")
      const env = { SWITCHYARD_URL: url, SWITCHYARD_TOKEN_FILE: file }
      const lines = ["devices", "user remove maria", "alerts list", "doctor"]
      const refused = Effect.fnUntraced(function* (sentence: RegExp) {
        for (const line of lines) {
          const end = yield* command(env, words(line))
          assert.deepEqual([line, end.code, end.out], [line, 3, ""])
          assert.match(end.err, sentence)
        }
      })
      yield* refused(/There is no file/)
      yield* Effect.promise(() => fs.writeFile(file, "swy_token\n", { mode: 0o600 }))
      for (const mode of [0o640, 0o604, 0o620, 0o644]) {
        yield* Effect.promise(() => fs.chmod(file, mode))
        const end = yield* command(env, ["devices"])
        assert.deepEqual([end.code, end.err.includes("can be read by others")], [3, true])
      }
      yield* refused(/can be read by others/)
      yield* Effect.promise(() => fs.chmod(file, 0o600))
      if (process.getuid?.() === 0) {
        yield* Effect.promise(() => fs.chown(file, 12_345, 0))
        yield* refused(/belongs to another user/)
        yield* Effect.promise(() => fs.chown(file, 0, 0))
      }
      assert.deepEqual(asked, [])
      yield* command(env, ["devices"])
      assert.lengthOf(asked, 1)
    }).pipe(Effect.scoped)
  )

  it.live("prints no control characters or formulas, in any of its formats", () =>
    Effect.gen(function* () {
      const { said, url } = yield* makeServer
      const evil = "=cmd|'x'!A1\u001b]0;owned\u0007\u009b31m\u202e\u2028\r\n+1"
      const token = { id: -7, name: evil, roles: [evil], created_by: "\t@SUM(1)", created_at: "-1", expires_at: "＝1" }
      said.body = JSON.stringify({ status: "success", data: { tokens: [token], added_token: { name: evil } } })
      for (const line of ["token list", "token list --csv", "token list --json", "token create --name x"]) {
        const { code, out } = yield* command(environment(url), words(line))
        assert.strictEqual(code, 0, line)
        // oxlint-disable-next-line no-control-regex
        assert.notMatch(out, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u202e]/, line)
        if (line.endsWith("--csv")) {
          assert.lengthOf(out.trimEnd().split("\n"), 2)
          assert.match(out, /^-7,'=cmd[^]*' @SUM\(1\),,'-1,'＝1/m)
        }
        if (line.endsWith("--json")) assert.deepEqual(JSON.parse(out), [token])
      }
    }).pipe(Effect.scoped)
  )
})
