/**
 * The permissions of the present request's caller (docs/roles.md), as far as they cover the request. A fiber without a permit works for the
 * server itself, which may do everything.
 */
import { Context, Effect, Option, Schema } from "effect"
import { type Identity, maySamePerson, namesOf, type Somebody } from "../domain/access/Identity.ts"
import { type Asked, type Obstacle, obstacleOf, type Permission } from "../domain/access/PermissionRule.ts"
import { refusalWords } from "../domain/words/RefusalWords.ts"
import { SqlClient } from "effect/sql"
import { PersonStore } from "../store/AccountStore.ts"

/** The caller may not do this. `refusal` is the sentence for the caller. */
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", {
  /** The rule that refuses it. */
  rule: Schema.String,
  /** Roles that would allow it. */
  roles: Schema.Array(Schema.String)
}) {
  override get message() {
    const would = this.roles.length === 0 ? "" : `. Allowed by: ${this.roles.join(", ")}`
    return `You don't seem to have the rights to execute this call (${this.rule})${would}`
  }
  get httpStatus() {
    return 403 as const
  }
}

/** A permission, and its role. */
export interface HeldPermission {
  readonly role: string
  readonly permission: Permission
}

/** Whether live jobs that it allows wait for the approval of another person. */
export const wantsApproval = ({ permission }: HeldPermission): boolean => permission.approval === true

/** The subject of a request, with the facts known so far. */
export type Subject = Omit<Asked, "method" | "path">

export interface Permit {
  /** The facts about the request before its body is read: the device in its path. */
  readonly known?: Asked
  readonly caller: Pick<Identity, "name" | "way">
  /** Permissions of the caller that cover the request. */
  readonly held: ReadonlyArray<HeldPermission>
  readonly method: string
  readonly path: string
  /** The roles that would allow this call. */
  readonly allowedBy: (asked: Asked) => ReadonlyArray<string>
}

/** The present permit; null if everything is allowed. */
export const Permit = Context.Reference<Permit | null>("switchyard/access/Permit", { defaultValue: () => null })

/**
 * The permissions of the caller that cover the request, also if Permit is null because one of them has no further limits; null without
 * roles.
 */
export const Speaking = Context.Reference<Permit | null>("switchyard/access/Speaking", { defaultValue: () => null })

const closestOf = (obstacles: ReadonlyArray<Obstacle & { readonly held: HeldPermission }>) =>
  obstacles.toSorted((a, b) => b.passed - a.passed)[0]

const NO_ROLE_HELD = "nothing is allowed without a role"

/**
 * The first permission that allows the call, with those without an approval first; or the rule of the permission that comes closest, as
 * the file has it and in words for people.
 */
export const judge = (held: ReadonlyArray<HeldPermission>, asked: Asked) => {
  const obstacles: Array<Obstacle & { readonly held: HeldPermission }> = []
  for (const one of held.toSorted((a, b) => Number(wantsApproval(a)) - Number(wantsApproval(b)))) {
    const obstacle = obstacleOf(one.permission, asked)
    if (obstacle === undefined) return { allowed: one } as const
    obstacles.push({ ...obstacle, held: one })
  }
  const found = closestOf(obstacles)
  if (found === undefined) {
    return { allowed: null, rule: "you have no role", words: NO_ROLE_HELD, closest: undefined } as const
  }
  const { role } = found.held
  const words = `the role ${role} ${refusalWords(found, found.held.permission)}`
  return { allowed: null, rule: `role ${role}, ${found.rule}`, words, closest: found.held } as const
}

const judged = Effect.fnUntraced(function* (
  permit: Permit | null,
  subject: Subject
): Effect.fn.Return<HeldPermission | null, NotPermitted> {
  if (permit === null) return null
  const { allowedBy, held, method, path } = permit
  const asked = { ...subject, method, path }
  const found = judge(held, asked)
  if (found.allowed !== null) return found.allowed
  return yield* new NotPermitted({ rule: found.rule, roles: allowedBy(asked) })
})

/**
 * Checks whether the caller may act on the subject of the request, once it is known. Yields the permission that allows it; null if
 * everything is allowed. Fails with NotPermitted.
 */
export const permitted = (subject: Subject) => Effect.flatMap(Permit, (permit) => judged(permit, subject))

/** The same for calls that need a right of their own (`trust`, `free`): callers without other limits are checked too. */
export const permittedByRight = (subject: Subject) =>
  Effect.flatMap(Effect.all([Permit, Speaking]), ([permit, speaking]) => judged(permit ?? speaking, subject))

/** The same as if the caller had sent this other call, for a request that stands for several calls. */
export const permittedCall = (call: Pick<Asked, "method" | "path">, subject: Subject) =>
  Effect.flatMap(Effect.all([Permit, Speaking]), ([permit, speaking]) => {
    const present = permit ?? speaking
    return judged(present === null ? null : { ...present, ...call }, subject)
  })

/** The present permit with the permissions that allow the sent fields, of those for the path. Fails with NotPermitted. */
export const permittedFields = Effect.fnUntraced(function* (
  sent: Pick<Asked, "devices" | "fields">
): Effect.fn.Return<Permit | null, NotPermitted> {
  const permit = yield* Permit
  if (permit === null) return null
  const { held, known, method, path } = permit
  const asked = { ...known, ...sent, method, path }
  yield* judged(permit, asked)
  return { ...permit, held: held.filter(({ permission }) => obstacleOf(permission, asked) === undefined) }
})

// Four eyes (docs/security.md#four-eyes): whether the deciding person is another person than the one who asked. Names are compared without
// regard to case and spelling, a token counts as its owner, and an account counts as the person who made or changed it lately.

/** The asker, and when they asked. */
export interface Asker {
  readonly person: string | null
  /** Their own name first; then those of the makers of the token that asked. */
  readonly names: readonly [string, ...ReadonlyArray<string>]
  readonly at: Date
}

/** An account that was made or changed so shortly before may have been made for this purpose. */
const BEFORE = "1 day"

/** From a day before a moment to another moment, or to now. */
interface Span {
  readonly from: Date
  readonly to: Date | null
}

interface AccountChange {
  readonly id: string
  readonly action: string
  readonly way: string | null
  readonly actor: string
  readonly owner: string | null
  readonly created_by: string | null
}

/** The local users behind a request: the asker, or the makers of the asking token. */
const accountsOf = ({ names: [, ...makers], person }: Asker): ReadonlyArray<string> => {
  const own = /^local:(.*)$/.exec(person ?? "")?.[1]
  return own === undefined ? makers : [own, ...makers]
}

/** Yields why a caller must not decide, as a sentence without its end; null if they may. */
export const makeRefusalToDecide = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const persons = yield* PersonStore

  const askerOf = Effect.fnUntraced(function* ({ names, person }: Asker) {
    const known = person === null ? Option.none() : yield* persons.find(person)
    return { person, names: [...names, ...Option.match(known, { onNone: () => [], onSome: namesOf })] }
  })

  /** The events of the audit about changes of accounts; a token stands for its owner. */
  const changesOf = (name: string, { from, to }: Span, before: string | null) =>
    sql<AccountChange>`select e.id::text as id, e.action, e.actor, e.way, t.owner, t.created_by from event e
      left join api_token t on e.way = 'token' and t.name = e.actor
      where e.kind in ('user', 'person') and e.is_audit and e.action <> 'deleted' and e.data ->> 'name' = ${name}
        and e.at > ${from}::timestamptz - ${BEFORE}::interval and (${to}::timestamptz is null or e.at <= ${to}::timestamptz)
        and (${before}::bigint is null or e.id < ${before}::bigint)
      order by e.id`

  /** The local user behind a change, made directly or with a token. */
  const userBehind = ({ actor, owner, way }: AccountChange): string | undefined =>
    way === "password" ? actor : /^local:(.*)$/.exec(owner ?? "")?.[1]

  /** The change that makes an account a person's: their own change, or one by an account that was theirs by then. */
  const makingOf = Effect.fnUntraced(function* (who: Somebody, name: string, span: Span) {
    const looked = new Set<string>()
    const accounts: Array<{ readonly name: string; readonly before: string | null }> = [{ name, before: null }]
    for (let next = accounts.pop(); next !== undefined; next = accounts.pop()) {
      const changes = yield* changesOf(next.name, span, next.before)
      const own = changes.find(({ actor, created_by, owner }) =>
        maySamePerson(who, { person: owner, names: created_by === null ? [actor] : [actor, created_by] })
      )
      if (own !== undefined) return { action: own.action, account: next.name }
      for (const change of changes) {
        const user = userBehind(change)
        if (user === undefined || looked.has(`${user} ${change.id}`)) continue
        looked.add(`${user} ${change.id}`)
        accounts.push({ name: user, before: change.id })
      }
    }
    return undefined
  })

  return Effect.fnUntraced(function* (caller: Identity, asker: Asker) {
    if (caller.way === "token") return "people decide, and this is a token of a program"
    const who: Somebody = yield* askerOf(asker)
    const [name] = asker.names
    const other = { person: caller.person, names: namesOf(caller) }
    if (maySamePerson(who, other)) {
      const as = caller.name === name ? "" : `, and ${caller.name} may be the same person`
      return `${name} has asked for it${as}: somebody else has to decide`
    }
    const since = { from: asker.at, to: null }
    const own = caller.way === "password" ? yield* makingOf(who, caller.name, since) : undefined
    if (own !== undefined) {
      const through = own.account === caller.name ? "" : `, which has made or changed ${caller.name}`
      return `${name} has asked for it, and has ${own.action} the account ${own.account}${through} less than a day before it or since: somebody else has to decide`
    }
    // the other way round: the deciding person may have asked through another account
    for (const account of accountsOf(asker)) {
      const theirs = yield* makingOf(other, account, { from: asker.at, to: asker.at })
      if (theirs === undefined) continue
      return `${name} has asked for it, and ${caller.name} has ${theirs.action} the account ${theirs.account} less than a day before: somebody else has to decide`
    }
    return null
  })
})
