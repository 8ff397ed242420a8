import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted, Result } from "effect"
import { SqlClient } from "effect/sql"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { layerUrl } from "../../src/store/Database.ts"
import * as Installation from "../../src/store/Installation.ts"
import { isHomeOfOthers } from "../../src/store/postgres/PostgresPrograms.ts"
import { emptyDatabaseUrl } from "../support/TestDatabase.ts"

const OURS = "11111111-1111-4111-8111-111111111111"
const OTHER = "22222222-2222-4222-8222-222222222222"

const folder = Effect.acquireRelease(
  Effect.promise(async () => {
    const made = await fs.mkdtemp(path.join(tmpdir(), "switchyard-installation-"))
    await fs.chmod(made, 0o755)
    return made
  }),
  (made) => Effect.promise(() => fs.rm(made, { recursive: true, force: true }))
)

/** Makes the files of this list; a name that ends with a slash is a folder. */
const withFiles = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const dataDir = yield* folder
  for (const name of names) {
    const at = path.join(dataDir, name)
    yield* Effect.promise(() => fs.mkdir(name.endsWith("/") ? at : path.dirname(at), { recursive: true }))
    if (!name.endsWith("/")) yield* Effect.promise(() => fs.writeFile(at, "something"))
  }
  return dataDir
})

const fresh = [
  [],
  ["lost+found/", ".snapshot/x"],
  ["permissions.yml", "windows.yml", "alerts.yml", "jwt/public.pem", "plugins.yml", "plugins/a.ts", "dhcp-queue/1"],
  ["database/"],
  ["database/lost+found/"],
  ["database/postgres/"],
  // volumes that containers mount there
  ["firmware/", "shared/lost+found/"],
  // a first start that was killed while it made the database
  ["database/server.lock", "database/server.json", "database/postgres.new/PG_VERSION", "database/postgres-password"],
  ["database/server.lock", "database/server.lock-journal", "database/postgres.new/", "database/postgres-password"]
]

const used = [
  ["secret.key"],
  ["repositories/settings/HEAD"],
  ["firmware/EOS.swi"],
  ["devicecerts/a.crt"],
  ["ca/rootCA.key"],
  ["something"],
  ["database/postgres.log"],
  ["database/postgres-password"],
  ["database/postgres/base/1"]
]

describe("A DATA_DIR without a database", () => {
  for (const names of fresh)
    it.effect(`gets one at the start when it contains ${names.join(", ") || "nothing"}`, () =>
      Effect.gen(function* () {
        const seen = yield* Installation.look(yield* withFiles(names))
        assert.isNull(Installation.againstMaking(seen, null, "serve"))
        assert.deepStrictEqual(Installation.judge(seen, null, { kind: "none" }, "serve"), Result.succeed("make"))
        assert.include(Installation.againstMaking(seen, null, "command"), "There is no database in")
        assert.include(Installation.againstMaking(seen, OURS, "serve"), `INSTALLATION_ID names installation ${OURS}`)
      }).pipe(Effect.scoped)
    )

  for (const names of used)
    it.effect(`gets none at the start when it contains ${names.join(", ")}`, () =>
      Effect.gen(function* () {
        const seen = yield* Installation.look(yield* withFiles(names))
        const why = Installation.againstMaking(seen, null, "serve") ?? ""
        const [, found = ""] = /^(?:database\/)?([^/]+)/.exec(names[0] ?? "") ?? []
        assert.include(why, `holds ${found} of`)
        assert.include(why, "switchyard setup --new-database")
        assert.include(why, "switchyard restore")
      }).pipe(Effect.scoped)
    )

  it.effect("gets none when it has the identity of an installation, which is named", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      yield* Installation.write(dataDir, OURS)
      const seen = yield* Installation.look(dataDir)
      assert.strictEqual(Option.getOrNull(seen.identity)?.id, OURS)
      assert.include(Installation.againstMaking(seen, null, "serve"), OURS)
      assert.isNull(Installation.againstMaking(seen, null, "restore"))
      assert.isNull(Installation.againstMaking(seen, null, "setup"))
    }).pipe(Effect.scoped)
  )

  it.effect("is not treated as empty when it cannot be read", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const asked = {
        "a file in the place of the folder": path.join(yield* withFiles(["file"]), "file"),
        "a file on the way": path.join(yield* withFiles(["file"]), "file/data"),
        "a link to a volume that is not mounted": path.join(dataDir, "link"),
        "a folder below such a link": path.join(dataDir, "link/data")
      }
      yield* Effect.promise(() => fs.symlink("/nowhere/volume", path.join(dataDir, "link")))
      for (const [what, at] of Object.entries(asked)) {
        const refused = yield* Effect.flip(Installation.look(at))
        assert.strictEqual(refused._tag, "InstallationRefused", what)
        assert.include(refused.message, "nobody can say", what)
      }
    }).pipe(Effect.scoped)
  )

  it.effect("names an empty file of the identity, and one of a newer release", () =>
    Effect.gen(function* () {
      const dataDir = yield* folder
      const file = path.join(dataDir, Installation.FILE)
      for (const text of ["", "id: 12", "garbage"]) {
        yield* Effect.promise(() => fs.writeFile(file, text))
        assert.include((yield* Effect.flip(Installation.look(dataDir))).message, "`id:` with a UUID")
      }
      yield* Effect.promise(() => fs.writeFile(file, `id: ${OURS}\noldest_release: 987.0.0\n`))
      assert.include((yield* Effect.flip(Installation.look(dataDir))).message, "needs release 987.0.0 or newer")
    }).pipe(Effect.scoped)
  )
})

describe("A DATA_DIR with databases of others", () => {
  it("is not treated as used, where root keeps files that PostgreSQL cannot reach elsewhere", () => {
    assert.isTrue(isHomeOfOthers("/var/lib/switchyard", "0123456789ab"))
    assert.isFalse(isHomeOfOthers("/var/lib/switchyard", "repositories"))
    assert.isFalse(isHomeOfOthers("/srv/switchyard", "0123456789ab"))
  })
})

describe("A database that was found", () => {
  const seenWith = (own: string | null, traces: ReadonlyArray<string> = []): Installation.Seen => ({
    dataDir: "/data",
    identity: Option.map(Option.fromNullOr(own), (id) => ({ id, oldest: "0.2.0" })),
    traces,
    embedded: null
  })
  const named = (id: string): Installation.InDatabase => ({ kind: "named", id })
  const none: Installation.InDatabase = { kind: "none" }
  const unnamed: Installation.InDatabase = { kind: "unnamed" }

  const used: ReadonlyArray<readonly [string, Installation.Seen, string | null, Installation.InDatabase]> = [
    ["has our id", seenWith(OURS), null, named(OURS)],
    ["has the id that the settings name", seenWith(null), OURS, named(OURS)],
    ["has an id, and a replica joins with an empty folder", seenWith(null), null, named(OURS)],
    ["has an id, and a replica of before has none", seenWith(null, ["repositories"]), null, named(OURS)],
    ["is older than all ids", seenWith(null, ["repositories", "secret.key"]), null, unnamed]
  ]
  for (const [what, seen, setting, found] of used)
    it(`is used when it ${what}`, () => {
      for (const purpose of ["serve", "command"] as const)
        assert.deepStrictEqual(Installation.judge(seen, setting, found, purpose), Result.succeed("use"))
    })

  const refused: ReadonlyArray<readonly [string, Installation.Seen, string | null, Installation.InDatabase, string]> = [
    ["is of another installation", seenWith(OURS), null, named(OTHER), OTHER],
    ["is not that of the settings", seenWith(null), OURS, named(OTHER), "INSTALLATION_ID"],
    ["is ours, and the settings name another", seenWith(OURS), OTHER, named(OURS), "INSTALLATION_ID"],
    ["has no id and we have one", seenWith(OURS), null, unnamed, OURS],
    ["is empty and we have an id", seenWith(OURS), null, none, "The database is empty"],
    ["is empty and the settings name one", seenWith(null), OURS, none, "The database is empty"],
    ["is empty and we have files of one", seenWith(null, ["secret.key"]), null, none, "secret.key"]
  ]
  for (const [what, seen, setting, found, words] of refused)
    it(`is neither used nor filled when it ${what}`, () => {
      for (const purpose of ["serve", "command"] as const) {
        const verdict = Installation.judge(seen, setting, found, purpose)
        assert(Result.isFailure(verdict))
        assert.include(verdict.failure, words)
      }
    })

  it.effect("is empty when a first start was killed between the list of its migrations and their tables", () =>
    Effect.gen(function* () {
      const found = yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`create table switchyard_migrations (migration_id integer primary key)`
        return yield* Installation.inDatabase()
      }).pipe(Effect.provide(layerUrl(Redacted.make(yield* emptyDatabaseUrl))))
      assert.deepStrictEqual(found, none)
    }).pipe(Effect.scoped)
  )

  it("is filled by a new server, and by no command", () => {
    assert.deepStrictEqual(Installation.judge(seenWith(null), null, none, "serve"), Result.succeed("make"))
    assert.isTrue(Result.isFailure(Installation.judge(seenWith(null), null, none, "command")))
  })

  it("is recreated only if there is none", () => {
    assert.deepStrictEqual(Installation.judge(seenWith(OURS), null, none, "setup"), Result.succeed("make"))
    for (const found of [unnamed, named(OURS), named(OTHER)])
      assert.isTrue(Result.isFailure(Installation.judge(seenWith(OURS), null, found, "setup")))
  })
})
