/** Handlers of the caller's identity and permissions, tokens, users and approvals. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { FILE, GrantRefused, Permissions } from "../../access/Permissions.ts"
import { Api } from "../../api/Api.ts"
import {
  type AskedDevice,
  isForSomeDevices,
  type Permission,
  reaches,
  unknownDevice
} from "../../domain/access/PermissionRule.ts"
import { answered } from "../core/HandlerErrors.ts"
import { makeRequestDecisions } from "./RequestDecisions.ts"
import { CallerDevices } from "../../access/CallerDevices.ts"
import { type HeldPermission, judge } from "../../access/Permit.ts"
import { callOf } from "../../api/Calls.ts"
import { wholeSubjects } from "../../domain/access/CallSubjects.ts"
import { requiringSettings } from "../../settings/SettingsView.ts"
import { makeDeviceLookup } from "../core/Permits.ts"
import { LocalUsers } from "../../access/LocalUsers.ts"
import { PersonNotFound, PersonStore, type PersonWithRoles } from "../../store/AccountStore.ts"
import type { NewTokenRequest, NewUserRequest, UserChangeRequest } from "../../domain/requests/SignOnRequests.ts"
import { ApiTokens, TokenNotFound } from "../../access/ApiTokens.ts"
import type { Identity } from "../../domain/access/Identity.ts"
import { toId } from "../../domain/fields/Values.ts"
import { Caller } from "../../api/Requests.ts"
import { BadRequest, enveloped } from "../../api/Answers.ts"
import { readyRoles } from "../../domain/access/PermissionFile.ts"
import { coversCall as speaksOf } from "../../domain/access/Glob.ts"

// Tokens of programs: administrators manage all, others those that they have made.

const makeTokenRequests = Effect.gen(function* () {
  const tokens = yield* ApiTokens
  const { mayDoEverything, requireKnown, requireOwn, showsAccess } = yield* Permissions

  /** A token may have the same name as a user with tokens; a token itself makes none. */
  const isMaker = ({ name, way }: Identity, created_by: string) => way !== "token" && created_by === name

  return {
    list: Effect.gen(function* () {
      const caller = yield* Caller
      const all = yield* tokens.all
      const isAll = yield* showsAccess(caller)
      return enveloped({ tokens: all.filter(({ created_by }) => isAll || isMaker(caller, created_by)) })
    }),
    create: Effect.fnUntraced(function* ({ days, is_machine, name, roles }: NewTokenRequest) {
      const caller = yield* Caller
      yield* requireKnown(roles)
      yield* requireOwn(caller, roles)
      if (is_machine && !(yield* mayDoEverything(caller))) {
        return yield* new GrantRefused({ reason: "accounts of machines are made by those who may do everything" })
      }
      const owner = is_machine ? null : caller.person
      const { record, secret } = yield* tokens.create({ name, roles, days, createdBy: caller.name, owner })
      return enveloped({ token: Redacted.value(secret), added_token: record })
    }),
    revoke: Effect.fnUntraced(function* (digits: string) {
      const caller = yield* Caller
      const id = yield* Effect.mapError(Effect.fromOption(toId(digits)), () => new TokenNotFound())
      const { created_by } = yield* tokens.find(id)
      if (!isMaker(caller, created_by) && !(yield* mayDoEverything(caller))) return yield* new TokenNotFound()
      return enveloped({ revoked_token: yield* tokens.revoke(id) })
    })
  }
})

// Users with passwords. `HandlingOfCallers` has checked that the caller may manage them.

const makeUserRequests = Effect.gen(function* () {
  const users = yield* LocalUsers
  const persons = yield* PersonStore
  return {
    list: Effect.map(users.all, (all) => enveloped({ users: all })),
    create: Effect.fnUntraced(function* ({ password, ...user }: NewUserRequest) {
      return enveloped({ added_user: yield* users.add({ ...user, password: Redacted.make(password) }) })
    }),
    change: Effect.fnUntraced(function* (name: string, { enabled, password, roles }: UserChangeRequest) {
      const { name: by } = yield* Caller
      const withRoles = roles === undefined ? undefined : yield* users.setRoles(name, roles)
      const withPassword = password === undefined ? withRoles : yield* users.setPassword(name, Redacted.make(password))
      const changed = enabled === undefined ? withPassword : yield* users.setEnabled(name, enabled, by)
      if (changed === undefined) return yield* Effect.die(new Error("a change of a user without a change"))
      return enveloped({ updated_user: changed })
    }),
    persons: Effect.map(persons.all, (all) => enveloped({ persons: all })),
    withdraw: Effect.fnUntraced(function* (key: string) {
      const { name: by } = yield* Caller
      const local = /^local:(.*)$/.exec(key)?.[1]
      const { ended_tokens, person } = yield* local === undefined
        ? persons.withdraw(key, by)
        : users.withdraw(local, by)
      return enveloped({ withdrawn_person: person, ended_tokens })
    }),
    admit: Effect.fnUntraced(function* (key: string) {
      const { person } = yield* persons.admit(key)
      return enveloped({ admitted_person: person })
    }),
    remove: Effect.fnUntraced(function* (name: string) {
      return enveloped({ deleted_user: yield* users.remove(name) })
    })
  }
})

// Answers whether the caller may make a call, without making it (docs/roles.md#asking-beforehand).

type Lookup = ReturnType<Effect.Success<typeof makeDeviceLookup>["byHostname"]>

/** Whether the caller may see the device by any call. */
const sees = (held: ReadonlyArray<HeldPermission>, device: AskedDevice): boolean =>
  held.some(
    ({ permission }) =>
      reaches(permission, device) &&
      (speaksOf(permission, "GET", "/devices") || speaksOf(permission, "GET", `/device/${device.hostname}`))
  )

const seesAll = (held: ReadonlyArray<HeldPermission>): boolean =>
  held.some(({ permission }) => !isForSomeDevices(permission) && speaksOf(permission, "GET", "/devices"))

/** The call in question; `path` without the base. */
interface Question {
  readonly method?: string
  readonly path?: string
  readonly device?: string
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "DELETE"])

const NOWHERE = { role: null, file: null, line: null, held: [] }
const NO_ROLES = {
  allowed: true,
  reason: "there are no roles: everything is allowed",
  in_words: "there are no roles: everything is allowed",
  roles: [],
  allowed_by: [],
  ...NOWHERE
}

const WITHDRAWN = "their access was withdrawn"

/** A withdrawn person may do nothing, whatever their roles are. */
const withStanding = <A extends { readonly allowed: boolean; readonly reason: string; readonly in_words: string }>(
  { is_withdrawn }: PersonWithRoles,
  answer: A
): A => (is_withdrawn ? { ...answer, allowed: false, reason: WITHDRAWN, in_words: WITHDRAWN } : answer)

/**
 * Answers a question of the caller. Fails with 400 for an invalid call, and with 404 for an unknown device if the caller may see all
 * devices.
 */
const makeExplanation = Effect.gen(function* () {
  const { allowedBy, heldBy, places, roles, showsAccess, whyHeld } = yield* Permissions
  const persons = yield* PersonStore
  const lookup = yield* makeDeviceLookup
  const { of } = yield* CallerDevices

  /** A device that the caller may not see is answered like an unknown one. */
  const find = Effect.fnUntraced(function* (named: string, found: Lookup, held: ReadonlyArray<HeldPermission>) {
    const rows = yield* found.pipe(
      Effect.map((device) => [device]),
      Effect.catchTag("DeviceNotFound", () => Effect.succeed([]))
    )
    const devices = yield* of(rows)
    return devices.some((device) => sees(held, device)) ? devices : [unknownDevice(named)]
  })

  const about = Effect.fnUntraced(function* (
    { device, method = "", path = "" }: Question,
    held: ReadonlyArray<HeldPermission>
  ) {
    const call = callOf(method, path)
    const more = call?.subject === undefined ? undefined : wholeSubjects[call.subject]
    const isAbout = call?.subject === "device" || more !== undefined
    const inPath = isAbout && device === undefined ? call?.parameter : undefined
    if (device !== undefined && seesAll(held)) yield* lookup.byHostname(device)
    const devices = [
      ...(device === undefined ? [] : yield* find(device, lookup.byHostname(device), held)),
      ...(inPath === undefined ? [] : yield* find(inPath, lookup.byIdOrHostname(inPath), held))
    ]
    const named = devices.length === 0 ? {} : { devices }
    return call?.subject === undefined ? { ...named, beyond: true as const } : { ...named, ...more }
  })

  const checked = Effect.fnUntraced(function* ({ method = "", path = "" }: Question) {
    if (!METHODS.has(method)) {
      return yield* new BadRequest({ message: `method: expected one of ${[...METHODS].join(", ")}` })
    }
    if (!path.startsWith("/")) {
      return yield* new BadRequest({ message: "path: expected a path behind /api/v1.0, such as /devices" })
    }
    return { method, path }
  })

  /** The answer for one caller. */
  const answerFor = Effect.fnUntraced(function* (identity: Identity, question: Question) {
    const call = yield* checked(question)
    const held = yield* heldBy(identity)
    if (held === null) return NO_ROLES
    const asked = { ...call, ...(yield* requiringSettings(about(question, held))) }
    const found = judge(held, asked)
    const allowed_by = allowedBy(yield* roles, asked)
    const own = {
      allowed: found.allowed !== null,
      reason: found.allowed === null ? found.rule : `role ${found.allowed.role} allows it`,
      in_words: found.allowed === null ? found.words : `the role ${found.allowed.role} allows it`,
      roles: [...new Set(held.map(({ role }) => role))],
      allowed_by
    }
    const because = yield* Effect.forEach(own.roles, (role) =>
      Effect.map(whyHeld(role, identity), ({ line, why }) => ({ role, because: why, line }))
    )
    const decided = found.allowed ?? found.closest
    if (decided === undefined) return { ...own, ...NOWHERE, held: because }
    const { roles: known } = yield* places
    const rank = held
      .filter(({ role }) => role === decided.role)
      .findIndex((one) => one.permission === decided.permission)
    const line = known.get(decided.role)?.permissions[rank] ?? null
    return {
      ...own,
      role: decided.role,
      file: line === null && because.every((one) => one.line === null) ? null : FILE,
      line,
      held: because
    }
  })

  const ORDER = (one: { readonly allowed: boolean }) => (one.allowed ? 0 : 1)

  return {
    explain: Effect.fn("Explanation.explain")(function* ({
      person,
      ...question
    }: Question & { readonly person?: string }) {
      const caller = yield* Caller
      if (person === undefined || person === caller.person) return yield* answerFor(caller, question)
      if (!(yield* showsAccess(caller))) {
        return yield* new GrantRefused({ reason: "the access of others is for those with the right audit" })
      }
      const other = (yield* persons.identities).find((one) => one.person === person)
      if (other === undefined) return yield* new PersonNotFound({ person })
      return withStanding(other, yield* answerFor(other, question))
    }),
    whoMay: Effect.fn("Explanation.whoMay")(function* (question: Question) {
      yield* checked(question)
      const all = yield* persons.identities
      const answers = yield* Effect.forEach(all, (one) =>
        Effect.map(answerFor(one, question), (answer) => ({
          person: one.person,
          name: one.name,
          ...withStanding(one, answer)
        }))
      )
      const first = answers[0]
      return {
        persons: answers.toSorted((one, other) => ORDER(one) - ORDER(other)),
        allowed_by: first?.allowed_by ?? (yield* answerFor(yield* Caller, question)).allowed_by
      }
    })
  }
})

const EVERYTHING: Permission = { methods: ["*"], endpoints: ["*"], pages: ["*"], rights: ["*"] }

/** The four lists are always present, because existing clients read them without a check. */
const shown = (permission: Permission): Permission => ({
  methods: [],
  endpoints: [],
  pages: [],
  rights: [],
  ...permission
})

/** Handlers of `AuthGroup`. */
export const AuthLive = HttpApiBuilder.group(Api, "auth", (handlers) =>
  Effect.gen(function* () {
    const { heldBy, places, remark, roles } = yield* Permissions
    const { explain, whoMay } = yield* makeExplanation
    const tokens = yield* makeTokenRequests
    const users = yield* makeUserRequests
    const decisions = yield* makeRequestDecisions
    const listRoles = Effect.gen(function* () {
      const held = (yield* heldBy(yield* Caller)) ?? []
      const own = new Set(held.map(({ role }) => role))
      const { roles: known } = yield* places
      const all = [...(yield* roles)].map(([name, permissions]) => ({
        name,
        is_ready: readyRoles.get(name) === permissions,
        is_held: own.has(name),
        permissions,
        line: known.get(name)?.line ?? null,
        lines: permissions.map((_, index) => known.get(name)?.permissions[index] ?? null)
      }))
      return enveloped({ roles: all, remark: yield* remark })
    })
    return handlers
      .handle("identity", () => Effect.map(Effect.service(Caller), ({ name }) => name))
      .handle("permissions", () =>
        Effect.map(Effect.flatMap(Effect.service(Caller), heldBy), (held) =>
          held === null ? [EVERYTHING] : held.map(({ permission }) => shown(permission))
        )
      )
      .handle("explain", ({ query }) => answered(Effect.map(explain(query), enveloped)))
      .handle("whoMay", ({ query }) => answered(Effect.map(whoMay(query), enveloped)))
      .handle("roles", () => listRoles)
      .handle("tokens", () => answered(tokens.list))
      .handle("createToken", ({ payload }) => answered(tokens.create(payload)))
      .handle("revokeToken", ({ params }) => answered(tokens.revoke(params.id)))
      .handle("users", () => answered(users.list))
      .handle("createUser", ({ payload }) => answered(users.create(payload)))
      .handle("changeUser", ({ params, payload }) => answered(users.change(params.name, payload)))
      .handle("removeUser", ({ params }) => answered(users.remove(params.name)))
      .handle("persons", () => answered(users.persons))
      .handle("withdrawPerson", ({ payload }) => answered(users.withdraw(payload.person)))
      .handle("admitPerson", ({ payload }) => answered(users.admit(payload.person)))
      .handle("approvals", () => answered(decisions.list))
      .handle("approveRequest", ({ params, payload }) => answered(decisions.approve(params.id, payload)))
      .handle("rejectRequest", ({ params, payload }) => answered(decisions.reject(params.id, payload)))
  })
)
