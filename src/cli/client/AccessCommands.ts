/**
 * `switchyard hostkeys`: host keys that devices have shown and that a user must approve (docs/security.md#approval-of-host-keys).
 * `switchyard login` and `switchyard logout`: the token of the user.
 */
import { stateWords } from "../../domain/words/DeviceWords.ts"
import { Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import * as fs from "node:fs/promises"
import { said, type Column, format, printJson, printRows, readInput, reported, say } from "./Terminal.ts"
import { requireAgreement, typedFor, yes } from "./Questions.ts"
import {
  ask,
  failureOf,
  forgetToken,
  keepToken,
  Mistyped,
  NotSignedOn,
  Refused,
  send,
  ServerAway,
  serverUrl
} from "./Server.ts"
import type { Data } from "../../api/Calls.ts"

type Waiting = Data<"GET /device_hostkeys">["host_keys"][number]

const COLUMNS: ReadonlyArray<Column<Waiting>> = [
  ["name", ({ hostname }) => hostname],
  ["state", ({ state }) => said(stateWords, state)],
  ["address", ({ address }) => address],
  ["shown", ({ refused_fingerprint }) => refused_fingerprint],
  ["pinned", ({ fingerprint }) => fingerprint],
  ["since", ({ since }) => since]
]

const waiting = Effect.map(ask("GET /device_hostkeys"), ({ answer }) => answer.data.host_keys)

interface Key {
  readonly hostname: string
  readonly fingerprint: string
}

const FINGERPRINT = /^SHA256:\S+$/

const keyOf = (text: string, place: string) => {
  const [hostname = "", fingerprint = "", ...more] = text.trim().split(/[\s=,]+/, 3)
  return hostname !== "" && FINGERPRINT.test(fingerprint) && more.length === 0
    ? Effect.succeed<Key>({ hostname, fingerprint })
    : Effect.fail(new Refused({ message: `${place}: expected a name and its fingerprint, such as lhv-a1 SHA256:…` }))
}

/** Lines with a name and a fingerprint; text after `#` is a remark. */
const keysIn = Effect.fnUntraced(function* (file: string) {
  const text = yield* Effect.tryPromise({
    try: () => fs.readFile(file, "utf8"),
    catch: () => new Refused({ message: `The file ${file} cannot be read` })
  })
  const lines = text.split("\n").map((line, index) => [line.replace(/#.*/, "").trim(), index + 1] as const)
  return yield* Effect.forEach(
    lines.filter(([line]) => line !== ""),
    ([line, number]) => keyOf(line, `${file}, line ${number}`)
  )
})

/** The keys of devices that were unknown, after the user has looked at them. */
const shownToSomebody = Effect.fnUntraced(function* ({ json, yes }: { readonly json: boolean; readonly yes: boolean }) {
  const rows = (yield* waiting).filter(({ fingerprint }) => fingerprint === null)
  if (rows.length === 0) return yield* new Refused({ message: "No device waits for its first approval" })
  if (!json) yield* printRows({ csv: false, json: false }, COLUMNS, rows, "")
  yield* requireAgreement({
    question: `Have you compared them, and approve all ${rows.length}?`,
    typed: typedFor(rows.length),
    undone: "Nothing was approved",
    yes
  })
  return rows.map(({ hostname, refused_fingerprint }): Key => ({ hostname, fingerprint: refused_fingerprint }))
})

const AT_ONCE = 1000

type Decided = Data<"POST /device_hostkeys/approve">["host_keys"][number]

const approve = Command.make(
  "approve",
  {
    keys: Argument.String("key").pipe(
      Argument.withDescription("A device and its key, as the user has compared it: lhv-a1=SHA256:…"),
      Argument.variadic()
    ),
    file: Flag.String("file").pipe(
      Flag.withDescription("Take names and fingerprints from this file, a device a line"),
      Flag.optional
    ),
    all: Flag.Boolean("all").pipe(
      Flag.withDescription("Approve all that wait for their first approval, after showing them"),
      Flag.withDefault(false)
    ),
    yes,
    json: format.json
  },
  ({ all, file, json, keys, yes }) =>
    reported(
      Effect.gen(function* () {
        const wanted = [
          ...(yield* Effect.forEach(keys, (key) => keyOf(key, key))),
          ...(Option.isSome(file) ? yield* keysIn(file.value) : []),
          ...(all ? yield* shownToSomebody({ json, yes }) : [])
        ]
        if (wanted.length === 0)
          return yield* new Mistyped({ message: "Name devices with their keys, --file or --all" })
        const decided: Array<Decided> = []
        for (let begin = 0; begin < wanted.length; begin += AT_ONCE) {
          const host_keys = wanted.slice(begin, begin + AT_ONCE)
          const { answer } = yield* ask("POST /device_hostkeys/approve", { body: { host_keys } })
          decided.push(...answer.data.host_keys)
          if (json) continue
          for (const { hostname, message } of answer.data.host_keys) yield* say(`${hostname}: ${message ?? "approved"}`)
        }
        if (json) yield* printJson(decided)
        const refused = decided.filter(({ message }) => message !== null).length
        if (refused > 0) return yield* new Refused({ message: `${refused} of ${wanted.length} were not approved` })
      })
    )
).pipe(Command.withDescription("Approve the host keys of devices; exit code 1 when one was not approved."))

/** The command. */
export const hostkeys = Command.make("hostkeys", format, (wanted) =>
  reported(Effect.flatMap(waiting, (rows) => printRows(wanted, COLUMNS, rows, "No host key waits for approval.")))
).pipe(
  Command.withDescription("List host keys that devices have shown and that wait for an approval."),
  Command.withSubcommands([approve])
)

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

/** Checks a token by asking for its identity, and stores it. */
const signOn = Effect.fnUntraced(function* (token: string, json: boolean) {
  process.env["SWITCHYARD_TOKEN"] = token
  const { answer } = yield* ask("GET /auth/identity")
  const file = yield* keepToken(token)
  if (json) return yield* printJson({ server: serverUrl(), identity: answer, token_file: file })
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
export const login = Command.make(
  "login",
  { user, file, fromInput, json: format.json },
  ({ file, fromInput, json, user }) =>
    reported(
      Effect.gen(function* () {
        if (Option.isSome(user)) {
          const password = yield* asked(`Password of ${user.value}`, fromInput)
          return yield* signOn(yield* tokenFor(user.value, password), json)
        }
        const token = Option.isSome(file) ? yield* tokenIn(file.value) : yield* asked("Token", fromInput)
        return yield* signOn(Redacted.value(token), json)
      })
    )
).pipe(Command.withDescription("Sign on at the server of SWITCHYARD_URL, with a token or with --user and a password."))

/** The command. */
export const logout = Command.make("logout", { json: format.json }, ({ json }) =>
  reported(
    Effect.andThen(
      forgetToken,
      json
        ? printJson({ server: serverUrl() })
        : say("The token is forgotten here. It counts until it ends or is revoked.")
    )
  )
).pipe(Command.withDescription("Forget the token that login has kept."))
