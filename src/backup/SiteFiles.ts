/**
 * Files of a site that are in a backup beside the database: each under the name of the setting that says where it is, so that they go
 * back to where the settings of the restoring server say (docs/operations.md#backup). Firmware images and copies of repositories are
 * not among them: they come again from where they came from.
 */
import { Effect, Option, Schema } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { isMissing } from "../runtime/SystemErrors.ts"
import { ServerConfig, type ServerSettings } from "../ServerConfig.ts"
import * as FileReason from "../runtime/FileReason.ts"
import * as KeyName from "./KeyName.ts"
import { isSafeName } from "./Tar.ts"

/** A file of the site cannot be read or written; the message names it. */
export class SiteFileError extends Schema.TaggedError<SiteFileError>()("SiteFileError", { message: Schema.String }) {}

/** Where something is on this machine. */
interface Place {
  /** What it is called in a backup. */
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

/** The places of these settings. A key that they give themselves is not in a file. */
const placesOf = (config: ServerSettings): ReadonlyArray<Place> => {
  const { CAFILE, CAKEYFILE, CERTPATH, DATA_DIR, JWT_CERT, PLUGIN_FILE } = config
  const file = (name: string, at: string): Place => ({ name, at, kind: "file" })
  const ofOption = (name: string, at: Option.Option<string>, kind: Place["kind"]): ReadonlyArray<Place> =>
    Option.isSome(at) ? [{ name, at: at.value, kind }] : []
  const own = (at: Option.Option<string>) => Option.filter(at, (named) => isInside(DATA_DIR, named))
  return [
    ...(Option.isNone(config.SECRET_KEY) ? [file(KEY_FILE, KeyName.fileOf(DATA_DIR))] : []),
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

/** A file as it is in a backup; `mode` are the bits of its rights. */
export interface FoundFile {
  readonly name: string
  readonly mode: number
  readonly content: Buffer
}

const attempt = <A>(what: string, work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new SiteFileError({ message: `${what}: ${FileReason.of(error)}` })
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

/** Names of the files below a folder, parted by slashes; links and what is no file are left out. */
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

/** Does something with each file that is there. Fails with SiteFileError. */
export const forEach = Effect.fn("SiteFiles.forEach")(function* <E, R>(
  use: (file: FoundFile) => Effect.Effect<void, E, R>
) {
  for (const place of placesOf(yield* ServerConfig)) {
    for (const { at, name } of yield* located(place)) {
      for (const file of yield* attempt(`${at} cannot be read`, () => readAt(name, at))) yield* use(file)
    }
  }
})

/** Where a file of a backup belongs by these settings; none when they name no place for it. */
export const placeOf = (config: ServerSettings, name: string): Option.Option<string> => {
  if (!isSafeName(name)) return Option.none()
  for (const { at, kind, name: known } of placesOf(config)) {
    if (kind === "file" && name === known) return Option.some(at)
    if (kind === "folder" && name.startsWith(`${known}/`))
      return Option.some(path.join(at, name.slice(known.length + 1)))
  }
  return Option.none()
}

/** Whether another file is at its place. */
export const differs = (at: string, content: Buffer) =>
  attempt(`${at} cannot be read`, async () => (await readAt("", at)).some((found) => !found.content.equals(content)))

const draftOf = (at: string): string => `${at}.restoring`

/**
 * Writes a file whole beside its place, with these rights, in folders that only this user can enter. It goes when the scope closes,
 * unless it was moved there.
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

/** Moves what was written to its place. */
export const place = (at: string) => attempt(`${at} cannot be written`, () => fs.rename(draftOf(at), at))
