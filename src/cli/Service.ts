/**
 * The service of this machine, as its package or an operator has installed it. A command on the server's machine takes over the settings
 * that systemd gives to the service (`/etc/switchyard/switchyard.env`) before it reads any setting, and then becomes the service's user
 * if it runs as root: it works on the service's data, and no file of root is left among them. What the environment sets wins. Read
 * synchronously, because all of it comes before the command's first step.
 */
import { Console, Effect } from "effect"
import { existsSync, readFileSync, type Stats, statSync } from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseEnvironmentFile } from "../runtime/EnvironmentFile.ts"
import { isSecret } from "../runtime/SecretSources.ts"
import { isMissing, reasonOf } from "../runtime/SystemErrors.ts"
import { CommandRefused, harmless } from "./client/Terminal.ts"

/** Where the settings of the service are, and where it works: its DATA_DIR unless they name another. */
interface Installed {
  readonly file: string
  readonly home: string
}

/** The folder above `/usr/lib/switchyard`, if this program is the one of the Debian package. */
const PACKAGE = /^(.*)\/usr\/lib\/switchyard(?:\/|$)/.exec(import.meta.dirname)?.[1]

const HOME = "/var/lib/switchyard"
const OWNER = "switchyard"

/** The service of the package, or the one whose file SWITCHYARD_ENV_FILE names; null if neither is installed. */
const installed = (): Installed | null => {
  const named = process.env["SWITCHYARD_ENV_FILE"]
  if (named) return { file: path.resolve(startedIn, named), home: HOME }
  return PACKAGE === undefined ? null : { file: `${PACKAGE}/etc/switchyard/switchyard.env`, home: `${PACKAGE}${HOME}` }
}

/** Whether this program is that of a service. */
export const hasService = (): boolean => installed() !== null

/** The folder in which the user has typed the command. */
const startedIn = process.cwd()

/** A file that the user has named: the command may work in another folder than the user. */
export const fromStart = (file: string): string => (process.cwd() === startedIn ? file : path.resolve(startedIn, file))

const uid = process.getuid?.() ?? 0

const accountName = (): string => {
  try {
    return os.userInfo().username
  } catch {
    // its number is in no list of users, as in some containers
    return `user ${uid}`
  }
}

const startedBy = accountName()

/** The name of the person who runs the command: with sudo the one who has called it. */
export const callerName = (): string => (uid === 0 && process.env["SUDO_USER"]) || startedBy

// Users and groups of this machine.

interface Account {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly home: string
}

const linesOf = (list: "passwd" | "group") => {
  try {
    return readFileSync(`/etc/${list}`, "utf8")
      .split("\n")
      .map((line) => line.split(":"))
  } catch {
    return []
  }
}

const accounts = (): ReadonlyArray<Account> =>
  linesOf("passwd").flatMap(([name = "", , user, group, , home = "/"]) =>
    name === "" ? [] : [{ name, uid: Number(user), gid: Number(group), home }]
  )

const groupName = (gid: number): string =>
  linesOf("group").find(([, , id]) => Number(id) === gid)?.[0] ?? `group ${gid}`

const groupsOf = (name: string): ReadonlyArray<number> =>
  linesOf("group").flatMap(([, , id, members = ""]) => (members.split(",").includes(name) ? [Number(id)] : []))

const look = (file: string): Stats | undefined => {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    // this user may not look there, and learns it when the command does
    return undefined
  }
}

/** The user to whom an installation belongs: its server has written the first of these. Null if that is root, or unknown. */
const ownerOf = (dataDir: string, isService: boolean): Account | null => {
  const known = accounts()
  for (const file of [path.join(dataDir, "installation.id"), dataDir]) {
    const found = look(file)
    if (found === undefined) continue
    if (found.uid !== 0) {
      const named = known.find((one) => one.uid === found.uid)
      return named ?? { name: `user ${found.uid}`, uid: found.uid, gid: found.gid, home: dataDir }
    }
    if (!isService) return null
  }
  // a volume that is not mounted, or a folder that is not there yet
  return isService ? (known.find(({ name }) => name === OWNER) ?? null) : null
}

// The settings.

const isGiven = (name: string): boolean => (process.env[name] ?? "") !== ""

/** Whether the environment has this setting, as a value or as a file that holds it. */
const isSet = (name: string): boolean =>
  isGiven(name) || isGiven(`${name}_FILE`) || (name.endsWith("_FILE") && isGiven(name.slice(0, -"_FILE".length)))

const sentenceWithoutAccess = (file: string): string => {
  const seen = look(file)
  const group = seen === undefined || seen.gid === 0 || (seen.mode & 0o040) === 0 ? null : groupName(seen.gid)
  const join = group === null ? "" : `, or join the group ${group}`
  return `${file}, which has the settings of the service, cannot be read by ${startedBy}: run the command with sudo${join}. SWITCHYARD_URL names a server to ask instead`
}

type Read =
  | { readonly kind: "settings"; readonly settings: ReadonlyMap<string, string> }
  | { readonly kind: "hidden" | "broken"; readonly why: string }

const readSettings = ({ file }: Installed): Read => {
  try {
    return { kind: "settings", settings: parseEnvironmentFile(readFileSync(file, "utf8")) }
  } catch (error) {
    if (["EACCES", "EPERM"].includes(codeIn(error))) return { kind: "hidden", why: sentenceWithoutAccess(file) }
    if (isMissing(error) && !isGiven("SWITCHYARD_ENV_FILE")) return { kind: "settings", settings: new Map() }
    return { kind: "broken", why: `${file}, which has the settings of the service, cannot be read: ${reasonOf(error)}` }
  }
}

const codeIn = (error: unknown): string => (error instanceof Error && "code" in error ? String(error.code) : "")

/** The place of a secret that systemd has copied for the running service; the copies go when it stops. */
const CREDENTIAL = /^\/run\/credentials\/[^/]+\/secret_([^/]+)$/

/**
 * Reads the files of secrets that the settings name, while this is still root: the command's later user may not read all of them. One that
 * cannot be read is left to the command, which knows whether it needs it.
 */
const readSecrets = (folder: string | null) => {
  for (const [variable, file] of Object.entries(process.env)) {
    const name = variable.replace(/_FILE$/, "")
    if (name === variable || !file || !isSecret(name) || isGiven(name)) continue
    const [, credential] = CREDENTIAL.exec(file) ?? []
    for (const at of [file, ...(credential === undefined || folder === null ? [] : [path.join(folder, credential)])]) {
      try {
        process.env[name] = readFileSync(at, "utf8").replace(/\r?\n$/, "")
        delete process.env[variable]
        break
      } catch {
        // the next place, or the command's own refusal
      }
    }
  }
}

/** What a command on the server's machine works with. */
export interface Service {
  /** The file that was taken over; null if the environment alone counts. */
  readonly file: string | null
  /** Why the file cannot be taken over; null if it can, or if there is none. */
  readonly hidden: string | null
  /** Whether the environment alone says all of it, as for a unit of systemd. */
  readonly isKnown: boolean
}

let taken: Service | null = null

/** Takes over the settings of the service, unless the environment names another installation (DATA_DIR). The first call does it. */
export const takeSettings = (): Service => (taken ??= take())

const take = (): Service => {
  const alone = { file: null, hidden: null, isKnown: isNamed() }
  const place = installed()
  if (place === null) return alone
  const read = readSettings(place)
  if (read.kind !== "settings") return { ...alone, hidden: read.why }
  const dataDir = path.resolve(place.home, read.settings.get("DATA_DIR") || place.home)
  if (isGiven("DATA_DIR") && path.resolve(startedIn, process.env["DATA_DIR"] ?? "") !== dataDir) return alone
  const missing = [...read.settings].filter(([name, value]) => value !== "" && !isSet(name))
  for (const [name, value] of missing) process.env[name] = value
  process.env["DATA_DIR"] = dataDir
  // relative paths of the settings begin where the service works
  if (!enter(place.home)) enter(dataDir)
  return { file: place.file, hidden: null, isKnown: alone.isKnown && missing.length === 0 }
}

const enter = (folder: string): boolean => {
  try {
    process.chdir(folder)
    return true
  } catch {
    // it is not there yet, or this user may not enter it, and then its files neither
    return false
  }
}

/** Whether the environment says which installation is meant. */
const isNamed = (): boolean => ["DATA_DIR", "DATABASE_URL", "DATABASE_URL_FILE"].some(isGiven)

/** Whether there is one in the folder in which the user is. */
const isHere = (): boolean => ["installation.id", "database"].some((name) => existsSync(path.join("data", name)))

/** The database in words, without its login. */
const databaseName = (): string => {
  const url = process.env["DATABASE_URL"]
  if (!url && !isGiven("DATABASE_URL_FILE")) return `the database in ${path.resolve(process.env["DATA_DIR"] || "data")}`
  const { hostname = "", pathname = "" } = URL.parse(url ?? "") ?? {}
  return hostname === "" ? "the database of DATABASE_URL" : `the database ${hostname}${pathname}`
}

const become = ({ gid, home, name, uid: user }: Account) => {
  process.setgroups?.([gid, ...groupsOf(name)])
  process.setgid?.(gid)
  process.setuid?.(user)
  process.env["HOME"] = home
}

/**
 * Prepares a command that works on the service's data: takes over its settings, says on stderr what the command works on if the environment
 * does not say it, and becomes the owner of the data. Fails with CommandRefused if this user may do none of that.
 */
export const workOnData = Effect.fnUntraced(function* () {
  const { file, hidden, isKnown } = takeSettings()
  if (hidden !== null && (!isKnown || isGiven("SWITCHYARD_ENV_FILE")))
    return yield* new CommandRefused({ message: hidden })
  const owner = ownerOf(path.resolve(process.env["DATA_DIR"] || "data"), file !== null)
  const isOther = owner !== null && owner.uid !== process.getuid?.()
  if (file !== null && isOther && uid !== 0 && !isGiven("DATABASE_URL") && !isGiven("DATABASE_URL_FILE"))
    return yield* new CommandRefused({
      message: `The data in ${process.env["DATA_DIR"]} belong to ${owner.name}, and this is ${startedBy}: run the command with sudo`
    })
  const becomes = isOther && uid === 0
  yield* Effect.sync(() => {
    if (uid === 0) readSecrets(file === null ? null : path.join(path.dirname(file), "secrets"))
    if (becomes) become(owner)
  })
  if (isKnown && !becomes) return
  const settings = file === null ? "" : ` (settings of ${file})`
  yield* Console.error(harmless(`At ${databaseName()}${settings}${becomes ? `, as ${owner.name}` : ""}`))
})

/** Whether a command works at a server: one is named, or nothing names an installation here. */
export const isAtServer = (): boolean => {
  if (isGiven("SWITCHYARD_URL")) return true
  return installed() === null && !isNamed() && !isHere()
}

/** The address of the service's own API; null if there is no service, or its settings cannot be read. */
export const serviceUrl = (): string | null => {
  const place = installed()
  const read = place === null ? null : readSettings(place)
  if (read?.kind !== "settings") return null
  const named = read.settings.get("SWITCHYARD_URL")
  if (named) return named
  const [host, port] = [read.settings.get("HOST") || "127.0.0.1", read.settings.get("PORT") || "5000"]
  if (port === "0") return null
  const reached = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host
  return `http://${reached.includes(":") ? `[${reached}]` : reached}:${port}`
}
