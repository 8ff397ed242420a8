/**
 * Foreign locks in the database. A session of another program may hold a lock on our tables for hours: `VACUUM FULL`, a backup, a forgotten
 * transaction in psql. Our statements would wait for it in silence and occupy all connections of the pool. As soon as a statement takes
 * long, a connection outside the pool finds the blocker; a statement that waits for a foreign lock fails with a sentence that names the
 * session (promise 8). Our own transactions end soon, so statements wait for them; migrations are the exception.
 */
import { PgConnection } from "@effect/sql-pg"
import { Clock, Context, Effect, Schema, type Scope } from "effect"
import type { SqlError } from "effect/sql"
import { OwnFaults } from "../runtime/OwnFaults.ts"
import type { OwnKind } from "../runtime/SystemErrors.ts"
import { AlreadyLogged } from "../runtime/Logging.ts"
import { databaseBlocked } from "../runtime/metrics/Metrics.ts"

/** A lock that a session waits for. */
export class Wait extends Schema.Class<Wait>("Wait")({
  pid: Schema.Int,
  /** The table or the kind of lock. */
  lock: Schema.String,
  mode: Schema.String,
  /** The lock of a whole table, not of a row or an advisory one. */
  isTable: Schema.Boolean,
  seconds: Schema.Finite,
  /** Sessions that hold the lock or are before this one in the queue; 0 is a prepared transaction. */
  blockers: Schema.Array(Schema.Int)
}) {}

/** A session as PostgreSQL shows it; fields that only its owner and monitoring roles may read are null. */
export class Session extends Schema.Class<Session>("Session")({
  pid: Schema.Int,
  application: Schema.String,
  user: Schema.NullOr(Schema.String),
  address: Schema.NullOr(Schema.String),
  kind: Schema.NullOr(Schema.String),
  state: Schema.NullOr(Schema.String),
  statement: Schema.NullOr(Schema.String),
  /** Since its transaction began. */
  seconds: Schema.NullOr(Schema.Finite),
  /** Since its state changed. */
  stateSeconds: Schema.NullOr(Schema.Finite),
  transaction: Schema.NullOr(Schema.String),
  /** Whether it has a lock that other sessions wait for; every role may read this. */
  hasLocks: Schema.optionalKey(Schema.Boolean),
  isOurs: Schema.Boolean
}) {}

interface Picture {
  readonly waits: ReadonlyArray<Wait>
  readonly sessions: ReadonlyArray<Session>
}

/** Waits in this database. Table names come from the catalog, which a lock on the tables does not block. */
const WAITS = `select w.pid, coalesce(c.relname, case w.locktype when 'transactionid' then 'a row' when 'tuple' then 'a row'
    when 'advisory' then 'an advisory lock' else w.locktype end) as lock, w.mode,
  w.locktype = 'relation' as "isTable",
  coalesce(extract(epoch from clock_timestamp() - w.waitstart), 0)::float8 as seconds, pg_blocking_pids(w.pid) as blockers
  from pg_locks w left join pg_class c on c.oid = w.relation
  where not w.granted and w.pid in (select pid from pg_stat_activity where datname = current_database())`

const SESSIONS = `select pid, coalesce(application_name, '') as application, usename::text as "user", host(client_addr) as address,
  backend_type as kind, state, query as statement, extract(epoch from clock_timestamp() - xact_start)::float8 as seconds,
  extract(epoch from clock_timestamp() - state_change)::float8 as "stateSeconds", xact_start::text as transaction,
  pid in (select l.pid from pg_locks l where l.granted and l.locktype <> 'virtualxid'
    and l.mode not in ('AccessShareLock', 'RowShareLock', 'RowExclusiveLock')) as "hasLocks",
  coalesce(application_name, '') = current_setting('application_name') as "isOurs"
  from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

const decodeWaits = Schema.decodeUnknownEffect(Schema.Array(Wait))
const decodeSessions = Schema.decodeUnknownEffect(Schema.Array(Session))

/** Reads waits and sessions over this connection. */
export const look = Effect.fnUntraced(function* (connection: PgConnection.PgConnection) {
  // in this order every waiting session is known; a session that ends in between blocks no other
  const waits = yield* decodeWaits((yield* connection.query(WAITS)).rows)
  const sessions = yield* decodeSessions((yield* connection.query(SESSIONS)).rows)
  return { waits, sessions }
})

const PREPARED = new Session({
  pid: 0,
  application: "a prepared transaction (pg_prepared_xacts)",
  user: null,
  address: null,
  kind: null,
  state: null,
  statement: null,
  seconds: null,
  stateSeconds: null,
  transaction: null,
  isOurs: false
})

/** A session that others wait for, with the first wait. */
export interface Blocker {
  readonly session: Session
  readonly lock: string
  readonly waiting: number
  /** The longest wait. */
  readonly seconds: number
  /** Whether it blocks a session of Switchyard. */
  readonly blocksUs: boolean
  /** Whether a session waits for its lock on a whole table. */
  readonly hasTable: boolean
}

/** All sessions that this one waits for, directly or indirectly. */
const allBefore = (pid: number, by: ReadonlyMap<number, ReadonlyArray<number>>): ReadonlySet<number> => {
  const found = new Set<number>()
  const due = [pid]
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    for (const blocker of by.get(next) ?? []) {
      if (found.has(blocker)) continue
      found.add(blocker)
      due.push(blocker)
    }
  }
  return found
}

/** Sessions that block others: those that wait for no other first, then by the longest wait. */
export const blockersIn = ({ sessions, waits }: Picture): ReadonlyArray<Blocker> => {
  const known = new Map(sessions.map((session) => [session.pid, session]))
  const by = new Map<number, Array<number>>()
  for (const { blockers, pid } of waits) by.set(pid, [...(by.get(pid) ?? []), ...blockers])
  const found = new Map<number, Blocker>()
  const direct = new Set<number>()
  for (const { blockers, isTable, lock, pid, seconds } of waits) {
    const isOurs = known.get(pid)?.isOurs === true
    for (const blocker of allBefore(pid, by)) {
      const session = known.get(blocker) ?? (blocker === 0 ? PREPARED : undefined)
      if (session === undefined) continue
      const before = found.get(blocker)
      // behind a waiting session, the wait is for the lock of that session's blocker
      const isFirst = before === undefined || (blockers.includes(blocker) && !direct.has(blocker))
      if (blockers.includes(blocker)) direct.add(blocker)
      found.set(blocker, {
        session,
        lock: isFirst ? lock : before.lock,
        waiting: (before?.waiting ?? 0) + 1,
        seconds: Math.max(seconds, before?.seconds ?? 0),
        blocksUs: isOurs || before?.blocksUs === true,
        hasTable: (isTable && blockers.includes(blocker)) || before?.hasTable === true
      })
    }
  }
  const queued = (one: Blocker) => (by.has(one.session.pid) ? 1 : 0)
  return [...found.values()].toSorted((a, b) => queued(a) - queued(b) || b.seconds - a.seconds)
}

/** SQL keywords at the beginning of statements; values follow them. */
const KIND =
  /^(vacuum\s*(?:\(\s*full[^)]*\)|full)|lock\s+table|(?:alter|create|drop|refresh)\s+(?:unique\s+|materialized\s+)*\w+|prepare\s+transaction|\w+)/i

/** The kind of a statement by its first words: `VACUUM FULL`, `LOCK TABLE`, `UPDATE`. */
export const kindOf = (statement: string): string => {
  const bare = statement.replaceAll(/--[^\n]*|\/\*[^]*?\*\//g, " ").trim()
  const kind = (KIND.exec(bare)?.[1] ?? "").replaceAll(/[\s(),]+/g, " ").trim()
  return /^lock\b/i.test(kind) ? "LOCK TABLE" : kind.toUpperCase()
}

const SHOWN = 160

/** A statement, shortened and without its values, which may be secrets. */
export const withoutValues = (statement: string): string => {
  const text = statement
    .replaceAll(/\$(\w*)\$[^]*?(?:\$\1\$|$)/g, "?")
    .replaceAll(/(?<=\b[eE])'(?:[^'\\]|\\.|'')*(?:'|$)/gs, "?")
    .replaceAll(/'(?:[^']|'')*(?:'|$)/g, "?")
    .replaceAll(/(?<![\w$])\d[\w.]*/g, "?")
    .replaceAll(/\s+/g, " ")
    .trim()
  return text.length > SHOWN ? `${text.slice(0, SHOWN)} …` : text
}

const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60]
] as const

/** A time in one unit, such as `3 minutes`. */
export const ageOf = (seconds: number): string => {
  const [unit, size] = UNITS.find(([, length]) => seconds >= 2 * length) ?? ["second", 1]
  const count = Math.max(1, Math.floor(seconds / size))
  return `${count} ${unit}${count === 1 ? "" : "s"}`
}

const nameOf = ({ application, kind }: Session): string => {
  if (application !== "") return application.slice(0, 60)
  return kind === null || kind === "client backend" ? "a program without a name" : kind
}

/** A sentence about a blocker without its user, its address and the values of its statement, because callers may read it. */
export const sentenceOf = ({ lock, seconds, session }: Blocker): string => {
  const { pid, state, statement } = session
  const who = pid === 0 ? nameOf(session) : `${nameOf(session)} (process ${pid} of the database)`
  const kind = statement === null || statement.startsWith("<") ? "" : kindOf(statement)
  const idle = state?.startsWith("idle in transaction") === true
  const doing = kind === "" ? "" : idle ? `, idle after ${kind}` : `, by ${kind}`
  return `${who} has held a lock on ${lock} for ${ageOf(session.seconds ?? seconds)}${doing}`
}

/** The reason why a statement was cancelled, as the cause of a database error. The watch has already logged it. */
export class BlockedByOther extends AlreadyLogged {
  override readonly name = "BlockedByOther"
  readonly sentence: string
  constructor(sentence: string) {
    super(sentence)
    this.sentence = sentence
  }
}

/** A foreign lock that blocks our statements. */
export interface Blockade {
  readonly sentence: string
  /** Milliseconds of `performance.now()`. */
  readonly since: number
  readonly isBlocked: (statement: string) => boolean
}

/** Looks for foreign locks as soon as statements take long. */
export interface Watch {
  /** Finds the blocker of a statement that takes long. */
  readonly look: () => void
  readonly blockade: () => Blockade | null
}

/** Finds no blockers. */
const noWatch: Watch = { look: () => undefined, blockade: () => null }

/** The watch of the pool, for callers that show its result. */
export const BlockadeWatch = Context.Reference<Watch>("switchyard/store/BlockadeWatch", { defaultValue: () => noWatch })

/** The time that work waits before the reason is reported. */
interface Hindrance {
  /** Milliseconds for which the machine has lacked a resource. */
  readonly lackingMillis: number
  /** Only these resources; without it all. */
  readonly kinds?: ReadonlySet<OwnKind>
  /** Milliseconds that the work has taken while a lock existed that may not concern it. */
  readonly blockedMillis: number
}

/**
 * Yields the reason why our work waits, after that time: the server's machine lacks a resource, or a foreign session holds a lock in the
 * database.
 */
export const untilHindered = Effect.fnUntraced(function* ({ blockedMillis, kinds, lackingMillis }: Hindrance) {
  const faults = yield* OwnFaults
  const { blockade } = yield* BlockadeWatch
  const began = performance.now()
  for (;;) {
    yield* Effect.sleep(LOOK_EVERY)
    const now = yield* Clock.currentTimeMillis
    const found = (yield* faults.now).find(
      ({ fault, since }) => now - since > lackingMillis && kinds?.has(fault.kind) !== false
    )
    if (found !== undefined) return found.fault
    const held = performance.now() - began > blockedMillis ? blockade() : null
    if (held !== null) return held
  }
})

const LOOK_EVERY = "1 second"
const LOOK_TIME = "3 seconds"
/** An open transaction that has not blocked our statements for this long is no longer reported. */
const FORGOTTEN_MILLIS = 60_000
/** PostgreSQL shows only the beginning of a statement. */
const COMPARED = 500

const start = (statement: string) => statement.slice(0, COMPARED)

/** A transaction of Switchyard that locks a whole table for longer is a migration of another replica, which may take minutes; all others end soon. */
const OWN_SECONDS = 5

const whoHoldsUs = (picture: Picture) =>
  blockersIn(picture).find(
    ({ blocksUs, hasTable, session }) =>
      blocksUs && (!session.isOurs || (hasTable && (session.seconds ?? 0) >= OWN_SECONDS))
  ) ?? null

const keyOf = ({ pid, transaction }: Session) => `${pid} ${transaction ?? ""}`

/** The findings so far. */
export interface Found {
  readonly blocker: Blocker
  readonly since: number
  readonly metAt: number
  readonly statements: ReadonlySet<string>
}

/** The findings after another look; null if nothing blocks us any more. `now` in milliseconds of `performance.now()`. */
export const foundAfter = (before: Found | null, picture: Picture, now: number): Found | null => {
  const blocker = whoHoldsUs(picture)
  if (blocker !== null) {
    const waiting = new Set(picture.waits.map(({ pid }) => pid))
    const ours = picture.sessions.filter(({ isOurs, pid }) => isOurs && waiting.has(pid))
    const statements = new Set(ours.map(({ statement }) => start(statement ?? "")))
    const isSame = before !== null && keyOf(before.blocker.session) === keyOf(blocker.session)
    return { blocker, since: isSame ? before.since : now, metAt: now, statements }
  }
  if (before === null || now - before.metAt > FORGOTTEN_MILLIS) return null
  // our cancelled statements may be repeated; the locks stay as long as the foreign transaction is open
  const { session } = before.blocker
  const goesOn = picture.sessions.find(({ pid }) => pid === session.pid)
  const isOpen =
    session.transaction === null
      ? // PostgreSQL may show only the locks of foreign sessions, and nothing about prepared transactions
        goesOn?.hasLocks === true || (session.pid === 0 && now - before.metAt <= FORGOTTEN_MILLIS / 6)
      : goesOn !== undefined && keyOf(goesOn) === keyOf(session)
  return isOpen ? { ...before, blocker: { ...before.blocker, session: goesOn ?? session } } : null
}

const tell = Effect.fnUntraced(function* (before: Found | null, now: Found | null) {
  if (now !== null && (before === null || before.since !== now.since)) {
    const { address, isOurs, pid, user } = now.blocker.session
    const whose = isOurs ? "another server or command of Switchyard" : "somebody else"
    yield* Effect.logWarning(`Work waits for a lock of ${whose}: ${sentenceOf(now.blocker)}`, {
      pid,
      ...(user === null ? {} : { user }),
      ...(address === null ? {} : { address })
    })
  } else if (now === null && before !== null) {
    yield* Effect.logInfo("Work no longer waits for a lock of another session", {
      pid: before.blocker.session.pid,
      seconds: Math.round((performance.now() - before.since) / 1000)
    })
  }
})

/** A watch with its own connections, made with `options` and open while a statement waits: the pool may have none left. */
export const makeWatch = Effect.fnUntraced(function* (
  options: PgConnection.Config
): Effect.fn.Return<Watch, never, Scope.Scope> {
  const scope = yield* Effect.scope
  databaseBlocked.set(0)
  let found: Found | null = null
  let isLooking = false
  let isAsked = false

  const lookOnce = (connection: PgConnection.PgConnection) =>
    Effect.gen(function* () {
      isAsked = false
      const picture = yield* Effect.timeout(look(connection), LOOK_TIME)
      const before: Found | null = found
      found = foundAfter(before, picture, performance.now())
      databaseBlocked.set(found === null ? 0 : 1)
      yield* tell(before, found)
    })
  const connected = Effect.flatMap(PgConnection.make(options), (connection) =>
    lookOnce(connection).pipe(
      Effect.andThen(Effect.sleep(LOOK_EVERY)),
      Effect.repeat({ while: () => isAsked || found !== null })
    )
  ).pipe(Effect.scoped)
  // if the database does not answer, the statements themselves find out
  const looking = connected.pipe(
    Effect.catch((error: SqlError.SqlError | { readonly message: string }) =>
      Effect.andThen(
        Effect.logDebug("Who holds a lock cannot be asked", { error: error.message }),
        Effect.sleep(LOOK_EVERY)
      )
    ),
    Effect.repeat({ while: () => found !== null }),
    Effect.ensuring(Effect.sync(() => (isLooking = false)))
  )
  const run = Effect.runForkWith(yield* Effect.context())
  yield* Effect.addFinalizer(() => Effect.sync(() => (isLooking = true)))
  return {
    look: () => {
      isAsked = true
      if (isLooking) return
      isLooking = true
      run(Effect.forkIn(looking, scope))
    },
    blockade: () => {
      if (found === null) return null
      const { blocker, since, statements } = found
      return { sentence: sentenceOf(blocker), since, isBlocked: (statement) => statements.has(start(statement)) }
    }
  }
})
