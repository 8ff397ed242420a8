/** Questions of AAA servers at a login, in their words and against a simulated switch (docs/security.md#accounts-of-tacacs-and-radius). */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { answersTo, demandsNewPassword } from "../../../src/drivers/ssh/Authentication.ts"
import { makeOneSwitch } from "../eos/OneSwitchLab.ts"

const login = { username: "noc", password: "pw" }
const asked = (prompt: string, echo = false, instructions = "") => answersTo(login, instructions, [{ prompt, echo }])

describe("a question at the login", () => {
  it.each([
    ["Password: ", false, "pw"],
    ["Password for noc@example: ", false, "pw"],
    ["Passwort: ", false, "pw"],
    ["admin@new-york1's password: ", false, "pw"],
    ["Enter your key: ", false, "pw"],
    ["Enter PASSCODE: ", false, "pw"],
    ["Password: ", true, "pw"],
    ["Username: ", true, "noc"],
    ["sw1 login: ", true, "noc"],
    ["Press return to continue", true, ""]
  ])("%j (shown: %s) is answered", (prompt, echo, answer) => {
    expect(asked(prompt, echo)).toEqual(Result.succeed([answer]))
  })

  it.each([
    ["Verification code: ", false],
    ["Enter your token: ", true],
    ["Colour of the sky? ", true]
  ])("%j (shown: %s) is not answered, with an error", (prompt, echo) => {
    expect(asked(prompt, echo)).toEqual(
      Result.fail(`the login is asked "${prompt.trim()}", for which there is no answer`)
    )
  })

  it.each(["New password: ", "(current) UNIX password: ", "Retype new password: "])(
    "%j is a demand for a new password",
    (prompt) => {
      expect(Result.isFailure(asked(prompt))).toBe(true)
      expect(demandsNewPassword(prompt.replace("Retype new", "New"))).toBe(true)
    }
  )

  it("is a demand if the words above it say so", () => {
    expect(Result.getFailure(asked("Password: ", false, "Your password has expired"))).toMatchObject({
      value: expect.stringContaining("demands a new password for noc")
    })
    expect(demandsNewPassword("acc1#")).toBe(false)
  })
})

describe("a login by the site's own means", () => {
  for (const loginAsks of ["nameAndPassword", "passcode"] as const) {
    it.live(`is accepted by a switch that asks for ${loginAsks}`, () =>
      Effect.gen(function* () {
        const { device, driver, target } = yield* makeOneSwitch({ quirks: { loginAsks } })
        yield* driver.open(target)
        expect(device.logins().map(({ accepted }) => accepted)).toEqual([true])
      }).pipe(Effect.scoped)
    )
  }

  const refusals = [
    ["code", "keyboard-interactive", /asked "Verification code:"/],
    ["newPassword", "keyboard-interactive", /demands a new password for admin/],
    ["newPassword", "password", /demands a new password for admin/]
  ] as const
  for (const [loginAsks, authentication, says] of refusals) {
    it.live(`is named when a switch asks by ${authentication} for ${loginAsks}`, () =>
      Effect.gen(function* () {
        const { driver, target } = yield* makeOneSwitch({ authentication, quirks: { loginAsks } })
        const error = yield* Effect.flip(driver.open(target))
        expect(error).toMatchObject({ _tag: "ConnectAuthError", known: true })
        expect(error.message).toMatch(says)
      }).pipe(Effect.scoped)
    )
  }
})
