/** Examines this machine: finds the installation, asks all questions, and reads the findings of the server or its database. */
import { Effect, Exit, Fiber, type Layer, Option, References } from "effect"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import type { Finding } from "../../domain/Finding.ts"
import { secretValues } from "../../runtime/SecretKey.ts"
import { ServerConfig, type ServerSettings } from "../../ServerConfig.ts"
import { ask } from "../client/Server.ts"
import { takeSettings } from "../Service.ts"
import { databaseQuestions, storedFindings } from "./DatabaseQuestions.ts"
import { folderQuestions } from "./FolderQuestions.ts"
import { machineQuestions } from "./MachineQuestions.ts"
import { outsideQuestions, serverOf } from "./OutsideQuestions.ts"
import { type Answer, askAll, bad, good, type Place, type Question, question, serversOn, unknown } from "./Questions.ts"

const SETTINGS_SECONDS = 4
/** For the server, then for its database. */
const FINDINGS_SECONDS = 5

/** Abandons work that has not ended in time; null then. */
const within = Effect.fnUntraced(function* <A, E>(seconds: number, work: Effect.Effect<A, E>) {
  const running = yield* Effect.forkDetach(Effect.exit(work))
  return Option.getOrNull(yield* Effect.timeoutOption(Fiber.join(running), `${seconds} seconds`))
})

const readBy = <E>(layer: Layer.Layer<ServerConfig, E>) =>
  Effect.map(Effect.service(ServerConfig), (settings): ServerSettings => settings).pipe(
    Effect.provide(layer),
    Effect.provideService(References.MinimumLogLevel, "None")
  )

const NO_CHECKS = ServerConfig.layerChecking([])

const lookedFor = (dataDir: string): ReadonlyArray<string> => {
  const asked = path.resolve(dataDir, "database")
  // a server of root keeps it there if PostgreSQL cannot reach the folder
  const name = createHash("sha256").update(asked).digest("hex").slice(0, 12)
  return [asked, path.join("/var/lib/switchyard", name)]
}

const isFile = (file: string) =>
  fs.stat(file).then(
    (found) => found.isFile(),
    () => false
  )

/** The folder of the embedded database: the existing one, or the expected one. */
const homeIn = async (dataDir: string): Promise<string> => {
  const [asked = "", other = ""] = lookedFor(dataDir)
  const isThere = await isFile(path.join(asked, "postgres", "PG_VERSION"))
  return !isThere && (await isFile(path.join(other, "postgres", "PG_VERSION"))) ? other : asked
}

const sentenceOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** A file that a setting names and that is gone while the service is stopped, because systemd makes it at the start. */
const isGoneWithServer = (why: string, { servers }: Place): boolean => {
  const [, variable = ""] = /^(\w+_FILE): .*ENOENT/.exec(why) ?? []
  return servers.length === 0 && (process.env[variable] ?? "").startsWith("/run/")
}

/** The answer about settings that cannot be read. */
const aboutFailure = (why: string, place: Place) => {
  const next = "A server does not start with them. Mend them: docs/operations.md#settings-of-the-server"
  return isGoneWithServer(why, place)
    ? unknown("settings", why, "systemd makes this file when the service starts.", "Ask again while the service runs.")
    : bad("settings", [why, "They cannot be used.", next])
}

/** The place of the installation by the settings, or as far as it can be known without them. */
const findPlace = Effect.gen(function* () {
  const { file, hidden } = takeSettings()
  const exit = yield* within(SETTINGS_SECONDS, readBy(ServerConfig.layer))
  // one wrong setting does not hide what the others lead to
  const rest = exit === null || Exit.isSuccess(exit) ? exit : yield* within(SETTINGS_SECONDS, readBy(NO_CHECKS))
  const settings = rest !== null && Exit.isSuccess(rest) ? rest.value : null
  const dataDir = path.resolve(settings?.DATA_DIR ?? (process.env["DATA_DIR"] || "data"))
  const isEmbedded = settings === null ? !process.env["DATABASE_URL"] : Option.isNone(settings.DATABASE_URL)
  const home = path.join(dataDir, "database")
  const found = yield* within(
    SETTINGS_SECONDS,
    Effect.tryPromise(async () => ({ home: await homeIn(dataDir), servers: await serversOn(dataDir) }))
  )
  const seen = found !== null && Exit.isSuccess(found) ? found.value : { home, servers: [] }
  const place: Place = { settings, dataDir, home: isEmbedded ? seen.home : null, servers: seen.servers }
  const about = "settings"
  const from = file === null ? "" : ` (${file})`
  const answer =
    hidden !== null
      ? unknown(about, hidden)
      : exit === null
        ? unknown(
            about,
            `they could not be read within ${SETTINGS_SECONDS} seconds`,
            "A file that they name does not answer.",
            "A server does not start with them. Mend them: docs/operations.md#settings-of-the-server"
          )
        : Exit.isSuccess(exit)
          ? good(about, `are valid${from}; DATA_DIR is ${dataDir}`)
          : aboutFailure(
              sentenceOf(
                exit.cause.reasons.map((reason) => ("error" in reason ? sentenceOf(reason.error) : "")).join("; ")
              ),
              place
            )
  return { place, answer: { ...answer, kind: "settings" } satisfies Answer }
})

/** The findings of the server; without one, those from its database. */
const findings = Effect.fnUntraced(function* (place: Place) {
  const asked = ask("GET /system/findings", { server: serverOf(place) })
  const answered = yield* within(FINDINGS_SECONDS, asked)
  if (answered !== null && Exit.isSuccess(answered)) return answered.value.answer.data.findings
  const found = yield* within(FINDINGS_SECONDS, storedFindings(place))
  return found !== null && Exit.isSuccess(found) ? found.value : null
})

const NOT_FOUND: Answer = {
  ...unknown(
    "findings",
    "what is stuck could not be asked: neither the server nor its database answers in time",
    "",
    "Mend what is bad first; then ask again. A server with tokens is asked after switchyard login."
  ),
  kind: "findings"
}

/** Secrets of the settings never leave this process. */
const masking = ({ settings }: Place) => {
  const values = settings === null ? [] : secretValues(settings)
  const masked = (text: string) => values.reduce((shown, value) => shown.replaceAll(value, "***"), text)
  return (answer: Answer): Answer => ({
    ...answer,
    about: masked(answer.about),
    what: masked(answer.what),
    why: masked(answer.why),
    next: masked(answer.next)
  })
}

/** The whole view of one machine. */
export interface Examined {
  readonly answers: ReadonlyArray<Answer>
  readonly findings: ReadonlyArray<Finding>
}

/** Asks everything at once; answers are reported as they arrive, and findings at the end. */
export const examine = Effect.fnUntraced(function* (report: (answer: Answer) => Effect.Effect<void>) {
  const { answer, place } = yield* findPlace
  const mask = masking(place)
  const reportAll = (answers: ReadonlyArray<Answer>) =>
    Effect.forEach(answers, (one) => report(mask(one)), { discard: true })
  yield* reportAll([answer])
  const outside = yield* within(
    SETTINGS_SECONDS,
    Effect.tryPromise(() => outsideQuestions(place))
  )
  const others: ReadonlyArray<Question> =
    outside !== null && Exit.isSuccess(outside)
      ? outside.value
      : [
          question("receiver", "receivers", 1, async () => [
            unknown("receivers", "they could not be found out in time")
          ])
        ]
  const [answers, found] = yield* Effect.all(
    [
      askAll(
        [...machineQuestions(place), ...folderQuestions(place), ...databaseQuestions(place), ...others],
        reportAll
      ),
      findings(place)
    ],
    { concurrency: 2 }
  )
  if (found === null) yield* reportAll([NOT_FOUND])
  const all = [answer, ...answers, ...(found === null ? [NOT_FOUND] : [])].map(mask)
  return { answers: all, findings: found ?? [] } satisfies Examined
})
