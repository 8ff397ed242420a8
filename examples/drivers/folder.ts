/**
 * A driver to begin with, for switches that are folders of this machine: `running.conf`, `startup.conf`, and candidates in between. Copy it,
 * and say in `platform` what you know of your switches and in each verb how you ask them. docs/adding-a-driver.md says what a driver must
 * keep; `server.ts` runs it.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { completeFacts, defineDriver, defineSession, listSessions } from "@switchyard/server/driver"
import { clearForLoad, Errors, ForeignSessions, indented, maskSecrets } from "@switchyard/server/driver"
import { SecretWords, UnifiedDiff, usualRisk } from "@switchyard/server/driver"
import type { DriverModule, DriverSession, DriverTarget, Platform } from "@switchyard/server/driver"
import { Effect } from "effect"

/** What is known without a session. */
const platform: Platform = {
  name: "folder",
  vendor: "Example",
  // there is no timer: changes are committed at once
  capabilities: { timer: false, certificates: false, firmware: false, erase: false, bounce: false },
  interfaces: { short: [], physical: /^port\d+$/, possible: null },
  configuration: indented,
  autoPush: null,
  risk: usualRisk,
  firmware: null,
  secrets: SecretWords.commonSecrets,
  saltedSecrets: [],
  remarks: [],
  loginLine: null
}

const CANDIDATE = ".candidate"

const session = (folder: string, { hostname, removed }: DriverTarget, foreign: ForeignSessions): DriverSession => {
  const at = (name: string) => path.join(folder, name)
  /** An attempt that the switch refuses, with what it says about it. */
  const attempt = <A>(command: string, work: () => A) =>
    Effect.try({
      try: work,
      catch: (error) => new Errors.CommandRejected({ hostname, command, message: maskSecrets(String(error)) })
    })
  const runningConfig = attempt("read running.conf", () => readFileSync(at("running.conf"), "utf8"))
  const sessions = attempt("list candidates", () => {
    const files = readdirSync(folder).filter((file) => file.endsWith(CANDIDATE))
    return listSessions(files.map((file) => ({ name: path.basename(file, CANDIDATE), state: "open", user: "" })))
  })
  const discard = (name: string) => attempt("discard", () => rmSync(at(name + CANDIDATE), { force: true }))
  const noTimer = (command: string) =>
    Effect.fail(new Errors.CommandRejected({ hostname, command, message: "folders have no commit timer" }))

  return defineSession(hostname, {
    hostKey: "none: a folder is of this machine",
    facts: Effect.succeed(completeFacts({ vendor: platform.vendor, hostname, model: "folder", serial_number: hostname })),
    runningConfig,
    sessions,
    load: Effect.fnUntraced(function* (request) {
      const others = yield* clearForLoad({ hostname, removed, foreign, sessions, discard }, request)
      if (request.mode === "merge") {
        return yield* new Errors.MergeConfigException({ hostname, message: "only whole configurations", rejected: [] })
      }
      yield* attempt("write the candidate", () => writeFileSync(at(request.name + CANDIDATE), request.text))
      const diff = UnifiedDiff.diff(yield* runningConfig, request.text)
      return { diff, willRun: request.text, remarks: [], ...others }
    }),
    discard,
    commit: (name) => attempt("commit", () => renameSync(at(name + CANDIDATE), at("running.conf"))),
    commitTimed: () => noTimer("commit with a timer"),
    confirm: () => noTimer("confirm"),
    save: attempt("save", () => {
      copyFileSync(at("running.conf"), at("startup.conf.new"))
      renameSync(at("startup.conf.new"), at("startup.conf"))
    })
  })
}

/** The driver of the switches below a folder, each by its name. */
export const folders = (root: string): DriverModule => ({
  platform,
  make: Effect.map(ForeignSessions, (foreign) =>
    defineDriver({
      platform,
      open: (target) => {
        const folder = path.join(root, target.hostname)
        const { address, hostname } = target
        return existsSync(path.join(folder, "running.conf"))
          ? Effect.succeed(session(folder, target, foreign))
          : new Errors.ConnectionException({ hostname, address, whileDoing: "open the folder", message: `no ${folder}` })
      }
    })
  )
})
