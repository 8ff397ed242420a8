/**
 * A logged-in, privileged command line: knows the prompt it stands at, sends commands and judges their answers. The order
 * of a login is first prompt, enable, then the platform's preparation (paging off, wide terminal, no log messages).
 */
import { Effect, Redacted } from "effect"
import type { DriverTarget, DriverTimeouts } from "../Driver.ts"
import type { CommandTimeout, ConnectionException, ExchangeError } from "../DriverErrors.ts"
import { CommandRejected, ConnectAuthError } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { CommandAnswer, ExpectedQuestion } from "./CommandExchange.ts"
import { commandExchange } from "./CommandExchange.ts"
import { configPipeline } from "./ConfigPipeline.ts"
import { configUnit } from "./ConfigUnit.ts"
import type { Conversation } from "./Conversation.ts"
import { loginExchange } from "./LoginExchange.ts"
import { type Dialect, escapeRegExp, promptName, withRemarks } from "./Dialect.ts"
import type { Shell } from "./Shell.ts"

export interface SendOptions {
  /** Seconds; default the platform's deadline for show commands. */
  readonly timeout?: number
  /** What follows the prompt's name in modes that the command may lead to, such as `(config)#`. */
  readonly modes?: ReadonlyArray<string>
  readonly questions?: ReadonlyArray<ExpectedQuestion>
  readonly trivial?: boolean
  readonly expectDisconnect?: boolean
  /** Whether an answer that ends in these lines may be whole, where one can see that. */
  readonly isWhole?: (lines: ReadonlyArray<string>) => boolean
}

export interface Cli {
  readonly dialect: Dialect
  readonly target: DriverTarget
  readonly timeouts: DriverTimeouts
  /** Every prompt of this switch. */
  readonly anyPrompt: RegExp
  /** The prompt at which it stands, such as `acc-b2-01#`. */
  readonly prompt: () => string
  /** Records the prompt at which a conversation of somebody else ended. */
  readonly standAt: (prompt: string) => void
  /** Sends a command and returns the answer, whatever it is. */
  readonly send: (command: string, options?: SendOptions) => Effect.Effect<CommandAnswer, ExchangeError>
  /** As `send`; the answer as text, or `CommandRejected` when it is an error of the switch. */
  readonly query: (command: string, options?: SendOptions) => Effect.Effect<string, ExchangeError | CommandRejected>
  readonly converse: <A>(
    label: string,
    seconds: number,
    conversation: Conversation<A>
  ) => Effect.Effect<A, ExchangeError>
}

/** The first line by which the switch rejects the command, if any. Of commands that show data only the first line counts. */
export const rejection = (dialect: Dialect, command: string, lines: ReadonlyArray<string>): string | undefined => {
  if (!dialect.showsData.test(command)) return lines.find((line) => dialect.error.test(line))
  const first = lines.find((line) => line.trim() !== "")
  return first !== undefined && dialect.error.test(first) ? first : undefined
}

class CommandLine implements Cli {
  readonly dialect: Dialect
  readonly target: DriverTarget
  readonly timeouts: DriverTimeouts
  readonly anyPrompt: RegExp
  readonly #shell: Shell
  #prompt: string

  constructor(dialect: Dialect, target: DriverTarget, shell: Shell, prompt: string) {
    this.dialect = dialect
    this.target = target
    this.timeouts = { ...dialect.timeouts, ...target.timeouts }
    this.anyPrompt = target.prompt ?? dialect.prompt
    this.#shell = shell
    this.#prompt = prompt
  }

  readonly prompt = (): string => this.#prompt

  readonly standAt = (prompt: string): void => {
    this.#prompt = prompt
  }

  readonly converse = <A>(label: string, seconds: number, conversation: Conversation<A>) =>
    this.#shell.converse(label, seconds, conversation)

  readonly send = (command: string, options: SendOptions = {}) =>
    Effect.suspend(() => {
      const { timeout, modes = [], ...rest } = options
      const name = promptName(this.dialect, this.#prompt)
      const exchange = commandExchange({
        ...rest,
        command,
        prompt: this.anyPrompt,
        current: this.#prompt,
        expected: [this.#prompt, ...modes.map((mode) => `${name}${mode}`)],
        logLine: this.dialect.logLine
      })
      return Effect.map(this.converse(maskSecrets(command), timeout ?? this.timeouts.show, exchange), (answer) => {
        if (answer.prompt !== "") this.#prompt = answer.prompt
        return answer
      })
    })

  readonly query = (command: string, options?: SendOptions) =>
    Effect.flatMap(this.send(command, options), ({ lines }) => {
      const refused = rejection(this.dialect, command, lines)
      if (refused === undefined) return Effect.succeed(lines.join("\n"))
      const message = maskSecrets(refused)
      return new CommandRejected({ hostname: this.target.hostname, command: maskSecrets(command), message })
    })
}

const enable = Effect.fnUntraced(function* (cli: Cli) {
  const { dialect, target } = cli
  if (!dialect.unprivileged.test(cli.prompt())) return
  const answer = yield* cli.send(dialect.enable.command, {
    modes: ["#"],
    questions: [{ question: dialect.enable.password, answer: Redacted.value(target.password) }]
  })
  if (!answer.repeatedQuestion && !dialect.unprivileged.test(cli.prompt())) return
  const said = answer.lines.find((line) => dialect.error.test(line)) ?? "the enable password is not the login password"
  return yield* new ConnectAuthError({
    hostname: target.hostname,
    address: target.address,
    message: `not privileged: ${said}`
  })
})

/**
 * Gives all preparing commands in one packet; one by one when their answers cannot be told apart. A release that refuses
 * one of them is still usable, so the answers are not judged.
 */
const prepare = Effect.fnUntraced(function* (cli: Cli) {
  const { dialect } = cli
  const together = configPipeline({
    units: dialect.prepare.map((command, index) => configUnit(index + 1, command)),
    window: dialect.windowBytes,
    settled: false,
    prompt: new RegExp(`^${escapeRegExp(cli.prompt())}`),
    speech: dialect,
    logLine: dialect.logLine,
    longestEcho: dialect.longestEcho
  })
  const result = yield* cli.converse("prepare the terminal", cli.timeouts.show, together)
  if (result.desynchronised === undefined) return
  for (const command of dialect.prepare) yield* cli.send(command, { trivial: true })
})

/** Waits for the first prompt, becomes privileged and prepares the terminal. */
export const login: (
  dialect: Dialect,
  target: DriverTarget,
  shell: Shell
) => Effect.Effect<Cli, ConnectionException | ConnectAuthError | CommandTimeout> = Effect.fnUntraced(
  function* (dialect, target, shell) {
    const seconds = target.timeouts?.firstPrompt ?? dialect.timeouts.firstPrompt
    const prompt = yield* shell.converse("login", seconds, loginExchange(target.prompt ?? dialect.prompt))
    const spoken = target.remarks === undefined ? dialect : withRemarks(dialect, target.remarks)
    const cli = new CommandLine(spoken, target, shell, prompt)
    yield* enable(cli)
    yield* prepare(cli)
    return cli
  }
)
