/**
 * `switchyard.env` in DATA_DIR: settings that `switchyard setup` has written, `NAME=value` a line (docs/installing.md#first-start). The
 * environment takes precedence. Read at the start, by the server and by commands that work directly on its data.
 */
import { Effect, Result, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { codeOf } from "./SystemErrors.ts"

/** The file cannot be read, or one of its lines is no setting; the message names the file and the line, and never the value. */
export class SettingsFileError extends Schema.TaggedError<SettingsFileError>()("SettingsFileError", {
  message: Schema.String
}) {}

type Environment = Readonly<Record<string, string | undefined>>

const FILE = "switchyard.env"
const NAME = /^[A-Z][A-Z0-9_]*$/

/** The path of an installation's file. */
export const settingsFileIn = (dataDir: string): string => path.join(dataDir, FILE)

/** The default of DATA_DIR. */
const dataDirOf = ({ DATA_DIR }: Environment) => (DATA_DIR === undefined || DATA_DIR === "" ? "data" : DATA_DIR)

const HEADER = `# Settings of this Switchyard, written by \`switchyard setup\`: NAME=value, up to the end of the line, without quotes.
# All of them: docs/operations.md#settings-of-the-server. The environment wins. Read at the start of the server.
`

/** The settings in the text of a file, or the number of the first other line. */
export const parseSettings = (text: string): Result.Result<ReadonlyMap<string, string>, string> => {
  const found = new Map<string, string>()
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(?:#.*)?$/.test(line)) continue
    const equals = line.indexOf("=")
    const name = line.slice(0, Math.max(equals, 0)).trim()
    if (!NAME.test(name)) return Result.fail(`line ${index + 1} is not NAME=value`)
    // DATA_DIR locates this file, so it cannot be in it
    if (name === "DATA_DIR") return Result.fail(`line ${index + 1}: DATA_DIR is set in the environment only`)
    if (found.has(name)) return Result.fail(`line ${index + 1} sets ${name} again`)
    found.set(name, line.slice(equals + 1).trim())
  }
  return Result.succeed(found)
}

const wrong = (file: string, why: string) => new SettingsFileError({ message: `The settings in ${file}: ${why}` })

/** The text of the file; null if it does not exist. */
const read = (file: string) =>
  Effect.tryPromise({
    try: () =>
      fs.readFile(file, "utf8").catch((error: unknown) => {
        if (codeOf(error) === "ENOENT") return null
        throw error
      }),
    catch: (error) => wrong(file, `the file cannot be read (${codeOf(error) ?? "unknown"})`)
  })

/** The settings of the file. Fails with SettingsFileError. */
const readSettings = Effect.fnUntraced(function* (file: string) {
  const text = yield* read(file)
  if (text === null) return new Map<string, string>()
  return yield* Effect.mapError(Effect.fromResult(parseSettings(text)), (why) => wrong(file, why))
})

/** The environment, with the file's settings for variables that it lacks. Fails with SettingsFileError. */
export const withSettingsFile = Effect.fn("SettingsFile.withSettingsFile")(function* (environment: Environment) {
  const settings = yield* readSettings(settingsFileIn(dataDirOf(environment)))
  const isGiven = (name: string) => (environment[name] ?? "") !== "" || (environment[`${name}_FILE`] ?? "") !== ""
  return { ...environment, ...Object.fromEntries([...settings].filter(([name]) => !isGiven(name))) }
})

/** Whether the installation has the file. */
export const hasSettingsFile = (environment: Environment): Effect.Effect<boolean> =>
  Effect.promise(() =>
    fs.stat(settingsFileIn(dataDirOf(environment))).then(
      () => true,
      () => false
    )
  )

/** A file that root writes for another user's server belongs to that user, who owns the folder. */
export const giveToOwnerOf = async (folder: string, file: string): Promise<void> => {
  if (process.getuid?.() !== 0) return
  const { gid, uid } = await fs.stat(folder)
  await fs.chown(file, uid, gid)
}

/**
 * Writes these settings in addition to those in the file into a draft that only this user can read; the effect that it yields puts the
 * draft in the file's place. Fails with SettingsFileError.
 */
export const draftSettings = Effect.fn("SettingsFile.draftSettings")(function* (
  dataDir: string,
  settings: ReadonlyMap<string, string>
) {
  const file = settingsFileIn(dataDir)
  const all = new Map([...(yield* readSettings(file)), ...settings])
  const lines = [...all].map(([name, value]) => `${name}=${value}\n`)
  const draft = `${file}.new`
  const failed = (error: unknown) => wrong(file, `the file cannot be written (${codeOf(error) ?? "unknown"})`)
  yield* Effect.tryPromise({
    try: async () => {
      await fs.mkdir(dataDir, { recursive: true, mode: 0o711 })
      await fs.rm(draft, { force: true })
      await fs.writeFile(draft, HEADER + lines.join(""), { mode: 0o600, flag: "wx" })
      await giveToOwnerOf(dataDir, draft)
    },
    catch: failed
  })
  return Effect.tryPromise({ try: () => fs.rename(draft, file), catch: failed })
})
