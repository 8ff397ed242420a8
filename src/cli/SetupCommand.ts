/**
 * `switchyard setup`: the first start of an installation (docs/installing.md#first-start). On a terminal it asks for values that no flag
 * gives; scripts give all values by flags.
 */
import { Console, Effect, Layer, Option, Redacted, References } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as fs from "node:fs/promises"
import * as os from "node:os"
import * as path from "node:path"
import * as Setup from "../access/Setup.ts"
import { settingsFileIn } from "../runtime/SettingsFile.ts"
import { codeOf } from "../runtime/SystemErrors.ts"
import { atDatabaseWith } from "./AtDatabase.ts"
import { CommandRefused, failWithSentence } from "./client/Terminal.ts"
import { readInput } from "./client/Terminal.ts"

const optionalText = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const newDatabase = Flag.Boolean("new-database").pipe(
  Flag.withDescription(
    "Make a new and empty database although DATA_DIR shows that there was one, and do nothing else. An existing database is not touched"
  ),
  Flag.withDefault(false)
)

const flags = {
  name: optionalText("name", "Name of the first administrator"),
  passwordStdin: Flag.Boolean("password-stdin").pipe(
    Flag.withDescription("Read the password from standard input"),
    Flag.withDefault(false)
  ),
  passwordFile: optionalText("password-file", "Read the password from this file"),
  networks: optionalText("management-networks", "Prefixes in which devices are, such as 10.0.0.0/8,2001:db8::/48"),
  settings: optionalText(
    "settings-repository",
    "Address of the settings repository, such as https://…/settings.git#main"
  ),
  templates: optionalText("templates-repository", "Address of the templates repository"),
  hosts: optionalText(
    "outbound-hosts",
    "Hosts from which images are fetched and to which alerts go, such as images.example.org,10.20.0.0/16"
  ),
  hookToken: Flag.Boolean("dhcp-hook-token").pipe(
    Flag.withDescription("Make a token for the DHCP hook, and show it this once"),
    Flag.withDefault(false)
  ),
  hookTokenFile: optionalText(
    "dhcp-hook-token-file",
    "Make a token for the DHCP hook, and write it into this new file"
  ),
  permissions: Flag.Boolean("permissions").pipe(
    Flag.withDescription(
      "Write permissions.yml also into an installation from before it was needed: callers without a role lose their rights"
    ),
    Flag.withDefault(false)
  ),
  uncheckedRepositories: Flag.Boolean("unchecked-repositories").pipe(
    Flag.withDescription("Do not ask the repositories whether they answer"),
    Flag.withDefault(false)
  )
}

/** The values of the flags. */
interface Given {
  readonly name: Option.Option<string>
  readonly passwordStdin: boolean
  readonly passwordFile: Option.Option<string>
  readonly networks: Option.Option<string>
  readonly settings: Option.Option<string>
  readonly templates: Option.Option<string>
  readonly hosts: Option.Option<string>
  readonly hookToken: boolean
  readonly hookTokenFile: Option.Option<string>
  readonly permissions: boolean
  readonly uncheckedRepositories: boolean
}

const refuse = (message: string) => new CommandRefused({ message })
const isAsking = () => process.stdin.isTTY === true && process.stderr.isTTY === true

/** The answer of a flag, or of the user at the terminal; empty for none. */
const answer = (given: Option.Option<string>, message: string) => {
  if (Option.isSome(given)) return Effect.succeed(given.value.trim())
  return isAsking() ? Effect.map(Prompt.run(Prompt.String({ message })), (sent) => sent.trim()) : Effect.succeed("")
}

/** An answer that is needed only if the variable, an address or a list, has no value yet. */
const answerUnlessSet = (variable: string, isSet: boolean, given: Option.Option<string>, message: string) =>
  isSet && Option.isNone(given) ? Effect.as(Console.error(`${variable} is set already.`), "") : answer(given, message)

const withoutLineEnd = (sent: string) => Redacted.make(sent.replace(/\r?\n$/, ""))

const passwordTwice = Effect.gen(function* () {
  const first = yield* Prompt.run(Prompt.Hidden({ message: "Password (12 characters or more; it is not shown)" }))
  const again = yield* Prompt.run(Prompt.Hidden({ message: "The same password again" }))
  if (Redacted.value(first) === Redacted.value(again)) return first
  return yield* refuse("The passwords differ")
})

const passwordOf = Effect.fnUntraced(function* ({ passwordFile, passwordStdin }: Given) {
  if (passwordStdin) return Redacted.make(yield* readInput)
  if (Option.isSome(passwordFile)) {
    const file = passwordFile.value
    return withoutLineEnd(
      yield* Effect.tryPromise({
        try: () => fs.readFile(file, "utf8"),
        catch: (error) => refuse(`--password-file: the file cannot be read (${codeOf(error) ?? "unknown"})`)
      })
    )
  }
  if (isAsking()) return yield* passwordTwice
  return yield* refuse("Give the password by --password-stdin or --password-file")
})

const load = Effect.promise(() => Promise.all([import("../ServerConfig.ts"), import("../store/Migrations.ts")]))

/** The services of a setup. An identity provider needs roles at the start, and the setup writes them. */
const services = atDatabaseWith((settings) => ({ ...settings, OIDC_ENABLED: false }))

/** The new file for the token, readable to this user only; made before the token exists. */
const openTokenFile = (file: string) =>
  Effect.tryPromise({
    try: () => fs.writeFile(file, "", { flag: "wx", mode: 0o600 }),
    catch: (error) =>
      refuse(
        `--dhcp-hook-token-file: ${codeOf(error) === "EEXIST" ? "the file exists already" : `the file cannot be written (${codeOf(error) ?? "unknown"})`}`
      )
  })

const ask = Effect.fnUntraced(function* (given: Given) {
  const [{ ServerConfig }] = yield* load
  const { GITREPO_SETTINGS, GITREPO_TEMPLATES, MANAGEMENT_NETWORKS, OUTBOUND_HOSTS } = yield* ServerConfig
  const name = yield* answer(given.name, "Name of the first administrator")
  const password = yield* passwordOf(given)
  const networks = yield* answerUnlessSet(
    "MANAGEMENT_NETWORKS",
    MANAGEMENT_NETWORKS !== "",
    given.networks,
    "Networks in which devices are, such as 10.0.0.0/8 (nothing for later: no device is logged in to before)"
  )
  const settings = yield* answerUnlessSet(
    "GITREPO_SETTINGS",
    Option.isSome(GITREPO_SETTINGS),
    given.settings,
    "Address of the settings repository (nothing for later)"
  )
  const templates = yield* answerUnlessSet(
    "GITREPO_TEMPLATES",
    Option.isSome(GITREPO_TEMPLATES),
    given.templates,
    "Address of the templates repository (nothing for later)"
  )
  const hosts = yield* answerUnlessSet(
    "OUTBOUND_HOSTS",
    Option.isSome(OUTBOUND_HOSTS),
    given.hosts,
    "Hosts from which images are fetched and to which alerts go (nothing: no images for callers, alerts as alerts.yml says)"
  )
  return { name, password, networks, settings, templates, hosts } satisfies Setup.Answers
})

const summary = (done: Setup.Done, dataDir: string, isLoggingInSomewhere: boolean): ReadonlyArray<string> => [
  `${done.name} may do everything, and signs in with the password.`,
  ...(done.permissions === null
    ? ["permissions.yml was not written: this installation is from before it was needed (--permissions writes it)."]
    : done.permissions.isNew
      ? [`Roles: ${path.resolve(done.permissions.file)}`]
      : [`Roles: ${path.resolve(done.permissions.file)} existed, and is unchanged.`]),
  `Settings: ${path.resolve(settingsFileIn(dataDir))} (${done.settings.join(", ")}); the environment wins.`,
  ...(isLoggingInSomewhere
    ? []
    : ["No device is logged in to yet: set MANAGEMENT_NETWORKS to the networks in which devices are."]),
  "A server that waits for its first start takes the settings over automatically; restart any other."
]

const run = Effect.fnUntraced(function* (given: Given) {
  const [{ ServerConfig }, Migrations] = yield* load
  const config = yield* ServerConfig
  const isNew = config.SECURE_DEFAULTS || (yield* Migrations.secureDefaults)
  yield* Setup.checkFirst
  const answers = yield* ask(given)
  yield* Setup.checkAnswers(answers)
  if (!given.uncheckedRepositories) yield* Setup.checkRepositories(answers)
  if (Option.isSome(given.hookTokenFile)) yield* openTokenFile(given.hookTokenFile.value)
  const done = yield* Setup.setUp(answers, {
    permissions: isNew || given.permissions,
    hookToken: given.hookToken || Option.isSome(given.hookTokenFile),
    createdBy: `${os.userInfo().username} (command line)`
  }).pipe(Effect.tapError(() => Effect.promise(() => removeEmpty(given.hookTokenFile))))
  for (const line of summary(
    done,
    config.DATA_DIR,
    answers.networks !== "" || config.MANAGEMENT_NETWORKS !== "" || !isNew
  ))
    yield* Console.log(line)
  return done
})

const removeEmpty = async (file: Option.Option<string>) => {
  if (Option.isSome(file)) await fs.rm(file.value, { force: true })
}

/** Shows the token, or writes it. */
const handOver = Effect.fnUntraced(function* ({ hookToken }: Setup.Done, file: Option.Option<string>) {
  if (hookToken === null) return
  const token = Redacted.value(hookToken)
  if (Option.isNone(file)) return yield* Console.log(`Token of the DHCP hook, shown this once: ${token}`)
  yield* Effect.tryPromise({
    try: () => fs.writeFile(file.value, `${token}\n`),
    catch: () => refuse(`--dhcp-hook-token-file: the file cannot be written; revoke the token ${Setup.HOOK_ROLE}`)
  })
  yield* Console.log(`Token of the DHCP hook: ${file.value}`)
})

/**
 * Makes the database that the settings name, if it does not exist, although DATA_DIR shows that there was one. Fails with
 * DatabaseUnavailable.
 */
const makeDatabase = Effect.gen(function* () {
  const [Database, Installation, { ServerConfig }] = yield* Effect.promise(() =>
    Promise.all([import("../store/Database.ts"), import("../store/Installation.ts"), import("../ServerConfig.ts")])
  )
  const found = yield* Installation.inDatabase().pipe(
    Effect.provide(
      Database.layerAnew.pipe(
        Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")),
        Layer.provide(ServerConfig.layer)
      )
    )
  )
  if (found.kind === "named") yield* Console.log(`A new database was made, for installation ${found.id}.`)
})

/** The command. */
export const setup = Command.make("setup", { newDatabase, ...flags }, ({ newDatabase, ...given }) =>
  Effect.gen(function* () {
    if (newDatabase) return yield* makeDatabase
    const done = yield* Effect.provide(run(given), yield* services)
    yield* handOver(done, given.hookTokenFile)
    // after the database is closed: a server that waits for the settings starts then, and the embedded database with it
    yield* done.placeSettings
  }).pipe(Effect.catch((error) => failWithSentence(error)))
).pipe(
  Command.withDescription(
    "Make the first administrator, roles, and the settings that a new installation needs. Asks for values that no flag gives. A server makes its database automatically at its first start; --new-database is for an operator who has lost it and wants to begin anew (docs/operations.md#identity)."
  )
)
