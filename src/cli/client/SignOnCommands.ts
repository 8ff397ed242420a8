/** `switchyard login` and `switchyard logout`. */
import { Effect, Option, Redacted, Schema } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as fs from "node:fs/promises"
import { readInput, reported, say } from "./Terminal.ts"
import { ask, failureOf, forgetToken, keepToken, NotSignedOn, Refused, send, ServerAway, serverUrl } from "./Server.ts"

const Issued = Schema.Struct({ access_token: Schema.String })

/** A token for a name and a password. */
const tokenFor = Effect.fnUntraced(function* (name: string, password: Redacted.Redacted) {
  const basic = Buffer.from(`${name}:${Redacted.value(password)}`).toString("base64")
  const response = yield* send("POST /auth", { headers: { authorization: `Basic ${basic}` } })
  if (!response.ok) {
    const failure = yield* failureOf(response)
    return yield* failure instanceof ServerAway
      ? failure
      : new NotSignedOn({ message: `Not signed on: ${failure.message}` })
  }
  const body: unknown = yield* Effect.promise(() => response.json().catch(() => null))
  const issued = Schema.decodeUnknownOption(Issued)(body)
  return Option.isSome(issued)
    ? issued.value.access_token
    : yield* new ServerAway({ message: `${serverUrl()} answers without a token` })
})

/** Checks a token by asking who it is, and keeps it. */
const signOn = Effect.fnUntraced(function* (token: string) {
  process.env["SWITCHYARD_TOKEN"] = token
  const { answer } = yield* ask("GET /auth/identity")
  const file = yield* keepToken(token)
  yield* say(`Signed on at ${serverUrl()} as ${answer}; the token is kept in ${file}`)
})

const user = Flag.String("user").pipe(Flag.withDescription("Name of a user with a password"), Flag.optional)
const fromInput = Flag.Boolean("stdin").pipe(
  Flag.withDescription("Read the password, or without --user the token, from standard input"),
  Flag.withDefault(false)
)

const file = Flag.String("token-file").pipe(Flag.withDescription("Take the token from this file"), Flag.optional)

const tokenIn = (name: string) =>
  Effect.tryPromise({
    try: async () => Redacted.make((await fs.readFile(name, "utf8")).trim()),
    catch: () => new Refused({ message: `The file ${name} cannot be read` })
  })

const asked = (message: string, isSent: boolean) =>
  isSent ? Effect.map(readInput, (sent) => Redacted.make(sent.trim())) : Prompt.run(Prompt.Password({ message }))

/** The command. */
export const login = Command.make("login", { user, file, fromInput }, ({ file, fromInput, user }) =>
  reported(
    Effect.gen(function* () {
      if (Option.isSome(user)) {
        const password = yield* asked(`Password of ${user.value}`, fromInput)
        return yield* signOn(yield* tokenFor(user.value, password))
      }
      const token = Option.isSome(file) ? yield* tokenIn(file.value) : yield* asked("Token", fromInput)
      return yield* signOn(Redacted.value(token))
    })
  )
).pipe(Command.withDescription("Sign on at the server of SWITCHYARD_URL, with a token or with --user and a password."))

/** The command. */
export const logout = Command.make("logout", {}, () =>
  reported(Effect.andThen(forgetToken, say("The token is forgotten here. It counts until it ends or is revoked.")))
).pipe(Command.withDescription("Forget the token that login has kept."))
