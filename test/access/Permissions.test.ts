/** Reading `permissions.yml`: at the start, after changes, when it is invalid, and when it is deleted. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Permissions } from "../../src/access/Permissions.ts"
import { everybody, type Identity } from "../../src/domain/access/Identity.ts"
import { configOf } from "../support/ApiServer.ts"
import { keepLines } from "../support/LogLines.ts"
import { type RuleFolder, withRuleFile } from "./RuleFolder.ts"

const someone: Identity = { name: "indy", way: "jwt", person: "jwt: indy", roles: [], attributes: {} }

const withDefault = (role: string) => `config: { default_permissions: ${role} }\nroles: {}\n`

/** Runs with the roles of a folder. */
const inFolder = <A, E, R>(
  first: string | null,
  variables: Readonly<Record<string, string>>,
  run: (write: RuleFolder["write"]) => Effect.Effect<A, E, R>
) =>
  withRuleFile("permissions.yml", first, ({ DATA_DIR, write }) =>
    Effect.provide(run(write), Permissions.layer.pipe(Layer.provide(configOf({ DATA_DIR, ...variables }))))
  )

const rolesOf = (identity: Identity) =>
  Effect.gen(function* () {
    yield* TestClock.adjust("3 seconds")
    const held = yield* (yield* Permissions).heldBy(identity)
    return held === null ? "everything" : [...new Set(held.map(({ role }) => role))].join(" ")
  })

describe("permissions.yml", () => {
  it.effect("is reloaded when it changes, and stays in force when it becomes invalid or is deleted", () =>
    Effect.gen(function* () {
      const { lines, layer } = keepLines("Warn")
      const seen = inFolder(withDefault("reader"), {}, (write) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* rolesOf(someone), "reader")
          yield* write(withDefault("monitoring"))
          assert.strictEqual(yield* rolesOf(someone), "monitoring")
          for (const wrong of [
            "roles: [",
            "",
            withDefault("nobody"),
            "roles: { a: { permissions: [{ method: [GET] }] } }"
          ]) {
            yield* write(wrong)
            assert.strictEqual(yield* rolesOf(someone), "monitoring")
          }
          yield* write(null)
          assert.strictEqual(yield* rolesOf(someone), "monitoring")
          yield* write(withDefault("operator"))
          assert.strictEqual(yield* rolesOf(someone), "operator")
        })
      )
      yield* Effect.provide(seen, layer)
      const said = lines.filter(({ text }) => text.includes("stay in force"))
      assert.strictEqual(said.length, 5, JSON.stringify(said))
    })
  )

  it.effect("stops the start if it is invalid, and permits everything if it is missing or switched off", () =>
    Effect.gen(function* () {
      const failed = yield* Effect.flip(inFolder("roles: 5", {}, () => rolesOf(someone)))
      assert.include(String(failed), "cannot be used")
      assert.strictEqual(yield* inFolder(null, {}, () => rolesOf(someone)), "everything")
      const off = { PERMISSIONS_DISABLED: "true" }
      assert.strictEqual(yield* inFolder(withDefault("reader"), off, () => rolesOf(someone)), "everything")
      assert.strictEqual(yield* inFolder("roles: 5", off, () => rolesOf(someone)), "everything")
      assert.strictEqual(yield* inFolder(withDefault("reader"), {}, () => rolesOf(everybody)), "everything")
    })
  )

  it.effect("stops the start if it is a dangling link, because the site wants roles", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const DATA_DIR = yield* files.makeTempDirectoryScoped()
      yield* files.symlink(`${DATA_DIR}/not-mounted.yml`, `${DATA_DIR}/permissions.yml`)
      const started = Effect.provide(rolesOf(someone), Permissions.layer.pipe(Layer.provide(configOf({ DATA_DIR }))))
      assert.strictEqual((yield* Effect.flip(started))._tag, "RulesUnusable")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("combines the default roles with those by attribute and by way of sign-on", () =>
    Effect.gen(function* () {
      const text = `${withDefault("reader")}group_mappings: { groups: { netops: [operator] } }\n`
      const member = { ...someone, attributes: { groups: ["guests", "netops"] }, roles: ["monitoring", "unheard"] }
      assert.strictEqual(yield* inFolder(text, {}, () => rolesOf(member)), "reader operator monitoring")
      assert.strictEqual(yield* inFolder("roles: {}", {}, () => rolesOf(someone)), "")
    })
  )
})

describe("A new installation without permissions.yml", () => {
  it.effect("permits only what users and tokens were given, and reads the file as soon as it exists", () =>
    inFolder(null, { SECURE_DEFAULTS: "true" }, (write) =>
      Effect.gen(function* () {
        const { noRole, remark, rules } = yield* Permissions
        assert.strictEqual(yield* rolesOf(someone), "")
        assert.include(yield* noRole, "switchyard setup")
        assert.strictEqual(yield* rolesOf({ ...someone, roles: ["reader"] }), "reader")
        assert.strictEqual(yield* rolesOf({ ...someone, way: "token", roles: ["dhcp-hook"] }), "dhcp-hook")
        assert.strictEqual(yield* rolesOf(everybody), "everything")
        assert.isNotNull(yield* rules)
        assert.isNull(yield* remark)
        yield* write(withDefault("monitoring"))
        assert.strictEqual(yield* rolesOf(someone), "monitoring")
        assert.strictEqual(yield* noRole, "you have no role")
      })
    )
  )

  it.effect("permits everything to all callers only if the site says so", () =>
    Effect.gen(function* () {
      const all = { SECURE_DEFAULTS: "true", PERMISSIONS_DISABLED: "true" }
      assert.strictEqual(yield* inFolder(null, all, () => rolesOf(someone)), "everything")
      assert.strictEqual(yield* inFolder(null, {}, () => rolesOf(someone)), "everything")
    })
  )
})
