/** SSH host keys of simulated switches. */
import type { ParsedKey } from "ssh2"
import { utils } from "../ssh/Ssh2.ts"

const TRIES = 100

/** A new ed25519 key. ssh2 writes about one key in a few hundred in a form that it cannot read itself: then it tries again. */
export const generate = (): ParsedKey => {
  for (let left = TRIES; ; left--) {
    const key = utils.parseKey(utils.generateKeyPairSync("ed25519").private)
    if (!(key instanceof Error)) return key
    if (left === 0) throw key
  }
}
