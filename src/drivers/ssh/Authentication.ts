/**
 * Logins by password or by key without wasted attempts (docs/switch-dialogues.md#login). ssh2's own order tries methods that the server did
 * not offer, and each one counts as a failed login on the switch. This handler asks with `none`, then takes
 * keyboard-interactive or password from the server's list, each once; or the key alone, which the server is asked about before
 * anything is signed.
 */
import { Result } from "effect"
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware, ParsedKey } from "ssh2"
import { answersTo } from "./LoginPrompts.ts"

const preferred: ReadonlyArray<AuthenticationType> = ["keyboard-interactive", "password"]

/** What a login tells. */
export interface LoginEvents {
  /** Called before a method that gives the password or the key. */
  readonly offering: () => void
  /** Called once when nothing is left to try, or with a sentence when it is asked what it cannot answer; ends the connection. */
  readonly exhausted: (why?: string) => void
}

/** An ssh2 `authHandler`. Questions are answered as `LoginPrompts.ts` says. */
export const passwordLogin = (
  username: string,
  password: string,
  { exhausted, offering }: LoginEvents
): AuthHandlerMiddleware => {
  const tried = new Set<AuthenticationType>()
  const attempt = (type: AuthenticationType): AnyAuthMethod =>
    type === "keyboard-interactive"
      ? {
          type,
          username,
          prompt: (_name, instructions, _language, prompts, finish) =>
            Result.match(answersTo({ username, password }, instructions, prompts), {
              onSuccess: (answers) => finish([...answers]),
              onFailure: exhausted
            })
        }
      : { type: "password", username, password }
  return (offered, _partialSuccess, next) => {
    // ssh2 passes null before the server has said what it offers, against its type.
    if (!Array.isArray(offered)) return next({ type: "none", username })
    const method = preferred.find((type) => offered.includes(type) && !tried.has(type))
    if (method === undefined) return exhausted()
    tried.add(method)
    offering()
    return next(attempt(method))
  }
}

/** An ssh2 `authHandler` that logs in by this key, where the server takes keys. */
export const keyLogin = (
  username: string,
  key: ParsedKey,
  { exhausted, offering }: LoginEvents
): AuthHandlerMiddleware => {
  let isTried = false
  return (offered, _partialSuccess, next) => {
    // ssh2 passes null before the server has said what it offers, against its type.
    if (!Array.isArray(offered)) return next({ type: "none", username })
    if (isTried || !offered.includes("publickey")) return exhausted()
    isTried = true
    offering()
    return next({ type: "publickey", username, key })
  }
}
