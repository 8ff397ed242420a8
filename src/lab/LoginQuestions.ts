/** What a switch asks at a login by keyboard-interactive, round by round, as its AAA server wants it. */
import type { Prompt } from "ssh2"
import type { Quirks } from "./eos/Quirks.ts"

/** One round of questions; `password` and `name` are where their answers stand. */
interface Round {
  readonly instructions?: string
  readonly questions: ReadonlyArray<Prompt>
  readonly password?: number
  readonly name?: number
}

const hidden = (prompt: string): Prompt => ({ prompt, echo: false })
const first: Round = { questions: [hidden("Password: ")], password: 0 }

const ROUNDS: Readonly<Record<Required<Quirks>["loginAsks"], ReadonlyArray<Round>>> = {
  password: [first],
  nameAndPassword: [
    { questions: [{ prompt: "Username: ", echo: true }, hidden("Password for the network: ")], name: 0, password: 1 }
  ],
  passcode: [{ instructions: "Welcome", questions: [hidden("Enter PASSCODE: ")], password: 0 }],
  code: [first, { questions: [hidden("Verification code: ")] }],
  newPassword: [
    first,
    {
      instructions: "Your password has expired.",
      questions: [hidden("New password: "), hidden("Retype new password: ")]
    }
  ]
}

type Ask = (
  questions: Array<Prompt>,
  title: string,
  instructions: string,
  answer: (answers: Array<string>) => void
) => void

/** Asks all rounds. `mayLogin` judges a password; `decide` is told at last whether the login is let in. */
export const ask = (
  kind: Required<Quirks>["loginAsks"],
  user: string,
  send: Ask,
  mayLogin: (password: string) => boolean,
  decide: (accepted: boolean) => void
): void => {
  const next = (rounds: ReadonlyArray<Round>): void => {
    const [round, ...later] = rounds
    if (round === undefined) return decide(true)
    const { instructions = "", name, password, questions } = round
    return send([...questions], "", instructions, (answers) => {
      if (name !== undefined && answers[name] !== user) return decide(false)
      const given = password === undefined ? undefined : answers[password]
      return given !== undefined && mayLogin(given) ? next(later) : decide(false)
    })
  }
  next(ROUNDS[kind])
}
