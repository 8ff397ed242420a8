/** Which roles somebody may hand on, to a token or to a person: their own; whoever may do everything hands on any that there is. */
import { Context, Effect, Layer, Schema } from "effect"
import type { Identity } from "../domain/access/Identity.ts"
import { isEverything } from "../domain/access/PermissionRule.ts"
import { Permissions } from "./Permissions.ts"

/** There is no such role. */
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
  const { heldBy, roles: known } = yield* Permissions

  const mayDoEverything = (caller: Identity) =>
    Effect.map(heldBy(caller), (held) => held === null || held.some(({ permission }) => isEverything(permission)))

  const noProgram = (caller: Identity) =>
    caller.way === "token" ? new GrantRefused({ reason: "a token makes no tokens" }) : Effect.void
  const otherwise = <R>(caller: Identity, refusal: Effect.Effect<void, GrantRefused, R>) =>
    Effect.flatMap(mayDoEverything(caller), (may) => (may ? Effect.void : refusal))

  return Grants.of({
    mayDoEverything,
    mayHandleUsers: (caller) =>
      otherwise(caller, new GrantRefused({ reason: "users are for those who may do everything" })),
    mayMakeTokens: (caller) => otherwise(caller, noProgram(caller)),
    isAdministrator: (roles) =>
      Effect.map(known, (found) => roles.some((role) => found.get(role)?.some(isEverything) === true)),
    known: Effect.fn("Grants.known")(function* (roles) {
      const found = yield* known
      const role = roles.find((name) => !found.has(name))
      if (role !== undefined) return yield* new UnknownRole({ role, known: [...found.keys()] })
    }),
    within: Effect.fn("Grants.within")(function* (owner, roles) {
      if (yield* mayDoEverything(owner)) return roles
      const own = new Set((yield* heldBy(owner))?.map(({ role }) => role))
      return roles.filter((role) => own.has(role))
    }),
    granted: Effect.fn("Grants.granted")(function* (caller, roles) {
      if (yield* mayDoEverything(caller)) return
      yield* noProgram(caller)
      const own = new Set((yield* heldBy(caller))?.map(({ role }) => role))
      const role = roles.find((name) => !own.has(name))
      if (role !== undefined) return yield* new GrantRefused({ reason: `you do not have the role ${role} yourself` })
    })
  })
})

/** Handing on of roles. */
export class Grants extends Context.Service<
  Grants,
  {
    readonly mayDoEverything: (caller: Identity) => Effect.Effect<boolean>
    /** Fails where the caller must not handle people with passwords. */
    readonly mayHandleUsers: (caller: Identity) => Effect.Effect<void, GrantRefused>
    /** Fails where the caller must not make any token. */
    readonly mayMakeTokens: (caller: Identity) => Effect.Effect<void, GrantRefused>
    /** Whether one of these roles allows everything. */
    readonly isAdministrator: (roles: ReadonlyArray<string>) => Effect.Effect<boolean>
    /** Fails for a role that there is not. */
    readonly known: (roles: ReadonlyArray<string>) => Effect.Effect<void, UnknownRole>
    /** Those of the roles that somebody could hand on now: what is left of what they have handed on before. */
    readonly within: (owner: Identity, roles: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
    /** Fails for a role that the caller must not hand on. */
    readonly granted: (caller: Identity, roles: ReadonlyArray<string>) => Effect.Effect<void, GrantRefused>
  }
>()("switchyard/access/Grants") {
  static readonly layer = Layer.effect(Grants, make)
}
