/**
 * Logins by password or by key without wasted attempts (docs/switch-dialogues.md#login). ssh2's own order tries methods that the
 * server did not offer, and each one counts as a failed login on the switch. This handler asks with `none`, then takes
 * keyboard-interactive or password from the server's list, each once; or only the key, which it offers before anything is signed.
 */
import { Redacted, Result } from "effect"
import type { AnyAuthMethod, AuthenticationType, AuthHandlerMiddleware, ParsedKey } from "ssh2"
import { createHash } from "node:crypto"
import type { HostKeyPolicy, LoginKey } from "../Driver.ts"
import { utils } from "./Ssh2.ts"

// The questions of a login and their answers (docs/security.md#accounts-of-tacacs-and-radius). AAA servers ask in their own words;
// a question without an answer ends the login and is quoted, because a wrong answer would count as a failed login.

/** A question of keyboard-interactive; `echo` says whether the answer may be shown. */
export interface LoginPrompt {
  readonly prompt: string
  readonly echo?: boolean | undefined
}

interface Login {
  readonly username: string
  readonly password: string
}

type Kind = "newPassword" | "password" | "code" | "name" | "goOn"

/** The meaning of a question by its words; the first pattern that fits counts. */
const KINDS: ReadonlyArray<readonly [RegExp, Kind]> = [
  [
    /(?:^|[\s(])(?:new|retype|re-enter|repeat|confirm|current|old)\)?(?: new)?(?: unix| tacacs\+?)? pass(?:word|phrase)/i,
    "newPassword"
  ],
  [/\bpassword\b.*\bexpired|\bchange\b.*\bpassword/i, "newPassword"],
  [/pass(?:word|phrase|code)|secret/i, "password"],
  [/\b(?:code|token|otp|pin|one-time|challenge|response|factor)\b/i, "code"],
  [/\b(?:user ?name|user|login|account|name)\b/i, "name"],
  [/\bpress\b|\bto continue\b/i, "goOn"]
]

const kindOf = ({ echo, prompt }: LoginPrompt): Kind | undefined =>
  KINDS.find(([words]) => words.test(prompt))?.[1] ?? (echo === true ? undefined : "password")

/** A demand behind the login, as a shell prints it that has no command line yet. */
const demand = /^\W*(?:current|new|old)\W.*password:\s*$/i

/** Whether the last line of a terminal demands a new password instead of being a prompt. */
export const demandsNewPassword = (line: string): boolean => demand.test(line)

/** The message for such a demand. */
export const newPasswordDemanded = (username: string): string =>
  `the switch or its AAA server demands a new password for ${username} before it lets it in; change it there, it is never changed from here`

/**
 * The answers to the questions of one round, in order; a sentence for the error if one cannot be answered. `instructions` is the
 * text above the questions.
 */
export const answersTo = (
  { password, username }: Login,
  instructions: string,
  prompts: ReadonlyArray<LoginPrompt>
): Result.Result<ReadonlyArray<string>, string> => {
  const answers: Array<string> = []
  for (const question of prompts) {
    const above = kindOf({ prompt: instructions, echo: true })
    const kind = above === "newPassword" ? above : kindOf(question)
    if (kind === "newPassword") return Result.fail(newPasswordDemanded(username))
    if (kind === undefined || kind === "code")
      return Result.fail(`the login is asked "${question.prompt.trim()}", for which there is no answer`)
    answers.push(kind === "password" ? password : kind === "name" ? username : "")
  }
  return Result.succeed(answers)
}

const preferred: ReadonlyArray<AuthenticationType> = ["keyboard-interactive", "password"]

/** The callbacks of a login. */
export interface LoginEvents {
  /** Called before a method that gives the password or the key. */
  readonly offering: () => void
  /** Called once when no method is left, or with a sentence about a question without an answer; ends the connection. */
  readonly exhausted: (why?: string) => void
}

/** An ssh2 `authHandler`. Questions are answered as `answersTo` says. */
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
    // ssh2 passes null, against its type, before the server has listed its methods.
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
    // ssh2 passes null, against its type, before the server has listed its methods.
    if (!Array.isArray(offered)) return next({ type: "none", username })
    if (isTried || !offered.includes("publickey")) return exhausted()
    isTried = true
    offering()
    return next({ type: "publickey", username, key })
  }
}

// Fingerprints of SSH host keys and the decision whether a shown key is acceptable (promise 7).

/** `SHA256:…` as OpenSSH prints it: base64 of the digest of the public key blob, without padding. */
export const fingerprint = (key: Uint8Array): string =>
  `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`

/** Whether the session with a switch that shows this fingerprint may continue. */
export const acceptable = (policy: HostKeyPolicy, seen: string): boolean =>
  policy._tag === "pin" ? policy.fingerprint === seen : policy._tag !== "approve"

// Private keys for logins: read once each, because to decrypt one costs as much as many logins. Errors never show the key.

const readKey = ({ passphrase, text }: LoginKey): Result.Result<ParsedKey, string> => {
  const found = utils.parseKey(Redacted.value(text), passphrase === null ? undefined : Redacted.value(passphrase))
  if (found instanceof Error) return Result.fail(`the private key cannot be read: ${found.message}`)
  const key: ParsedKey | undefined = Array.isArray(found) ? found[0] : found
  return key?.isPrivateKey() === true ? Result.succeed(key) : Result.fail("it is no private key")
}

const knownKeys = new WeakMap<LoginKey, Result.Result<ParsedKey, string>>()

/** The key in the form of the SSH library; fails with a sentence. */
export const parseKey = (key: LoginKey): Result.Result<ParsedKey, string> => {
  const found = knownKeys.get(key) ?? readKey(key)
  knownKeys.set(key, found)
  return found
}
