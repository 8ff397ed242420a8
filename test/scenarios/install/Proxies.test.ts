/**
 * The shipped configurations of nginx and Caddy, with the real programs in front of a real server: bodies of 10 MB, streams of events and
 * websockets pass. Without the program the test is skipped and says so.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as https from "node:https"
import { tmpdir, userInfo } from "node:os"
import * as path from "node:path"
import { openSource, until } from "../../support/EventSource.ts"
import { freePort } from "../../support/FreePort.ts"
import { attempt } from "../../support/LiveClient.ts"
import { dataFolder, ofThisProcess, start } from "../../support/Program.ts"
import { MAX_BODY_BYTES } from "../../../src/http/core/RequestBodies.ts"

const root = path.resolve(import.meta.dirname, "../../..")
const shipped = (name: string) => readFileSync(path.join(root, "deploy", name), "utf8")

// Debian has nginx where only root looks
const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin`
const isInstalled = (program: string) =>
  spawnSync("sh", ["-c", `command -v ${program}`], { env: { PATH } }).status === 0

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-proxy-"))),
  (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
)

/** Replaces a text that the shipped file must have. */
const replace = (text: string, from: string, to: string): string => {
  assert.include(text, from)
  return text.replaceAll(from, to)
}

interface Place {
  readonly made: string
  readonly cert: string
  readonly key: string
  /** Of the proxy, and of the server behind it. */
  readonly port: number
  readonly server: number
}

const certificate = (made: string) => {
  const [cert, key] = [path.join(made, "tls.crt"), path.join(made, "tls.key")]
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost".split(" ")
  const names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
  const { status, stderr } = spawnSync("openssl", [...words, ...names, "-keyout", key, "-out", cert], {
    encoding: "utf8"
  })
  assert.strictEqual(status, 0, stderr)
  return { cert, key }
}

/** The words that start the program with the shipped file, at the addresses and with the certificate of this test. */
const proxies: Readonly<Record<string, (place: Place) => ReadonlyArray<string>>> = {
  nginx: ({ cert, key, made, port, server }) => {
    const names = [
      ["listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`],
      ["server 127.0.0.1:5000;", `server 127.0.0.1:${server};`],
      ["/etc/switchyard/tls/fullchain.pem", cert],
      ["/etc/switchyard/tls/private.pem", key]
    ] as const
    const site = names.reduce((text, [from, to]) => replace(text, from, to), shipped("nginx/switchyard.conf"))
    writeFileSync(path.join(made, "switchyard.conf"), site)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    const main = `${userInfo().uid === 0 ? "user root;\n" : ""}daemon off;
pid ${made}/pid;
error_log stderr;
events {}
http {
  access_log off;
${temporary.map((name) => `  ${name}_temp_path ${made}/${name};\n`).join("")}  include ${made}/switchyard.conf;
}
`
    writeFileSync(path.join(made, "nginx.conf"), main)
    return ["-c", path.join(made, "nginx.conf"), "-p", made, "-e", "stderr"]
  },
  caddy: ({ cert, key, made, port, server }) => {
    const names = [
      ["https://:443", `https://127.0.0.1:${port}`],
      // a second server that does not run
      ["server:5000 server2:5000", `127.0.0.1:${server} 127.0.0.1:9`],
      ["http://:80 {", "http://127.0.0.1:0 {"],
      ["/run/secrets/tls_certificate", cert],
      ["/run/secrets/tls_key", key]
    ] as const
    const file = path.join(made, "Caddyfile")
    writeFileSync(
      file,
      names.reduce((text, [from, to]) => replace(text, from, to), shipped("compose/Caddyfile"))
    )
    return ["run", "--adapter", "caddyfile", "--config", file]
  }
}

interface Answer {
  readonly status: number
  readonly text: string
}

/** One request; status 0 while nothing answers. */
const send = (url: string, method = "GET", body?: Buffer): Effect.Effect<Answer> =>
  Effect.callback<Answer>((resume) => {
    const headers = body === undefined ? {} : { "content-type": "application/json", "content-length": body.length }
    const request = https.request(url, { method, headers, agent: false, rejectUnauthorized: false }, (response) => {
      let text = ""
      response.on("data", (chunk) => (text += String(chunk)))
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
    })
    request.on("error", ({ message }) => resume(Effect.succeed({ status: 0, text: message })))
    request.end(body)
  })

/** A server behind the proxy; yields the proxy's URL once it answers. */
const behind = (name: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.gen(function* () {
    const program = yield* start({ DATA_DIR: yield* dataFolder })
    const server = Number(new URL(yield* program.url).port)
    const [made, port] = [yield* folder, yield* freePort]
    const words = proxies[name]?.({ made, port, server, ...certificate(made) }) ?? []
    let said = ""
    const child = yield* Effect.acquireRelease(
      Effect.sync(() => spawn(name, words, { env: { ...ofThisProcess, PATH, HOME: made, XDG_DATA_HOME: made } })),
      (running) => Effect.sync(() => void running.kill("SIGTERM"))
    )
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (said += String(chunk)))
    const url = `https://127.0.0.1:${port}`
    for (;;) {
      if ((yield* send(`${url}/api/health/live`)).status === 200) return url
      if (child.exitCode !== null) return yield* Effect.die(new Error(`${name} has ended: ${said}`))
      yield* Effect.sleep("100 millis")
    }
  })

/** A device whose name makes the whole body as long as this. */
const bodyOf = (bytes: number) => Buffer.from(`{"hostname":"${"a".repeat(bytes - '{"hostname":""}'.length)}"}`)
const message = ({ text }: Answer) => String((JSON.parse(text) as { readonly message: unknown }).message)

for (const name of Object.keys(proxies)) {
  const skipped = isInstalled(name) ? "" : ` (skipped: ${name} is not installed; on Debian: apt-get install ${name})`
  describe.skipIf(skipped !== "")(`Behind ${name}, with the shipped configuration${skipped}`, () => {
    it.live("a body of 10 MB arrives, and a larger one is refused by the server", () =>
      Effect.gen(function* () {
        const url = yield* behind(name)
        const device = `${url}/api/v1.0/device`
        const largest = yield* send(device, "POST", bodyOf(MAX_BODY_BYTES))
        assert.strictEqual(largest.status, 400, largest.text.slice(0, 500))
        assert.include(message(largest), "hostname")
        const larger = yield* send(device, "POST", bodyOf(MAX_BODY_BYTES + 1))
        assert.strictEqual(larger.status, 413, larger.text.slice(0, 500))
        assert.isNotEmpty(message(larger))
      }).pipe(Effect.scoped)
    )

    it.live("events arrive when they happen, by a stream and by a websocket", () =>
      Effect.gen(function* () {
        const url = yield* behind(name)
        const source = yield* openSource(`${url}/api/v1.0/events?kind=device`)
        const socket = yield* attempt(url, { transports: ["websocket"], rejectUnauthorized: false })
        if (typeof socket === "string") return assert.fail(socket)
        assert.strictEqual(socket.io.engine.transport.name, "websocket")
        const heard: Array<unknown> = []
        socket.on("events", (event) => void heard.push(event))
        yield* Effect.promise(() => socket.emitWithAck("events", { update: "device" }))
        const lease = { ztp_mac: "001C73000D01", dhcp_ip: "10.0.9.20", platform: "eos" }
        const device = { ...lease, hostname: "mac-001C73000D01", state: "DHCP_BOOT", device_type: "UNKNOWN" }
        const made = yield* send(`${url}/api/v1.0/device`, "POST", Buffer.from(JSON.stringify(device)))
        assert.strictEqual(made.status, 200, made.text)
        yield* until(() => source.messages.length > 0 && heard.length > 0)
        assert.isFalse(source.hasEnded())
      }).pipe(Effect.scoped)
    )
  })
}

describe("The shipped configuration of nginx", () => {
  it("passes on what the server needs, also where nginx is not installed", () => {
    const text = shipped("nginx/switchyard.conf")
    const limit = Number(/client_max_body_size (\d+)m;/.exec(text)?.[1])
    assert.isAbove(limit * 1024 * 1024, MAX_BODY_BYTES)
    for (const line of [
      "proxy_http_version 1.1;",
      "proxy_buffering off;",
      "proxy_set_header Upgrade $http_upgrade;",
      "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;",
      "proxy_set_header X-Forwarded-Proto $scheme;",
      "proxy_read_timeout 1h;"
    ])
      assert.include(text, line)
    assert.notMatch(text, /listen [^;]*\b80\b/)
  })
})
