/** The TLS listener (docs/security.md#tls). */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as tls from "node:tls"
import * as Certificates from "../../src/certificates/Certificates.ts"
import { makeTlsListener } from "../../src/http/core/TlsListener.ts"
import { HttpServerLive } from "../../src/http/HttpServer.ts"
import { ApiServer, Backend, configOf } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"

const folder = Effect.acquireRelease(
  Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-tls-"))),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true }))
)

/** An authority, and a place for what it issues. */
const makeSite = Effect.gen(function* () {
  const authority = yield* Certificates.makeAuthority("Test authority")
  const at = yield* folder
  const files = { cert: path.join(at, "tls.crt"), key: path.join(at, "tls.key") }
  const issue = Effect.map(Certificates.issue(authority, "nms", "127.0.0.1", 365), ({ certificate, key }) => ({
    cert: certificate,
    key: Redacted.value(key)
  }))
  const write = (file: keyof typeof files, text: string) => Effect.promise(() => fs.writeFile(files[file], text))
  const put = Effect.fnUntraced(function* (pair: typeof files) {
    yield* write("cert", pair.cert)
    yield* write("key", pair.key)
  })
  return { authority, files, issue, write, put }
})

/** Waits until the condition holds. */
const until = Effect.fnUntraced(function* <E, R>(condition: Effect.Effect<boolean, E, R>) {
  while (!(yield* condition)) yield* Effect.sleep("50 millis")
})

/** A connection that stays open; `ask` sends a request over it and returns everything that arrives. */
const open = (port: number, ca: string) =>
  Effect.callback<{ readonly ask: Effect.Effect<string> }>((resume) => {
    const socket = tls.connect({ host: "127.0.0.1", port, ca }, () => {
      const ask = Effect.callback<string>((answer) => {
        let heard = ""
        socket.on("data", (data) => (heard += data.toString()))
        socket.on("close", () => answer(Effect.succeed(heard)))
        socket.write("GET /api/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
      })
      resume(Effect.succeed({ ask }))
    })
    socket.on("error", (error) => resume(Effect.die(error)))
  })

/** The serial number of the certificate that a new connection gets, or why there is none. */
const connect = (port: number, options: tls.ConnectionOptions) =>
  Effect.callback<string>((resume) => {
    const socket = tls.connect({ host: "127.0.0.1", port, ...options }, () => {
      const { serialNumber } = socket.getPeerCertificate()
      resume(Effect.succeed(`${socket.getProtocol()} ${serialNumber}`))
      socket.destroy()
    })
    socket.on("error", () => resume(Effect.succeed("refused")))
  })

const portOf = (lines: ReadonlyArray<{ readonly text: string }>): number =>
  Number(lines.flatMap(({ text }) => /^Listening on https:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1] ?? []).at(0))

const variablesOf = ({ cert, key }: { readonly cert: string; readonly key: string }) => ({
  TLS_CERT: cert,
  TLS_KEY: key,
  TLS_HOST: "127.0.0.1",
  TLS_PORT: "0"
})

describe("With TLS_CERT and TLS_KEY", () => {
  it.live("the API is served over TLS 1.2 and 1.3, with modern ciphers and nothing older", () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      yield* site.put(yield* site.issue)
      const { layer, lines } = keepLines("Info")
      yield* Effect.gen(function* () {
        const port = portOf(lines)
        const ca = site.authority.certificate
        assert.match(yield* connect(port, { ca }), /^TLSv1\.3 /)
        assert.match(yield* connect(port, { ca, maxVersion: "TLSv1.2" }), /^TLSv1\.2 /)
        const old = { ca, minVersion: "TLSv1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const
        assert.strictEqual(yield* connect(port, old), "refused")
        for (const ciphers of ["ECDHE-RSA-AES128-SHA256", "ECDHE-RSA-AES256-SHA", "AES128-GCM-SHA256"]) {
          assert.strictEqual(yield* connect(port, { ca, ciphers, maxVersion: "TLSv1.2" }), "refused", ciphers)
        }
        const heard = yield* (yield* open(port, ca)).ask
        assert.match(heard, /^HTTP\/1\.1 200 /)
        assert.include(heard.toLowerCase(), "strict-transport-security: max-age=31536000")
      }).pipe(Effect.provide(ApiServer(variablesOf(site.files))), Effect.provide(layer))
    }).pipe(Effect.scoped)
  )

  it.live("new files come into force without cutting connections, and broken ones never", () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      const [first, second] = [yield* site.issue, yield* site.issue]
      yield* site.put(first)
      const { layer, lines } = keepLines("Info")
      const ca = site.authority.certificate
      yield* Effect.gen(function* () {
        const port = portOf(lines)
        const connection = yield* open(port, ca)
        const before = yield* connect(port, { ca })
        yield* site.write("cert", "-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n")
        const reason = `TLS_CERT (${site.files.cert}) cannot be used: it is no PEM certificate`
        yield* until(Effect.sync(() => lines.some(({ level, text }) => level === "Warn" && text.includes(reason))))
        assert.strictEqual(yield* connect(port, { ca }), before)
        yield* site.put(second)
        yield* until(Effect.map(connect(port, { ca }), (now) => now !== before && now !== "refused"))
        assert.match(yield* connection.ask, /^HTTP\/1\.1 200 /)
        const [, secret = ""] = first.key.split("\n")
        assert.notInclude(JSON.stringify(lines), secret)
      }).pipe(Effect.provide(ApiServer(variablesOf(site.files))), Effect.provide(layer))
    }).pipe(Effect.scoped)
  )
})

describe("The server does not start", () => {
  const reasonOf = Effect.fnUntraced(function* (variables: Readonly<Record<string, string>>) {
    return (yield* Effect.flip(makeTlsListener({ maxHeaderSize: 1024 }).pipe(Effect.provide(configOf(variables)))))
      .message
  })

  it.live("with unusable files, and names them with the reason", () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      const [one, other] = [yield* site.issue, yield* site.issue]
      const { cert, key } = site.files
      const variables = variablesOf(site.files)
      assert.include(yield* reasonOf(variables), `TLS_CERT (${cert}) cannot be used: it cannot be read`)
      yield* site.put({ cert: one.cert, key: other.key })
      assert.include(
        yield* reasonOf(variables),
        `TLS_KEY (${key}) cannot be used: it is not the key of the certificate`
      )
      yield* site.write("key", "nothing")
      assert.include(yield* reasonOf(variables), `TLS_KEY (${key}) cannot be used: it is no PEM private key`)
      yield* site.write("cert", one.key)
      const reason = yield* reasonOf(variables)
      assert.include(reason, `TLS_CERT (${cert}) cannot be used: it is no PEM certificate`)
      assert.notInclude(reason, "PRIVATE KEY")
      assert.include(
        yield* reasonOf({ TLS_CERT: cert }),
        "TLS_KEY (no file) cannot be used: it is not set, but TLS_CERT is"
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("with TLS next to plain HTTP for all addresses, nor with TLS for all addresses without tokens", () =>
    Effect.gen(function* () {
      const tagOf = (variables: Readonly<Record<string, string>>) =>
        Effect.map(
          Effect.flip(
            Layer.build(HttpServerLive.pipe(Layer.provide(Backend({ TLS_CERT: "x", TLS_KEY: "x", ...variables }))))
          ),
          (error) => ("_tag" in error ? `${error._tag}: ${String(error)}` : "")
        )
      assert.match(yield* tagOf({ HOST: "0.0.0.0", JWT_ENABLED: "true" }), /^PlainHttpRefused: .*Set HOST=127\.0\.0\.1/)
      assert.match(yield* tagOf({ TLS_HOST: "0.0.0.0" }), /^OpenApiRefused: .*TLS_HOST is 0\.0\.0\.0/)
    }).pipe(Effect.scoped)
  )
})
