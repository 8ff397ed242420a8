/**
 * `switchyard token`, `switchyard user` and `switchyard person`: makes and revokes access (docs/api.md#api-tokens,
 * docs/security.md#local-users).
 */
import { Console, Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { randomBytes } from "node:crypto"
import { ApiTokens } from "../access/ApiTokens.ts"
import { Permissions } from "../access/Permissions.ts"
import { PersonStore } from "../store/AccountStore.ts"
import { LocalUsers } from "../access/LocalUsers.ts"
import { isName, isPassword } from "../domain/requests/SignOnRequests.ts"
import { atDatabase } from "./AtDatabase.ts"
import { format, harmless, jsonAlways, printJson, printListed, readInput, reported } from "./client/Terminal.ts"
import { ask, AwaitsApproval, Mistyped, Refused, serverUrl } from "./client/Server.ts"
import { Acting } from "../domain/access/Identity.ts"
import { callerName, isAtServer } from "./Service.ts"

/** A user who can read the database's settings works in the name of their account on this machine. */
const worker = () => `${callerName()} (command line)`

/** Works at the server, or else at the database with the settings of this command. */
const work = Effect.fnUntraced(function* <A, E, B, E2 extends { readonly message: string }>(
  command: "token" | "user" | "person",
  atServer: Effect.Effect<{ readonly answer: { readonly data: A } }, E>,
  here: Effect.Effect<B, E2, ApiTokens | LocalUsers | Permissions | PersonStore>
) {
  if (isAtServer()) {
    if (!process.env["SWITCHYARD_URL"]) yield* Console.error(harmless(`At the server ${serverUrl()}`))
    return (yield* atServer).answer.data
  }
  const services = yield* atDatabase(command)
  const acting: Acting = { name: worker(), way: "server", address: null, job: null }
  return yield* here.pipe(
    Effect.provide(services),
    Effect.provideService(Acting, acting),
    Effect.mapError(({ message }) => new Refused({ message }))
  )
})

const roles = Flag.String("role").pipe(Flag.withDescription("Role; several times for several"), Flag.atLeast(0))
const name = Argument.String("name")

const DAYS = /^(\d{1,4})d?$/

const daysIn = (sent: string) => {
  const days = Number(DAYS.exec(sent)?.[1] ?? 0)
  return days >= 1 && days <= 3650
    ? Effect.succeed(days)
    : new Mistyped({ message: "--expires: expected days, such as 365d, at most 3650d" })
}

const checkName = (sent: string) =>
  isName(sent) ? Effect.void : new Mistyped({ message: "The name needs 1 to 64 letters, digits and @._+-" })

const createToken = Command.make(
  "create",
  {
    name: Flag.String("name"),
    roles,
    json: jsonAlways,
    expires: Flag.String("expires").pipe(
      Flag.withDescription("Days, such as 365d; API_TOKEN_DAYS is the most"),
      Flag.withDefault("")
    ),
    is_machine: Flag.Boolean("machine").pipe(
      Flag.withDescription(
        "The token is a machine's, not a person's. Always so when the command works on the database directly"
      ),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ expires, is_machine, name, roles }) {
    yield* checkName(name)
    const days = expires === "" ? undefined : yield* daysIn(expires)
    const made = yield* work(
      "token",
      ask("POST /auth/tokens", { body: { name, roles, days, ...(is_machine && { is_machine }) } }),
      Effect.gen(function* () {
        const tokens = yield* ApiTokens
        yield* (yield* Permissions).requireKnown(roles)
        const { record, secret } = yield* tokens.create({ name, roles, days, createdBy: worker(), owner: null })
        return { token: Redacted.value(secret), added_token: record }
      })
    )
    yield* printJson(made)
  }, reported)
).pipe(Command.withDescription("Make a token for a program. It is shown this once."))

const TOKENS = {
  name: "tokens",
  fields: ["id", "name", "roles", "created_by", "owner", "created_at", "expires_at", "last_used", "revoked_at"],
  nothing: "There is no token"
}

const listTokens = Command.make("list", format, (wanted) =>
  reported(
    Effect.flatMap(
      work(
        "token",
        ask("GET /auth/tokens"),
        Effect.flatMap(ApiTokens, ({ all }) => Effect.map(all, (tokens) => ({ tokens })))
      ),
      (answer) => printListed(wanted, answer, TOKENS)
    )
  )
).pipe(Command.withDescription("List tokens, with when each was last used."))

const revokeToken = Command.make("revoke", { id: Argument.Int("id"), json: jsonAlways }, ({ id }) =>
  reported(
    Effect.flatMap(
      work(
        "token",
        ask("DELETE /auth/tokens/:id", { params: { id } }),
        Effect.flatMap(ApiTokens, ({ revoke }) => revoke(id))
      ),
      (data) => printJson(data)
    )
  )
).pipe(Command.withDescription("Revoke a token: it is refused within a second."))

/** The command. */
export const token = Command.make("token").pipe(
  Command.withDescription(
    "Tokens of programs; at the server of SWITCHYARD_URL with SWITCHYARD_TOKEN, else at the database."
  ),
  Command.withSubcommands([createToken, listTokens, revokeToken])
)

const fromInput = Flag.Boolean("password-stdin").pipe(
  Flag.withDescription("Read the password from standard input; without this one is made and shown"),
  Flag.withDefault(false)
)

const passwordOf = Effect.fnUntraced(function* (isSent: boolean) {
  if (!isSent) return randomBytes(18).toString("base64url")
  const sent = yield* readInput
  if (isPassword(sent)) return sent
  return yield* new Refused({ message: "The password needs 12 to 256 characters" })
})

const shown = (isSent: boolean, password: string) => (isSent ? {} : { password })

/** Prints the new record. The generated password of a user who waits for an approval is shown only this once, too. */
const printMade = Effect.fnUntraced(function* <E, R>(
  work: Effect.Effect<unknown, E | AwaitsApproval, R>,
  made: Readonly<Record<string, unknown>>
) {
  yield* Effect.tapError(work, (error) => {
    const waits =
      error instanceof AwaitsApproval ? { approval_id: error.approval_id, waits_until: error.waits_until } : null
    return waits === null ? Effect.void : printJson({ ...made, ...waits })
  })
  yield* printJson(made)
})

const addUser = Command.make(
  "add",
  {
    name,
    roles,
    isSent: fromInput,
    json: jsonAlways,
    break_glass: Flag.Boolean("break-glass").pipe(
      Flag.withDescription("For emergencies: each login raises an alarm"),
      Flag.withDefault(false)
    )
  },
  Effect.fnUntraced(function* ({ break_glass, isSent, name, roles }) {
    yield* checkName(name)
    const password = yield* passwordOf(isSent)
    yield* printMade(
      work(
        "user",
        ask("POST /auth/users", { body: { name, roles, break_glass, password } }),
        Effect.flatMap(LocalUsers, ({ add }) => add({ name, roles, break_glass, password: Redacted.make(password) }))
      ),
      { name, roles, break_glass, ...shown(isSent, password) }
    )
  }, reported)
).pipe(Command.withDescription("Add a user with a password. LOCAL_USERS=true lets users log in."))

const USERS = { name: "users", fields: ["name", "roles", "break_glass"], nothing: "There is no user" }

const listUsers = Command.make("list", format, (wanted) =>
  reported(
    Effect.flatMap(
      work(
        "user",
        ask("GET /auth/users"),
        Effect.flatMap(LocalUsers, ({ all }) => Effect.map(all, (users) => ({ users })))
      ),
      (answer) => printListed(wanted, answer, USERS)
    )
  )
).pipe(Command.withDescription("List users."))

const removeUser = Command.make("remove", { name, json: jsonAlways }, ({ name }) =>
  reported(
    Effect.flatMap(
      work(
        "user",
        ask("DELETE /auth/users/:name", { params: { name } }),
        Effect.flatMap(LocalUsers, ({ remove }) => remove(name))
      ),
      (data) => printJson(data)
    )
  )
).pipe(Command.withDescription("Remove a user. The last administrator cannot be removed."))

const changePassword = Command.make(
  "password",
  { name, isSent: fromInput, json: jsonAlways },
  Effect.fnUntraced(function* ({ isSent, name }) {
    const password = yield* passwordOf(isSent)
    yield* printMade(
      work(
        "user",
        ask("PUT /auth/users/:name", { params: { name }, body: { password } }),
        Effect.flatMap(LocalUsers, ({ setPassword }) => setPassword(name, Redacted.make(password)))
      ),
      { name, ...shown(isSent, password) }
    )
  }, reported)
).pipe(Command.withDescription("Give a user another password; all tokens of the old one end."))

const changeRoles = Command.make("role", { name, roles, json: jsonAlways }, ({ name, roles }) =>
  reported(
    Effect.flatMap(
      work(
        "user",
        ask("PUT /auth/users/:name", { params: { name }, body: { roles } }),
        Effect.flatMap(LocalUsers, ({ setRoles }) => setRoles(name, roles))
      ),
      (data) => printJson(data)
    )
  )
).pipe(Command.withDescription("Give a user these roles in place of the others."))

/** The command. */
export const user = Command.make("user").pipe(
  Command.withDescription(
    "Users with passwords; at the server of SWITCHYARD_URL with SWITCHYARD_TOKEN, else at the database."
  ),
  Command.withSubcommands([addUser, listUsers, removeUser, changePassword, changeRoles])
)

const PERSONS = {
  name: "persons",
  fields: ["person", "name", "roles", "tokens", "seen_at", "withdrawn_at"],
  nothing: "No person has called yet"
}

const listPersons = Command.make("list", format, (wanted) =>
  reported(
    Effect.flatMap(
      work(
        "person",
        ask("GET /auth/persons"),
        Effect.flatMap(PersonStore, ({ all }) => Effect.map(all, (persons) => ({ persons })))
      ),
      (answer) => printListed(wanted, answer, PERSONS)
    )
  )
).pipe(Command.withDescription("List persons, with the number of their valid tokens and when they were seen."))

const key = Argument.String("person")

const withdrawPerson = Command.make("withdraw", { key, json: jsonAlways }, ({ key }) =>
  reported(
    Effect.flatMap(
      work(
        "person",
        ask("POST /auth/persons/withdraw", { body: { person: key } }),
        Effect.flatMap(PersonStore, ({ withdraw }) => withdraw(key, worker()))
      ),
      printJson
    )
  )
).pipe(Command.withDescription("End all tokens and sessions of a person and refuse new ones."))

const admitPerson = Command.make("admit", { key, json: jsonAlways }, ({ key }) =>
  reported(
    Effect.flatMap(
      work(
        "person",
        ask("POST /auth/persons/admit", { body: { person: key } }),
        Effect.flatMap(PersonStore, ({ admit }) => admit(key))
      ),
      printJson
    )
  )
).pipe(Command.withDescription("Admit a person again. Tokens and sessions that have ended stay invalid."))

/** The command. */
export const person = Command.make("person").pipe(
  Command.withDescription(
    "Persons and what is theirs; at the server of SWITCHYARD_URL with SWITCHYARD_TOKEN, else at the database."
  ),
  Command.withSubcommands([listPersons, withdrawPerson, admitPerson])
)
