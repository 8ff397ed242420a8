/**
 * The hash by which a difference is known again that a dry run has shown (docs/changes.md#fencing). Secrets are masked in it, because
 * some switches show the same secret otherwise each time; whether they are others is told by the configuration that is rendered.
 */
import { createHash } from "node:crypto"
import { maskSecrets } from "./SecretMask.ts"

/** SHA-256 of the difference without its secrets, lower-case hexadecimal. */
export const shownHash = (diff: string): string => createHash("sha256").update(maskSecrets(diff)).digest("hex")
