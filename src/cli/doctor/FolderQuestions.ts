/**
 * The questions of `switchyard doctor` about DATA_DIR: its permissions, the database's own log, its size, and the installation that it
 * belongs to. Only regular files are opened. Repairs touch no file that a process has open, and give no account more rights.
 */
import { Effect, Option } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { FILE as KEY_FILE } from "../../runtime/SecretKey.ts"
import { isSecret } from "../../runtime/SecretSources.ts"
import { codeOf } from "../../runtime/SystemErrors.ts"
import { withoutValues } from "../../store/ForeignLocks.ts"
import * as Installation from "../../store/Installation.ts"
import { pidFileOf } from "../../store/postgres/Postmaster.ts"
import { parseLine } from "../../store/postgres/PostgresProcess.ts"
import { leftoverQuestions } from "./MachineQuestions.ts"
import {
  bad,
  doing,
  type Found,
  good,
  type Place,
  type Question,
  question,
  see,
  type Seen,
  sizeOf,
  unknown,
  warn
} from "./Questions.ts"

const SECONDS = 5

const modeText = (mode: number): string => mode.toString(8).padStart(4, "0")

/** Removes permissions; never adds any. */
const restrict = (file: string, { mode }: Seen, most: number) =>
  doing(`${file} has mode ${modeText(mode & most)} now, it had ${modeText(mode)}`, () => fs.chmod(file, mode & most))

const folderOf = async (file: string, most: number, isBad: number): Promise<Found> => {
  const seen = await see(file)
  if (seen === null || !seen.isFolder) return []
  if ((seen.mode & ~most & 0o777) === 0) return [good(file, `has mode ${modeText(seen.mode)}`)]
  const level = (seen.mode & isBad) === 0 ? warn : bad
  const what = `has mode ${modeText(seen.mode)}: others reach what only the server should`
  const repair = restrict(file, seen, most)
  return [
    level(file, [what, "Keys and configurations of switches are below it.", "switchyard doctor --repair"], repair)
  ]
}

/** Folders above that this user cannot traverse. */
const closedAbove = async (folder: string, uid: number): Promise<string | null> => {
  const above = path.dirname(folder)
  const seen = await see(above)
  const passes = uid === 0 || seen === null || (seen.mode & (seen.uid === uid ? 0o100 : 0o001)) !== 0
  if (!passes) return above
  return above === folder ? null : closedAbove(above, uid)
}

const MADE_BY_THE_SERVER = ["repositories", "firmware"]

const makeFolder = (folder: string, uid: number) =>
  doing(`${folder} was made`, async () => {
    await fs.mkdir(folder, { mode: 0o700 })
    if (process.getuid?.() === 0) await fs.chown(folder, uid, -1)
  })

const NO_FOLDER = "Either DATA_DIR names another folder than that of the server, or its volume is not mounted."
const MOUNT = "Run the doctor with the settings of the server, or mount the volume. Do not start a server before that."

/** Null for a folder that this user cannot read. */
const namesOf = (folder: string): Promise<ReadonlyArray<string> | null> =>
  fs.readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === "EACCES" || codeOf(error) === "EPERM") return null
    throw error
  })

/** A reader of a pipe waits for its writer. */
const pipeAt = async (file: string): Promise<Found> => {
  const found = await fs.stat(file).catch(() => null)
  if (found?.isFIFO() !== true) return []
  return [bad(file, ["is a pipe and no file", "A server that reads it waits for ever.", "Put the file there again."])]
}

const dataFolder = async ({ dataDir, servers }: Place): Promise<Found> => {
  const seen = await see(dataDir)
  if (seen === null) return [bad(dataDir, ["there is no such folder", NO_FOLDER, MOUNT])]
  if (!seen.isFolder) return [bad(dataDir, ["is no folder", NO_FOLDER, MOUNT])]
  const names = await namesOf(dataDir)
  if (names === null)
    return [
      bad(dataDir, [
        `user ${process.getuid?.()} cannot look into it: it has mode ${modeText(seen.mode)} and belongs to user ${seen.uid}`,
        "A server of this user cannot work with it.",
        "Run the doctor as the server's user, or as root. If this is the server's user, give the folder back to it (chown)."
      ])
    ]
  if (names.length === 0) return [warn(dataDir, ["is empty", NO_FOLDER, MOUNT])]
  const foreign = servers.find(({ uid }) => uid !== 0 && uid !== seen.uid)
  const missing = MADE_BY_THE_SERVER.filter((name) => names.includes(KEY_FILE) && !names.includes(name))
  return [
    ...(await folderOf(dataDir, 0o711, 0o022)),
    ...(foreign === undefined
      ? []
      : [
          bad(dataDir, [
            `belongs to user ${seen.uid}, and the server runs as user ${foreign.uid}`,
            "It cannot write there.",
            `chown -R ${foreign.uid} ${dataDir}, but for the folder of the embedded database`
          ])
        ]),
    ...(await Promise.all(names.map((name) => pipeAt(path.join(dataDir, name))))).flat(),
    ...missing.map((name) =>
      warn(
        path.join(dataDir, name),
        ["is missing", "The server makes it at its start.", "switchyard doctor --repair"],
        makeFolder(path.join(dataDir, name), seen.uid)
      )
    ),
    ...(await Promise.all(MADE_BY_THE_SERVER.map((name) => folderOf(path.join(dataDir, name), 0o700, 0o007)))).flat()
  ]
}

const databaseFolder = async ({ dataDir, home }: Place): Promise<Found> => {
  if (home === null) return []
  const data = path.join(home, "postgres")
  const seen = await see(data)
  if (seen === null || (await see(path.join(data, "PG_VERSION"))) === null) {
    const names = (await see(dataDir)) === null ? [] : await fs.readdir(dataDir)
    if (!names.includes(KEY_FILE) && !names.includes(Installation.FILE))
      return [good(home, "there is no database yet, and nothing that says there was one")]
    return [
      bad(home, [
        "there is no database, and DATA_DIR is of an installation that had one",
        "A volume may not be mounted, or the folder may have been moved.",
        "Mount it, or restore a backup (switchyard restore). Do not start a server before that."
      ])
    ]
  }
  const closed = await closedAbove(data, seen.uid)
  return [
    ...(closed === null
      ? [good(data, `belongs to user ${seen.uid}, who can reach it`)]
      : [
          bad(data, [
            `PostgreSQL runs as user ${seen.uid}, who cannot pass ${closed}`,
            "The database does not start, or does not read its files.",
            `chmod o+x ${closed}`
          ])
        ]),
    // PostgreSQL does not start in a folder that others can read
    ...(await folderOf(data, 0o750, 0o007)),
    ...(await folderOf(home, 0o750, 0o007)),
    ...(await Promise.all([pidFileOf(data), path.join(home, "server.json")].map(pipeAt))).flat()
  ]
}

const SUFFIX = "_FILE"

/** Files that only the server should read: whether others can read them, and whether they are the server's own. */
const secretFiles = ({ dataDir, home, settings }: Place): ReadonlyArray<readonly [file: string, isOwn: boolean]> => {
  const named = Object.entries(process.env).flatMap(([name, value]) =>
    name.endsWith(SUFFIX) && isSecret(name.slice(0, -SUFFIX.length)) && value ? [value] : []
  )
  const others = settings === null ? named : [...named, ...Option.toArray(settings.TLS_KEY)]
  const authority = settings === null ? [] : [settings.CAKEYFILE]
  const isInside = (file: string) => !path.relative(path.resolve(dataDir), path.resolve(file)).startsWith("..")
  return [
    [path.join(dataDir, KEY_FILE), true],
    ...(home === null ? [] : [[path.join(home, "postgres-password"), true] as const]),
    ...[...authority, ...others].map((file) => [file, isInside(file)] as const)
  ]
}

const secretFile = async (file: string, isOwn: boolean, reader: number | null): Promise<Found> => {
  const seen = await see(file)
  if (seen === null) return []
  if (!seen.isFile) return [warn(file, ["is no regular file", "It cannot be read as a secret.", "Put a file there."])]
  const open = seen.mode & (isOwn ? 0o077 : 0o007)
  if (open !== 0) {
    const what = `has mode ${modeText(seen.mode)}: others can read or change it`
    const next = isOwn
      ? "switchyard doctor --repair. Anyone who has read it knows the secret: change it."
      : `chmod o-rwx ${file}`
    const repair = isOwn ? restrict(file, seen, 0o700) : null
    return [bad(file, [what, "It holds a secret.", next], repair)]
  }
  if (reader !== null && reader !== 0 && reader !== seen.uid && (seen.mode & 0o070) === 0)
    return [
      bad(file, [
        `belongs to user ${seen.uid}, and user ${reader} cannot read it`,
        "The server runs as that user.",
        `chown ${reader} ${file}`
      ])
    ]
  return [good(file, `has mode ${modeText(seen.mode)}`)]
}

const secrets = async (place: Place): Promise<Found> => {
  const folder = await see(place.dataDir)
  const reader = place.servers[0]?.uid ?? folder?.uid ?? null
  const found = await Promise.all(
    secretFiles(place).map(([file, isOwn]) =>
      // the database's folder belongs to its user
      secretFile(file, isOwn, file.endsWith("postgres-password") ? null : reader)
    )
  )
  const key = path.join(place.dataDir, KEY_FILE)
  const isNeeded = place.settings !== null && Option.isNone(place.settings.SECRET_KEY) && folder !== null
  const isMissing = isNeeded && place.home !== null && (await see(key)) === null
  const hadDatabase = place.home !== null && (await see(path.join(place.home, "postgres"))) !== null
  return [
    ...found.flat(),
    ...(isMissing && hadDatabase
      ? [
          bad(key, [
            "is missing, and SECRET_KEY is not set",
            "What is sealed in the database can be read by this key only; a server that starts makes another one.",
            "Put it back from a backup before a server starts."
          ])
        ]
      : [])
  ]
}

const TAIL_BYTES = 256 * 1024
const SHOWN_LINES = 5
const HOUR_MILLIS = 3_600_000

/** The end of a file; its first line may be incomplete. */
const tailOf = async (file: string): Promise<ReadonlyArray<string>> => {
  const handle = await fs.open(file, "r")
  try {
    const { size } = await handle.stat()
    const start = Math.max(0, size - TAIL_BYTES)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(size, TAIL_BYTES)), { position: start })
    return buffer.subarray(0, bytesRead).toString().split("\n")
  } finally {
    await handle.close()
  }
}

/** After these words PostgreSQL quotes a name; after others a value, as in `invalid input syntax for type integer: "…"`. */
const NAMED = new Set(
  "relation table column constraint index database role user type function schema sequence file parameter extension language trigger".split(
    " "
  )
)
const QUOTED = /(\w*)(\s?)"(?:[^"]|"")*(?:"|$)/g

const messageWithoutValues = (message: string): string =>
  withoutValues(
    message.replaceAll(QUOTED, (all, word: string, space: string) => (NAMED.has(word) ? all : `${word}${space}?`))
  )

/** Severe lines of PostgreSQL's log that no caller handles, without values, the newest last. */
export const severeLines = (lines: ReadonlyArray<string>) =>
  lines.flatMap((line) => {
    const report = Option.getOrUndefined(parseLine(line))
    if (report === undefined || !["PANIC", "FATAL", "ERROR"].includes(report.severity)) return []
    if (report.level === "Debug") return []
    const [at = ""] = /^\S+ \S+ \S+/.exec(line) ?? []
    // 57P: it was asked to end, or is starting
    const isGrave = report.severity !== "ERROR" && !report.sqlState.startsWith("57P")
    return [{ at, isGrave, text: `${at} ${report.severity}: ${messageWithoutValues(report.message)}` }]
  })

const databaseLog = async (home: string): Promise<Found> => {
  const file = path.join(home, "postgres.log")
  const seen = await see(file)
  if (seen === null || !seen.isFile) return [good(file, "there is no log")]
  const severe = severeLines(await tailOf(file))
  const last = severe.slice(-SHOWN_LINES)
  if (last.length === 0) return [good(file, "its end has no errors")]
  const isRecent = last.some(
    ({ at, isGrave }) =>
      isGrave && Date.now() - Date.parse(at.replace(" ", "T").replace(/ (?:UTC|GMT)$/, "Z")) < HOUR_MILLIS
  )
  const words = [
    `its last errors: ${last.map(({ text }) => text).join("; ")}`,
    isRecent ? "The database has ended or refused a client within the last hour." : "",
    `tail -n 50 ${file}`
  ] as const
  return [isRecent ? warn(file, words) : good(file, words[0])]
}

const sizes = async (dataDir: string): Promise<Found> => {
  const names = await fs.readdir(dataDir)
  if (names.length === 0) return [good(dataDir, "is empty")]
  const run = promisify(execFile)
  // in a process of its own, which can be killed
  const { stdout } = await run("du", ["-sk", "--", ...names.map((name) => path.join(dataDir, name))], {
    timeout: (SECONDS - 1) * 1000,
    killSignal: "SIGKILL"
  }).catch((error: unknown) => ({ stdout: error instanceof Error && "stdout" in error ? String(error.stdout) : "" }))
  const found = stdout
    .split("\n")
    .flatMap((line) => {
      const [, kilobytes, file] = /^(\d+)\s+(.*)$/.exec(line) ?? []
      return file === undefined ? [] : [{ name: path.basename(file), bytes: Number(kilobytes) * 1024 }]
    })
    .toSorted((a, b) => b.bytes - a.bytes)
  if (found.length === 0) return [unknown(dataDir, "its size could not be counted in time")]
  return [
    good(
      dataDir,
      `holds ${found
        .slice(0, 6)
        .map(({ bytes, name }) => `${name} ${sizeOf(bytes)}`)
        .join(", ")}`
    )
  ]
}

/** The reasons for which a start would refuse this folder, before an operator tries it. */
const identityQuestion = ({ settings }: Place): ReadonlyArray<Question> => {
  if (settings === null) return []
  const refused = (message: string): Found => [
    bad("identity", [message, "A start refuses this.", "Do not start a server with other settings before it is clear."])
  ]
  const seen = Effect.map(Installation.lookBy(settings), (found) => {
    const against = Installation.againstMaking(found, Option.getOrNull(settings.INSTALLATION_ID), "serve")
    return against === null ? [good("identity", "DATA_DIR keeps no server from starting")] : refused(against)
  })
  const ask = Effect.catch(seen, ({ message }) => Effect.succeed(refused(message)))
  return [{ kind: "identity", about: "identity", seconds: SECONDS, ask }]
}

/** The files of allowed signers, and the programs that verify signatures. */
const signers = async ({ settings }: Place): Promise<Found> => {
  if (settings === null) return []
  const { signersProblem } = await import("../../jobs/repositories/Signatures.ts")
  const found: Array<Found[number]> = []
  for (const name of ["settings", "templates"] as const) {
    const problem = await signersProblem(settings, name)
    const why = "The server does not start: no signature of a commit could be verified."
    const next = "Mend the file or install the program: docs/settings-repository.md#signed-commits."
    if (problem !== null) found.push(bad(name, [problem, why, next]))
    else if (settings[name === "settings" ? "SETTINGS_SIGNATURES" : "TEMPLATES_SIGNATURES"] !== "off")
      found.push(good(name, "signatures of commits can be verified"))
  }
  return found
}

/** Questions about DATA_DIR, and about files that the settings name. */
export const folderQuestions = (place: Place) => {
  const { dataDir, home } = place
  return [
    question("permissions", dataDir, SECONDS, () => dataFolder(place)),
    question("permissions", "database", SECONDS, () => databaseFolder(place)),
    question("permissions", "secrets", SECONDS, () => secrets(place)),
    question("signatures", "allowed signers", SECONDS, () => signers(place)),
    ...leftoverQuestions(place),
    ...(home === null ? [] : [question("log", "database", SECONDS, () => databaseLog(home))]),
    ...identityQuestion(place),
    question("size", dataDir, SECONDS, () => sizes(dataDir))
  ]
}
