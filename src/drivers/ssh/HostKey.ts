/** Fingerprints of SSH host keys and the decision whether a shown key is acceptable (promise 7). */
import { createHash } from "node:crypto"
import type { HostKeyPolicy } from "../Driver.ts"

/** `SHA256:…` as OpenSSH prints it: base64 of the digest of the public key blob, without padding. */
export const fingerprint = (key: Uint8Array): string =>
  `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`

/** Whether a switch that shows this fingerprint may be talked to. */
export const acceptable = (policy: HostKeyPolicy, seen: string): boolean =>
  policy._tag === "pin" ? policy.fingerprint === seen : policy._tag !== "approve"
