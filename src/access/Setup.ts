/**
 * The first start of an installation (docs/installing.md#first-start), by `switchyard setup` or by the page on loopback: the first
 * administrator, a `permissions.yml` with the ready roles, a token for the DHCP hook, and the settings that the setup asks for. Of two
 * setups at the same time one wins, and the other changes nothing.
 */
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { isName, isPassword } from "../domain/requests/SignOnRequests.ts"
import { textFault } from "../domain/Text.ts"
import { parseGitAddress } from "../git/GitAddress.ts"
import { tryRemote } from "../git/GitRepository.ts"
import { draftSettings, giveToOwnerOf } from "../runtime/SettingsFile.ts"
import { codeOf } from "../runtime/SystemErrors.ts"
import { ServerConfig } from "../ServerConfig.ts"
import { locks } from "../store/DatabaseClient.ts"
import { PersonStore } from "../store/AccountStore.ts"
import { ApiTokens } from "./ApiTokens.ts"
import { LocalUsers } from "./LocalUsers.ts"
import * as Network from "../domain/Network.ts"
import { NAMES_RULE as OUTBOUND_RULE, OutboundNames } from "../domain/access/HostLists.ts"
import { Permissions } from "./Permissions.ts"

/** The requested setup is impossible; each sentence names a reason. Nothing has changed. */
export class SetupRefused extends Schema.TaggedError<SetupRefused>()("SetupRefused", {
  /** `taken`: an administrator exists; `invalid`: an answer breaks a rule; `failed`: a file or a repository. */
  reason: Schema.Literals(["taken", "invalid", "failed"]),
  sentences: Schema.Array(Schema.String)
}) {
  override get message() {
    return this.sentences.join(". ")
  }
}

/** The services of a setup. */
export type Needs = ServerConfig | SqlClient.SqlClient | PersonStore | LocalUsers | Permissions | ApiTokens

/** The answers of the user; an empty text was left out. */
export interface Answers {
  readonly name: string
  readonly password: Redacted.Redacted
  /** In the form of MANAGEMENT_NETWORKS. */
  readonly networks: string
  /** Addresses in the form of GITREPO_SETTINGS and GITREPO_TEMPLATES. */
  readonly settings: string
  readonly templates: string
  /** In the form of OUTBOUND_HOSTS. */
  readonly hosts: string
}

export interface SetupOptions {
  /** Whether to write a `permissions.yml` if none exists. */
  readonly permissions: boolean
  /** Whether to make a token for the DHCP hook. */
  readonly hookToken: boolean
  readonly createdBy: string
}

const ADMINISTRATOR = "administrator"
export const HOOK_ROLE = "dhcp-hook"
const HOOK_DAYS = 365

/** The purpose of each ready role, as the file states it. */
export const roleSentences: ReadonlyArray<readonly [role: string, sentence: string]> = [
  ["reader", "sees everything, changes nothing"],
  ["port-editor", "changes ports and synchronizes at most ten switches"],
  ["provisioner", "brings in new switches"],
  ["operator", "runs the network"],
  [ADMINISTRATOR, "may do everything"],
  ["auditor", "reads what happened, who may do what, and where secrets are used"],
  [HOOK_ROLE, "the DHCP server's hook, by a token"],
  ["monitoring", "what a monitoring system reads, by a token"]
]

/** A file that gives no role to any user: users and tokens get their roles one by one. */
export const permissionsText = `# Who may do what (docs/roles.md). Read again within two seconds when it has changed.
#
# These roles are ready. Give them to people and programs:
#   switchyard user add NAME --role ROLE
#   switchyard token create --name NAME --role ROLE
#
${roleSentences.map(([role, sentence]) => `#   ${role.padEnd(14)} ${sentence}`).join("\n")}
#
# What each may call is in docs/role-matrix.md.

config: {}
  # default_permissions: reader    # a role that every caller has

# Roles of people of an identity provider, or of other JSON Web Tokens: an attribute, its value, the roles.
group_mappings: {}
#  groups:
#    campus-netops: [operator]

# Roles of your own. \`extends\` takes over a ready role, and the other keys narrow it.
roles: {}
#  east-ports:
#    extends: port-editor
#    groups: [EAST_WING]
`

const invalid = (...sentences: ReadonlyArray<string>) => new SetupRefused({ reason: "invalid", sentences })
const failed = (sentence: string) => new SetupRefused({ reason: "failed", sentences: [sentence] })

const gitFault = (what: string, address: string) =>
  address === ""
    ? []
    : Result.match(parseGitAddress(address), {
        onSuccess: () => [],
        onFailure: ({ message }) => [`${what}: ${message}`]
      })

/** All faults of the answers. */
export const faultsOf = ({ hosts, name, networks, password, settings, templates }: Answers): ReadonlyArray<string> => {
  const word = Redacted.value(password)
  return [
    ...(isName(name) ? [] : ["name: expected 1 to 64 letters, digits and @._+-, beginning with a letter or a digit"]),
    ...(isPassword(word) && textFault(word, "secret") === undefined
      ? []
      : ["password: expected 12 to 256 characters, without control characters"]),
    ...(networks === ""
      ? []
      : Result.match(Network.parseManagementNetworks(networks), {
          onSuccess: () => [],
          onFailure: (why) => [`management networks: ${why}`]
        })),
    ...Option.match(Schema.decodeOption(OutboundNames)(hosts), {
      onNone: () => [`hosts of images: ${OUTBOUND_RULE}`],
      onSome: () => []
    }),
    ...gitFault("settings repository", settings),
    ...gitFault("templates repository", templates)
  ]
}

/** Fails with SetupRefused if an answer breaks a rule. */
export const checkAnswers = Effect.fn("Setup.checkAnswers")(function* (answers: Answers) {
  const faults = faultsOf(answers)
  if (faults.length > 0) return yield* invalid(...faults)
})

/** Checks whether both repositories answer. Fails with SetupRefused and git's message. */
export const checkRepositories = Effect.fn("Setup.checkRepositories")(function* ({ settings, templates }: Answers) {
  const { GIT_TIMEOUT } = yield* ServerConfig
  for (const [what, address] of [
    ["settings repository", settings],
    ["templates repository", templates]
  ] as const) {
    if (address === "") continue
    yield* Effect.mapError(tryRemote(address, tmpdir(), `${GIT_TIMEOUT} seconds`), ({ message }) =>
      failed(`${what}: ${message}`)
    )
  }
})

/** Writes the file unless it exists, or a link in its place. */
const writePermissions = (file: string) =>
  Effect.tryPromise({
    try: async () => {
      try {
        await fs.writeFile(file, permissionsText, { flag: "wx", mode: 0o600 })
      } catch (error) {
        if (codeOf(error) === "EEXIST") return false
        throw error
      }
      await giveToOwnerOf(path.dirname(file), file)
      return true
    },
    catch: (error) => failed(`${file} cannot be written (${codeOf(error) ?? "unknown"})`)
  })

const settingsIn = ({ hosts, networks, settings, templates }: Answers): ReadonlyMap<string, string> =>
  new Map(
    [
      ["LOCAL_USERS", "true"],
      ["MANAGEMENT_NETWORKS", networks],
      ["OUTBOUND_HOSTS", hosts],
      ["GITREPO_SETTINGS", settings],
      ["GITREPO_TEMPLATES", templates]
    ].flatMap(([name = "", value = ""]) => (value === "" ? [] : [[name, value] as const]))
  )

const isAdministrator = Effect.fnUntraced(function* (roles: ReadonlyArray<string>) {
  return yield* (yield* Permissions).isAdministrator(roles)
})

/** Fails with SetupRefused if an administrator exists. In a transaction others wait until it ends. */
export const checkFirst = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`select pg_advisory_xact_lock(${locks.setup})`
  for (const { name, roles } of yield* (yield* PersonStore).localUsers.all) {
    if (yield* isAdministrator(roles)) {
      const sentence = `There is an administrator already: ${name}. Others are made by \`switchyard user add NAME --role ${ADMINISTRATOR}\``
      return yield* new SetupRefused({ reason: "taken", sentences: [sentence] })
    }
  }
})

const makeAdministrator = Effect.fnUntraced(function* ({ name, password }: Answers) {
  const add = (yield* LocalUsers).add({ name, password, roles: [ADMINISTRATOR], break_glass: false })
  yield* Effect.catchTags(add, {
    UserNameTaken: ({ message }) => Effect.fail(invalid(`name: ${message}`)),
    UnknownRole: ({ message }) => Effect.fail(failed(`permissions.yml: ${message}`))
  })
  if (!(yield* isAdministrator([ADMINISTRATOR])))
    return yield* failed(`permissions.yml: its role ${ADMINISTRATOR} does not allow everything`)
})

const makeHookToken = Effect.fnUntraced(function* (createdBy: string) {
  const create = (yield* ApiTokens).create({
    name: HOOK_ROLE,
    roles: [HOOK_ROLE],
    days: HOOK_DAYS,
    createdBy,
    owner: null
  })
  return (yield* Effect.catchTag(create, "TokenNameTaken", ({ message }) => Effect.fail(failed(message)))).secret
})

/** The results of a setup. */
export interface Done {
  readonly name: string
  /** The token of the DHCP hook, which is shown only this once. */
  readonly hookToken: Redacted.Redacted | null
  /** The file of roles; null if none was wanted; `isNew` is false if it existed already. */
  readonly permissions: { readonly file: string; readonly isNew: boolean } | null
  /** Names of the written settings. */
  readonly settings: ReadonlyArray<string>
  /** Puts the settings in force: a server that has waited for them starts. Must run last. */
  readonly placeSettings: Effect.Effect<void, SetupRefused>
}

/** Carries out the whole setup, or fails with SetupRefused or SqlError and changes nothing. The answers have been checked. */
export const setUp = Effect.fn("Setup.setUp")(function* (answers: Answers, options: SetupOptions) {
  const { DATA_DIR } = yield* ServerConfig
  const sql = yield* SqlClient.SqlClient
  const settings = settingsIn(answers)
  const file = path.join(DATA_DIR, "permissions.yml")
  const made = yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* checkFirst
      const place = yield* Effect.mapError(draftSettings(DATA_DIR, settings), ({ message }) => failed(message))
      yield* makeAdministrator(answers)
      const hookToken = options.hookToken ? yield* makeHookToken(options.createdBy) : null
      // last, because it takes effect at once
      const permissions = options.permissions ? { file, isNew: yield* writePermissions(file) } : null
      return { place, permissions, hookToken }
    })
  )
  const done: Done = {
    name: answers.name,
    hookToken: made.hookToken,
    permissions: made.permissions,
    settings: [...settings.keys()],
    placeSettings: Effect.mapError(made.place, ({ message }) => failed(message))
  }
  return done
})
