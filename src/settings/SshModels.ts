/**
 * The models of how the server logs in to a switch (docs/settings-repository.md#keys-of-base_systemyml, `ssh`), and of a login
 * that some managed switches have instead of the fleet's. Secrets are named, never written: they are environment variables of the server that begin with `DEVICE_SECRET_`.
 */
import { absent, choice, integer, model, optional, text } from "./SettingRule.ts"
import { Descriptions, Patterns } from "./Patterns.ts"

const mostWildcards = 2
const port = integer({ ge: 1, le: 65_535, description: Descriptions.port })
const algorithms = optional(choice(["modern", "legacy"]), "modern")
const secretName = text({ pattern: Patterns.secretName, description: Descriptions.secretName })

/** Nothing, or the message for a prompt that would match in too many ways. */
const promptFault = (prompt: string): string | undefined =>
  prompt.split("*").length - 1 > mostWildcards
    ? `Value error, a prompt may have at most ${mostWildcards} wildcards (*)`
    : undefined

export const f_jump_host = model("f_jump_host", {
  host: text({ maxLength: 253, pattern: Patterns.host, description: Descriptions.host }),
  port: optional(port, 22),
  username: text(),
  password_secret: secretName,
  host_key: text({ pattern: Patterns.fingerprint, description: Descriptions.fingerprint }),
  algorithms
})

export const f_ssh = model("f_ssh", {
  algorithms,
  port: absent(port),
  window_bytes: absent(integer({ ge: 1, le: 4096 })),
  prompt: absent(text({ maxLength: 200, check: promptFault })),
  username: absent(text({ maxLength: 64 })),
  password_secret: absent(secretName),
  password_next_secret: absent(secretName),
  key_secret: absent(secretName),
  key_passphrase_secret: absent(secretName),
  enable_secret: absent(secretName),
  jump_host: absent(f_jump_host)
})
export type SshSettings = typeof f_ssh.Type
