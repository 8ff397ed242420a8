/** Which login is tried first, and how often a device that refuses is asked again (docs/security.md#changing-passwords). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { credentialsOf, inOrder, usersIn } from "../../src/devices/Logins.ts"
import * as DeviceConnection from "../../src/devices/DeviceConnection.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"
import { junos } from "../../src/domain/platforms/junos/Platform.ts"
import { ServerConfig } from "../../src/ServerConfig.ts"
import { serverView } from "../../src/http/settings/SettingsHandlers.ts"

const settings = (variables: Readonly<Record<string, string>>) =>
  Effect.runSync(Effect.provide(ServerConfig, ServerConfig.layerOf(variables)))

const both = settings({
  USERNAME_MANAGED: "noc",
  PASSWORD_MANAGED: "one",
  PASSWORD_MANAGED_NEXT: "two",
  USERNAME_INIT: "noc",
  PASSWORD_INIT: "zero",
  PASSWORD_INIT_NEXT: "two"
})
const managed = credentialsOf(both, "MANAGED")

const accepted = (state: "MANAGED" | "INIT", slot: "current" | "next", accepted_at: number) =>
  Option.some({ device_id: 1, state, slot, accepted_at })

const order = (...given: Parameters<typeof inOrder>) => inOrder(...given).logins.map(({ slot }) => slot)

describe("logins while they are changed", () => {
  it("are the current one only, if the settings give no next one, an empty one or the same one", () => {
    const current = { USERNAME_MANAGED: "noc", PASSWORD_MANAGED: "one" }
    for (const next of [
      {},
      { PASSWORD_MANAGED_NEXT: "" },
      { USERNAME_MANAGED_NEXT: "noc", PASSWORD_MANAGED_NEXT: "one" }
    ])
      expect(credentialsOf(settings({ ...current, ...next }), "MANAGED")).toHaveLength(1)
  })

  it("never appear in output", () => {
    const secret = settings({ USERNAME_MANAGED: "noc", PASSWORD_MANAGED: "hidden1", PASSWORD_MANAGED_NEXT: "hidden2" })
    expect(JSON.stringify([serverView(secret), secret, [...secret.nextLogins]])).not.toMatch(/hidden/)
  })

  it("keep the name when only the password changes, and the password when only the name does", () => {
    expect(managed.map(({ password, username }) => [username, Redacted.value(password)])).toEqual([
      ["noc", "one"],
      ["noc", "two"]
    ])
    const renamed = settings({ USERNAME_MANAGED: "noc", PASSWORD_MANAGED: "one", USERNAME_MANAGED_NEXT: "net" })
    expect(credentialsOf(renamed, "MANAGED").map(({ username }) => username)).toEqual(["noc", "net"])
  })

  it("begin with the current one, then with the one that was accepted last", () => {
    expect(order(both, managed, Option.none(), null)).toEqual(["current", "next"])
    expect(order(both, managed, accepted("MANAGED", "next", 5), null)).toEqual(["next", "current"])
  })

  it("begin with the one that was accepted in another state, if it is the same", () => {
    expect(order(both, managed, accepted("INIT", "next", 5), null)).toEqual(["next", "current"])
    expect(order(both, managed, accepted("INIT", "current", 5), null)).toEqual(["current", "next"])
  })

  it("begin with the other one after a commit that has replaced it, until one was accepted", () => {
    const replaced = { users: new Set(["noc"]), at: 10 }
    expect(order(both, managed, accepted("MANAGED", "current", 5), replaced)).toEqual(["next", "current"])
    expect(order(both, managed, accepted("MANAGED", "next", 12), replaced)).toEqual(["next", "current"])
    expect(order(both, managed, accepted("MANAGED", "current", 5), { users: new Set(["eve"]), at: 10 })).toEqual([
      "current",
      "next"
    ])
  })

  it("are found in the added lines of a diff", () => {
    const diff =
      "@@ -1 +1 @@\n-username old secret x\n+username noc privilege 15 secret sha512 y\n+username eve ssh-key z\n vlan 5"
    expect([...usersIn(eos, "", diff)]).toEqual(["noc"])
    expect(usersIn({ ...eos, loginLine: null }, "", diff).size).toBe(0)
    expect(usersIn(eos, "", null).size).toBe(0)
  })

  it("are found in braces by the candidate, because no line has both the user and the secret", () => {
    const secret = 'encrypted-password "$6$salt$new";'
    const candidate = `system { login { user noc { authentication { ${secret} } } user eve { class operator; } } }`
    expect([
      ...usersIn(junos, candidate, `@@ -1 +1 @@\n-    encrypted-password "$6$salt$old";\n+    ${secret}`)
    ]).toEqual(["noc"])
    expect(usersIn(junos, candidate, "+    class operator;").size).toBe(0)
  })
})

describe("a device that refuses its logins", () => {
  it("is asked twice, then after pauses that double", () => {
    const refusals = DeviceConnection.makeRefusals()
    refusals.refused(0)
    expect(refusals.mayTry(0)).toBe(true)
    refusals.refused(0)
    expect([9_000, 10_000].map(refusals.mayTry)).toEqual([false, true])
    refusals.refused(10_000)
    expect([29_000, 30_000].map(refusals.mayTry)).toEqual([false, true])
    refusals.accepted()
    expect(refusals.mayTry(0)).toBe(true)
  })

  it("is not asked until its commit timer has taken the change back, and then asked anew", () => {
    const refusals = DeviceConnection.makeRefusals()
    refusals.rollsBackAt(300_000)
    refusals.refused(0)
    refusals.refused(2_000)
    expect([60_000, 301_000, 302_000].map(refusals.mayTry)).toEqual([false, false, true])
    expect(refusals.isRetry()).toBe(false)
  })
})
