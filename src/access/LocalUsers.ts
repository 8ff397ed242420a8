/**
 * Users with a name and a password, for sites without an identity provider (docs/security.md#local-users), and their roles. The last user
 * who may do everything cannot be removed.
 */
import { Context, Effect, Layer, Option, Redacted, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import * as FairPlaces from "../runtime/FairPlaces.ts"
import type { PlacesFull } from "../runtime/FairPlaces.ts"
import { type ListedPerson, type LocalUser, PersonStore } from "../store/AccountStore.ts"
import { Permissions, type UnknownRole } from "./Permissions.ts"
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto"
import { localPerson } from "../domain/access/Identity.ts"

// Passwords as scrypt hashes: two are computed at once, because each takes 32 MiB for about 0.1 s. Persons take turns; a client that has
// not logged in yet counts by its address.

const COST = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }
const BYTES = 32
const SALT_BYTES = 16
const AT_ONCE = 2
const WAITING = 500

const derive = (password: Redacted.Redacted, salt: Uint8Array) =>
  Effect.callback<Buffer>((resume) => {
    scrypt(Redacted.value(password).normalize("NFKC"), salt, BYTES, COST, (error, key) =>
      resume(error === null ? Effect.succeed(key) : Effect.die(error))
    )
  })

const written = (salt: Uint8Array, key: Uint8Array) =>
  ["scrypt", Buffer.from(salt).toString("base64url"), Buffer.from(key).toString("base64url")].join("$")

/** Hashes and compares passwords. */
export const makePasswords = Effect.gen(function* () {
  const places = FairPlaces.make({ what: "passwords", places: AT_ONCE, waiting: WAITING })
  const urgentPlace = yield* Semaphore.make(1)
  const hash = Effect.fnUntraced(function* (password: Redacted.Redacted) {
    const salt = randomBytes(SALT_BYTES)
    return written(salt, yield* derive(password, salt))
  })
  // a hash to compare with for unknown names, so that these take as long
  const decoy = written(randomBytes(SALT_BYTES), randomBytes(BYTES))
  const isRight = Effect.fnUntraced(function* (password: Redacted.Redacted, stored: string | null) {
    const [, salt = "", key = ""] = (stored ?? decoy).split("$")
    const found = yield* derive(password, Buffer.from(salt, "base64url"))
    const wanted = Buffer.from(key, "base64url")
    return wanted.length === found.length && timingSafeEqual(wanted, found) && stored !== null
  })
  return {
    hash: (password: Redacted.Redacted) => places.within(hash(password)),
    /** `stored` is null for an unknown name: then false, after the same time. `isUrgent` has a place of its own. */
    isRight: (password: Redacted.Redacted, stored: string | null, isUrgent: boolean) =>
      isUrgent ? urgentPlace.withPermits(1)(isRight(password, stored)) : places.within(isRight(password, stored))
  }
})

/** The name is taken. */
export class UserNameTaken extends Schema.TaggedError<UserNameTaken>()("UserNameTaken", { name: Schema.String }) {
  override get message() {
    return `There is a user ${this.name} already`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** No user has this name. */
export class UserNotFound extends Schema.TaggedError<UserNotFound>()("UserNotFound", { name: Schema.String }) {
  override get message() {
    return `There is no user ${this.name}`
  }
  get httpStatus() {
    return 404 as const
  }
}

/** Without this user no user could make users any more. */
export class LastAdministrator extends Schema.TaggedError<LastAdministrator>()("LastAdministrator", {
  name: Schema.String
}) {
  override get message() {
    return `${this.name} is the last user who may do everything: make another one first`
  }
  get httpStatus() {
    return 409 as const
  }
}

export interface NewUser extends Omit<LocalUser, "enabled"> {
  readonly password: Redacted.Redacted
}

const make = Effect.gen(function* () {
  const { isAdministrator, requireKnown } = yield* Permissions
  const sql = yield* SqlClient.SqlClient
  const persons = yield* PersonStore
  const { localUsers: store } = persons
  const passwords = yield* makePasswords

  /** Locks all users and yields this one; fails if no other user may do everything and this one no longer would. */
  const changing = Effect.fnUntraced(function* (name: string, roles: ReadonlyArray<string>) {
    const all = yield* store.locked
    const user = all.find((one) => one.name === name)
    if (user === undefined) return yield* new UserNotFound({ name })
    const staying = all.filter((one) => one.name !== name && one.enabled).map((one) => one.roles)
    const before = user.enabled && (yield* isAdministrator(user.roles))
    const after = yield* Effect.forEach([...staying, roles], isAdministrator)
    if (before && !after.includes(true)) return yield* new LastAdministrator({ name })
    return user
  })

  const notFound = (name: string) => () => Effect.fail(new UserNotFound({ name }))
  const withdraw = Effect.fnUntraced(function* (name: string, by: string) {
    yield* changing(name, [])
    return yield* Effect.catchTag(persons.withdraw(localPerson(name), by), "PersonNotFound", notFound(name))
  })
  const admit = (name: string) => Effect.catchTag(persons.admit(localPerson(name)), "PersonNotFound", notFound(name))

  return LocalUsers.of({
    all: store.all,
    add: Effect.fn("LocalUsers.add")(function* ({ break_glass, name, password, roles }: NewUser) {
      yield* requireKnown(roles)
      const hash = yield* passwords.hash(password)
      const added = yield* sql.withTransaction(store.add({ name, hash, roles, break_glass }))
      if (!added) return yield* new UserNameTaken({ name })
      return { name, roles, break_glass, enabled: true }
    }),
    remove: Effect.fn("LocalUsers.remove")(function* (name: string) {
      const user = yield* changing(name, [])
      yield* store.remove(name)
      // another person may get the name later
      yield* persons.end(localPerson(name))
      return user
    }, sql.withTransaction),
    setRoles: Effect.fn("LocalUsers.setRoles")(function* (name: string, roles: ReadonlyArray<string>) {
      yield* requireKnown(roles)
      const user = yield* changing(name, roles)
      yield* store.setRoles(name, roles)
      return { ...user, roles }
    }, sql.withTransaction),
    setPassword: Effect.fn("LocalUsers.setPassword")(function* (name: string, password: Redacted.Redacted) {
      const hash = yield* passwords.hash(password)
      const found = yield* store.find(name)
      if (Option.isNone(found)) return yield* new UserNotFound({ name })
      yield* sql.withTransaction(store.setPassword(name, hash))
      const { break_glass, enabled, roles } = found.value
      return { name, roles, break_glass, enabled }
    }),
    setEnabled: Effect.fn("LocalUsers.setEnabled")(function* (name: string, enabled: boolean, by: string) {
      yield* enabled ? admit(name) : withdraw(name, by)
      const found = yield* store.find(name)
      if (Option.isNone(found)) return yield* new UserNotFound({ name })
      const { break_glass, roles } = found.value
      return { name, roles, break_glass, enabled }
    }, sql.withTransaction),
    withdraw: Effect.fn("LocalUsers.withdraw")(withdraw, sql.withTransaction),
    proven: Effect.fn("LocalUsers.proven")(function* (name: string, password: Redacted.Redacted, isUrgent: boolean) {
      const found = yield* store.find(name)
      const stored = Option.match(found, { onNone: () => null, onSome: ({ hash }) => hash })
      const isRight = yield* passwords.isRight(password, stored, isUrgent)
      if (!isRight) return Option.none()
      return Option.filter(found, (user) => user.enabled).pipe(
        Option.map(({ break_glass, enabled, name, roles, session }) => ({ break_glass, enabled, name, roles, session }))
      )
    })
  })
})

type Known = LocalUser & { readonly session: string }

/** Users with passwords. */
export class LocalUsers extends Context.Service<
  LocalUsers,
  {
    readonly all: Effect.Effect<ReadonlyArray<LocalUser>, SqlError.SqlError>
    readonly add: (
      user: NewUser
    ) => Effect.Effect<LocalUser, UserNameTaken | UnknownRole | PlacesFull | SqlError.SqlError>
    readonly remove: (name: string) => Effect.Effect<LocalUser, UserNotFound | LastAdministrator | SqlError.SqlError>
    readonly setRoles: (
      name: string,
      roles: ReadonlyArray<string>
    ) => Effect.Effect<LocalUser, UserNotFound | LastAdministrator | UnknownRole | SqlError.SqlError>
    /** Tokens that were signed for the old password are invalid from then on. */
    readonly setPassword: (
      name: string,
      password: Redacted.Redacted
    ) => Effect.Effect<LocalUser, UserNotFound | PlacesFull | SqlError.SqlError>
    /** A disabled user loses sessions and tokens at once, and they stay invalid. */
    readonly setEnabled: (
      name: string,
      enabled: boolean,
      by: string
    ) => Effect.Effect<LocalUser, UserNotFound | LastAdministrator | SqlError.SqlError>
    /** The same; yields how many tokens have ended. */
    readonly withdraw: (
      name: string,
      by: string
    ) => Effect.Effect<
      { readonly person: ListedPerson; readonly ended_tokens: number },
      UserNotFound | LastAdministrator | SqlError.SqlError
    >
    /** None for a wrong password and for an unknown name, after the same time. `isUrgent` does not wait behind others. */
    readonly proven: (
      name: string,
      password: Redacted.Redacted,
      isUrgent: boolean
    ) => Effect.Effect<Option.Option<Known>, PlacesFull | SqlError.SqlError>
  }
>()("switchyard/access/LocalUsers") {
  static readonly layer = Layer.effect(LocalUsers, make).pipe(Layer.provide(PersonStore.layer))
}
