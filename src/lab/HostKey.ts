/** SSH host keys of simulated switches. */
import { createPrivateKey, sign } from "node:crypto"
import type { ParsedKey } from "ssh2"
import { utils } from "../drivers/ssh/Ssh2.ts"

const TRIES = 100

/** The key of a switch. */
export type HostKey = () => ParsedKey

/** A key that is made when it is needed first: a lab of thousands of switches starts without waiting for their keys. */
export const lazy = (): HostKey => {
  let key: ParsedKey | undefined
  return () => (key ??= generate())
}

/** A new ed25519 key. ssh2 writes about one key in a few hundred in a form that it cannot read itself: then it tries again. */
const generate = (): ParsedKey => {
  for (let left = TRIES; ; left--) {
    const key = utils.parseKey(utils.generateKeyPairSync("ed25519").private)
    if (!(key instanceof Error)) return readOnce(key)
    if (left === 0) throw key
  }
}

/** ssh2 would read the key's text again for each signature, which costs more than to sign. */
const readOnce = (key: ParsedKey): ParsedKey => {
  const secret = createPrivateKey(key.getPrivatePEM())
  key.sign = (data) => sign(null, typeof data === "string" ? Buffer.from(data) : data, secret)
  return key
}
