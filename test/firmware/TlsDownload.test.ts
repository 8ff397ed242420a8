/** Downloads over TLS: the certificate is checked unless the request says otherwise. */
import { assert, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import forge from "node-forge"
import * as fs from "node:fs/promises"
import * as https from "node:https"
import { tmpdir } from "node:os"
import * as path from "node:path"
import * as ImageStore from "../../src/firmware/ImageStore.ts"
import { receiverGuard } from "../../src/runtime/OutboundHosts.ts"
import { sha1Of } from "./ImageHost.ts"

const NAME = "EOS-4.32.2F.swi"
const image = Buffer.from("an image")

/** A key and an unsigned certificate for localhost. */
const selfSigned = () => {
  const { privateKey, publicKey } = forge.pki.rsa.generateKeyPair(2048)
  const certificate = forge.pki.createCertificate()
  certificate.publicKey = publicKey
  certificate.serialNumber = "01"
  certificate.validity.notBefore = new Date(Date.now() - 60_000)
  certificate.validity.notAfter = new Date(Date.now() + 3_600_000)
  const name = [{ name: "commonName", value: "localhost" }]
  certificate.setSubject(name)
  certificate.setIssuer(name)
  certificate.sign(privateKey, forge.md.sha256.create())
  return { key: forge.pki.privateKeyToPem(privateKey), cert: forge.pki.certificateToPem(certificate) }
}

it.live("a download from a server with a bad certificate is refused, unless the check is switched off", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.promise(() => fs.mkdtemp(path.join(tmpdir(), "switchyard-tls-"))),
      (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
    )
    const server = https.createServer(selfSigned(), (_, response) => response.end(image))
    yield* Effect.acquireRelease(
      Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))),
      () => Effect.sync(() => server.close())
    )
    const address = server.address()
    const url = `https://localhost:${typeof address === "object" && address !== null ? address.port : 0}/${NAME}`
    const store = ImageStore.makeImageStore({
      folder,
      maxBytes: 1000,
      guard: receiverGuard({ OUTBOUND_HOSTS: Option.none() })
    })
    const error = yield* Effect.flip(store.add(NAME, { url, sha1: sha1Of(image), verifyTls: true }))
    assert.match(error.message, /^Could not download firmware: self-signed certificate/)
    assert.deepStrictEqual((yield* store.list).files, [])
    yield* store.add(NAME, { url, sha1: sha1Of(image), verifyTls: false })
    assert.deepStrictEqual((yield* store.list).files, [NAME])
  }).pipe(Effect.scoped)
)
