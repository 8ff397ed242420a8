/**
 * `switchyard setup`: the first start of an installation (docs/installing.md#first-start). On a terminal it asks for values that no flag
 * gives; scripts give all values by flags.
 */
import { Console, Effect, Layer, Option, Redacted, References } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Setup from "../access/Setup.ts"
import { settingsFileIn } from "../runtime/SettingsFile.ts"
import { codeOf } from "../runtime/SystemErrors.ts"
import { atDatabaseWith, loadDatabase } from "./AtDatabase.ts"
import { CommandRefused, failWithSentence } from "./client/Terminal.ts"
import { readInput } from "./client/Terminal.ts"
import { callerName, fromStart, takeSettings } from "./Service.ts"

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

/** The values of the flags, with the password of its file. */
interface Given extends Omit<Flags, "passwordFile"> {
  /** From the file that a flag names. */
  readonly password: Option.Option<Redacted.Redacted>
}

interface Flags {
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

const readPassword = (file: string) =>
  Effect.tryPromise({
    try: async () => withoutLineEnd(await fs.readFile(fromStart(file), "utf8")),
    catch: (error) => refuse(`--password-file: the file cannot be read (${codeOf(error) ?? "unknown"})`)
  })

const passwordOf = Effect.fnUntraced(function* ({ password, passwordStdin }: Given) {
  if (passwordStdin) return Redacted.make(yield* readInput)
  if (Option.isSome(password)) return password.value
  if (isAsking()) return yield* passwordTwice
  return yield* refuse("Give the password by --password-stdin or --password-file")
})

const FOR_TOKEN = fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

const load = Effect.promise(() => Promise.all([import("../ServerConfig.ts"), import("../store/Migrations.ts")]))

/** The services of a setup. An identity provider needs roles at the start, and the setup writes them. */
const services = atDatabaseWith("setup", (settings) => ({ ...settings, OIDC_ENABLED: false }))

/**
 * The file for the token, readable to this user only; opened before the token exists, and before the command becomes the service's user. An
 * empty file, as a refused setup may leave, counts as new.
 */
const openTokenFile = (file: string) => {
  const cannot = (error: unknown) =>
    refuse(`--dhcp-hook-token-file: the file cannot be written (${codeOf(error) ?? "unknown"})`)
  const opened = Effect.tryPromise({
    try: () => fs.open(fromStart(file), FOR_TOKEN, 0o600),
    catch: cannot
  })
  return Effect.acquireRelease(opened, (handle) => Effect.promise(() => handle.close())).pipe(
    Effect.tap((handle) =>
      Effect.flatMap(Effect.tryPromise({ try: () => handle.stat(), catch: cannot }), (found) =>
        found.isFile() && found.size === 0
          ? Effect.tryPromise({ try: () => handle.chmod(0o600), catch: cannot })
          : refuse("--dhcp-hook-token-file: the file exists already")
      )
    )
  )
}

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
  const done = yield* Setup.setUp(answers, {
    permissions: isNew || given.permissions,
    hookToken: given.hookToken || Option.isSome(given.hookTokenFile),
    createdBy: `${callerName()} (command line)`
  })
  for (const line of summary(
    done,
    config.DATA_DIR,
    answers.networks !== "" || config.MANAGEMENT_NETWORKS !== "" || !isNew
  ))
    yield* Console.log(line)
  return done
})

/** Removes the file of a token that was not made; root's folder may be closed to the service's user. */
const removeEmpty = (file: string) =>
  Effect.promise(() => fs.rm(fromStart(file), { force: true }).catch(() => undefined))

/** Shows the token, or writes it. */
const handOver = Effect.fnUntraced(function* ({ hookToken }: Setup.Done, file: Option.Option<TokenFile>) {
  if (hookToken === null) return
  const token = Redacted.value(hookToken)
  if (Option.isNone(file)) return yield* Console.log(`Token of the DHCP hook, shown this once: ${token}`)
  const { handle, name } = file.value
  yield* Effect.tryPromise({
    try: () => handle.writeFile(`${token}\n`),
    catch: () => refuse(`--dhcp-hook-token-file: the file cannot be written; revoke the token ${Setup.HOOK_ROLE}`)
  })
  yield* Console.log(`Token of the DHCP hook: ${name}`)
})

interface TokenFile {
  readonly name: string
  readonly handle: fs.FileHandle
}

/** Everything that root alone may read or write is opened before the command becomes the service's user. */
const setUp = Effect.fnUntraced(function* ({ passwordFile, ...flags }: Flags) {
  takeSettings()
  const password = Option.isNone(passwordFile)
    ? Option.none<Redacted.Redacted>()
    : Option.some(yield* readPassword(passwordFile.value))
  const given = { ...flags, password }
  const { hookTokenFile } = given
  const file = Option.isNone(hookTokenFile)
    ? Option.none<TokenFile>()
    : Option.some({ name: hookTokenFile.value, handle: yield* openTokenFile(hookTokenFile.value) })
  const done = yield* Effect.provide(run(given), yield* services).pipe(
    Effect.tapError(() => (Option.isNone(file) ? Effect.void : removeEmpty(file.value.name)))
  )
  yield* handOver(done, file)
  // after the database is closed: a server that waits for the settings starts then, and the embedded database with it
  yield* done.placeSettings
}, Effect.scoped)

/**
 * Makes the database that the settings name, if it does not exist, although DATA_DIR shows that there was one. Fails with
 * DatabaseUnavailable.
 */
const makeDatabase = Effect.gen(function* () {
  const { settings } = yield* loadDatabase("setup")
  const [Database, Installation] = yield* Effect.promise(() =>
    Promise.all([import("../store/Database.ts"), import("../store/Installation.ts")])
  )
  const found = yield* Installation.inDatabase().pipe(
    Effect.provide(
      Database.layerAnew.pipe(Layer.provide(Layer.succeed(References.MinimumLogLevel, "Warn")), Layer.provide(settings))
    )
  )
  if (found.kind === "named") yield* Console.log(`A new database was made, for installation ${found.id}.`)
})

/** The command. */
export const setup = Command.make("setup", { newDatabase, ...flags }, ({ newDatabase, ...given }) =>
  (newDatabase ? makeDatabase : setUp(given)).pipe(Effect.catch((error) => failWithSentence(error)))
).pipe(
  Command.withDescription(
    "Make the first administrator, roles, and the settings that a new installation needs. Asks for values that no flag gives. A server makes its database automatically at its first start; --new-database is for an operator who has lost it and wants to begin anew (docs/operations.md#identity)."
  )
)
