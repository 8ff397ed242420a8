/**
 * Runs git: bounded in time and output, without prompts for passwords, with the address and its credentials in the environment rather than
 * on the command line or on disk. Only commands that talk to the remote get the password, and only its server receives it. Errors contain
 * no credentials.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { basename, dirname } from "node:path"
import { Duration, Effect, Redacted, Schema } from "effect"
import { cleanedText } from "../domain/Text.ts"
import { childEnvironment } from "../runtime/SecretSources.ts"
import { untilMended } from "../runtime/OwnFaults.ts"
import { codeOf, OwnFault, ownFault, ownFaultInOutput } from "../runtime/SystemErrors.ts"
import type { GitAddress } from "./GitAddress.ts"

// Separates git's progress on its standard error from its other output there.

const PROGRESS = /^(?:remote: )?(?:Enumerating|Counting|Compressing|Receiving|Unpacking|Resolving|Updating) [a-z]+: .*/

const partsOf = (text: string): ReadonlyArray<string> => text.split(/[\r\n]/)

/** The newest line of progress in a piece of output; undefined without one. */
const newestProgress = (text: string): string | undefined =>
  partsOf(text)
    .findLast((part) => PROGRESS.test(part))
    ?.trimEnd()

/** The output without its lines of progress. */
const withoutProgress = (text: string): string =>
  partsOf(text)
    .filter((part) => !PROGRESS.test(part))
    .join("\n")

/**
 * git failed. `late`: it did not end in time; `damaged`: the local copy is incomplete, and the next refresh makes it anew; `failed`: the
 * remote is unreachable or refuses us. Asking again may help. With `own` the remote had no part in it.
 */
export class GitFailed extends Schema.TaggedError<GitFailed>()("GitFailed", {
  message: Schema.String,
  reason: Schema.Literals(["failed", "late", "damaged"]),
  /** The fault of this server's machine, if that is the reason. */
  own: Schema.optionalKey(OwnFault)
}) {}

/** The place and the settings for a run of git. */
export interface GitCommandOptions {
  /** The working directory; must exist. */
  readonly directory: string
  readonly address: GitAddress
  readonly timeout: Duration.Duration
  /** The longest silence of the remote, if the transport can measure it; `timeout` without one. */
  readonly silence?: Duration.Duration
  /** Settings of git for this command. */
  readonly settings?: ReadonlyArray<readonly [string, string]>
  /** Receives the progress of the command; its arguments must ask for it. */
  readonly onProgress?: (line: string) => void
  /** More variables of the environment, such as the folder of gpg's keys. */
  readonly variables?: Readonly<Record<string, string>>
  /** Fed to the command's standard input. */
  readonly input?: string
  /** Replaces `ssh`, for instance to name a key file. */
  readonly sshCommand?: string | undefined
}

const MAX_OUTPUT = 512 * 1024 * 1024
const MAX_MESSAGE = 2_000
const NOT_STARTED = "git cannot be started: it is not in PATH, or the folder of the local copy does not exist any more"
/** The number of bytes of git's error messages that are kept. */
const MAX_ERRORS = 256 * 1024

/** After git has ended, its streams are read until they have been silent for this long. */
const QUIET_MILLIS = 500
/** How long git may take to end after it was asked to. */
const PATIENCE_MILLIS = 1_000

/** Commands that talk to the remote. */
const REMOTE: ReadonlyArray<string | undefined> = ["fetch", "ls-remote"]

const PASSWORD = "SWITCHYARD_GIT_PASSWORD"

/** Gives git the password on request, because git has no setting for it. The script appears in command lines, the value does not. */
const HELPER = `!f() { test "$1" = get && printf 'password=%s\\n' "$${PASSWORD}"; }; f`

/** Settings and variables for git's login. */
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
    // a commit is itself, whatever references of the copy say
    ["core.useReplaceRefs", "false"],
    ["advice.detachedHead", "false"],
    ...login.settings,
    ...(options.settings ?? [])
  ]
  const ssh = sshCommand ?? "ssh"
  return {
    ...login.variables,
    ...options.variables,
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

/** The environment that git needs of this process, without variables that would redirect it. */
const inherited = () => childEnvironment(process.env, { network: true })

/** Every exit code other than 0 is a failure, also without a message; messages of a successful git do not count. */
const failureOf = (exitCode: number | null, by: NodeJS.Signals | null, output: Buffer, errors: Buffer): Error => {
  const how = exitCode === null ? `was ended by ${by ?? "a signal"}` : `ended with exit code ${exitCode}`
  return new Error(errors.length === 0 ? `git ${how}` : Buffer.concat([output, errors]).toString("utf8"))
}

/** A process that could not be started has no streams. */
type Streams = Partial<Pick<ChildProcessWithoutNullStreams, "stdin" | "stdout" | "stderr">>

/** Ends git and the processes that it has started, such as ssh, which would continue for as long as its remote is silent. */
const endGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // all of them have ended
  }
}

/** Keeps the newest part of the output, so that a remote cannot fill the memory. */
const makeTail = (most: number) => {
  let kept: Buffer = Buffer.alloc(0)
  return {
    add: (chunk: Buffer) => {
      const all = Buffer.concat([kept, chunk])
      kept = all.length > 2 * most ? all.subarray(-most) : all
    },
    read: () => kept.subarray(-most)
  }
}

/** Settles when git has ended and its output is complete; never before `child` has ended, unless it could not be started. */
const outputOf = (
  child: ChildProcessWithoutNullStreams,
  args: ReadonlyArray<string>,
  options: GitCommandOptions
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const output: Array<Buffer> = []
    const errors = makeTail(MAX_ERRORS)
    let size = 0
    let quiet: NodeJS.Timeout | undefined
    const { stderr, stdin, stdout }: Streams = child
    const settle = (exitCode: number | null, by: NodeJS.Signals | null) => {
      clearInterval(quiet)
      const standardOutput = Buffer.concat(output)
      if (size > MAX_OUTPUT) reject(new Error(`git ${args[0] ?? ""} says more than ${MAX_OUTPUT} bytes`))
      else if (exitCode === 0) resolve(standardOutput)
      else reject(failureOf(exitCode, by, standardOutput.subarray(0, MAX_ERRORS), errors.read()))
    }
    child.once("error", (error) => {
      // an error of a running process is about a signal, and its end follows
      if (child.pid === undefined) reject(error)
    })
    let outputAt = performance.now()
    stdout?.on("data", (chunk: Buffer) => {
      outputAt = performance.now()
      size += chunk.length
      if (size <= MAX_OUTPUT) output.push(chunk)
      else endGroup(child, "SIGKILL")
    })
    stderr?.on("data", (chunk: Buffer) => {
      outputAt = performance.now()
      errors.add(chunk)
      const line = options.onProgress === undefined ? undefined : newestProgress(chunk.toString("utf8"))
      if (line !== undefined) options.onProgress?.(line)
    })
    // a git that ends before it has read everything gives the reason in its exit code
    stdin?.on("error", () => undefined)
    stdin?.end(options.input)
    child.once("close", settle)
    // processes that git has started may keep its streams, as ssh does when it keeps its connection for others
    child.once("exit", (exitCode, by) => {
      outputAt = performance.now()
      quiet = setInterval(() => {
        if (performance.now() - outputAt < QUIET_MILLIS) return
        child.off("close", settle)
        for (const stream of [stdin, stdout, stderr]) stream?.destroy()
        settle(exitCode, by)
      }, QUIET_MILLIS / 5)
    })
  })

/** Waits until a git that was asked to end has done so; it may have files of the copy locked. */
const endedBy = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    const kill = setTimeout(() => endGroup(child, "SIGKILL"), PATIENCE_MILLIS)
    child.once("exit", () => {
      clearTimeout(kill)
      // the processes that it has started have had their time as well
      endGroup(child, "SIGKILL")
      resume(Effect.void)
    })
    endGroup(child, "SIGTERM")
  })

const runOnce = (args: ReadonlyArray<string>, options: GitCommandOptions): Effect.Effect<Buffer, unknown> =>
  Effect.suspend(() => {
    const env = { ...inherited(), LC_ALL: "C", ...gitEnvironment(args, options) }
    // a group of its own can be ended as a whole, and has no terminal to ask for a password
    const child = Effect.try({
      try: () => spawn("git", args, { cwd: options.directory, env, detached: true }),
      catch: (error) => error
    })
    return Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(child, (begun) => {
        const reading = outputOf(begun, args, options)
        return restore(Effect.tryPromise({ try: () => reading, catch: (error) => error })).pipe(
          Effect.onInterrupt(() => {
            reading.catch(() => undefined)
            return endedBy(begun)
          })
        )
      })
    )
  })

/** A text without paths of this server: the local copy, and new copies next to it. */
const withoutPlaces = (text: string, directory: string): string => {
  const copy = RegExp.escape(directory.replace(/\.new-\d+$/, ""))
  return text.replaceAll(new RegExp(`(?:/private)?${copy}(?:\\.new-\\d+)?`, "g"), "the local copy")
}

/** git reads no repository of another user, and says so in three lines that name neither the user nor a place for the setting. */
const OF_ANOTHER_USER = /detected dubious ownership in repository at '([^']+)'/

const foreignOwner = (text: string, directory: string): GitFailed | undefined => {
  const place = OF_ANOTHER_USER.exec(text)?.[1]
  if (place === undefined) return undefined
  const message =
    withoutPlaces(place, directory) === place
      ? `${place} belongs to another user than the one that runs Switchyard, and git reads no such repository. Give it to that user (chown -R), or run as root: git config --system --add safe.directory ${place}`
      : "the local copy belongs to another user than the one that runs Switchyard. Give DATA_DIR with all that is in it to that user (chown -R)"
  return new GitFailed({ reason: "failed", message })
}

const describe = (
  cause: unknown,
  args: ReadonlyArray<string>,
  { address, directory }: GitCommandOptions
): GitFailed | OwnFault => {
  const text = cause instanceof Error ? cause.message : String(cause)
  const foreign = foreignOwner(text, directory)
  if (foreign !== undefined) return foreign
  const fault = ownFault(cause, "process") ?? ownFaultInOutput(text, `git ${args[0] ?? ""} cannot do its work`)
  if (fault !== undefined) return fault
  if (codeOf(cause) === "ENOENT") return new GitFailed({ reason: "failed", message: NOT_STARTED })
  const lines = withoutProgress(text)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.startsWith("hint:"))
  // a remote may say anything
  const { text: message } = cleanedText(
    withoutPlaces(address.redact(lines.join("\n")), directory).trim(),
    "lines",
    MAX_MESSAGE
  )
  return new GitFailed({ reason: "failed", message: message === "" ? `git ${args[0] ?? ""} failed` : message })
}

/** The standard output of one git command. Fails with git's own text; ends within the timeout whatever git does. */
export const runGit = (args: ReadonlyArray<string>, options: GitCommandOptions): Effect.Effect<Buffer, GitFailed> => {
  let own: OwnFault | undefined
  const once = Effect.mapError(runOnce(args, options), (cause) => {
    const error = describe(cause, args, options)
    own = error instanceof OwnFault ? error : undefined
    return error
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
