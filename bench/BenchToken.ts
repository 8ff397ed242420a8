/** Tokens of the site of a benchmark, and the public key with which its server checks them. */
import { Effect } from "effect"
import { SignJWT } from "jose"
import { generateKeyPairSync } from "node:crypto"
import { writeFileSync } from "node:fs"
import * as path from "node:path"

/** Puts the file of the key into this folder; `issue` makes tokens with these claims, which are valid for an hour. */
export const makeTokens = (folder: string) => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const JWT_CERT = path.join(folder, "public.pem")
  writeFileSync(JWT_CERT, publicKey.export({ type: "spki", format: "pem" }))
  const issue = (claims: Readonly<Record<string, unknown>> = {}) =>
    Effect.promise(() =>
      new SignJWT({ sub: "reader", ...claims })
        .setProtectedHeader({ alg: "ES256" })
        .setExpirationTime("1h")
        .sign(privateKey)
    )
  return { JWT_CERT, issue }
}
