/** The file of the authority's key (docs/security.md#certificate-authority). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { generateKeyPairSync } from "node:crypto"
import * as CertificateAuthority from "../../src/certificates/CertificateAuthority.ts"
import { of } from "../../src/runtime/SecretKey.ts"

const KEY = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs1", format: "pem" }
}).privateKey

const none = { CAKEY_PASSPHRASE: Option.none() }
const [one, other] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

describe("The file of the authority's key", () => {
  it.effect("is encrypted with the server's own key, and stays readable while that key is changed", () =>
    Effect.gen(function* () {
      const file = CertificateAuthority.encrypted(CertificateAuthority.passphrases(of(one), none), Redacted.make(KEY))
      assert.include(file, "BEGIN ENCRYPTED PRIVATE KEY")
      for (const key of [of(one), of(other, [one])]) {
        assert.strictEqual(
          Redacted.value(yield* CertificateAuthority.decrypted(CertificateAuthority.passphrases(key, none), file)),
          KEY
        )
      }
      const refused = yield* Effect.flip(
        CertificateAuthority.decrypted(CertificateAuthority.passphrases(of(other), none), file)
      )
      assert.include(refused.message, "SECRET_KEY")
    })
  )

  it.effect("uses the passphrase of the site if there is one, and a clear file is read unchanged", () =>
    Effect.gen(function* () {
      const ours = CertificateAuthority.passphrases(of(one), {
        CAKEY_PASSPHRASE: Option.some(Redacted.make("of the site"))
      })
      const file = CertificateAuthority.encrypted(ours, Redacted.make(KEY))
      assert.strictEqual(Redacted.value(yield* CertificateAuthority.decrypted(ours, file)), KEY)
      assert.isTrue(
        (yield* Effect.exit(CertificateAuthority.decrypted(CertificateAuthority.passphrases(of(one), none), file)))
          ._tag === "Failure"
      )
      assert.strictEqual(Redacted.value(yield* CertificateAuthority.decrypted(ours, KEY)), KEY)
    })
  )
})
