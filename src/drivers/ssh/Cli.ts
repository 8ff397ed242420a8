/**
 * A logged-in, privileged command line: knows the prompt it stands at, sends commands and judges their answers. The order
 * of a login is first prompt, enable, then the platform's preparation (paging off, wide terminal, no log messages).
 */
import { Effect, Redacted } from "effect"
import type { DriverTarget, DriverTimeouts, ExpectedQuestion } from "../Driver.ts"
import type { CommandTimeout, ConnectionException, ExchangeError } from "../DriverErrors.ts"
import { CommandRejected, ConnectAuthError } from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import type { CommandAnswer } from "./CommandExchange.ts"
import { commandExchange } from "./CommandExchange.ts"
import { configPipeline } from "./ConfigPipeline.ts"
import { configUnit } from "./ConfigUnit.ts"
import type { Conversation } from "./Conversation.ts"
import { loginExchange } from "./LoginExchange.ts"
import type { Platform } from "./Platform.ts"
import { escapeRegExp, promptName } from "./Platform.ts"
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
  readonly platform: Platform
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
export const rejection = (platform: Platform, command: string, lines: ReadonlyArray<string>): string | undefined => {
  if (!platform.showsData.test(command)) return lines.find((line) => platform.error.test(line))
  const first = lines.find((line) => line.trim() !== "")
  return first !== undefined && platform.error.test(first) ? first : undefined
}

class CommandLine implements Cli {
  readonly platform: Platform
  readonly target: DriverTarget
  readonly timeouts: DriverTimeouts
  readonly anyPrompt: RegExp
  readonly #shell: Shell
  #prompt: string

  constructor(platform: Platform, target: DriverTarget, shell: Shell, prompt: string) {
    this.platform = platform
    this.target = target
    this.timeouts = { ...platform.timeouts, ...target.timeouts }
    this.anyPrompt = target.prompt ?? platform.prompt
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
      const name = promptName(this.platform, this.#prompt)
      const exchange = commandExchange({
        ...rest,
        command,
        prompt: this.anyPrompt,
        current: this.#prompt,
        expected: [this.#prompt, ...modes.map((mode) => `${name}${mode}`)],
        logLine: this.platform.logLine
      })
      return Effect.map(this.converse(maskSecrets(command), timeout ?? this.timeouts.show, exchange), (answer) => {
        if (answer.prompt !== "") this.#prompt = answer.prompt
        return answer
      })
    })

  readonly query = (command: string, options?: SendOptions) =>
    Effect.flatMap(this.send(command, options), ({ lines }) => {
      const refused = rejection(this.platform, command, lines)
      if (refused === undefined) return Effect.succeed(lines.join("\n"))
      const message = maskSecrets(refused)
      return new CommandRejected({ hostname: this.target.hostname, command: maskSecrets(command), message })
    })
}

const enable = Effect.fnUntraced(function* (cli: Cli) {
  const { platform, target } = cli
  if (!platform.unprivileged.test(cli.prompt())) return
  const answer = yield* cli.send(platform.enable.command, {
    modes: ["#"],
    questions: [{ question: platform.enable.password, answer: Redacted.value(target.password) }]
  })
  if (!answer.repeatedQuestion && !platform.unprivileged.test(cli.prompt())) return
  const said = answer.lines.find((line) => platform.error.test(line)) ?? "the enable password is not the login password"
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
  const { platform } = cli
  const together = configPipeline({
    units: platform.prepare.map((command, index) => configUnit(index + 1, command)),
    window: platform.windowBytes,
    settled: false,
    prompt: new RegExp(`^${escapeRegExp(cli.prompt())}`),
    error: platform.error,
    logLine: platform.logLine,
    longestEcho: platform.longestEcho
  })
  const result = yield* cli.converse("prepare the terminal", cli.timeouts.show, together)
  if (result.desynchronised === undefined) return
  for (const command of platform.prepare) yield* cli.send(command, { trivial: true })
})

/** Waits for the first prompt, becomes privileged and prepares the terminal. */
export const login: (
  platform: Platform,
  target: DriverTarget,
  shell: Shell
) => Effect.Effect<Cli, ConnectionException | ConnectAuthError | CommandTimeout> = Effect.fnUntraced(
  function* (platform, target, shell) {
    const seconds = target.timeouts?.firstPrompt ?? platform.timeouts.firstPrompt
    const prompt = yield* shell.converse("login", seconds, loginExchange(target.prompt ?? platform.prompt))
    const cli = new CommandLine(platform, target, shell, prompt)
    yield* enable(cli)
    yield* prepare(cli)
    return cli
  }
)
