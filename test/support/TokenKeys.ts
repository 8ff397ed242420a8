/** Keys of a token issuer of our own, and tokens signed with them. */
import { Effect, FileSystem } from "effect"
import { SignJWT } from "jose"
import { generateKeyPairSync, type KeyObject } from "node:crypto"

/** A pair of keys with the public half as PEM. */
export interface Issuer {
  readonly algorithm: "ES256" | "RS256"
  readonly privateKey: KeyObject
  readonly publicPem: string
}

/** A new issuer. */
export const makeIssuer = (algorithm: Issuer["algorithm"]): Issuer => {
  const { privateKey, publicKey } =
    algorithm === "ES256"
      ? generateKeyPairSync("ec", { namedCurve: "P-256" })
      : generateKeyPairSync("rsa", { modulusLength: 2048 })
  return { algorithm, privateKey, publicPem: publicKey.export({ type: "spki", format: "pem" }).toString() }
}

/** A token with exactly these claims. */
export const sign = ({ algorithm, privateKey }: Issuer, claims: Readonly<Record<string, unknown>>) =>
  Effect.promise(() => new SignJWT({ ...claims }).setProtectedHeader({ alg: algorithm, typ: "JWT" }).sign(privateKey))

/** Writes the public key to a file that is removed with the scope, and yields its path for JWT_CERT. */
export const keyFile = Effect.fnUntraced(function* ({ publicPem }: Pick<Issuer, "publicPem">) {
  const files = yield* FileSystem.FileSystem
  const path = yield* files.makeTempFileScoped({ suffix: ".pem" })
  yield* files.writeFileString(path, publicPem)
  return path
})
