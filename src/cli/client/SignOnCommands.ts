/** `switchyard login` and `switchyard logout`. */
import { Console, Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import { text } from "node:stream/consumers"
import { reported } from "./Output.ts"
import { ask, forgetToken, keepToken, NotSignedOn, serverUrl, ServerAway } from "./Server.ts"

const Issued = Schema.Struct({ access_token: Schema.String })

/** A token for a name and a password. */
const tokenFor = Effect.fnUntraced(function* (name: string, password: Redacted.Redacted) {
  const basic = Buffer.from(`${name}:${Redacted.value(password)}`).toString("base64")
  const response = yield* Effect.tryPromise({
    try: () => fetch(`${serverUrl()}/api/v1.0/auth`, { method: "POST", headers: { authorization: `Basic ${basic}` } }),
    catch: () => new ServerAway({ message: `${serverUrl()} does not answer` })
  })
  const body: unknown = yield* Effect.promise(() => response.json().catch(() => null))
  const issued = Schema.decodeUnknownOption(Issued)(body)
  if (Option.isSome(issued)) return issued.value.access_token
  const reason = Schema.is(Schema.Struct({ message: Schema.String }))(body) ? body.message : `status ${response.status}`
  return yield* new NotSignedOn({ message: `Not signed on: ${reason}` })
})

/** Checks a token by asking who it is, and keeps it. */
const signOn = Effect.fnUntraced(function* (token: string) {
  process.env["SWITCHYARD_TOKEN"] = token
  const { answer } = yield* ask("GET /auth/identity")
  const file = yield* keepToken(token)
  yield* Console.log(`Signed on at ${serverUrl()} as ${answer}; the token is kept in ${file}`)
})

const user = Flag.String("user").pipe(Flag.withDescription("Name of a user with a password"), Flag.optional)
const fromInput = Flag.Boolean("stdin").pipe(
  Flag.withDescription("Read the password, or without --user the token, from standard input"),
  Flag.withDefault(false)
)

const asked = (message: string, isSent: boolean) =>
  isSent
    ? Effect.map(
        Effect.promise(() => text(process.stdin)),
        (sent) => Redacted.make(sent.trim())
      )
    : Prompt.run(Prompt.Password({ message }))

/** The command. */
export const login = Command.make("login", { user, fromInput }, ({ fromInput, user }) =>
  reported(
    Option.match(user, {
      onNone: () => Effect.flatMap(asked("Token", fromInput), (token) => signOn(Redacted.value(token))),
      onSome: (name) =>
        Effect.flatMap(asked(`Password of ${name}`, fromInput), (password) =>
          Effect.flatMap(tokenFor(name, password), signOn)
        )
    })
  )
).pipe(Command.withDescription("Sign on at the server of SWITCHYARD_URL, with a token or with --user and a password."))

/** The command. */
export const logout = Command.make("logout", {}, () =>
  Effect.andThen(forgetToken, Console.log("The token is forgotten here. It counts until it ends or is revoked."))
).pipe(Command.withDescription("Forget the token that login has kept."))
