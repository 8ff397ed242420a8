/**
 * The configuration database of a Junos switch: one candidate that all share, the exclusive lock and private copies, the history of
 * 50 configurations, the rescue configuration. Commits and their timer: `Commits.ts`.
 */
import * as Braces from "./Braces.ts"
import * as Compare from "./Compare.ts"
import * as Config from "./Config.ts"
import type { Entry, Issue } from "./Config.ts"
import type { Switch } from "../Switch.ts"

/** How somebody has opened the database. */
export type OpenMode = "shared" | "exclusive" | "private"

/** Somebody who is logged in. */
export interface Login {
  /** Number of the process that serves the login. */
  readonly pid: number
  readonly user: string
  readonly terminal: string
  readonly client: "cli" | "netconf"
  /** Milliseconds since 1970. */
  readonly since: number
  mode: OpenMode | undefined
  /** A private candidate, and what was committed when it was opened. */
  own: { readonly base: Entry; candidate: Entry } | undefined
  path: string
  /** Ends the connection behind. */
  readonly drop: () => void
  /** Says something to somebody at a terminal. */
  readonly tell: (text: string) => void
}

/** One configuration of the history. */
export interface Revision {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly user: string
  readonly client: "cli" | "netconf" | "other" | "button"
  readonly log: string | undefined
  /** `commit confirmed, rollback in 5mins`: stays for good. */
  readonly comment: string | undefined
  /** Its rollback is pending. */
  pending: boolean
  /** `re0-1605288042-335` */
  readonly id: string
  readonly text: string
}

export interface Timer {
  readonly revision: Revision
  /** What is restored. */
  readonly text: string
  readonly login: number
  readonly expiresAt: number
  handle: NodeJS.Timeout | undefined
  /** It runs although the history says that it does not. */
  hidden: boolean
}

export interface Database {
  /** Undefined: as committed. */
  candidate: Entry | undefined
  changedBy: { readonly user: string; readonly at: number } | undefined
  /** The candidate was loaded with `override`: every daemon reads everything again. */
  overridden: boolean
  readonly logins: Map<number, Login>
  /** Newest first; the first one runs. */
  readonly history: Array<Revision>
  rescue: string | undefined
  timer: Timer | undefined
  nextPid: number
  nextRevision: number
}

const KEPT = 50
const FIRST_PID = 2210

const databases = new WeakMap<Switch, Database>()

/** The database of a switch. */
export const of = (device: Switch): Database => {
  const known = databases.get(device)
  if (known !== undefined) return known
  const made: Database = {
    candidate: undefined,
    changedBy: undefined,
    overridden: false,
    logins: new Map(),
    history: [],
    rescue: undefined,
    timer: undefined,
    nextPid: FIRST_PID,
    nextRevision: 1
  }
  databases.set(device, made)
  return made
}

/** No history and no rescue configuration any more, and no timer. */
export const reset = (device: Switch): void => {
  clearTimeout(of(device).timer?.handle)
  databases.delete(device)
}

/** A new configuration in the history; it runs from then on. */
export const push = (database: Database, revision: Omit<Revision, "at" | "id">, now = Date.now()): Revision => {
  const made = { ...revision, at: now, id: `re0-${Math.floor(now / 1000)}-${database.nextRevision}` }
  database.nextRevision += 1
  database.history.unshift(made)
  database.history.splice(KEPT)
  return made
}

const MS = 1000

/** `2026-11-27 13:15:07 UTC` */
export const moment = (at: number): string => `${new Date(at).toISOString().slice(0, 19).replace("T", " ")} UTC`

/** Seconds as the device writes a span. */
export const span = (seconds: number): string => {
  const pad = (value: number) => String(value).padStart(2, "0")
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`
}

/** A new login. */
export const logIn = (device: Switch, login: Pick<Login, "user" | "client" | "drop" | "tell" | "terminal">): Login => {
  const database = of(device)
  const made = { ...login, pid: database.nextPid, since: Date.now(), mode: undefined, own: undefined, path: "" }
  database.nextPid += 1
  database.logins.set(made.pid, made)
  return made
}

/** Who has the database for themselves. */
export const holder = (database: Database): Login | undefined =>
  [...database.logins.values()].find(({ mode }) => mode === "exclusive")

const errorOf = (message: string): Issue => ({ severity: "error", message })

const describe = ({ pid, since, terminal, user }: Login): string =>
  `${user} terminal ${terminal} (pid ${pid}) on since ${moment(since)}, idle ${span(Math.floor((Date.now() - since) / MS))}`

/** The refusal while somebody else holds the lock. */
export const lockedBy = (database: Database, login: Login): Issue | undefined => {
  const other = holder(database)
  if (other === undefined || other === login) return undefined
  return errorOf(`configuration database locked by:\n  ${describe(other)}\n      exclusive`)
}

/** What is committed. */
export const committed = (device: Switch): Entry => Braces.parse(device.running)

/** Whether the shared candidate differs from what runs. */
export const isDirty = (device: Switch): boolean => {
  const { candidate } = of(device)
  return candidate !== undefined && Braces.print(candidate) !== device.running
}

const MODIFIED = "configuration database modified"

/** Opens the database. Returns what the device refuses, or says beside it. */
export const open = (device: Switch, login: Login, mode: OpenMode): ReadonlyArray<Issue> => {
  const database = of(device)
  const locked = lockedBy(database, login)
  if (locked !== undefined && mode !== "shared") return [locked]
  if (mode === "exclusive" && (isDirty(device) || others(database, login).some(({ own }) => own !== undefined)))
    return [errorOf(MODIFIED)]
  if (mode === "private") {
    if (isDirty(device)) return [errorOf(MODIFIED)]
    login.own = { base: committed(device), candidate: committed(device) }
  }
  login.mode = mode
  return mode === "shared" ? [] : [{ severity: "warning", message: "uncommitted changes will be discarded on exit" }]
}

/** Other logins that have opened the database. */
export const others = (database: Database, login: Login): ReadonlyArray<Login> =>
  [...database.logins.values()].filter((other) => other !== login && other.mode !== undefined)

/** Closes the database: changes under a lock and private ones are discarded, shared ones stay. */
export const close = (device: Switch, login: Login): void => {
  const database = of(device)
  if (login.mode === "exclusive") forget(database)
  login.own = undefined
  login.mode = undefined
}

/** Back to what is committed. */
export const forget = (database: Database): void => {
  database.candidate = undefined
  database.changedBy = undefined
  database.overridden = false
}

/** Ends a login. */
export const logOut = (device: Switch, login: Login): void => {
  close(device, login)
  of(device).logins.delete(login.pid)
}

/** The candidate that a login sees; must not be changed. */
export const candidate = (device: Switch, login: Login): Entry =>
  login.own?.candidate ?? of(device).candidate ?? committed(device)

/** Changes the candidate of a login, unless somebody else holds the lock. */
export const edit = (
  device: Switch,
  login: Login,
  change: (candidate: Entry) => ReadonlyArray<Issue>
): ReadonlyArray<Issue> => {
  const database = of(device)
  const locked = lockedBy(database, login)
  if (locked !== undefined) return [locked]
  if (login.own !== undefined) return change(login.own.candidate)
  database.candidate ??= committed(device)
  database.changedBy = { user: login.user, at: Date.now() }
  return change(database.candidate)
}

/** Puts another configuration in the place of a candidate. */
export const replace = (into: Entry, from: Entry): void => {
  into.children.clear()
  for (const [id, child] of from.children) into.children.set(id, child)
}

/** Loads a configuration of the history (0 is the one that runs). */
export const rollback = (device: Switch, login: Login, number: number): ReadonlyArray<Issue> => {
  const database = of(device)
  const text = number === 0 ? device.running : database.history[number]?.text
  if (text === undefined)
    return [errorOf(`could not open configuration file /config/juniper.conf.${number}.gz: No such file or directory`)]
  const issues = edit(device, login, (root) => {
    replace(root, Braces.parse(text))
    return []
  })
  if (issues.length === 0 && number === 0 && login.own === undefined) forget(database)
  return issues
}

/** Loads the rescue configuration. */
export const rescue = (device: Switch, login: Login): ReadonlyArray<Issue> => {
  const text = of(device).rescue
  if (text === undefined)
    return [errorOf("could not open configuration file /config/rescue.conf.gz: No such file or directory")]
  return edit(device, login, (root) => {
    replace(root, Braces.parse(text))
    return []
  })
}

/** The difference of a login's candidate to a configuration of the history; undefined when there is none of that number. */
export const compare = (
  device: Switch,
  login: Login,
  number: number,
  secrets: Braces.SecretView
): string | undefined => {
  const text = number === 0 ? device.running : of(device).history[number]?.text
  return text === undefined ? undefined : Compare.compare(Braces.parse(text), candidate(device, login), secrets)
}

/** What the commit of a login makes run. */
export const outcome = (device: Switch, { own }: Login): Entry => {
  if (own !== undefined) return Config.clone(Compare.onTop(own.base, own.candidate, committed(device)))
  return of(device).candidate ?? committed(device)
}
