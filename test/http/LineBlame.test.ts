/** Where lines of configurations come from, from real repositories, templates and keys. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { CommitSignature } from "../../src/domain/CommitSignature.ts"
import { gitIn } from "../git/gitRemote.ts"
import { has, sshSigner } from "../git/signers.ts"
import { setScene } from "../scenarios/conformance/Scene.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"
import { ApiSite } from "../support/ApiSite.ts"

const Origins = Schema.Struct({
  data: Schema.Struct({
    lines: Schema.Array(
      Schema.Struct({
        line: Schema.Int,
        text: Schema.String,
        template: Schema.NullOr(Schema.Struct({ file: Schema.String, commit: Schema.NullOr(Schema.String) })),
        settings: Schema.Array(
          Schema.Struct({
            name: Schema.String,
            file: Schema.String,
            line: Schema.NullOr(Schema.Int),
            commit: Schema.NullOr(Schema.String)
          })
        )
      })
    ),
    commits: Schema.Array(
      Schema.Struct({
        repository: Schema.String,
        commit: Schema.String,
        author: Schema.String,
        signature: Schema.NullOr(CommitSignature)
      })
    )
  })
})

const Lines = Schema.Struct({
  data: Schema.Struct({ lines: Schema.Array(Schema.Struct({ hostname: Schema.String, text: Schema.String })) })
})

const BASE = "global/base_system.yml"

const keys = mkdtempSync(path.join(tmpdir(), "switchyard-keys-"))
const sam = has("ssh-keygen") ? sshSigner(keys, "sam@lindhaven.example") : undefined
writeFileSync(path.join(keys, "allowed"), sam?.allowed ?? "")
const variables =
  sam === undefined
    ? {}
    : { SETTINGS_SIGNATURES: "warn", SETTINGS_ALLOWED_SIGNERS: path.join(keys, "allowed"), TEMPLATES_SIGNATURES: "off" }

const Site = SiteServer(variables).pipe(
  Layer.provideMerge(
    Layer.effectDiscard(
      Effect.acquireRelease(Effect.void, () => Effect.sync(() => rmSync(keys, { recursive: true, force: true })))
    )
  )
)

const originsOf = (path: string) =>
  Effect.gen(function* () {
    const { body, status } = yield* (yield* ApiClient).get(path)
    assert.strictEqual(status, 200, JSON.stringify(body))
    return Schema.decodeUnknownSync(Origins)(body).data
  })

layer(Site)("A line of a configuration", (it) => {
  it.effect("names its template, its setting and their commits, and the setting names the line", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      yield* setScene([])
      const { commits, lines } = yield* originsOf("/device/east-a1/blame")
      const found = lines.find(({ text }) => text.startsWith("ntp server 10.255.0.1"))
      assert.isDefined(found, lines.map(({ text }) => text).join("\n"))
      const setting = found?.settings.find(({ name }) => name === "ntp_servers")
      assert.deepInclude(setting, { file: BASE, line: 3 })
      assert.match(found?.template?.file ?? "", /^eos\/.*\.j2$/)
      const writers = commits.filter(({ commit }) =>
        [setting?.commit, found?.template?.commit].some((one) => one === commit)
      )
      assert.deepStrictEqual(writers.map(({ author, repository }) => `${repository} ${author}`).toSorted(), [
        "settings Jane Doe",
        "templates Jane Doe"
      ])
      const one = yield* originsOf(`/device/east-a1/blame?line=${found?.line ?? 0}`)
      assert.deepStrictEqual(
        one.lines.map(({ text }) => text),
        [found?.text ?? ""]
      )
      const back = yield* api.get(`/repository/settings/lines?path=${BASE}&line=3`)
      const given = Schema.decodeUnknownSync(Lines)(back.body).data.lines
      assert.isTrue(given.some(({ hostname, text }) => hostname === "east-a1" && text === found?.text))
      for (const line of ["0", "-1", "x"])
        assert.strictEqual((yield* api.get(`/device/east-a1/blame?line=${line}`)).status, 400)
      assert.strictEqual((yield* api.get("/device/east-a1/blame?of=walking")).status, 400)
      // no proof has seen this switch
      const unseen = yield* api.get("/device/east-a1/blame?of=running")
      assert.strictEqual(unseen.status, 404)
      assert.include(unseen.text, "No proof has seen what east-a1 runs yet")
    })
  )

  it.effect.skipIf(sam === undefined)("names who signed the commit of its setting, or that nobody did", () =>
    Effect.gen(function* () {
      const api = yield* ApiClient
      const { folders } = yield* ApiSite
      yield* setScene([])
      const { commits } = yield* originsOf("/device/east-a1/blame")
      const states = commits.map(({ repository, signature }) => `${repository} ${signature?.state ?? "not verified"}`)
      assert.deepStrictEqual([...new Set(states)].toSorted(), ["settings unsigned", "templates not verified"])
      const { folder } = folders.settings
      const text = readFileSync(path.join(folder, BASE), "utf8")
      writeFileSync(path.join(folder, BASE), text.replace("10.255.0.1", "10.255.0.7"))
      gitIn(folder)(...(sam?.config ?? []), "commit", "--quiet", "-a", "-S", "--message", "Another clock")
      assert.strictEqual((yield* api.put("/repository/settings", { action: "REFRESH" })).status, 200)
      const now = yield* originsOf("/device/east-a1/blame")
      const found = now.lines.find(({ text }) => text.startsWith("ntp server 10.255.0.7"))
      const setting = found?.settings.find(({ name }) => name === "ntp_servers")
      const writer = now.commits.find(({ commit }) => commit === setting?.commit)
      assert.deepInclude(writer?.signature, { state: "signed", signer: "sam@lindhaven.example" })
    })
  )
})
