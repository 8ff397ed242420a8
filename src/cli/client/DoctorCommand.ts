/**
 * `switchyard doctor`: what is stuck, since when, why, and what to do about it (docs/operations.md#doctor). On the server's own machine it
 * works even if nothing else does: it examines the machine, the folder and the database directly, and asks the server if one runs. It works
 * in a process of its own, so that it ends in time whatever hangs.
 */
import { Console, Effect, Option, Runtime, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import {
  type Asking,
  colored,
  format,
  type Format,
  harmless,
  makeAsking,
  printRows,
  reported,
  say
} from "./Terminal.ts"
import type { Answer, Level } from "../doctor/Questions.ts"
import { hasService } from "../Service.ts"
import { ask, askNamed, Refused, serverUrl } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"

type Finding = Data<"GET /system/findings">["findings"][number]
/** The fields that are shown of findings and answers alike. */
type Row = Omit<Answer, "repair">

const TONES = { good: "good", unknown: "warn", warn: "warn", bad: "bad" } as const

/** One text, so that two answers are not mixed up. */
const textOf = ({ about, level, next, since, what, why }: Row): string =>
  [
    `${colored(TONES[level], level)}  ${harmless(`${about}: ${what}`)}`,
    ...(since === null ? [] : [harmless(`      since ${since} UTC`)]),
    ...(why === "" ? [] : [harmless(`      why:  ${why}`)]),
    ...(next === "" ? [] : [harmless(`      next: ${next}`)])
  ].join("\n")

const show = (row: Row) => Console.log(textOf(row))

const mend = Effect.fnUntraced(function* ({ repair }: Finding, agreed: Asking) {
  if (repair === null || !(yield* agreed(`      ${harmless(repair.says)}?`))) return
  const answer = yield* Effect.result(askNamed(repair.method, repair.path, repair.body))
  yield* answer._tag === "Success"
    ? say(`      done: ${typeof answer.success === "string" ? answer.success : repair.says}`)
    : Console.error(colored("bad", harmless(`      not done: ${answer.failure.message}`), process.stderr))
})

const COLUMNS = (["level", "kind", "about", "since", "what", "why", "next"] as const).map(
  (name) => [name, (row: Row) => row[name]] as const
)

/** Shows findings, and asks for each whether to repair it. */
const showFindings = Effect.fnUntraced(function* (findings: ReadonlyArray<Finding>, repairing: boolean) {
  const agreed = repairing ? yield* makeAsking : null
  for (const finding of findings) {
    yield* show(finding)
    if (agreed !== null) yield* mend(finding, agreed)
  }
})

interface Wishes extends Format {
  readonly repairing: boolean
  readonly monitoring: boolean
  readonly server: Option.Option<string>
}

/** The view of a server elsewhere. */
const askThere = Effect.fnUntraced(function* ({ csv, json, repairing, server }: Wishes) {
  const { answer } = yield* ask(
    "GET /system/findings",
    Option.match(server, { onNone: () => ({}), onSome: (url) => ({ server: url }) })
  )
  const { findings } = answer.data
  if (json || csv) yield* printRows({ csv, json }, COLUMNS, findings, "")
  else if (findings.length === 0) yield* say("Nothing is stuck.")
  else yield* showFindings(findings, repairing)
  return findings
}, Effect.scoped)

/** The result as an exit code. */
class Looked extends Schema.TaggedError<Looked>()("Looked", { message: Schema.String, code: Schema.Int }) {
  override readonly [Runtime.errorReported] = false
  override get [Runtime.errorExitCode]() {
    return this.code
  }
}

/** Exit codes (docs/command-line.md#exit-codes); `monitoring`: those of monitoring plugins. */
const exitCodeOf = (found: ReadonlyArray<{ readonly level: Level }>, monitoring: boolean): number => {
  const has = (level: Level) => found.some((one) => one.level === level)
  if (has("bad")) return monitoring ? 2 : 1
  if (monitoring && has("warn")) return 1
  return has("unknown") ? 3 : 0
}

const ended = (found: ReadonlyArray<{ readonly level: Level }>, monitoring: boolean) => {
  const code = exitCodeOf(found, monitoring)
  const count = (level: Level) => found.filter((one) => one.level === level).length
  if (count("bad") > 0) {
    const all = found.filter(({ level }) => level !== "good").length
    const message = `${count("bad")} of ${all} findings are bad`
    return Effect.fail(monitoring ? new Looked({ message, code }) : new Refused({ message }))
  }
  if (code === 0) return Effect.void
  const unknown = count("unknown")
  const message = unknown > 0 ? `${unknown} could not be looked at` : `${count("warn")} findings are warnings`
  return Effect.fail(new Looked({ message, code }))
}

/** Reports a repair; on standard error if programs read the output. */
const repaired = Effect.fnUntraced(function* ({ about, repair }: Answer, isListed: boolean) {
  if (repair === null) return
  const done = yield* Effect.result(repair)
  const why = done._tag === "Success" ? "" : done.failure instanceof Error ? done.failure.message : String(done.failure)
  yield* done._tag === "Success"
    ? (isListed ? Console.error : Console.log)(harmless(`      done: ${done.success}`))
    : Console.error(colored("bad", harmless(`      not done: ${about}: ${why}`), process.stderr))
})

/** Messages from the process that looks to the process that waits for it. */
const sendToParent = (message: { readonly level: Level } | { readonly asking: true } | { readonly code: number }) =>
  Effect.sync(() => void process.send?.(message))

/** Looks at this machine. */
const lookHere = Effect.fnUntraced(function* ({ csv, json, monitoring, repairing }: Wishes) {
  const { examine } = yield* Effect.promise(() => import("../doctor/Examination.ts"))
  const isListed = json || csv
  const report = Effect.fnUntraced(function* (answer: Answer) {
    yield* sendToParent({ level: answer.level })
    if (!isListed) yield* show(answer)
  })
  const { answers, findings } = yield* examine(report)
  if (repairing) yield* Effect.forEach(answers, (answer) => repaired(answer, isListed), { discard: true })
  // the repair of an answer is no call of the API
  const rows: ReadonlyArray<Row> = [...answers.map((answer) => ({ ...answer, repair: null })), ...findings]
  if (isListed) yield* printRows({ csv, json }, COLUMNS, rows, "")
  else {
    if (repairing && findings.length > 0) yield* sendToParent({ asking: true })
    yield* showFindings(findings, repairing)
    if (rows.every(({ level }) => level === "good")) yield* say("Nothing is stuck.")
  }
  yield* Effect.tapError(ended(rows, monitoring), ({ message }) =>
    Console.error(colored("bad", message, process.stderr))
  ).pipe(
    Effect.match({
      onSuccess: () => 0,
      onFailure: (error) => error[Runtime.errorExitCode]
    }),
    Effect.flatMap((code) => sendToParent({ code }))
  )
  // work that hangs is abandoned
  yield* Effect.never
}, Effect.scoped)

/** Set in the process that examines. */
const WORKER = "SWITCHYARD_DOCTOR_WORKER"
const LONGEST_MILLIS = 30_000

const Message = Schema.Struct({
  level: Schema.optionalKey(Schema.Literals(["good", "unknown", "warn", "bad"])),
  asking: Schema.optionalKey(Schema.Boolean),
  code: Schema.optionalKey(Schema.Int)
})

/**
 * Starts another process that examines, and ends it when it is done or late: a hang there does not block this process. Yields its exit
 * code.
 */
const lookBeside = (monitoring: boolean) =>
  Effect.callback<number>((resume) => {
    const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      // a thread for each file that may hang
      env: { ...process.env, UV_THREADPOOL_SIZE: "64", [WORKER]: "1" }
    })
    const levels: Array<{ readonly level: Level }> = []
    const end = (code: number) => {
      clearTimeout(timer)
      child.removeAllListeners()
      child.kill("SIGKILL")
      child.unref()
      if (child.connected) child.disconnect()
      resume(Effect.succeed(code))
    }
    const timer = setTimeout(() => {
      process.stderr.write(
        `The doctor was stopped after ${LONGEST_MILLIS / 1000} seconds: something that it asked hangs\n`
      )
      end(exitCodeOf([...levels, { level: "unknown" }], monitoring))
    }, LONGEST_MILLIS)
    child.on("message", (message) => {
      if (!Schema.is(Message)(message)) return
      // a user may think for longer
      if (message.asking === true) clearTimeout(timer)
      if (message.level !== undefined) levels.push({ level: message.level })
      if (message.code !== undefined) end(message.code)
    })
    child.once("error", () => end(3))
    child.once("exit", (code) => end(code ?? 3))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const LOOPBACK = /^(?:127\.|localhost$|\[::1\]$)/

/** Whether the server's own machine is meant: the settings are here, or nothing names another machine. */
const isHere = (): boolean => {
  const { DATABASE_URL, DATA_DIR, SWITCHYARD_URL } = process.env
  if (!SWITCHYARD_URL || DATA_DIR || DATABASE_URL) return true
  const url = serverUrl()
  return URL.canParse(url) && LOOPBACK.test(new URL(url).hostname) && (hasService() || existsSync("data/database"))
}

const look = Effect.fnUntraced(function* (wishes: Wishes) {
  const { monitoring, server } = wishes
  if (Option.isSome(server) || !isHere()) {
    const findings = yield* reported(askThere(wishes))
    return yield* reported(ended(findings, monitoring))
  }
  if (process.env[WORKER] !== undefined) return yield* lookHere(wishes)
  const code = yield* lookBeside(monitoring)
  if (code !== 0) return yield* new Looked({ message: "", code })
})

const flags = {
  repairing: Flag.Boolean("repair").pipe(
    Flag.withDescription("Repair what is safe, and ask for each finding of the server whether it is to be repaired"),
    Flag.withDefault(false)
  ),
  monitoring: Flag.Boolean("monitoring").pipe(
    Flag.withDescription(
      "Exit codes of monitoring plugins: 1 for warnings, 2 for what is bad, 3 when it could not be looked at"
    ),
    Flag.withDefault(false)
  ),
  server: Flag.String("server").pipe(
    Flag.withDescription("Ask this server, and nothing of this machine"),
    Flag.optional
  )
}

/** What an operator repairs with `doctor --repair`, as a list. */
const FINDINGS: typeof COLUMNS = COLUMNS.filter(([head]) => head !== "kind")

/** The command. */
export const findings = Command.make("findings", format, (wanted) =>
  reported(
    Effect.flatMap(ask("GET /system/findings"), ({ answer }) =>
      printRows(wanted, FINDINGS, answer.data.findings, "Nothing is stuck.")
    )
  )
).pipe(
  Command.withDescription(
    "List what is stuck at the server, since when, why, and what to do. Repair it: doctor --repair"
  )
)

/** The command. */
export const doctor = Command.make("doctor", { ...flags, ...format }, look).pipe(
  Command.withDescription(
    "Find what is stuck, since when, why, and what to do; on the server's machine also when neither server nor database work. Exit code 1 when something is bad."
  )
)
