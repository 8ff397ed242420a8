/**
 * What nobody asks for and the server has to look at by itself (docs/alerts.md#ready-rules): whether the disk of DATA_DIR fills up, the database
 * was started again, a certificate of a switch ends, or other roles are in force. Each occurrence becomes one event, whoever of several servers sees it.
 */
import { Effect, Layer, Schedule } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import { Permissions } from "../access/Permissions.ts"
import type { Permissions as Rules } from "../domain/access/PermissionFile.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { WatchStore } from "../store/WatchStore.ts"

/** Percent of the disk; between both nothing changes, so that a disk at the edge is not told again and again. */
const LOW = 10
const ENOUGH = 12

/** Bytes of a file system. */
export interface Space {
  readonly free: number
  readonly total: number
}

/** What is to be said of the space, if anything; `before` is what was said last. */
export const diskState = ({ free, total }: Space, before: string | null): "low" | "enough" | null => {
  if (total <= 0) return null
  const percent = (free / total) * 100
  if (percent < LOW) return before === "low" ? null : "low"
  return percent >= ENOUGH && before === "low" ? "enough" : null
}

const spaceOf = (folder: string): Effect.Effect<Space> =>
  Effect.orElseSucceed(
    Effect.tryPromise(async () => {
      const { bavail, blocks, bsize } = await fs.statfs(folder)
      return { free: bavail * bsize, total: blocks * bsize }
    }),
    () => ({ free: 0, total: 0 })
  )

/** Looks at the disk once. */
export const lookAtDisk = Effect.fnUntraced(function* (space: Space) {
  const { DATA_DIR } = yield* ServerConfig
  const watched = yield* WatchStore
  const server = os.hostname()
  const name = `disk ${server} ${DATA_DIR}`
  const state = diskState(space, yield* watched.value(name))
  if (state === null) return
  const free_percent = Math.round((space.free / space.total) * 1000) / 10
  const data = { server, path: DATA_DIR, free_percent, free_bytes: space.free }
  yield* watched.tell(name, state, { kind: "disk", action: state, isAudit: false, data })
})

/** Looks whether the database was started again since the first look of this server. */
export const makeDatabaseLook = Effect.gen(function* () {
  const watched = yield* WatchStore
  let first: string | null = null
  return Effect.gen(function* () {
    const started = yield* watched.databaseStart
    first ??= started
    if (started === first) return
    yield* watched.tell("database", started, {
      kind: "database",
      action: "restarted",
      isAudit: false,
      data: { started_at: started }
    })
    // not before: what could not be told is told by the next look
    first = started
  })
})

/** Differs when the roles do. */
const signOf = (rules: Rules | null): string =>
  rules === null
    ? "none"
    : hash("sha256", JSON.stringify([[...rules.roles], rules.defaultRole, rules.mappings]), "base64url")

/** Looks whether this server has other roles in force than when it looked last, also before it was started. */
export const lookAtPermissions = Effect.gen(function* () {
  const { DATA_DIR } = yield* ServerConfig
  const permissions = yield* Permissions
  const watched = yield* WatchStore
  const rules = yield* permissions.rules
  const server = os.hostname()
  const name = `permissions ${server} ${DATA_DIR}`
  const before = yield* watched.value(name)
  const sign = signOf(rules)
  if (before === sign) return
  const data = { server, path: DATA_DIR, roles: rules === null ? null : [...rules.roles.keys()] }
  const event = { kind: "permission", action: "updated", isAudit: true, data }
  yield* watched.tell(name, sign, before === null ? null : event)
})

const make = Effect.gen(function* () {
  const { CERTIFICATE_RENEW_DAYS, DATA_DIR } = yield* ServerConfig
  const watched = yield* WatchStore
  const lookAtDatabase = yield* makeDatabaseLook
  // its renewal had half of the time that there was for it
  const days = Math.ceil(CERTIFICATE_RENEW_DAYS / 2)
  const regularly = <E, R>(
    name: string,
    interval: "10 seconds" | "1 minute" | "10 minutes",
    look: Effect.Effect<void, E, R>
  ) =>
    look.pipe(
      Effect.catchCause((cause) => Effect.logDebug(`It could not be looked at the ${name}`, cause)),
      Effect.repeat(Schedule.spaced(interval)),
      Effect.forkScoped
    )
  yield* regularly("disk", "1 minute", Effect.flatMap(spaceOf(DATA_DIR), lookAtDisk))
  yield* regularly("database", "10 seconds", lookAtDatabase)
  yield* regularly("roles", "10 seconds", lookAtPermissions)
  yield* regularly("certificates", "10 minutes", watched.certificates(days))
})

/** Looks until the server stops. */
export const layer = Layer.effectDiscard(make)
