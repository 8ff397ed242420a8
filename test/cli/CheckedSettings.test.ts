/** The settings that each command checks before it begins, and that no other one stops it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import type { Command } from "effect/cli"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { checkedSettings } from "../../src/cli/AtDatabase.ts"
import { rootFor } from "../../src/cli/Commands.ts"
import { isSecret } from "../../src/runtime/SecretSources.ts"
import { ServerConfig, type SettingName } from "../../src/ServerConfig.ts"
import { documentation, settings } from "../../src/SettingsTable.ts"
import { command, dataFolder } from "../support/Program.ts"
import { SHARED_KEY } from "../support/Replica.ts"
import { databaseUrl, emptyDatabaseUrl } from "../support/TestDatabase.ts"

const DATABASE = ["DATA_DIR", "DATABASE_URL", "INSTALLATION_ID"]
const KEY = ["SECRET_KEY", "SECRET_KEY_PREVIOUS"]
const FILES = "CAFILE CAKEYFILE CERTPATH JWT_CERT PLUGIN_FILE PLUGIN_FOLDER TLS_CERT TLS_KEY".split(" ")
const ROLES = ["OIDC_ENABLED", "PERMISSIONS_DISABLED", "SECURE_DEFAULTS"]
const TOKENS = ["API_TOKEN_DAYS", "API_TOKENS_PER_PERSON", "TOKEN_OWNER_DAYS"]
const FIRST_START = ["GITREPO_SETTINGS", "GITREPO_TEMPLATES", "GIT_TIMEOUT", "MANAGEMENT_NETWORKS", "OUTBOUND_HOSTS"]

/** Each command that reads settings, as `switchyard --help` names it. */
const TABLE: Readonly<Record<string, ReadonlyArray<string>>> = {
  migrate: DATABASE,
  backup: [...DATABASE, ...KEY, ...FILES],
  restore: [...DATABASE, ...KEY, ...FILES],
  token: [...DATABASE, ...ROLES, ...TOKENS],
  user: [...DATABASE, ...ROLES],
  person: DATABASE,
  "audit verify": [...DATABASE, ...KEY],
  "audit export": DATABASE,
  "secret set": [...DATABASE, ...KEY],
  "secret list": DATABASE,
  "secret remove": DATABASE,
  "secret rotate": [...DATABASE, ...KEY, "CAFILE", "CAKEYFILE", "CAKEY_PASSPHRASE"],
  setup: [...DATABASE, ...ROLES, ...TOKENS, ...FIRST_START],
  check: ["GLOBAL_UNIQUE_VLANS", "SETTINGS_KEYS_TO_MERGE", "SETTINGS_OVERRIDE"]
}

/** Commands that check all settings, as the server does at its start. */
const ALL = ["serve", "doctor"]

/** Commands on the server's machine that read no setting of the server. */
const NONE = ["render", "dhcp-hook", "demo", "lab", "version"]

/** The names of the commands on the server's machine; all others ask the server, but for those of the table. */
const namesIn = (root: Command.Command.Any) =>
  root.subcommands.flatMap(({ commands, group }) =>
    group === "On the server's machine" ? commands.map(({ name }) => name) : []
  )

/** A text that no setting with a rule accepts, and that every other one does. */
const INVALID = "no?\u0001value"

const hasRule = (name: SettingName) =>
  Exit.isFailure(Effect.runSyncExit(Effect.provide(Effect.void, ServerConfig.layerOf({ [name]: INVALID }))))

const isSetting = (name: string): name is SettingName => name in settings
const RULED = Object.keys(settings).filter(isSetting).filter(hasRule)

const SECRETS = documentation.map(([name]) => name).filter((name) => isSecret(name))

const read = (checked: ReadonlyArray<SettingName>, given: Readonly<Record<string, string>>) =>
  Effect.runPromiseExit(Effect.provide(Effect.service(ServerConfig), ServerConfig.layerChecking(checked, given)))

const broken = (names: ReadonlyArray<string>, value: string) => Object.fromEntries(names.map((name) => [name, value]))

describe("A command on the server's machine", () => {
  it("has its settings in the table here", async () => {
    assert.deepStrictEqual<Readonly<Record<string, ReadonlyArray<string>>>>(checkedSettings, TABLE)
    const known = new Set([...Object.keys(TABLE).map((name) => name.split(" ")[0]), ...ALL, ...NONE])
    const all = namesIn(await Effect.runPromise(rootFor([])))
    assert.include(all, "backup")
    assert.deepEqual(
      all.filter((name) => !known.has(name)),
      []
    )
  })

  it.each(Object.entries(checkedSettings))("%s is stopped by its own settings alone", async (_, checked) => {
    const own: ReadonlyArray<string> = checked
    const foreign = RULED.filter((name) => !own.includes(name))
    const files = SECRETS.filter((name) => !own.includes(name)).map((name) => `${name}_FILE`)
    const exit = await read(checked, { ...broken(foreign, INVALID), ...broken(files, "/run/nowhere/secret") })
    assert.isTrue(Exit.isSuccess(exit), JSON.stringify(exit))
    for (const name of RULED.filter((one) => own.includes(one))) {
      const refused = await read(checked, { [name]: INVALID })
      assert.include(JSON.stringify(refused), name)
      assert.isTrue(Exit.isFailure(refused), name)
    }
    for (const name of SECRETS.filter((one) => own.includes(one))) {
      const refused = await read(checked, { [`${name}_FILE`]: "/run/nowhere/secret" })
      assert.include(JSON.stringify(refused), `${name}_FILE: the file cannot be read (ENOENT)`)
    }
  })
})

it.live("works with the service stopped, whose files of secrets are gone and whose other settings are wrong", () =>
  Effect.gen(function* () {
    const DATA_DIR = yield* dataFolder
    const DATABASE_URL = yield* databaseUrl
    const authority = { CAFILE: path.join(DATA_DIR, "rootCA.crt"), CAKEYFILE: path.join(DATA_DIR, "rootCA.key") }
    const given = { DATA_DIR, DATABASE_URL, SECRET_KEY: SHARED_KEY, ...authority }
    const gone = { PASSWORD_MANAGED_FILE: "/run/switchyard/managed", SSH_KEY_INIT_FILE: "/run/switchyard/key" }
    const env = { ...given, ...gone, PORT: "many", SYNC_CONCURRENCY: "-1" }
    const file = path.join(DATA_DIR, "site.backup")
    const password = path.join(DATA_DIR, "password")
    yield* Effect.promise(() => fs.writeFile(password, "seven green bicycles\n"))
    for (const words of [
      ["migrate"],
      ["secret", "list"],
      ["secret", "rotate"],
      ["audit", "verify"],
      ["setup", "--name", "admin", "--password-file", password],
      ["user", "list"],
      ["token", "create", "--name", "hook"],
      ["person", "list"],
      ["backup", file]
    ]) {
      const end = yield* command(env, words)
      assert.strictEqual(end.code, 0, `${words.join(" ")}: ${end.text}`)
    }
    const elsewhere = { ...env, DATA_DIR: yield* dataFolder, DATABASE_URL: yield* emptyDatabaseUrl }
    const restored = yield* command(elsewhere, ["restore", file])
    assert.strictEqual(restored.code, 0, restored.text)
    const refused = yield* command({ ...env, API_TOKEN_DAYS: "many" }, ["token", "list"])
    assert.strictEqual(refused.code, 1, refused.text)
    assert.include(refused.err, "API_TOKEN_DAYS")
    // the server itself checks everything
    const serve = yield* command(env, ["serve"])
    assert.notStrictEqual(serve.code, 0)
    assert.include(serve.text, "PASSWORD_MANAGED_FILE: the file cannot be read (ENOENT)")
  }).pipe(Effect.scoped)
)
