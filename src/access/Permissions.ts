/**
 * `permissions.yml` in DATA_DIR (docs/roles.md). Without a file every caller may do everything; with SECURE_DEFAULTS only callers with a
 * ready role may do anything.
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Identity } from "../domain/access/Identity.ts"
import {
  type HeldRole,
  type Permissions as Rules,
  readPermissions,
  readyRoles,
  rolesOf
} from "../domain/access/PermissionFile.ts"
import { showsAccess } from "../domain/access/CallSubjects.ts"
import { type Asked, isEverything } from "../domain/access/PermissionRule.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { makeFileInForce } from "./FileInForce.ts"
import { type HeldPermission, judge } from "./Permit.ts"
import { type HeldBecause, NO_PLACES, rolePlaces, type RolePlaces, whyHeld } from "./RolePlaces.ts"

export const FILE = "permissions.yml"

/** The rules with the lines that they stand in. */
type Placed = Rules & { readonly places: RolePlaces }

/** Users sign on at a provider, which knows many more people than should have access here; the server does not start. */
export class PermissionsMissing extends Schema.TaggedError<PermissionsMissing>()("PermissionsMissing", {
  path: Schema.String
}) {
  override get message() {
    return `OIDC_ENABLED is true, but ${this.path} does not exist: every user of the identity provider could do everything. Write it (docs/roles.md), or set PERMISSIONS_DISABLED=true`
  }
}

const heldIn = (roles: ReadonlyArray<HeldRole>): ReadonlyArray<HeldPermission> =>
  roles.flatMap(({ name, permissions }) => permissions.map((permission) => ({ role: name, permission })))

const NO_FILE =
  "permissions.yml is not there: every caller with a good JSON Web Token may do everything (docs/roles.md)"
const DISABLED = "PERMISSIONS_DISABLED is true: every caller with a good token may do everything (docs/roles.md)"

const NO_ROLE = "you have no role"
const NOT_SET_UP =
  "you have no role, and there is no permissions.yml that gives one: run `switchyard setup` on the server's machine"

/** The rules for callers whose roles were given here, if there is no file. */
const READY: Placed = {
  roles: readyRoles,
  defaultRole: null,
  mappings: {},
  impliedFreeLines: [],
  securityApproval: false,
  places: NO_PLACES
}
const isGivenRoles = ({ way }: Identity): boolean => way === "token" || way === "password"

/** The role is unknown. */
export class UnknownRole extends Schema.TaggedError<UnknownRole>()("UnknownRole", {
  role: Schema.String,
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `There is no role ${this.role} (${this.known.join(", ")})`
  }
  get httpStatus() {
    return 400 as const
  }
}

/** The caller would give away more than they have. */
export class GrantRefused extends Schema.TaggedError<GrantRefused>()("GrantRefused", { reason: Schema.String }) {
  override get message() {
    return `You don't seem to have the rights to execute this call (${this.reason})`
  }
  get httpStatus() {
    return 403 as const
  }
}

const make = Effect.gen(function* () {
  const { OIDC_ENABLED, PERMISSIONS_DISABLED, SECURE_DEFAULTS } = yield* ServerConfig
  const nothing = { path: "", inForce: Effect.succeed({ rules: null, problem: null }) }
  const { inForce, path } = PERMISSIONS_DISABLED
    ? nothing
    : yield* makeFileInForce({
        name: FILE,
        what: "roles",
        read: (data, text) => Result.map(readPermissions(data), (known) => ({ ...known, places: rolePlaces(text) }))
      })
  /** The rules without a file; null for everything. */
  const otherwise = SECURE_DEFAULTS && !PERMISSIONS_DISABLED ? READY : null
  const rules: Effect.Effect<Placed | null> = Effect.map(inForce, (found) => found.rules ?? otherwise)
  if ((yield* inForce).rules === null && OIDC_ENABLED && !PERMISSIONS_DISABLED) {
    return yield* new PermissionsMissing({ path })
  }
  for (const role of (yield* rules)?.impliedFreeLines ?? []) {
    yield* Effect.logWarning(
      `The role ${role} may write lines of its own into ports, since it may give whole configurations: name the right free_lines, or take apply_config from it (docs/roles.md#free-lines)`
    )
  }

  const heldBy = (identity: Identity) =>
    Effect.map(rules, (known) => {
      if (identity.way === "open" || PERMISSIONS_DISABLED) return null
      if (known === null && !isGivenRoles(identity)) return null
      return heldIn(rolesOf(known ?? READY, identity))
    })
  const roles = Effect.map(rules, (known) => (known ?? READY).roles)
  const mayDoEverything = (caller: Identity) =>
    Effect.map(heldBy(caller), (held) => held === null || held.some(({ permission }) => isEverything(permission)))
  const unlessEverything = (caller: Identity, refusal: Effect.Effect<void, GrantRefused>) =>
    Effect.flatMap(mayDoEverything(caller), (may) => (may ? Effect.void : refusal))
  const ownRoles = (caller: Identity) => Effect.map(heldBy(caller), (held) => new Set(held?.map(({ role }) => role)))

  return Permissions.of({
    rules,
    remark: Effect.map(inForce, (found) => {
      if (found.rules !== null) return found.problem
      if (PERMISSIONS_DISABLED) return DISABLED
      return otherwise === null ? NO_FILE : null
    }),
    noRole: Effect.map(inForce, (found) => (found.rules === null && otherwise !== null ? NOT_SET_UP : NO_ROLE)),
    heldBy,
    roles,
    allowedBy: (known, asked) =>
      [...known].flatMap(([name, permissions]) =>
        judge(heldIn([{ name, permissions }]), asked).allowed === null ? [] : [name]
      ),
    mayDoEverything,
    places: Effect.map(rules, (known) => (known ?? READY).places),
    whyHeld: (role, identity) =>
      Effect.map(rules, (known) => whyHeld(role, identity, known ?? READY, (known ?? READY).places)),
    showsAccess: (caller) =>
      Effect.map(
        heldBy(caller),
        (held) => held === null || held.some(({ permission }) => isEverything(permission) || showsAccess(permission))
      ),
    mayHandleUsers: (caller) =>
      unlessEverything(caller, new GrantRefused({ reason: "users are for those who may do everything" })),
    mayMakeTokens: (caller) => unlessEverything(caller, noProgram(caller)),
    isAdministrator: (names) =>
      Effect.map(roles, (known) => names.some((role) => known.get(role)?.some(isEverything) === true)),
    requireKnown: Effect.fn("Permissions.requireKnown")(function* (names) {
      const known = yield* roles
      const role = names.find((name) => !known.has(name))
      if (role !== undefined) return yield* new UnknownRole({ role, known: [...known.keys()] })
    }),
    stillGiven: Effect.fn("Permissions.stillGiven")(function* (owner, names) {
      if (yield* mayDoEverything(owner)) return names
      const own = yield* ownRoles(owner)
      return names.filter((role) => own.has(role))
    }),
    requireOwn: Effect.fn("Permissions.requireOwn")(function* (caller, names) {
      if (yield* mayDoEverything(caller)) return
      yield* noProgram(caller)
      const own = yield* ownRoles(caller)
      const role = names.find((name) => !own.has(name))
      if (role !== undefined) return yield* new GrantRefused({ reason: `you do not have the role ${role} yourself` })
    })
  })
})

/** A token makes no tokens, unless it may do everything. */
const noProgram = (caller: Identity) =>
  caller.way === "token" ? new GrantRefused({ reason: "a token makes no tokens" }) : Effect.void

/** The roles in force. */
export class Permissions extends Context.Service<
  Permissions,
  {
    /** Null without a file, if every caller may do everything. */
    readonly rules: Effect.Effect<Rules | null>
    /**
     * Why every caller may do everything, or the fault of the file that was read last, as a sentence; null if there is nothing to report.
     */
    readonly remark: Effect.Effect<string | null>
    /** Why a caller without any role may do nothing. */
    readonly noRole: Effect.Effect<string>
    /**
     * The permissions of a caller; null for everything: if no tokens are required, and without a file. Tokens of programs and users with
     * passwords were given roles here; without a file these are the ready roles.
     */
    readonly heldBy: (identity: Identity) => Effect.Effect<ReadonlyArray<HeldPermission> | null>
    /** All roles by name: those of the file, or the ready ones. */
    readonly roles: Effect.Effect<Rules["roles"]>
    /** The names of these roles that would allow a call. */
    readonly allowedBy: (roles: Rules["roles"], asked: Asked) => ReadonlyArray<string>
    readonly mayDoEverything: (caller: Identity) => Effect.Effect<boolean>
    /** The lines of `permissions.yml` in which roles and permissions stand. */
    readonly places: Effect.Effect<RolePlaces>
    /** Why this identity has the role: the rule of `permissions.yml` that gives it. */
    readonly whyHeld: (role: string, identity: Identity) => Effect.Effect<HeldBecause>
    /** Whether the caller may see the access of everybody. */
    readonly showsAccess: (caller: Identity) => Effect.Effect<boolean>
    /** Fails if the caller must not administer users with passwords. */
    readonly mayHandleUsers: (caller: Identity) => Effect.Effect<void, GrantRefused>
    /** Fails if the caller must not make any token. */
    readonly mayMakeTokens: (caller: Identity) => Effect.Effect<void, GrantRefused>
    /** Whether one of these roles allows everything. */
    readonly isAdministrator: (roles: ReadonlyArray<string>) => Effect.Effect<boolean>
    /** Fails for an unknown role. */
    readonly requireKnown: (roles: ReadonlyArray<string>) => Effect.Effect<void, UnknownRole>
    /** Of the roles that the owner of a token gave to it, those that the owner may still give now. */
    readonly stillGiven: (owner: Identity, roles: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** Fails for a role that the caller does not have; administrators may give any role. */
    readonly requireOwn: (caller: Identity, roles: ReadonlyArray<string>) => Effect.Effect<void, GrantRefused>
  }
>()("switchyard/access/Permissions") {
  /** Fails with RulesUnusable and PermissionsMissing. */
  static readonly layer = Layer.effect(Permissions, make)
}
