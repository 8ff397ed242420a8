/**
 * SSH algorithm profiles (docs/switch-dialogues.md#algorithms). `modern` puts the cheapest strong ones first; `legacy` appends
 * the weak ones that old devices need, as far as this runtime still has them, because ssh2 throws on one that it lacks.
 */
import { getCiphers, getHashes } from "node:crypto"
import type { Algorithms, CipherAlgorithm, KexAlgorithm, MacAlgorithm } from "ssh2"

export type AlgorithmProfile = "modern" | "legacy"

const legacyKex: Array<KexAlgorithm> = [
  "diffie-hellman-group14-sha1",
  "diffie-hellman-group-exchange-sha1",
  "diffie-hellman-group1-sha1"
]

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

const fastKex: Array<KexAlgorithm> = ["curve25519-sha256", "curve25519-sha256@libssh.org"]
const fastCiphers: Array<CipherAlgorithm> = ["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"]

const supported = <A extends string>(table: ReadonlyArray<readonly [A, string]>, available: ReadonlySet<string>) =>
  table.filter(([, needs]) => available.has(needs)).map(([name]) => name)

const profile = (legacy: boolean): Algorithms => ({
  kex: { prepend: fastKex, append: legacy ? legacyKex : [], remove: [] },
  serverHostKey: { prepend: [], append: legacy ? ["ssh-dss"] : [], remove: [] },
  cipher: { prepend: fastCiphers, append: legacy ? supported(legacyCiphers, new Set(getCiphers())) : [], remove: [] },
  hmac: { prepend: [], append: legacy ? supported(legacyMacs, new Set(getHashes())) : [], remove: [] }
})

/** The `algorithms` option of ssh2 for each profile. */
export const algorithms: Readonly<Record<AlgorithmProfile, Algorithms>> = {
  modern: profile(false),
  legacy: profile(true)
}
