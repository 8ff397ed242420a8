/**
 * What a login is asked for, and what is answered (docs/security.md#accounts-of-tacacs-and-radius). AAA servers ask in words of their
 * own; what cannot be answered is said with its question, because a wrong answer would count as a failed login.
 */
import { Result } from "effect"

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

/** What the words of a question mean; the first that fits counts. */
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

/** What is said of such a demand. */
export const newPasswordDemanded = (username: string): string =>
  `the switch or its AAA server demands a new password for ${username} before it lets it in; change it there, it is never changed from here`

/**
 * The answers to the questions of one round, in their order; a sentence for the error when there are none. `instructions` is what
 * stands above the questions.
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
