/**
 * What a switch offers when an SSH handshake begins, read from the bytes that it sends in the clear (its version line, then
 * the packet KEXINIT of RFC 4253): ssh2 says only that nothing matches, and whoever has to mend that needs the names.
 */

/** Kinds of algorithms that both sides have to agree on. */
export type AlgorithmKind = "key exchange" | "host key" | "cipher" | "MAC"

/** The names that a switch offers, by kind, in its order. */
export type AlgorithmOffer = Readonly<Record<AlgorithmKind, ReadonlyArray<string>>>

const keyExchangeInit = 20
const cookieBytes = 16
const packetHeader = 5
const versionLine = /(?:^|\n)SSH-[^\n]*\n/

/** Marks of a negotiation, no algorithms of their own. */
const mark = /^(?:ext-info-|kex-strict-)/

/** The four lists in the order in which ssh2 looks for a match; lists of the other direction are usually the same. */
const kinds: ReadonlyArray<AlgorithmKind> = ["key exchange", "host key", "cipher", "cipher", "MAC", "MAC"]

const nameLists = (payload: Buffer): AlgorithmOffer | undefined => {
  const found: Record<AlgorithmKind, ReadonlyArray<string>> = {
    "key exchange": [],
    "host key": [],
    cipher: [],
    MAC: []
  }
  let at = 1 + cookieBytes
  for (const kind of kinds) {
    if (at + 4 > payload.length) return undefined
    const end = at + 4 + payload.readUInt32BE(at)
    if (end > payload.length) return undefined
    const names = payload.toString("latin1", at + 4, end).split(",")
    found[kind] = [...new Set([...found[kind], ...names])].filter((name) => name !== "" && !mark.test(name))
    at = end
  }
  return found
}

/** The offer in the first bytes from a switch; undefined while they do not have all of it. */
export const read = (bytes: Buffer): AlgorithmOffer | undefined => {
  const line = versionLine.exec(bytes.toString("latin1"))
  if (line === null) return undefined
  const start = line.index + line[0].length
  if (start + packetHeader + 1 > bytes.length) return undefined
  const length = bytes.readUInt32BE(start)
  const payload = bytes.subarray(start + packetHeader, start + 4 + length - bytes.readUInt8(start + 4))
  return payload[0] === keyExchangeInit ? nameLists(payload) : undefined
}

/** What ssh2 calls the kinds in "Handshake failed: no matching …". */
const words: ReadonlyArray<readonly [RegExp, AlgorithmKind]> = [
  [/no matching key exchange/, "key exchange"],
  [/no matching host key/, "host key"],
  [/no matching \S+ cipher/, "cipher"],
  [/no matching \S+ MAC/, "MAC"]
]

/** The kind of which an error of ssh2 says that nothing matches. */
export const unmatched = (message: string): AlgorithmKind | undefined => words.find(([said]) => said.test(message))?.[1]
