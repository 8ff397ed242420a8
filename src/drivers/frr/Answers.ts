/**
 * Commands on a Linux switch, each on an SSH channel of its own without a terminal: nothing is echoed, paged or wrapped, output and
 * error output are separate, and the exit code shows how it ended. After an unanswered command, or a broken connection, every
 * further command fails.
 */
import { Effect, Schema } from "effect"
import type { ClientChannel } from "ssh2"
import { type DriverTarget, type DriverTimeouts, insistOnClaim } from "../Driver.ts"
import {
  CommandRejected,
  CommandTimeout,
  ConnectionException,
  type ExchangeError,
  UnexpectedAnswer
} from "../DriverErrors.ts"
import { maskSecrets } from "../SecretMask.ts"
import { commandSpan } from "../ssh/Shell.ts"
import type { Transport } from "../ssh/Transport.ts"
import { MOST_SHOWN } from "../Verbs.ts"
import type { Program } from "./Dialect.ts"

/** How a command ended. A command that a signal ended has the code −1; one that never began does not end with 0. */
export interface Ran {
  readonly code: number
  /** Whether the command ran at all. The output of the login shell before it is removed, unless there is nothing else. */
  readonly began: boolean
  readonly output: string
  readonly complaints: string
}

export interface RunOptions {
  /** Default the deadline of show commands. */
  readonly seconds?: number
  readonly input?: string
  /** Most bytes of the answer; default `MOST_BYTES`. */
  readonly limit?: number
}

export interface Remote {
  readonly target: DriverTarget
  readonly timeouts: DriverTimeouts
  /** Programs that the switch does not have. */
  readonly lacks: ReadonlySet<Program>
  /** Runs a line of shell and says how it ended. */
  readonly run: (line: string, options?: RunOptions) => Effect.Effect<Ran, ExchangeError>
  /** Its output; fails with CommandRejected, with its error output, if it does not end with 0. */
  readonly query: (line: string, options?: RunOptions) => Effect.Effect<string, ExchangeError | CommandRejected>
  /** Drops the connection without a goodbye. */
  readonly hangUp: () => void
}

/** A configuration of ten thousand lines has half a megabyte; a device that sends more does not stop. */
const MOST_BYTES = 64 * 1024 * 1024

/** The prefix of commands for a login other than root. */
export type Privilege = "" | "sudo -n "

/** A word of a command line, whatever is in it. */
export const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

/** A mark on a line of its own before the output of a command: anything before it comes from the login shell. */
const BEGINS = "switchyard: here it begins"
const begin = String.raw`printf '\n${BEGINS}\n'; printf '\n${BEGINS}\n' >&2`

/** The programs of an administrator are not in the path of a login without a terminal. */
const withPath = (privilege: Privilege, line: string): string =>
  `${privilege}env PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C sh -c ${quoted(`${begin}\n${line}`)}`

/** The output after the mark; undefined without one. */
const behindMark = (said: string): string | undefined => {
  const at = said.indexOf(`\n${BEGINS}\n`)
  return at < 0 ? undefined : said.slice(at + BEGINS.length + 2)
}

const ranAs = (code: number, output: string, complaints: string): Ran => {
  const own = behindMark(output)
  if (own === undefined) return { code: code === 0 ? -1 : code, began: false, output, complaints }
  return { code, began: true, output: own, complaints: behindMark(complaints) ?? complaints }
}

const label = (line: string): string => maskSecrets(line).slice(0, 200)

const refused = (remote: Pick<Remote, "target">, line: string, { code, complaints, output }: Ran) => {
  const said = (complaints.trim() === "" ? output : complaints).trim().split("\n").slice(-5).join("\n")
  const message = said === "" ? `it ended with ${code} and said nothing` : maskSecrets(said)
  return new CommandRejected({ hostname: remote.target.hostname, command: label(line), message })
}

const converse = (
  target: DriverTarget,
  transport: Transport,
  channel: ClientChannel,
  line: string,
  { input = "", limit = MOST_BYTES, seconds }: RunOptions & { readonly seconds: number }
) =>
  Effect.callback<Ran, ExchangeError>((resume) => {
    const { address, hostname } = target
    const said = { output: new Array<Buffer>(), complaints: new Array<Buffer>() }
    let bytes = 0
    let code: number | undefined
    const end = (result: Effect.Effect<Ran, ExchangeError>) => {
      clearTimeout(timer)
      resume(result)
    }
    const giveUp = (message: string) => {
      transport.destroy()
      end(Effect.fail(new CommandTimeout({ hostname, command: label(line), seconds, message })))
    }
    const timer = setTimeout(() => giveUp(`no answer in ${seconds} s`), seconds * 1000)
    const keep = (into: Array<Buffer>) => (chunk: Buffer) => {
      into.push(chunk)
      bytes += chunk.length
      if (bytes > limit) giveUp(`an answer of more than ${limit} bytes`)
    }
    channel.on("data", keep(said.output))
    channel.stderr.on("data", keep(said.complaints))
    channel.on("error", () => undefined)
    channel.on("exit", (status: number | null) => {
      code = status ?? -1
    })
    channel.on("close", () => {
      const message = "the connection broke before the command ended"
      const broke = new ConnectionException({ hostname, address, whileDoing: label(line), message })
      const text = (chunks: ReadonlyArray<Buffer>) => Buffer.concat(chunks).toString("utf8")
      end(
        code === undefined ? Effect.fail(broke) : Effect.succeed(ranAs(code, text(said.output), text(said.complaints)))
      )
    })
    channel.end(input)
    return Effect.sync(() => {
      clearTimeout(timer)
      channel.destroy()
    })
  })

/** Commands over this connection with these rights, on a switch that lacks these programs. */
export const makeRemote = (
  target: DriverTarget,
  transport: Transport,
  timeouts: DriverTimeouts,
  privilege: Privilege,
  lacks: ReadonlySet<Program> = new Set()
): Remote => {
  const run: Remote["run"] = (line, options = {}) =>
    insistOnClaim(target, label(line)).pipe(
      Effect.andThen(transport.exec(withPath(privilege, line))),
      Effect.flatMap((channel) =>
        converse(target, transport, channel, line, { ...options, seconds: options.seconds ?? timeouts.show })
      ),
      commandSpan(target.hostname, line)
    )
  const query: Remote["query"] = (line, options) =>
    Effect.flatMap(run(line, options), (ran) =>
      ran.code === 0 ? Effect.succeed(ran.output) : Effect.fail(refused({ target }, line, ran))
    )
  return { target, timeouts, lacks, run, query, hangUp: transport.destroy }
}

/** What a read-only command of vtysh shows; a line with `%` at its beginning is its word for a refusal. */
export const shown = (remote: Remote, command: string) =>
  Effect.flatMap(remote.query(`vtysh -c ${quoted(command)}`, { limit: MOST_SHOWN }), (text) => {
    const [first = ""] = text.trimStart().split("\n", 1)
    return first.startsWith("% ")
      ? Effect.fail(
          new CommandRejected({
            hostname: remote.target.hostname,
            command: label(command),
            message: maskSecrets(first)
          })
        )
      : Effect.succeed(text)
  })

// Asking a Linux switch for JSON.

const shownOfAnswer = 200

/** The value of what a command shows; UnexpectedAnswer when that is something else. */
export const readJson = <A>(remote: Remote, command: string, schema: Schema.ConstraintDecoder<A>) =>
  Effect.flatMap(remote.query(command), (text) =>
    Schema.decodeUnknownEffect(Schema.fromJsonString(schema))(text).pipe(
      Effect.mapError((error) => {
        const message = maskSecrets(`the answer is not understood: ${error.message}`).slice(0, shownOfAnswer)
        return new UnexpectedAnswer({ hostname: remote.target.hostname, command, message })
      })
    )
  )
