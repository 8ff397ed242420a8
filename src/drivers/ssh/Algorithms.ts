/**
 * SSH algorithm profiles (docs/switch-dialogues.md#algorithms). `modern` has the cheapest strong ones first; `legacy` appends
 * the weak ones that old devices need, as far as this runtime still has them, because ssh2 throws on one that it lacks.
 */
import { getCiphers, getHashes } from "node:crypto"
import type { Algorithms, CipherAlgorithm, KexAlgorithm, MacAlgorithm, ServerHostKeyAlgorithm } from "ssh2"
import type { AlgorithmKind } from "./AlgorithmOffer.ts"

export type AlgorithmProfile = "modern" | "legacy"

/** Curves cost least, then groups that both sides know; a group that the switch invents costs most, so it stands last. */
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

/** SSH name and the name of what the crypto library must have for it. */
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

/** What `legacy` has beyond `modern`, by its kind. */
export const onlyLegacy: Readonly<Record<AlgorithmKind, ReadonlyArray<string>>> = {
  "key exchange": legacyKex,
  "host key": legacyHostKeys,
  cipher: weakCiphers,
  MAC: weakMacs
}
