/** Signatures of webhooks as Standard Webhooks have them (docs/alerts.md#webhooks): HMAC-SHA-256 over id, time and body. */
import { Option } from "effect"
import { createHmac } from "node:crypto"

const PREFIX = "whsec_"
const SHORTEST = 24
const LONGEST = 64

/** The key in a secret `whsec_…`: base64 of 24 to 64 bytes. */
export const keyOf = (secret: string): Option.Option<Buffer> => {
  if (!secret.startsWith(PREFIX)) return Option.none()
  const text = secret.slice(PREFIX.length)
  const key = Buffer.from(text, "base64")
  const isWhole = /^[A-Za-z0-9+/]+={0,2}$/.test(text) && key.length >= SHORTEST && key.length <= LONGEST
  return isWhole ? Option.some(key) : Option.none()
}

/** The headers that prove a body; `seconds` since 1970. */
export const signedHeaders = (
  key: Buffer,
  id: string,
  seconds: number,
  body: string
): Readonly<Record<string, string>> => ({
  "webhook-id": id,
  "webhook-timestamp": String(seconds),
  "webhook-signature": `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`
})
