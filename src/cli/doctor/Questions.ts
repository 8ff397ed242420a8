/**
 * The questions that `switchyard doctor` asks on the server's own machine (docs/operations.md#the-dead-hour): none needs a running server
 * or a database that answers. Each has its own deadline, all are asked at once, and each answer is shown when it arrives. A question
 * without an answer in time is abandoned: a folder on a network file system may hang for ever.
 */
import { Effect, Exit, Fiber, Option } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { codeOf, messageOf } from "../../runtime/SystemErrors.ts"
import type { ServerSettings } from "../../ServerConfig.ts"

/** `unknown`: it could not be examined. */
export const levels = ["good", "unknown", "warn", "bad"] as const
export type Level = (typeof levels)[number]

/** The answer to a question; the same fields as a finding of the server. */
export interface Answer {
  readonly level: Level
  readonly kind: string
  readonly about: string
  readonly since: string | null
  readonly what: string
  readonly why: string
  readonly next: string
  /** The repair that `--repair` carries out without asking: it removes nothing that could be missed. Yields a sentence about it. */
  readonly repair: Effect.Effect<string, unknown> | null
}

type Words = readonly [what: string, why?: string, next?: string]

const answer =
  (level: Level) =>
  (about: string, [what, why = "", next = ""]: Words, repair: Answer["repair"] = null): Omit<Answer, "kind"> => ({
    level,
    about,
    since: null,
    what,
    why,
    next,
    repair
  })

export const good = (about: string, what: string) => answer("good")(about, [what])
export const unknown = (about: string, ...words: Words) => answer("unknown")(about, words)
export const warn = (about: string, words: Words, repair: Answer["repair"] = null) =>
  answer("warn")(about, words, repair)
export const bad = (about: string, words: Words, repair: Answer["repair"] = null) => answer("bad")(about, words, repair)

export type Found = ReadonlyArray<ReturnType<typeof good>>

/** A question of one kind; an exception is reported as something that could not be examined. */
export interface Question {
  readonly kind: string
  readonly about: string
  readonly seconds: number
  readonly ask: Effect.Effect<Found, unknown>
}

/** A question that Node can answer. */
export const question = (kind: string, about: string, seconds: number, run: () => Promise<Found>): Question => ({
  kind,
  about,
  seconds,
  ask: Effect.tryPromise({ try: run, catch: (error) => error })
})

const isForbidden = (error: unknown): boolean => ["EACCES", "EPERM"].includes(codeOf(error) ?? "")

const sentenceOf = (error: unknown): string => {
  const code = codeOf(error)
  if (isForbidden(error)) return `user ${process.getuid?.()} may not look at it`
  return `it could not be looked at: ${messageOf(error)}${code === undefined ? "" : ` (${code})`}`
}

/** Asks one question; a silent one is abandoned, because it may be impossible to stop it. */
const askOne = Effect.fnUntraced(function* ({ about, ask, kind, seconds }: Question) {
  const asking = yield* Effect.forkDetach(Effect.exit(ask))
  const exit = yield* Effect.timeoutOption(Fiber.join(asking), `${seconds} seconds`)
  const late = unknown(
    about,
    `no answer within ${seconds} seconds`,
    "Something below it hangs: a network file system, a name server, a connection.",
    "Look at it by hand (mount, dmesg, resolvectl status)."
  )
  const found = Option.match(exit, {
    onNone: () => [late],
    onSome: Exit.match({
      onSuccess: (found) => found,
      onFailure: (cause) => {
        const error = causeOf(cause)
        return [unknown(about, sentenceOf(error), "", isForbidden(error) ? "Ask as its user, or as root." : "")]
      }
    })
  })
  return found.map((one): Answer => ({ ...one, kind }))
})

const causeOf = (cause: { readonly reasons: ReadonlyArray<object> }): unknown => {
  const [reason] = cause.reasons
  if (reason === undefined) return "nothing was said"
  return "error" in reason ? reason.error : "defect" in reason ? reason.defect : "interrupted"
}

/** Asks all of them at once; each answer is reported as soon as it arrives. */
export const askAll = <E, R>(
  questions: ReadonlyArray<Question>,
  report: (answers: ReadonlyArray<Answer>) => Effect.Effect<void, E, R>
) =>
  Effect.map(
    Effect.forEach(questions, (one) => Effect.tap(askOne(one), report), { concurrency: "unbounded" }),
    (answers) => answers.flat()
  )

/** The place of the installation; `settings` null if they are unusable. */
export interface Place {
  readonly settings: ServerSettings | null
  readonly dataDir: string
  /** The folder of the embedded database; null with a database of the site's own. */
  readonly home: string | null
  readonly servers: ReadonlyArray<Server>
}

/** A process that runs `switchyard serve`. */
export interface Server {
  readonly pid: number
  readonly uid: number
}

const wordsOf = async (pid: string) => (await fs.readFile(`/proc/${pid}/cmdline`)).toString().split("\0")

const PROGRAM = /(?:^|\/)(?:main\.(?:ts|js)|start\.mjs|switchyard)$/

/** Whether these words are the command line of a Switchyard server. */
export const isServer = (words: ReadonlyArray<string>): boolean => {
  const serve = words.indexOf("serve")
  return serve > 0 && PROGRAM.test(words[serve - 1] ?? "")
}

const dataDirOf = async (pid: number): Promise<string | null> => {
  const [words, cwd] = await Promise.all([fs.readFile(`/proc/${pid}/environ`), fs.readlink(`/proc/${pid}/cwd`)])
  const [, given = "data"] = /(?:^|\0)DATA_DIR=([^\0]+)/.exec(words.toString()) ?? []
  return path.resolve(cwd, given)
}

/** The servers of this machine on this folder; one whose settings are hidden from us counts. */
export const serversOn = async (dataDir: string): Promise<ReadonlyArray<Server>> => {
  const names = await fs.readdir("/proc").catch((): Array<string> => [])
  const found = names
    .filter((name) => /^\d+$/.test(name))
    .map(async (name) => {
      if (!isServer(await wordsOf(name))) return []
      const { uid } = await fs.stat(`/proc/${name}`)
      const on = await dataDirOf(Number(name)).catch(() => null)
      return on === null || on === path.resolve(dataDir) ? [{ pid: Number(name), uid }] : []
    })
  const settled = await Promise.allSettled(found)
  return settled.flatMap((one) => (one.status === "fulfilled" ? one.value : []))
}

const UNITS = ["bytes", "KB", "MB", "GB", "TB"] as const

/** `41 GB`. */
export const sizeOf = (bytes: number): string => {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const count = bytes / 1024 ** power
  return `${count >= 10 || power === 0 ? Math.round(count) : count.toFixed(1)} ${UNITS[power]}`
}

export const percentOf = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.floor((part / whole) * 100))

/** The facts about a file without opening it. */
export interface Seen {
  readonly mode: number
  readonly uid: number
  readonly isFolder: boolean
  readonly isFile: boolean
  readonly size: number
  readonly ageSeconds: number
}

/** Null for a missing file; a file that cannot be examined is an error. */
export const see = async (file: string): Promise<Seen | null> => {
  try {
    const found = await fs.stat(file)
    return {
      mode: found.mode & 0o7777,
      uid: found.uid,
      isFolder: found.isDirectory(),
      isFile: found.isFile(),
      size: found.size,
      ageSeconds: (Date.now() - found.mtimeMs) / 1000
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return null
    throw error
  }
}

/** A repair, and its report. */
export const doing = (says: string, run: () => Promise<unknown>) =>
  Effect.as(Effect.tryPromise({ try: run, catch: (error) => error }), says)
