/** All that is known of the places of secrets in the lines of a platform, as patterns of what stands before one. */
import { secretType } from "./CommonWords.ts"
import type { Platform } from "./Platform.ts"

/**
 * Patterns of what stands before a secret in one line, which may have the sign of a difference. Those that a switch may salt
 * are told from the beginning of their line; a type in front of a secret is none itself.
 */
export const secretWords = ({
  saltedSecrets,
  secrets
}: Pick<Platform, "saltedSecrets" | "secrets">): ReadonlyArray<string> => [
  ...secrets,
  ...saltedSecrets.map((words) => String.raw`^[+-]?\s*${words}${secretType}`)
]
