/**
 * `permissions.yml` in DATA_DIR (docs/roles.md): read at the start, and again when it has changed. A file that became wrong is not put in
 * force, and said in the log; one that is wrong at the start ends it. Without a file every caller may do everything.
 */
import { Clock, Context, Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import { parse } from "yaml"
import type { Identity } from "../domain/access/Identity.ts"
import { type HeldRole, type Permissions as Rules, readPermissions, rolesOf } from "../domain/access/PermissionFile.ts"
import type { Asked } from "../domain/access/PermissionRule.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { type HeldPermission, judge } from "./Permit.ts"

const FILE = "permissions.yml"
/** How long a look at the file counts, in milliseconds. */
const KEPT = 2000

/** The file is wrong; the server does not start. */
export class PermissionsUnusable extends Schema.TaggedError<PermissionsUnusable>()("PermissionsUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `The roles in ${this.path} cannot be used: ${this.reason}`
  }
}

/** People sign on at a provider, which knows many more than may do anything here; the server does not start. */
export class PermissionsMissing extends Schema.TaggedError<PermissionsMissing>()("PermissionsMissing", {
  path: Schema.String
}) {
  override get message() {
    return `OIDC_ENABLED is true, but ${this.path} is not there: everybody whom the identity provider knows could do everything. Write it (docs/roles.md), or set PERMISSIONS_DISABLED=true`
  }
}

const heldIn = (roles: ReadonlyArray<HeldRole>): ReadonlyArray<HeldPermission> =>
  roles.flatMap(({ name, permissions }) => permissions.map((permission) => ({ role: name, permission })))

const parsed = (path: string, text: string) =>
  Result.try({ try: (): unknown => parse(text), catch: (error) => String(error) }).pipe(
    Result.flatMap(readPermissions),
    Result.mapError((reason) => new PermissionsUnusable({ path, reason }))
  )

const NO_FILE = "permissions.yml is not there: every caller with a good token may do everything (docs/roles.md)"
const DISABLED = "PERMISSIONS_DISABLED is true: every caller with a good token may do everything (docs/roles.md)"

const make = Effect.gen(function* () {
  const { DATA_DIR, OIDC_ENABLED, PERMISSIONS_DISABLED } = yield* ServerConfig
  const files = yield* FileSystem.FileSystem
  const file = (yield* Path.Path).join(DATA_DIR, FILE)

  /** The file's text; none when there is no file. */
  const text = files.readFileString(file).pipe(
    Effect.map(Option.some),
    Effect.catchIf(
      ({ reason }) => reason._tag === "NotFound",
      (error) =>
        // a link to a file that is not there, such as a secret that was not mounted, says that roles are wanted
        files
          .readLink(file)
          .pipe(Effect.matchEffect({ onFailure: () => Effect.succeedNone, onSuccess: () => Effect.fail(error) }))
    ),
    Effect.mapError(({ message }) => new PermissionsUnusable({ path: file, reason: message }))
  )
  const read = (found: Option.Option<string>) =>
    Option.isNone(found) ? Effect.succeed(null) : Effect.fromResult(parsed(file, found.value))

  const first = PERMISSIONS_DISABLED ? Option.none<string>() : yield* text
  let seen = { text: first, rules: yield* read(first), at: yield* Clock.currentTimeMillis }
  if (seen.rules === null && OIDC_ENABLED && !PERMISSIONS_DISABLED) return yield* new PermissionsMissing({ path: file })
  if (seen.rules === null) yield* Effect.logWarning(PERMISSIONS_DISABLED ? DISABLED : NO_FILE)

  const rules: Effect.Effect<Rules | null> = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (PERMISSIONS_DISABLED || now - seen.at < KEPT) return seen.rules
    seen = { ...seen, at: now }
    const found = yield* text
    if (Option.getOrNull(found) === Option.getOrNull(seen.text)) return seen.rules
    // a file that went away, or became wrong, opens nothing
    seen = { ...seen, text: found }
    if (Option.isNone(found)) return yield* new PermissionsUnusable({ path: file, reason: "it is gone" })
    seen = { ...seen, rules: yield* read(found) }
    yield* Effect.logInfo("Roles were read anew", { path: file })
    return seen.rules
  }).pipe(
    Effect.catch((error) => Effect.as(Effect.logError(`${error.message}. Those from before stay in force`), seen.rules))
  )

  return Permissions.of({
    rules,
    remark: Effect.map(rules, (known) => {
      if (known !== null) return null
      return PERMISSIONS_DISABLED ? DISABLED : NO_FILE
    }),
    heldBy: (identity) =>
      Effect.map(rules, (known) =>
        known === null || identity.way === "open" ? null : heldIn(rolesOf(known, identity))
      ),
    allowedBy: (known, asked) =>
      [...known.roles].flatMap(([name, permissions]) =>
        judge(heldIn([{ name, permissions }]), asked).allowed === null ? [] : [name]
      )
  })
})

/** The roles in force. */
export class Permissions extends Context.Service<
  Permissions,
  {
    /** Null without a file. */
    readonly rules: Effect.Effect<Rules | null>
    /** Why everybody may do everything, as a sentence; null where roles decide. */
    readonly remark: Effect.Effect<string | null>
    /** What somebody may do; null for everything: without a file, and where no tokens are asked for. */
    readonly heldBy: (identity: Identity) => Effect.Effect<ReadonlyArray<HeldPermission> | null>
    /** The roles of these that would allow a call. */
    readonly allowedBy: (rules: Rules, asked: Asked) => ReadonlyArray<string>
  }
>()("switchyard/access/Permissions") {
  /** Fails with PermissionsUnusable and PermissionsMissing. */
  static readonly layer = Layer.effect(Permissions, make)
}
