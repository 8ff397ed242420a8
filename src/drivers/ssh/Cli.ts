/**
 * A logged-in, privileged command line: knows the prompt it stands at, sends commands and judges their answers. The order
 * of a login is first prompt, enable, then the platform's preparation (paging off, wide terminal, no log messages).
 */
import { Effect, Redacted } from "effect"
import type { DriverTarget, DriverTimeouts } from "../Driver.ts"
import {
  CommandRejected,
  type CommandTimeout,
  ConnectAuthError,
  type ConnectionException,
  type ExchangeError
} from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { type CommandAnswer, commandExchange, type ExpectedQuestion } from "./CommandExchange.ts"
import { configPipeline } from "./ConfigPipeline.ts"
import { configUnit } from "./PromptLedger.ts"
import { type Conversation, type Shell, type Step, waiting } from "./Shell.ts"
import * as Prompt from "./Dialect.ts"
import { type Dialect, mayBe, promptName, timesBefore, withRemarks } from "./Dialect.ts"
import { demandsNewPassword, newPasswordDemanded } from "./Authentication.ts"
import type { TerminalText } from "./TerminalText.ts"

// Finds the first prompt after a login. Banners may end in `#` or `>`, so a prompt counts only if an empty line brings the same
// last line again (docs/switch-dialogues.md#prompts), and two empty lines if it lacks the platform's form.

// Two lines of a banner may be the same too; after the real prompt nothing more comes.
const settleMillis = 20
const retryMillis = 1_000
const mostNewlines = 5

/** The conversation of a login; its value is the prompt, or the question for a new password. */
export const loginExchange = (prompt: RegExp): Conversation<string> => {
  let newlines = 0
  const isProved = ({ lines, partial }: TerminalText): boolean => {
    const needed = prompt.test(partial) ? 1 : mayBe(partial) ? 2 : Infinity
    return timesBefore(lines, partial) >= needed
  }
  const newline = (): Step<string> =>
    newlines++ < mostNewlines ? { done: false, write: "\n", settle: retryMillis } : waiting
  const look = (terminal: TerminalText): Step<string> => {
    if (demandsNewPassword(terminal.partial)) return { done: true, value: terminal.partial.trimEnd() }
    const { lines, partial } = terminal
    const known = prompt.test(partial)
    if (!known && !mayBe(partial)) return waiting
    if (newlines === 0) return known ? newline() : { done: false, settle: retryMillis }
    if (isProved(terminal)) return { done: false, settle: settleMillis }
    // the first of two empty lines was answered
    return timesBefore(lines, partial) === newlines ? newline() : { done: false, settle: retryMillis }
  }
  return {
    keepsEarlier: true,
    begin: look,
    chunk: look,
    quiet: (terminal) => (isProved(terminal) ? { done: true, value: terminal.partial.trimEnd() } : newline())
  }
}

export interface SendOptions {
  /** Seconds; default the platform's deadline for show commands. */
  readonly timeout?: number
  /** The prompt's end in modes that the command may lead to, such as `(config)#`. */
  readonly modes?: ReadonlyArray<string>
  readonly questions?: ReadonlyArray<ExpectedQuestion>
  readonly trivial?: boolean
  readonly expectDisconnect?: boolean
  /** Whether an answer that ends in these lines may be complete, if that can be seen. */
  readonly isWhole?: (lines: ReadonlyArray<string>) => boolean
  /** Most characters of the answer; default `mostOfAnswer`. */
  readonly limit?: number
  /** The answer consists of log messages, which are left out of others. */
  readonly isLog?: boolean
}

const NEVER = /^(?!)/

export interface Cli {
  readonly dialect: Dialect
  readonly target: DriverTarget
  /** The answers to the questions that were sent with the preparation of the terminal. */
  readonly introduction: ReadonlyArray<string>
  /** Deadlines, by the largest configuration that was worked with. */
  readonly timeouts: DriverTimeouts
  /** Notes that a configuration of so many lines is worked with. */
  readonly worksOn: (lines: number) => void
  /** The pattern of all known prompts of this switch. */
  readonly anyPrompt: () => RegExp
  /** The source of a pattern of the part before the mode in this switch's prompts. */
  readonly promptStart: () => string
  /** The prompt at which it stands, such as `acc-b2-01#`. */
  readonly prompt: () => string
  /** Records the prompt at which a conversation of another person ended. */
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

/**
 * Deadlines for a switch with a configuration of so many lines: while it computes a difference, commits or saves, it is silent, for
 * longer the longer the configuration is.
 */
export const timeoutsFor = (usual: DriverTimeouts, lines: number, linesPerSecond: number): DriverTimeouts => {
  const more = Math.floor(lines / linesPerSecond)
  const { commit, load, runningConfig, save } = usual
  return {
    ...usual,
    runningConfig: runningConfig + more,
    load: load + more,
    commit: commit + more,
    save: save + more
  }
}

const longestDenial = 5

/**
 * The line by which the switch's authorization refuses the command, whatever surrounds it. Only short answers count: in a long one
 * such words are part of a description.
 */
const denial = (dialect: Dialect, lines: ReadonlyArray<string>): string | undefined => {
  const said = lines.filter((line) => line.trim() !== "")
  return said.length > longestDenial ? undefined : said.find((line) => dialect.denied.test(line))?.trim()
}

/** The switch's refusal of a command; one by authorization is named as such. */
export const named = (dialect: Dialect, command: string, said: string): string =>
  dialect.denied.test(said) ? `denied by the switch's authorization (AAA): ${command} (${said})` : said

/** The error of a command that our account may not give; undefined when it may. */
export const deniedCommand = (
  { dialect, target }: Pick<Cli, "dialect" | "target">,
  command: string,
  lines: ReadonlyArray<string>
): CommandRejected | undefined => {
  const said = denial(dialect, lines)
  if (said === undefined) return undefined
  const message = maskSecrets(named(dialect, command, said))
  return new CommandRejected({ hostname: target.hostname, command: maskSecrets(command), message, denied: true })
}

/** The prompts that begin like this, in any mode. */
const promptLike = (dialect: Dialect, start: string): string => `^${start}${dialect.promptEnd.source}`

/** The pattern of a switch's prompts before the login. */
const promptOf = (dialect: Dialect, { prompt }: DriverTarget): RegExp =>
  prompt === undefined ? dialect.prompt : new RegExp(promptLike(dialect, Prompt.sourceOfPattern(prompt)))

class CommandLine implements Cli {
  readonly dialect: Dialect
  readonly target: DriverTarget
  introduction: ReadonlyArray<string> = []
  readonly #shell: Shell
  #lines = 0
  #timeouts: DriverTimeouts
  #anyPrompt: RegExp
  #prompt: string

  constructor(dialect: Dialect, target: DriverTarget, shell: Shell, prompt: string) {
    this.dialect = dialect
    this.target = target
    this.#timeouts = { ...dialect.timeouts, ...target.timeouts }
    this.#shell = shell
    this.#prompt = prompt
    this.#anyPrompt = promptOf(dialect, target)
    this.standAt(prompt)
  }

  get timeouts(): DriverTimeouts {
    return this.#timeouts
  }

  readonly worksOn = (lines: number): void => {
    if (lines <= this.#lines) return
    this.#lines = lines
    this.#timeouts = timeoutsFor(
      { ...this.dialect.timeouts, ...this.target.timeouts },
      lines,
      this.dialect.linesPerSecond
    )
  }

  readonly prompt = (): string => this.#prompt

  readonly anyPrompt = (): RegExp => this.#anyPrompt

  readonly promptStart = (): string =>
    this.target.prompt === undefined
      ? Prompt.sourceOf(promptName(this.dialect, this.#prompt))
      : Prompt.sourceOfPattern(this.target.prompt)

  readonly standAt = (prompt: string): void => {
    this.#prompt = prompt
    if (this.#anyPrompt.test(prompt)) return
    const learnt = promptLike(this.dialect, Prompt.sourceOf(promptName(this.dialect, prompt)))
    this.#anyPrompt = new RegExp(`${learnt}|${this.dialect.prompt.source}`)
  }

  readonly converse = <A>(label: string, seconds: number, conversation: Conversation<A>) =>
    this.#shell.converse(label, seconds, conversation)

  readonly send = (command: string, options: SendOptions = {}) =>
    Effect.suspend(() => {
      const { isLog = false, timeout, modes = [], ...rest } = options
      const name = promptName(this.dialect, this.#prompt)
      const exchange = commandExchange({
        ...rest,
        command,
        long: this.dialect.showsData.test(command),
        prompt: this.#anyPrompt,
        current: this.#prompt,
        expected: [this.#prompt, ...modes.map((mode) => `${name}${mode}`)],
        logLine: isLog ? NEVER : this.dialect.logLine,
        pager: this.dialect.pager
      })
      return Effect.map(this.converse(maskSecrets(command), timeout ?? this.timeouts.show, exchange), (answer) => {
        if (answer.prompt !== "") this.standAt(answer.prompt)
        return answer
      })
    })

  readonly query = (command: string, options?: SendOptions) =>
    Effect.flatMap(this.send(command, options), ({ lines }) => {
      const denied = deniedCommand(this, command, lines)
      if (denied !== undefined) return denied
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
    questions: [{ question: dialect.enable.password, answer: Redacted.value(target.enablePassword ?? target.password) }]
  })
  if (!answer.repeatedQuestion && !dialect.unprivileged.test(cli.prompt())) return
  const wrong =
    target.enablePassword === undefined
      ? "the enable password is not the login password"
      : "the enable password of the settings is wrong"
  const said = answer.lines.find((line) => dialect.error.test(line)) ?? wrong
  return yield* new ConnectAuthError({
    hostname: target.hostname,
    address: target.address,
    message: `not privileged: ${named(dialect, dialect.enable.command, said)}`,
    known: true
  })
})

/**
 * Sends all preparing commands in one packet, followed by the questions; one by one if their answers cannot be separated. A release
 * that refuses one of them is still usable, so the answers are not judged. Yields the answers to the questions.
 */
const prepare = Effect.fnUntraced(function* (cli: Cli, questions: ReadonlyArray<string>) {
  const { dialect } = cli
  const together = configPipeline({
    units: [...dialect.prepare, ...questions].map((command, index) => configUnit(index + 1, command)),
    window: dialect.windowBytes,
    settled: false,
    prompt: new RegExp(`^${Prompt.sourceOf(cli.prompt())}`),
    speech: dialect,
    logLine: dialect.logLine,
    longestEcho: dialect.longestEcho
  })
  const result = yield* cli.converse("prepare the terminal", cli.timeouts.show, together)
  if (result.desynchronised === undefined) {
    const said = [...result.remarks, ...result.rejections]
    return questions.map((_, index) =>
      said
        .filter(({ unit }) => unit.lineNumber === dialect.prepare.length + index + 1)
        .map(({ answer }) => answer)
        .join("\n")
    )
  }
  for (const command of dialect.prepare) yield* cli.send(command, { trivial: true })
  return yield* Effect.forEach(questions, (question) => Effect.map(cli.send(question), ({ lines }) => lines.join("\n")))
})

/** Waits for the first prompt, becomes privileged, prepares the terminal and asks the questions. */
export const login: (
  dialect: Dialect,
  target: DriverTarget,
  shell: Shell,
  questions?: ReadonlyArray<string>
) => Effect.Effect<Cli, ConnectionException | ConnectAuthError | CommandTimeout> = Effect.fnUntraced(function* (
  dialect,
  target,
  shell,
  questions = []
) {
  const seconds = target.timeouts?.firstPrompt ?? dialect.timeouts.firstPrompt
  const prompt = yield* shell.converse("login", seconds, loginExchange(promptOf(dialect, target)))
  if (demandsNewPassword(prompt)) {
    const { address, hostname, username } = target
    return yield* new ConnectAuthError({ hostname, address, message: newPasswordDemanded(username), known: true })
  }
  const spoken = target.remarks === undefined ? dialect : withRemarks(dialect, target.remarks)
  const cli = new CommandLine(spoken, target, shell, prompt)
  yield* enable(cli)
  cli.introduction = yield* prepare(cli, questions)
  return cli
})
