/**
 * What the caller of the present request may do (docs/roles.md): the permissions of theirs that speak of the request. A fiber without a
 * permit works for the server itself, which may do everything.
 */
import { Context, Effect, Schema } from "effect"
import type { Identity } from "../domain/access/Identity.ts"
import { type Asked, obstacleOf, type Obstacle, type Permission } from "../domain/access/PermissionRule.ts"

/** The caller may not do this. `refusal` is the sentence for them. */
export class NotPermitted extends Schema.TaggedError<NotPermitted>()("NotPermitted", {
  /** The rule that refuses. */
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

/** A permission, and the role that it is of. */
export interface HeldPermission {
  readonly role: string
  readonly permission: Permission
}

/** Whether live jobs that it allows wait for somebody else. */
export const wantsApproval = ({ permission }: HeldPermission): boolean => permission.approval === true

/** What a request is about, as far as it is known by now. */
export type Subject = Omit<Asked, "method" | "path">

export interface Permit {
  /** What is known of the request before its body: the device in its path. */
  readonly known?: Asked
  readonly caller: Pick<Identity, "name" | "way">
  /** Permissions of the caller that speak of the request. */
  readonly held: ReadonlyArray<HeldPermission>
  readonly method: string
  readonly path: string
  /** The roles that would allow this call. */
  readonly allowedBy: (asked: Asked) => ReadonlyArray<string>
}

/** The present permit; null where everything is allowed. */
export const Permit = Context.Reference<Permit | null>("switchyard/access/Permit", { defaultValue: () => null })

/** The permissions of the caller that speak of the request, also where Permit is null since one of them asks no further; null without roles. */
export const Speaking = Context.Reference<Permit | null>("switchyard/access/Speaking", { defaultValue: () => null })

const closest = (obstacles: ReadonlyArray<Obstacle & { readonly role: string }>) =>
  obstacles.toSorted((a, b) => b.passed - a.passed)[0]

/** The first permission that allows what is asked, those before the others that do so without an approval, or the rule of the one that comes closest. */
export const judge = (held: ReadonlyArray<HeldPermission>, asked: Asked) => {
  const obstacles: Array<Obstacle & { readonly role: string }> = []
  for (const one of held.toSorted((a, b) => Number(wantsApproval(a)) - Number(wantsApproval(b)))) {
    const obstacle = obstacleOf(one.permission, asked)
    if (obstacle === undefined) return { allowed: one } as const
    obstacles.push({ ...obstacle, role: one.role })
  }
  const found = closest(obstacles)
  const rule = found === undefined ? "you have no role" : `role ${found.role}, ${found.rule}`
  return { allowed: null, rule } as const
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
 * Asks whether the caller may do what the request turns out to be about. Yields the permission that allows it; null where everything is
 * allowed. Fails with NotPermitted.
 */
export const permitted = (subject: Subject) => Effect.flatMap(Permit, (permit) => judged(permit, subject))

/** The same for what needs a right of its own (`trust`, `free`): callers who are asked nothing else are asked too. */
export const permittedByRight = (subject: Subject) =>
  Effect.flatMap(Effect.all([Permit, Speaking]), ([permit, speaking]) => judged(permit ?? speaking, subject))

/** The present permit with the permissions that allow what was sent, of what the path names. Fails with NotPermitted. */
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
