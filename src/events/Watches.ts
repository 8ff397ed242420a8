/**
 * Conditions that the server checks on its own (docs/alerts.md#ready-rules): the disk of DATA_DIR fills up, the database was restarted, a
 * certificate of a switch expires, or other roles are in force. Each occurrence becomes one event, whichever replica detects it.
 */
import { Effect, Layer, Schedule } from "effect"
import { hash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import { Permissions } from "../access/Permissions.ts"
import type { Permissions as Rules } from "../domain/access/PermissionFile.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { WatchStore } from "../store/WatchStore.ts"

/** Percent of free disk space. Between both limits nothing changes, so a disk at a limit is not reported repeatedly. */
const LOW = 10
const ENOUGH = 12

/** Bytes of a file system. */
interface Space {
  readonly free: number
  readonly total: number
}

/** The state of the disk to be reported, if any; `before` is the last reported state. */
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

/** Checks the disk once. */
export const lookAtDisk = Effect.fnUntraced(function* (space: Space) {
  const { DATA_DIR } = yield* ServerConfig
  const watched = yield* WatchStore
  const server = os.hostname()
  const name = `disk ${server} ${DATA_DIR}`
  const state = diskState(space, yield* watched.value(name))
  if (state === null) return
  const free_percent = Math.round((space.free / space.total) * 1000) / 10
  const data = { server, path: DATA_DIR, free_percent, free_bytes: space.free }
  yield* watched.report(name, state, { kind: "disk", action: state, isAudit: false, data })
})

/** Checks whether the database was restarted since the first check of this server. */
export const makeDatabaseLook = Effect.gen(function* () {
  const watched = yield* WatchStore
  let first: string | null = null
  return Effect.gen(function* () {
    const started = yield* watched.databaseStart
    first ??= started
    if (started === first) return
    yield* watched.report("database", started, {
      kind: "database",
      action: "restarted",
      isAudit: false,
      data: { started_at: started }
    })
    // set afterwards, so a failed report is repeated by the next check
    first = started
  })
})

/** A value that differs if the roles differ. */
const signOf = (rules: Rules | null): string =>
  rules === null
    ? "none"
    : hash("sha256", JSON.stringify([[...rules.roles], rules.defaultRole, rules.mappings]), "base64url")

/** Checks whether the roles in force differ from those at the last check, which may be before the start of this server. */
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
  yield* watched.report(name, sign, before === null ? null : event)
})

const make = Effect.gen(function* () {
  const { CERTIFICATE_RENEW_DAYS, DATA_DIR } = yield* ServerConfig
  const watched = yield* WatchStore
  const lookAtDatabase = yield* makeDatabaseLook
  // half of the time for its renewal has passed
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

/** Repeats the checks until the server stops. */
export const layer = Layer.effectDiscard(make)
