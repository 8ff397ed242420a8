/**
 * Runs git: bounded in time and output, never asking anybody for a password, with the address and its
 * credentials in the environment rather than on the command line or on disk. Only commands that talk to the remote get the
 * password, and it is told to its server alone. Errors are free of credentials.
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { basename, dirname } from "node:path"
import { Duration, Effect, Redacted, Schema } from "effect"
import { cleanedText } from "../domain/Text.ts"
import { childEnvironment } from "../runtime/ChildEnvironment.ts"
import { untilMended } from "../runtime/OwnFaults.ts"
import { OwnFault, ownFault, ownFaultInOutput } from "../runtime/SystemErrors.ts"
import type { GitAddress } from "./GitAddress.ts"
import { newestProgress, withoutProgress } from "./GitProgress.ts"

/**
 * git could not do its work. `late`: it did not end in time; `damaged`: the local copy lacks what it should have, and
 * the next refresh makes it anew; `failed`: the remote is unreachable or refuses us. Asking again may help. With `own` the remote had no
 * part in it.
 */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  message: Schema.String,
  reason: Schema.Literals(["failed", "late", "damaged"]),
  /** What the machine of this server lacks, where that is the reason. */
  own: Schema.optionalKey(OwnFault)
}) {}

/** Where and how git runs. */
export interface GitCommandOptions {
  /** The working directory; must exist. */
  readonly directory: string
  readonly address: GitAddress
  readonly timeout: Duration.Duration
  /** How long the remote may say nothing, where the transport can tell; `timeout` when it is left out. */
  readonly silence?: Duration.Duration
  /** Settings of git for this command. */
  readonly settings?: ReadonlyArray<readonly [string, string]>
  /** Told how far the command is; its arguments must ask for it. */
  readonly onProgress?: (line: string) => void
  /** Fed to the command's standard input. */
  readonly input?: string
  /** Replaces `ssh`, for instance to name a key file. */
  readonly sshCommand?: string | undefined
}

const MAX_OUTPUT = 512 * 1024 * 1024
const MAX_MESSAGE = 2_000

/** Commands that talk to the remote. */
const REMOTE: ReadonlyArray<string | undefined> = ["fetch", "ls-remote"]

const PASSWORD = "SWITCHYARD_GIT_PASSWORD"

/** Tells the password when it is asked for: git has no setting for it. The script stands in command lines, the value does not. */
const HELPER = `!f() { test "$1" = get && printf 'password=%s\\n' "$${PASSWORD}"; }; f`

/** Settings and variables by which git logs in. */
const loginOf = ({ login }: GitAddress) => {
  if (login === undefined) return { settings: [], variables: {} }
  const { password, server, username } = login
  const named = [`credential.${server}.username`, username] as const
  if (password === null) return { settings: [named], variables: {} }
  return {
    settings: [named, [`credential.${server}.helper`, ""] as const, [`credential.${server}.helper`, HELPER] as const],
    variables: { [PASSWORD]: Redacted.value(password) }
  }
}

/** git's own environment for one command. */
const gitEnvironment = ([command]: ReadonlyArray<string>, options: GitCommandOptions) => {
  const { address, directory, silence, sshCommand, timeout } = options
  const login = REMOTE.includes(command) ? loginOf(address) : { settings: [], variables: {} }
  const seconds = Math.max(1, Math.ceil(Duration.toSeconds(silence ?? timeout)))
  const settings: ReadonlyArray<readonly [string, string]> = [
    ["remote.origin.url", address.remote],
    // readable to this user only
    ["core.sharedRepository", "0600"],
    ["http.lowSpeedLimit", "1"],
    ["http.lowSpeedTime", String(seconds)],
    ["gc.autoDetach", "false"],
    ["core.fsmonitor", "false"],
    ["advice.detachedHead", "false"],
    ...login.settings,
    ...(options.settings ?? [])
  ]
  const ssh = sshCommand ?? "ssh"
  return {
    ...login.variables,
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_CEILING_DIRECTORIES: dirname(directory),
    GIT_SSH_COMMAND: `${ssh} -o BatchMode=yes -o ConnectTimeout=${seconds} -o ServerAliveInterval=${seconds} -o ServerAliveCountMax=1`,
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value]
      ])
    )
  }
}

/** What git needs of the environment of this process, without what would redirect it. */
const inherited = () => childEnvironment(process.env, { network: true })

/** Every exit code but 0 is a failure, also when git says nothing; what it says on a good end does not count. */
const failureOf = (exitCode: number | null, by: NodeJS.Signals | null, output: Buffer, errors: Buffer): Error => {
  const how = exitCode === null ? `was ended by ${by ?? "a signal"}` : `ended with exit code ${exitCode}`
  return new Error(errors.length === 0 ? `git ${how}` : Buffer.concat([output, errors]).toString("utf8"))
}

/** One that could not be started has no streams. */
type Streams = Partial<Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr">>

const runOnce = (args: ReadonlyArray<string>, options: GitCommandOptions, signal: AbortSignal): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const own = gitEnvironment(args, options)
    const output: Array<Buffer> = []
    const errors: Array<Buffer> = []
    let size = 0
    const child = spawn("git", args, { cwd: options.directory, env: { ...inherited(), LC_ALL: "C", ...own }, signal })
    child.once("error", reject)
    const { stderr, stdin, stdout }: Streams = child
    stdout?.on("data", (chunk: Buffer) => {
      size += chunk.length
      output.push(chunk)
      if (size > MAX_OUTPUT) {
        reject(new Error(`git ${args[0] ?? ""} says more than ${MAX_OUTPUT} bytes`))
        child.kill()
      }
    })
    stderr?.on("data", (chunk: Buffer) => {
      errors.push(chunk)
      const line = options.onProgress === undefined ? undefined : newestProgress(chunk.toString("utf8"))
      if (line !== undefined) options.onProgress?.(line)
    })
    // one that ends before it has read everything tells why by its exit code
    stdin?.on("error", () => undefined)
    stdin?.end(options.input)
    child.once("close", (exitCode, by) => {
      const said = Buffer.concat(output)
      if (exitCode === 0) resolve(said)
      else reject(failureOf(exitCode, by, said, Buffer.concat(errors)))
    })
  })

/** A text without the places of this server: the local copy, and those that are being made beside it. */
export const withoutPlaces = (text: string, directory: string): string => {
  const copy = RegExp.escape(directory.replace(/\.new-\d+$/, ""))
  return text.replaceAll(new RegExp(`(?:/private)?${copy}(?:\\.new-\\d+)?`, "g"), "the local copy")
}

const describe = (
  cause: unknown,
  args: ReadonlyArray<string>,
  redact: (text: string) => string
): GitFailed | OwnFault => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const fault = ownFault(cause, "process") ?? ownFaultInOutput(text, `git ${args[0] ?? ""} cannot do its work`)
  if (fault !== undefined) return fault
  const lines = withoutProgress(text)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("hint:"))
  // a remote may say anything
  const { text: message } = cleanedText(redact(lines.join("\n")).trim(), "lines", MAX_MESSAGE)
  return new GitFailed({ reason: "failed", message: message === "" ? `git ${args[0] ?? ""} failed` : message })
}

/** The standard output of one git command. Fails with git's own text; ends within the timeout whatever git does. */
export const runGit = (args: ReadonlyArray<string>, options: GitCommandOptions): Effect.Effect<Buffer, GitFailed> => {
  const redact = (text: string) => withoutPlaces(options.address.redact(text), options.directory)
  let own: OwnFault | undefined
  const once = Effect.tryPromise({
    try: (signal) => runOnce(args, options, signal),
    catch: (cause) => {
      const error = describe(cause, args, redact)
      own = error instanceof OwnFault ? error : undefined
      return error
    }
  })
  const late = () =>
    new GitFailed({
      reason: "late",
      message:
        own?.message ??
        `git ${args[0] ?? ""} of ${basename(options.address.shown)} did not end within ${Duration.format(options.timeout)}`,
      ...(own === undefined ? {} : { own })
    })
  return untilMended(once).pipe(Effect.timeoutOrElse({ duration: options.timeout, orElse: () => Effect.fail(late()) }))
}

/** The same as text without the final line end. */
export const runGitText = (args: ReadonlyArray<string>, options: GitCommandOptions): Effect.Effect<string, GitFailed> =>
  Effect.map(runGit(args, options), (output) => output.toString("utf8").replace(/\n$/, ""))
