/** What happened to one switch, newest last, bounded: logins, commands, and everything that changed its configuration. */

/** How a configuration came to run, or stopped running. */
export type CommitKind = "commit" | "commitTimer" | "confirm" | "abort" | "expired" | "direct" | "reload" | "ztp"

export interface CommitRecord {
  /** Session name; empty for changes without a session. */
  readonly session: string
  readonly kind: CommitKind
  /** Milliseconds since 1970. */
  readonly at: number
}

export interface LoginRecord {
  readonly user: string
  readonly accepted: boolean
  /** By a key or with a password. */
  readonly method: "key" | "password"
  readonly address: string
  readonly at: number
}

export interface CommandRecord {
  readonly user: string
  readonly command: string
  readonly at: number
}

export interface History {
  readonly limit: number
  readonly commits: Array<CommitRecord>
  readonly logins: Array<LoginRecord>
  readonly commands: Array<CommandRecord>
  /** Told of every commit once the switch has done it and before its answer can be read. */
  readonly watchers: Set<(record: CommitRecord) => void>
}

/** An empty history that keeps the last `limit` records of each sort. */
export const make = (limit: number): History => ({
  limit,
  commits: [],
  logins: [],
  commands: [],
  watchers: new Set()
})

/** Adds a record and forgets the oldest above the limit. */
export const push = <A>(history: History, list: Array<A>, record: A): void => {
  list.push(record)
  if (list.length > history.limit) list.splice(0, list.length - history.limit)
}

/** Adds what changed the configuration, and tells those who watch. */
export const pushCommit = (history: History, record: CommitRecord): void => {
  push(history, history.commits, record)
  if (history.watchers.size === 0) return
  // the switch finishes its step first; nothing reaches the client meanwhile
  queueMicrotask(() => {
    for (const tell of history.watchers) tell(record)
  })
}
