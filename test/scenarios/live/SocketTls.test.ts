/** A real client of socket.io over the server's own TLS: polling, websocket, and from the one to the other. */
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Certificates from "../../../src/certificates/Certificates.ts"
import * as Campus from "../../support/Campus.ts"
import { attempt, listen, sentence } from "../../support/LiveClient.ts"
import { keepLines } from "../../support/LogLines.ts"
import { freePort } from "../../support/FreePort.ts"
import { serve } from "../../support/ServedCampus.ts"

it.live(
  "sends the same to clients over TLS, with any transport, and refuses clients that do not trust the server",
  () =>
    Effect.gen(function* () {
      const { folder } = yield* Campus.makeFolders
      const authority = yield* Certificates.makeAuthority("Test authority")
      const { certificate, key } = yield* Certificates.issue(authority, "nms", "127.0.0.1", 365)
      const [cert, keyFile] = [path.join(folder, "tls.crt"), path.join(folder, "tls.key")]
      yield* Effect.promise(() => fs.writeFile(cert, certificate))
      yield* Effect.promise(() => fs.writeFile(keyFile, Redacted.value(key)))
      const port = yield* freePort
      const { running, url } = yield* serve(
        {
          DATA_DIR: folder,
          HOST: "127.0.0.1",
          JWT_ENABLED: "false",
          TLS_CERT: cert,
          TLS_KEY: keyFile,
          TLS_HOST: "127.0.0.1",
          TLS_PORT: String(port)
        },
        keepLines("Info").layer
      )
      const secure = `https://127.0.0.1:${port}`
      const ca = authority.certificate
      assert.strictEqual(yield* attempt(secure, { transports: ["websocket"] }), "websocket error")
      assert.strictEqual(yield* attempt(secure, { transports: ["polling"] }), "xhr poll error")

      const rooms = [{ update: "device" }]
      const upgraded = yield* listen(secure, rooms, { ca })
      const clients = [
        upgraded,
        yield* listen(secure, rooms, { ca, transports: ["websocket"] }),
        yield* listen(secure, rooms, { ca, transports: ["polling"] }),
        yield* listen(url, rooms)
      ]
      yield* upgraded.until("The websocket", () => upgraded.socket.io.engine.transport.name === "websocket")
      yield* Effect.provideContext(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`insert into device (hostname, state, device_type, platform)
            select 'acc' || n, 'MANAGED', 'ACCESS', 'eos' from generate_series(1, 50) n`
        ),
        running
      )
      const told = Array.from({ length: 50 }, (_, index) => `CREATED acc${index + 1}`)
      for (const client of clients) {
        yield* client.until("The devices", () => client.events.length >= told.length)
        assert.deepStrictEqual(client.events.map(sentence), told)
      }
    }).pipe(Effect.scoped)
)
