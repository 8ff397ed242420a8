/**
 * Files of a site that are in a backup in addition to the database, each under the name of the setting that holds its path, so a restore writes
 * them to the paths in the settings of the restoring server (docs/operations.md#backup). Firmware images and copies of repositories are
 * omitted: they can be fetched again. This file also has the name of the key and the schema of `backup.json`.
 */
import { Effect, Option, Redacted, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import { isSafeName } from "./BackupFile.ts"
import * as SecretKey from "../runtime/SecretKey.ts"
import { createHash } from "node:crypto"
import { Sequence } from "../store/backup/DatabaseDump.ts"

// The name of a key shows whether a backup and a server have the same SECRET_KEY, and reveals nothing about the key. A missing key is not
// created here, because a restore may be about to restore its file.

const PURPOSE = "name of the key in backups"
const LENGTH = 16

/** The name of a key. */
const nameOf = (key: Uint8Array): string => SecretKey.of(key).digester(PURPOSE)("switchyard").slice(0, LENGTH)

/** The name of the key in a file; `None` if it holds no key. */
export const keyNameOf = (content: string): Option.Option<string> => Option.map(SecretKey.keyIn(content), nameOf)

/** The file of the key, for settings without a key. */
export const keyFileOf = (dataDir: string): string => path.join(dataDir, SecretKey.FILE)

const previousNames = Effect.map(ServerConfig, ({ SECRET_KEY_PREVIOUS }) =>
  Option.match(SECRET_KEY_PREVIOUS, { onNone: () => [], onSome: (previous) => SecretKey.keysIn(previous).map(nameOf) })
)

/** The key file exists, but cannot be read. */
export class KeyUnreadable extends Schema.TaggedError<KeyUnreadable>()("KeyUnreadable", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The key in ${this.file} cannot be read (${this.reason}): run this as the user of the server`
  }
}

/** The content of a file; `None` if it does not exist. */
const contentOf = (file: string) =>
  Effect.tryPromise(() => fs.readFile(file, "utf8")).pipe(
    Effect.asSome,
    Effect.catch(({ cause }) =>
      isMissing(cause) ? Effect.succeedNone : Effect.fail(new KeyUnreadable({ file, reason: reasonOf(cause) }))
    )
  )

/** The names of the key of these settings; `None` if no key exists yet. Fails with KeyUnreadable. */
export const findKey = Effect.gen(function* () {
  const { DATA_DIR, SECRET_KEY } = yield* ServerConfig
  const previous = yield* previousNames
  if (Option.isSome(SECRET_KEY)) {
    const name = nameOf(Buffer.from(Redacted.value(SECRET_KEY.value)))
    return Option.some<KeyNames>({ name, previous, place: "environment" })
  }
  const content = yield* contentOf(keyFileOf(DATA_DIR))
  return Option.map(Option.flatMap(content, keyNameOf), (name): KeyNames => ({ name, previous, place: "file" }))
})

/** A file of the site cannot be read or written; the message names it. */
export class SiteFileError extends Schema.TaggedError<SiteFileError>()("SiteFileError", { message: Schema.String }) {}

/** The place of a file or folder on this machine. */
interface Place {
  /** Its name in a backup. */
  readonly name: string
  readonly at: string
  readonly kind: "file" | "folder"
}

/** Name of the key's file in a backup. */
export const KEY_FILE = "secret.key"

/** Rules that are read from DATA_DIR. */
const RULES = ["permissions.yml", "windows.yml", "alerts.yml"]

const isInside = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file)
  return relative !== "" && !relative.startsWith("..") && !path.isAbsolute(relative)
}

/** The places of these settings. A key in the settings themselves has no file. */
const placesOf = (config: ServerSettings): ReadonlyArray<Place> => {
  const { CAFILE, CAKEYFILE, CERTPATH, DATA_DIR, JWT_CERT, PLUGIN_FILE } = config
  const file = (name: string, at: string): Place => ({ name, at, kind: "file" })
  const ofOption = (name: string, at: Option.Option<string>, kind: Place["kind"]): ReadonlyArray<Place> =>
    Option.isSome(at) ? [{ name, at: at.value, kind }] : []
  const own = (at: Option.Option<string>) => Option.filter(at, (named) => isInside(DATA_DIR, named))
  return [
    ...(Option.isNone(config.SECRET_KEY) ? [file(KEY_FILE, keyFileOf(DATA_DIR))] : []),
    file("CAFILE", CAFILE),
    file("CAKEYFILE", CAKEYFILE),
    { name: "CERTPATH", at: CERTPATH, kind: "folder" },
    file("JWT_CERT", JWT_CERT),
    file("PLUGIN_FILE", PLUGIN_FILE),
    ...ofOption("PLUGIN_FOLDER", config.PLUGIN_FOLDER, "folder"),
    ...ofOption("TLS_CERT", own(config.TLS_CERT), "file"),
    ...ofOption("TLS_KEY", own(config.TLS_KEY), "file"),
    ...RULES.map((name) => file(name, path.join(DATA_DIR, name)))
  ]
}

/** A file of a backup; `mode` are its permission bits. */
interface FoundFile {
  readonly name: string
  readonly mode: number
  readonly content: Buffer
}

const attempt = <A>(what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new SiteFileError({ message: `${what}: ${reasonOf(error)}` })
  })

const readAt = async (name: string, at: string): Promise<ReadonlyArray<FoundFile>> => {
  try {
    const [{ mode }, content] = [await fs.stat(at), await fs.readFile(at)]
    return [{ name, mode: mode & 0o777, content }]
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Names of the files below a folder, with slashes; links and special files are skipped. */
const namesBelow = async (folder: string): Promise<ReadonlyArray<string>> => {
  try {
    const found = await fs.readdir(folder, { recursive: true, withFileTypes: true })
    return found
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
      .toSorted()
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** The names of all files with their places. */
const located = ({ at, kind, name }: Place) =>
  kind === "file"
    ? Effect.succeed([{ name, at }])
    : attempt(`The folder ${at} cannot be read`, async () =>
        (await namesBelow(at)).map((below) => ({ name: `${name}/${below}`, at: path.join(at, below) }))
      )

/** Runs an effect for each existing file. Fails with SiteFileError. */
export const forEach = Effect.fn("SiteFiles.forEach")(function* <E, R>(
  use: (file: FoundFile) => Effect.Effect<void, E, R>
) {
  for (const place of placesOf(yield* ServerConfig)) {
    for (const { at, name } of yield* located(place)) {
      for (const file of yield* attempt(`${at} cannot be read`, () => readAt(name, at))) yield* use(file)
    }
  }
})

/** The place of a backup's file by these settings; `None` if they name no place for it. */
export const placeOf = (config: ServerSettings, name: string): Option.Option<string> => {
  if (!isSafeName(name)) return Option.none()
  for (const { at, kind, name: known } of placesOf(config)) {
    if (kind === "file" && name === known) return Option.some(at)
    if (kind === "folder" && name.startsWith(`${known}/`))
      return Option.some(path.join(at, name.slice(known.length + 1)))
  }
  return Option.none()
}

/** Whether a different file exists at its place. */
export const differs = (at: string, content: Buffer) =>
  attempt(`${at} cannot be read`, async () => (await readAt("", at)).some((found) => !found.content.equals(content)))

const draftOf = (at: string): string => `${at}.restoring`

/**
 * Writes a complete file next to its place, with these permissions, in folders that only this user can enter. The file is removed when the
 * scope closes, unless it was moved to its place.
 */
export const draft = (at: string, { content, mode }: FoundFile) =>
  Effect.acquireRelease(
    attempt(`${at} cannot be written`, async () => {
      if ((await fs.stat(at).catch(() => null))?.isDirectory() === true) throw new Error("it is a folder")
      await fs.mkdir(path.dirname(at), { recursive: true, mode: 0o700 })
      await fs.rm(draftOf(at), { force: true })
      await fs.writeFile(draftOf(at), content, { mode, flush: true })
    }).pipe(Effect.tapError(() => removeDraft(at))),
    () => removeDraft(at)
  )

const removeDraft = (at: string) => Effect.promise(() => fs.rm(draftOf(at), { force: true }).catch(() => undefined))

/** Moves the written file to its place. */
export const place = (at: string) => attempt(`${at} cannot be written`, () => fs.rename(draftOf(at), at))

// The schema of `backup.json`, which describes all files before it (docs/backup-format.md).

/** The version of the format; it is raised if older releases cannot read the newer format. */
export const FORMAT = 1

/** Name of the file. */
export const CONTENTS = "backup.json"

/** Name of the file after it, which holds its checksum. */
export const CONTENTS_SUM = `${CONTENTS}.sha256`

const Part = Schema.Struct({ file: Schema.String, sha256: Schema.String })
export type Part = typeof Part.Type

const BackedUpTable = Schema.Struct({
  name: Schema.String,
  columns: Schema.Array(Schema.String),
  rows: Schema.Int,
  /** The checksum of the uncompressed lines of all parts, one after the other. */
  sha256: Schema.String,
  parts: Schema.Array(Part)
})
export type BackedUpTable = typeof BackedUpTable.Type

const SiteFile = Schema.Struct({ ...Part.fields, mode: Schema.Int })
export type SiteFile = typeof SiteFile.Type

/** The key under which values are sealed, by names that do not reveal it. */
export const KeyNames = Schema.Struct({
  name: Schema.String,
  /** Previous keys: some values may still be sealed under them. */
  previous: Schema.Array(Schema.String),
  /** Whether the backup contains it. */
  place: Schema.Literals(["environment", "file"])
})
export type KeyNames = typeof KeyNames.Type

export const Contents = Schema.Struct({
  format: Schema.Int,
  release: Schema.String,
  /** Number of the newest migration. */
  schema: Schema.Int,
  /** Time of the snapshot, ISO 8601 with microseconds, UTC. */
  at: Schema.String,
  /** Id of the installation; missing in a backup of a release before identities. */
  installation: Schema.optionalKey(Schema.String.pipe(Schema.check(Schema.isUUID()))),
  postgres: Schema.String,
  key: KeyNames,
  tables: Schema.Array(BackedUpTable),
  sequences: Schema.Array(Sequence),
  files: Schema.Array(SiteFile)
})
export type Contents = typeof Contents.Type

/** The checksum of a file of a backup. */
export const digestOf = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** The content of the file after `backup.json`, in the format of `sha256sum --check`. */
export const sumLineOf = (contents: Uint8Array): string => `${digestOf(contents)}  ${CONTENTS}\n`
