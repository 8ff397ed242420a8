/** Secret settings from files (docs/security.md#where-secrets-come-from). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { childEnvironment, isStorable, withFiles, withStored } from "../../src/runtime/SecretSources.ts"
import { open, seal, sealingKey } from "../../src/runtime/SecretKey.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"

const fileWith = (text: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), "switchyard-secrets-"))
      await fs.writeFile(path.join(folder, "secret"), text)
      return path.join(folder, "secret")
    }),
    (file) => Effect.promise(() => fs.rm(path.dirname(file), { recursive: true, force: true }))
  )

const settings = (environment: Readonly<Record<string, string>>) =>
  Effect.provide(ServerConfig, ServerConfig.layerOf(environment), { local: true })

describe("A secret setting", () => {
  it.effect("is read from the file that its variable names, without the line break at its end", () =>
    Effect.gen(function* () {
      const file = yield* fileWith(" hunter2 two\n")
      const { logins, templateSecrets } = yield* settings({
        USERNAME_MANAGED: "admin",
        PASSWORD_MANAGED_FILE: file,
        TEMPLATE_SECRET_SNMP_FILE: file
      })
      const login = logins.get("MANAGED")
      assert.strictEqual(login === undefined ? undefined : Redacted.value(login.password), " hunter2 two")
      assert.deepStrictEqual([...templateSecrets.keys()], ["TEMPLATE_SECRET_SNMP"])
    })
  )

  it.effect("that names a credential of the service is read from the credentials that this unit was given", () =>
    Effect.gen(function* () {
      const file = yield* fileWith("hunter2\n")
      const named = "/run/credentials/switchyard.service/secret"
      const found = yield* withFiles({ PASSWORD_MANAGED_FILE: named, CREDENTIALS_DIRECTORY: path.dirname(file) })
      assert.strictEqual(found["PASSWORD_MANAGED"], "hunter2")
      const outside = yield* Effect.flip(withFiles({ PASSWORD_MANAGED_FILE: named }))
      assert.include(outside.message, "cannot be read")
    })
  )

  it.effect("stops the start with the name of its variable if the file cannot be read, or if it is given twice", () =>
    Effect.gen(function* () {
      const unread = yield* Effect.exit(settings({ PASSWORD_MANAGED_FILE: "/nowhere/hunter2" }))
      assert.isTrue(Exit.isFailure(unread))
      assert.include(JSON.stringify(unread), "PASSWORD_MANAGED_FILE: the file cannot be read (ENOENT)")
      const twice = yield* Effect.exit(settings({ SECRET_KEY_FILE: "/some/file", SECRET_KEY: "x".repeat(32) }))
      assert.include(JSON.stringify(twice), "SECRET_KEY and SECRET_KEY_FILE are both set")
      assert.notInclude(JSON.stringify(twice), "x".repeat(32))
    })
  )

  it("may be stored in the database unless it is needed earlier, and has lower priority than a given one", () => {
    assert.isTrue(
      ["PASSWORD_MANAGED", "TEMPLATE_SECRET_X", "GITREPO_SETTINGS", "PLUGIN_SECRET_NAV", "ALERT_SECRET_NOC"].every(
        isStorable
      )
    )
    assert.isFalse(["SECRET_KEY", "DATABASE_URL", "HOST", "PASSWORD_", "PASSWORD_MANAGED_FILE"].some(isStorable))
    const stored = new Map([
      ["PASSWORD_MANAGED", "stored"],
      ["PASSWORD_INIT", "stored"],
      ["PASSWORD_DISCOVERED", "stored"]
    ])
    assert.deepStrictEqual(withStored({ PASSWORD_MANAGED: "given", PASSWORD_INIT_FILE: "/f" }, stored), {
      PASSWORD_MANAGED: "given",
      PASSWORD_INIT_FILE: "/f",
      PASSWORD_DISCOVERED: "stored"
    })
  })
})

describe("A sealed text", () => {
  const key = sealingKey(Redacted.make(Buffer.alloc(32, 1)))
  const next = sealingKey(Redacted.make(Buffer.alloc(32, 2)))

  it("is opened by its key only, and not after an alteration", () => {
    const sealed = seal(key, "hostname sw1 ✓")
    assert.notInclude(sealed, "sw1")
    assert.notStrictEqual(seal(key, "hostname sw1 ✓"), sealed)
    assert.deepInclude(open([next, key], sealed), { value: "hostname sw1 ✓" })
    assert.deepInclude(open([next], sealed), { _tag: "None" })
    const other = sealed.at(40) === "A" ? "B" : "A"
    assert.deepInclude(open([key], sealed.slice(0, 40) + other + sealed.slice(41)), { _tag: "None" })
    assert.deepInclude(open([key], "hostname sw1"), { value: "hostname sw1" })
  })
})

describe("The environment of a program that the server starts", () => {
  it("contains none of the server's settings", () => {
    const environment = {
      PATH: "/bin",
      HOME: "/root",
      PASSWORD_MANAGED: "x",
      SSH_AUTH_SOCK: "/s",
      SECRET_KEY: "y",
      GIT_DIR: "/d"
    }
    assert.deepStrictEqual(childEnvironment(environment, { network: false }), { PATH: "/bin", HOME: "/root" })
    assert.deepStrictEqual(Object.keys(childEnvironment(environment, { network: true })), [
      "PATH",
      "HOME",
      "SSH_AUTH_SOCK"
    ])
  })
})
