/**
 * The smallest driver: a BIRD on this machine, whose `configure … timeout`, `confirm` and `undo` others have written. BIRD shows
 * no configuration, so each one ends with a constant that names its file and its hash, and BIRD is asked for that constant:
 * what runs is what it says, never what was sent. A candidate is such a file, and open while a second one holds its mark.
 */
import { execFile } from "node:child_process"
import { hash } from "node:crypto"
import { copyFileSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { Effect, Option } from "effect"
import { frr } from "../../../src/domain/platforms/frr/Platform.ts"
import type { Platform } from "../../../src/domain/platforms/Platform.ts"
import { clearForLoad, ForeignSessions } from "../../../src/drivers/LoadChecks.ts"
import * as UnifiedDiff from "../../../src/drivers/UnifiedDiff.ts"
import type { ConfigSession, Driver, DriverSession, DriverTarget } from "../../../src/drivers/Driver.ts"
import * as Errors from "../../../src/drivers/DriverErrors.ts"
import { maskSecrets } from "../../../src/drivers/SecretMask.ts"
import { completeFacts, defineDriver, defineSession, listSessions } from "../../../src/drivers/DriverDefinition.ts"

/** Devices of the platform `frr` are served by this driver where it is given instead of that of FRR. */
const platform: Platform = {
  ...frr,
  vendor: "BIRD",
  configuration: { sections: "braces", comment: "#", own: /^#/, interfaceHeading: "{name}", multiLineInputs: [] }
}

/** A configuration with the constant by which BIRD says that it runs. */
export const marked = (name: string, text: string) => {
  const stable = `${text.trimEnd()}\n`
  const mark = `${name}.${hash("sha256", stable, "hex")}`
  return { mark, stable, text: `${stable}define SWITCHYARD = "${mark}";\n` }
}

const nameOf = (mark: string): string => mark.slice(0, mark.lastIndexOf("."))

/** Answers begin with a code of four digits; from 8000 on it is a refusal. */
const refusal = /^[89]\d{3}[ -](.*)$/m
const wrongLine = /^(.*):(\d+):\d+ (.*)$/

const makeSession = (
  folder: string,
  { address, hostname, removed }: DriverTarget,
  foreign: ForeignSessions
): DriverSession => {
  const fileOf = (mark: string) => join(folder, `${mark}.conf`)
  const openOf = (name: string) => join(folder, `${name}.open`)

  /** BIRD's answer to a command, whether or not it refuses it. Each has a connection of its own. */
  const say = (...words: ReadonlyArray<string>) =>
    Effect.callback<string, Errors.ExchangeError>((resume) => {
      const [command, seconds] = [words.join(" "), 10]
      const asked = ["-v", "-s", join(folder, "control"), ...words]
      execFile("/usr/sbin/birdc", asked, { timeout: seconds * 1000 }, (error, said, complaints) => {
        const fields = { hostname, address, whileDoing: command, message: complaints.trim() || "no answer" }
        if (error?.killed === true) resume(Effect.fail(new Errors.CommandTimeout({ ...fields, command, seconds })))
        else if (!said.startsWith("0001 ")) resume(Effect.fail(new Errors.ConnectionException(fields)))
        else resume(Effect.succeed(said.slice(said.indexOf("\n") + 1)))
      })
    })
  const refused = (command: string, message: string) =>
    new Errors.CommandRejected({ hostname, command, message: maskSecrets(message) })
  const ask = Effect.fnUntraced(function* (...words: ReadonlyArray<string>) {
    const said = yield* say(...words)
    const [, message] = refusal.exec(said) ?? []
    return message === undefined ? said : yield* refused(words.join(" "), message)
  })
  const files = <A>(work: () => A) =>
    Effect.try({ try: work, catch: (error) => refused(`files in ${basename(folder)}`, String(error)) })

  const runningMark = Effect.map(ask("eval", "SWITCHYARD"), (said) => said.trim().slice("0023 ".length))
  const runningConfig = Effect.gen(function* () {
    const mark = yield* runningMark
    const text = yield* files(() => readFileSync(fileOf(mark), "utf8"))
    const own = marked(nameOf(mark), text.slice(0, text.lastIndexOf("define SWITCHYARD")))
    if (own.text === text && own.mark === mark) return own.stable
    return yield* refused("eval SWITCHYARD", "the file of what runs was altered since")
  })
  const sessions = Effect.gen(function* () {
    const isTimed = (yield* ask("configure", "status")).includes("unconfirmed")
    const running = nameOf(yield* runningMark)
    const open = (yield* files(() => readdirSync(folder))).filter((file) => file.endsWith(".open"))
    const names = open.map((file) => basename(file, ".open")).filter((name) => !isTimed || name !== running)
    const list = names.map((name): ConfigSession => ({ name, state: "open", user: "" }))
    return listSessions(isTimed ? [...list, { name: running, state: "timed", user: "" }] : list)
  })
  const discard = Effect.fnUntraced(function* (name: string) {
    const { pending } = yield* sessions
    if (Option.exists(pending, (waiting) => waiting.name === name)) yield* ask("configure", "undo")
    yield* files(() => rmSync(openOf(name), { force: true }))
  })
  const commit = Effect.fnUntraced(function* (name: string, ...timeout: ReadonlyArray<string>) {
    const { pending } = yield* sessions
    // a commit during a timer would be what that timer restores
    if (Option.isSome(pending)) return yield* refused("configure", `${pending.value.name} waits for its confirmation`)
    const mark = yield* files(() => readFileSync(openOf(name), "utf8"))
    yield* ask("configure", `"${fileOf(mark)}"`, ...timeout)
    yield* files(() => rmSync(openOf(name), { force: true }))
  })

  return defineSession(hostname, {
    hostKey: "none: BIRD is reached on this machine",
    facts: Effect.map(ask("show", "status"), (status) =>
      completeFacts({ vendor: platform.vendor, hostname, os_version: /BIRD (\S+)/.exec(status)?.[1] ?? null })
    ),
    runningConfig,
    sessions,
    load: Effect.fnUntraced(function* (request) {
      const otherSessions = yield* clearForLoad({ hostname, removed, foreign, sessions, discard }, request)
      if (request.mode === "merge") return yield* refused("configure", "BIRD takes whole configurations only")
      const { mark, stable, text } = marked(request.name, request.text)
      yield* files(() => writeFileSync(fileOf(mark), text))
      const [, said = ""] = refusal.exec(yield* say("configure", "check", `"${fileOf(mark)}"`)) ?? []
      const [, , number = "0", answer = said] = wrongLine.exec(said) ?? []
      const message = `${maskSecrets(answer)} at line ${number}`
      const line = maskSecrets(stable.split("\n")[Number(number) - 1] ?? "")
      const rejected = [{ lineNumber: Number(number), line, answer: message }]
      if (said !== "") return yield* new Errors.ReplaceConfigException({ hostname, message, rejected })
      yield* files(() => writeFileSync(openOf(request.name), mark))
      return { diff: UnifiedDiff.diff(yield* runningConfig, stable), willRun: null, remarks: [], ...otherSessions }
    }),
    discard,
    commit: (name) => commit(name),
    commitTimed: (name, seconds) => commit(name, "timeout", String(Math.ceil(seconds))),
    confirm: Effect.fnUntraced(function* (name) {
      const { pending } = yield* sessions
      const isOurs = Option.exists(pending, (waiting) => waiting.name === name)
      const said = isOurs ? yield* ask("configure", "confirm") : "its timer does not run"
      return said.includes("confirmed") ? ("seen" as const) : yield* refused("configure confirm", said.trim())
    }),
    save: Effect.flatMap(runningMark, (mark) =>
      files(() => {
        copyFileSync(fileOf(mark), join(folder, "saved.new"))
        renameSync(join(folder, "saved.new"), join(folder, "bird.conf"))
      })
    )
  })
}

/** The driver of the BIRD that has its configurations and its control socket in this folder. */
export const make = (folder: string): Effect.Effect<Driver> =>
  Effect.map(ForeignSessions, (foreign) =>
    defineDriver({
      platform,
      open: (target) => {
        const session = makeSession(folder, target, foreign)
        const message = "BIRD does not answer as it should"
        const { address, hostname } = target
        const failed = () =>
          new Errors.ConnectionException({ address, hostname, whileDoing: "first question", message })
        return Effect.mapError(Effect.as(session.facts, session), failed)
      }
    })
  )
