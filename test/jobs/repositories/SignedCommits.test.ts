/** Refreshes of repositories whose commits must be signed, with real keys. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, References, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { ChangeWindows } from "../../../src/access/ChangeWindows.ts"
import { Permissions } from "../../../src/access/Permissions.ts"
import { RepositoryCopies } from "../../../src/jobs/repositories/CheckedCommit.ts"
import { RepositoryUpdate } from "../../../src/jobs/repositories/RepositoryUpdate.ts"
import { startLayer } from "../../../src/jobs/repositories/Signatures.ts"
import { notAccepted } from "../../../src/jobs/requests/SignedCommits.ts"
import { PluginRegistry } from "../../../src/plugins/PluginRegistry.ts"
import { ServerConfig } from "../../../src/ServerConfig.ts"
import { ActiveSettings } from "../../../src/settings/ActiveSettings.ts"
import { RepositoryStore } from "../../../src/store/RepositoryStore.ts"
import { ActiveTemplates } from "../../../src/templates/ActiveTemplates.ts"
import { CandidateConfigs } from "../../../src/templates/CandidateConfigs.ts"
import { Renderer } from "../../../src/templates/Renderer.ts"
import { UndefinedPrints } from "../../../src/templates/UndefinedPrints.ts"
import { gitIn } from "../../git/gitRemote.ts"
import { has, type Signer, signedCommit, sshSigner } from "../../git/signers.ts"
import * as Campus from "../../support/Campus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { storesOn } from "../../support/TestStores.ts"

type Folders = Effect.Success<typeof Campus.makeFolders>
type Variables = Readonly<Record<string, string>>

const layers = storesOn(TestDatabase).pipe(Layer.provideMerge(NodeServices.layer))

/** The server's part that refreshes, with these settings. */
const serverWith = (variables: Variables, { folder, settings, templates }: Folders) => {
  const config = ServerConfig.layerOf({
    DATA_DIR: path.join(folder, "data"),
    GITREPO_SETTINGS: settings.folder,
    GITREPO_TEMPLATES: templates.folder,
    ...variables
  })
  return RepositoryUpdate.layer.pipe(
    Layer.provide(RepositoryCopies.layer),
    Layer.provide([ChangeWindows.layer, Permissions.layer]),
    Layer.provide(CandidateConfigs.layer),
    Layer.provide(UndefinedPrints.layer),
    Layer.provide([ActiveTemplates.layer, PluginRegistry.layer]),
    Layer.provideMerge(ActiveSettings.layer),
    Layer.provide(Renderer.layer),
    Layer.provide(startLayer),
    Layer.provideMerge(config),
    Layer.fresh,
    Layer.build
  )
}

type Refresh = { readonly confirm?: string }

interface Site {
  readonly folders: Folders
  /** In folders that no repository contains. */
  readonly allow: (...signers: ReadonlyArray<Signer>) => string
  readonly keys: string
}

const withSite = <A, E>(body: (site: Site) => Effect.Effect<A, E, Layer.Success<typeof layers> | Scope.Scope>) =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFolders
    const keys = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(path.join(tmpdir(), "switchyard-keys-"))),
      (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
    )
    const allow = (...signers: ReadonlyArray<Signer>) => {
      const file = path.join(keys, "allowed")
      writeFileSync(file, signers.map(({ allowed }) => allowed).join(""))
      return file
    }
    return yield* body({ folders, allow, keys })
  }).pipe(Effect.scoped, Effect.provide(layers), Effect.provideService(References.MinimumLogLevel, "Error"))

const refreshOf =
  (services: Effect.Success<ReturnType<typeof serverWith>>) =>
  (name: "settings" | "templates", options: Refresh = {}) =>
    Effect.provideContext(
      Effect.flatMap(RepositoryUpdate, (updates) => updates.update(name, { by: "jane", jobId: 1, ...options })),
      services
    )

const inForce = (name: "settings" | "templates") =>
  Effect.flatMap(RepositoryStore, (store) => Effect.map(store.commitOf(name, ""), Option.getOrNull))

const withSsh = it.live.skipIf(!has("ssh-keygen"))

withSsh(
  "puts a signed commit in force, and neither an unsigned nor a foreign one, nor what an attacker pushes again",
  () =>
    withSite(({ allow, folders, keys }) =>
      Effect.gen(function* () {
        const git = gitIn(folders.settings.folder)
        const sam = sshSigner(keys, "sam@lindhaven.example")
        const mallory = sshSigner(keys, "sam@lindhaven.example")
        const file = allow(sam)
        const services = yield* serverWith({ SETTINGS_SIGNATURES: "require", SETTINGS_ALLOWED_SIGNERS: file }, folders)
        const refresh = refreshOf(services)

        const unsigned = git("rev-parse", "HEAD")
        const first = yield* Effect.flip(refresh("settings"))
        assert.deepInclude(first, {
          status: 400,
          commit: unsigned,
          message: `Commit ${unsigned.slice(0, 12)} of the settings by Jane Doe is not signed, and signatures are required`
        })
        assert.isNull(yield* inForce("settings"))

        const one = signedCommit(git, sam)
        yield* refresh("settings")
        assert.strictEqual(yield* inForce("settings"), one)
        const store = yield* RepositoryStore
        assert.deepInclude((yield* store.signatures([one])).get(one), {
          state: "signed",
          signer: "sam@lindhaven.example",
          key: sam.fingerprint
        })

        signedCommit(git, mallory)
        const foreign = yield* Effect.flip(refresh("settings"))
        assert.match(foreign.message, /is signed by key SHA256:\S+, which is not among the allowed signers/)
        assert.strictEqual(yield* inForce("settings"), one)

        const two = signedCommit(git, sam)
        yield* refresh("settings")
        assert.strictEqual(yield* inForce("settings"), two)

        // a merge of a signed branch, without a signature of its own
        git("checkout", "-q", "-b", "side", one)
        signedCommit(git, sam)
        git("checkout", "-q", "main")
        git("merge", "-q", "--no-ff", "-m", "Merge side", "side")
        assert.match((yield* Effect.flip(refresh("settings"))).message, /is not signed/)

        // a force-push back to an older commit that is signed
        git("reset", "-q", "--hard", one)
        const back = yield* Effect.flip(refresh("settings"))
        assert.deepInclude(back, { _tag: "RefreshRefused", status: 409 })
        assert.include(back.message, "is not in the history of this commit")
        assert.strictEqual(yield* inForce("settings"), two)
        yield* refresh("settings", { confirm: one })
        assert.strictEqual(yield* inForce("settings"), one)
      })
    )
)

withSsh("refuses a branch of the templates that a group uses when nobody allowed has signed it", () =>
  withSite(({ allow, folders, keys }) =>
    Effect.gen(function* () {
      const sam = sshSigner(keys, "sam@lindhaven.example")
      const templates = gitIn(folders.templates.folder)
      templates("branch", "next")
      const signed = signedCommit(templates, sam)
      const variables = { TEMPLATES_SIGNATURES: "require", TEMPLATES_ALLOWED_SIGNERS: allow(sam) }
      const refresh = refreshOf(yield* serverWith(variables, folders))
      yield* refresh("templates")
      assert.strictEqual(yield* inForce("templates"), signed)
      yield* folders.settings.commit({
        "global/groups.yml":
          "---\ngroups:\n  - group: { name: EAST_WING, regex: 'east-', group_priority: 100, templates_branch: next }\n"
      })
      const refused = yield* Effect.flip(refresh("settings"))
      assert.match(refused.message, /of the templates, branch next, by .* is not signed, and signatures are required/)
      assert.isNull(yield* inForce("settings"))
      templates("checkout", "-q", "next")
      signedCommit(templates, sam)
      templates("checkout", "-q", "main")
      yield* refresh("templates")
      yield* refresh("settings")
      assert.isNotNull(yield* inForce("settings"))
    })
  )
)

withSsh("only warns about an unsigned commit with warn, and pushes nothing of it once signatures are required", () =>
  withSite(({ allow, folders, keys }) =>
    Effect.gen(function* () {
      const sam = sshSigner(keys, "sam@lindhaven.example")
      const file = allow(sam)
      const variables = { SETTINGS_SIGNATURES: "warn", SETTINGS_ALLOWED_SIGNERS: file }
      const warned = yield* refreshOf(yield* serverWith(variables, folders))("settings")
      assert.match(warned.warnings[0]?.message ?? "", /^Commit \w{12} of the settings by Jane Doe is not signed$/)
      const services = yield* serverWith({ ...variables, SETTINGS_SIGNATURES: "require" }, folders)
      const reason = () => Effect.provideContext(notAccepted, services)
      assert.match(
        Option.getOrElse(yield* reason(), () => ""),
        /^Signatures are required, and no allowed signer has signed what is in force: settings \w{12}\./
      )
      signedCommit(gitIn(folders.settings.folder), sam)
      yield* refreshOf(services)("settings")
      assert.isTrue(Option.isNone(yield* reason()))
      // a restored backup brings commits that this server has not verified
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into restore (backup_of, release) values (now(), '0')`
      assert.isTrue(Option.isSome(yield* reason()))
    })
  )
)

const wrong: ReadonlyArray<readonly [what: string, fileOf: (site: Site) => string | undefined, sentence: RegExp]> = [
  ["no file", () => undefined, /^SETTINGS_SIGNATURES is require, and SETTINGS_ALLOWED_SIGNERS is not set$/],
  ["a missing file", ({ keys }) => path.join(keys, "nothing"), /which cannot be used: it cannot be read \(/],
  [
    "a malformed file",
    ({ keys }) => {
      writeFileSync(path.join(keys, "bad"), "sam@lindhaven.example\n")
      return path.join(keys, "bad")
    },
    /which cannot be used: line 1: no SSH key/
  ],
  [
    "a file in the repository",
    ({ folders }) => path.join(folders.settings.folder, "allowed"),
    /which is inside a repository: whoever may push there would choose who may sign\. Put it elsewhere$/
  ],
  [
    "a file in the server's copy of a repository",
    ({ folders }) => {
      const copy = path.join(folders.folder, "data", "repositories", "settings")
      mkdirSync(copy, { recursive: true })
      return path.join(copy, "allowed")
    },
    /which is inside a repository/
  ]
]

for (const [what, fileOf, sentence] of wrong)
  it.live(`does not start with ${what}`, () =>
    withSite((site) =>
      Effect.gen(function* () {
        const file = fileOf(site)
        const variables = {
          SETTINGS_SIGNATURES: "require",
          ...(file === undefined ? {} : { SETTINGS_ALLOWED_SIGNERS: file })
        }
        const error: unknown = yield* Effect.flip(serverWith(variables, site.folders))
        assert.match(error instanceof Error ? error.message : String(error), sentence)
      })
    )
  )
