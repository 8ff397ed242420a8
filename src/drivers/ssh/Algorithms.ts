/**
 * SSH algorithm profiles (docs/switch-dialogues.md#algorithms). `modern` has the cheapest strong ones first; `legacy` appends the
 * weak ones that old devices need and this runtime still has, because ssh2 throws on an unknown one.
 */
import { getCiphers, getHashes } from "node:crypto"
import type { Algorithms, CipherAlgorithm, KexAlgorithm, MacAlgorithm, ServerHostKeyAlgorithm } from "ssh2"

export type AlgorithmProfile = "modern" | "legacy"

/** Curves cost least, then groups that both sides know; a group that the switch chooses costs most, so it comes last. */
const modernKex: ReadonlyArray<KexAlgorithm> = [
  "curve25519-sha256",
  "curve25519-sha256@libssh.org",
  "ecdh-sha2-nistp256",
  "ecdh-sha2-nistp384",
  "ecdh-sha2-nistp521",
  "diffie-hellman-group14-sha256",
  "diffie-hellman-group16-sha512",
  "diffie-hellman-group15-sha512",
  "diffie-hellman-group17-sha512",
  "diffie-hellman-group18-sha512",
  "diffie-hellman-group-exchange-sha256"
]

const legacyKex: ReadonlyArray<KexAlgorithm> = [
  "diffie-hellman-group14-sha1",
  "diffie-hellman-group-exchange-sha1",
  "diffie-hellman-group1-sha1"
]

const legacyHostKeys: ReadonlyArray<ServerHostKeyAlgorithm> = ["ssh-dss"]

/** SSH name, and the name of the algorithm that the crypto library must have. */
const legacyCiphers: ReadonlyArray<readonly [CipherAlgorithm, string]> = [
  ["aes128-cbc", "aes-128-cbc"],
  ["aes192-cbc", "aes-192-cbc"],
  ["aes256-cbc", "aes-256-cbc"],
  ["3des-cbc", "des-ede3-cbc"]
]

const legacyMacs: ReadonlyArray<readonly [MacAlgorithm, string]> = [
  ["hmac-sha1-96", "sha1"],
  ["hmac-md5", "md5"]
]

const fastCiphers: ReadonlyArray<CipherAlgorithm> = ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"]

const supported = <A extends string>(table: ReadonlyArray<readonly [A, string]>, available: ReadonlySet<string>) =>
  table.filter(([, needs]) => available.has(needs)).map(([name]) => name)

const weakCiphers = supported(legacyCiphers, new Set(getCiphers()))
const weakMacs = supported(legacyMacs, new Set(getHashes()))

const profile = (legacy: boolean): Algorithms => ({
  kex: [...modernKex, ...(legacy ? legacyKex : [])],
  serverHostKey: { prepend: [], append: legacy ? [...legacyHostKeys] : [], remove: [] },
  cipher: { prepend: [...fastCiphers], append: legacy ? weakCiphers : [], remove: [] },
  hmac: { prepend: [], append: legacy ? weakMacs : [], remove: [] }
})

/** The `algorithms` option of ssh2 for each profile. */
export const algorithms: Readonly<Record<AlgorithmProfile, Algorithms>> = {
  modern: profile(false),
  legacy: profile(true)
}

/** The additional algorithms of `legacy`, by kind. */
export const onlyLegacy: Readonly<Record<AlgorithmKind, ReadonlyArray<string>>> = {
  "key exchange": legacyKex,
  "host key": legacyHostKeys,
  cipher: weakCiphers,
  MAC: weakMacs
}

// The algorithms that a switch offers when an SSH handshake begins, read from its unencrypted bytes (its version line, then the
// packet KEXINIT of RFC 4253): ssh2 reports only that none match, and the operator needs their names.

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
export const readOffer = (bytes: Buffer): AlgorithmOffer | undefined => {
  const line = versionLine.exec(bytes.toString("latin1"))
  if (line === null) return undefined
  const start = line.index + line[0].length
  if (start + packetHeader + 1 > bytes.length) return undefined
  const length = bytes.readUInt32BE(start)
  const payload = bytes.subarray(start + packetHeader, start + 4 + length - bytes.readUInt8(start + 4))
  return payload[0] === keyExchangeInit ? nameLists(payload) : undefined
}

/** The names of the kinds in "Handshake failed: no matching …" of ssh2. */
const words: ReadonlyArray<readonly [RegExp, AlgorithmKind]> = [
  [/no matching key exchange/, "key exchange"],
  [/no matching host key/, "host key"],
  [/no matching \S+ cipher/, "cipher"],
  [/no matching \S+ MAC/, "MAC"]
]

/** The kind without a match, by an error of ssh2. */
export const unmatched = (message: string): AlgorithmKind | undefined => words.find(([said]) => said.test(message))?.[1]
