/** Secrets in the form `$9$` are read, and compared by what they say. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { readObscured } from "../../../src/drivers/junos/ObscuredSecret.ts"
import { obscured } from "./Obscured.ts"

const Secret = Schema.String.check(Schema.isPattern(/^[\x20-\x7e]{1,40}$/))

describe("a secret in the form $9$", () => {
  it.each([
    ["$9$LbHX-wg4Z", "lc"],
    ["$9$NidwgaJUmPT1RLx7NsYg4aUkmTznuBRxNiq.PzF", "iBGP-PASSWORD"]
  ])("%s is read as others publish it", (text, secret) => {
    expect(readObscured(text)).toBe(secret)
  })

  it.each([
    ["a clear one", "wonder"],
    ["a hash of type 9 of another platform", "$9$2MJBozw/9R3UsU$2lFhcKvpghcyw8deP25GOfyZaagyUOGBymkryvOdfo6"],
    ["a hash", "$6$salt$hash"],
    ["no characters", "$9$"],
    ["a salt alone", "$9$Qzz"],
    ["an end that is cut off", "$9$LbHX-wg4"],
    ["other characters", "$9$LbHX wg4Z"]
  ])("is not %s", (_, text) => {
    expect(readObscured(text)).toBeUndefined()
  })

  it.prop(
    "says the same with each salt, and another secret says something else",
    { secret: Secret, other: Secret, salt: Schema.Int, otherSalt: Schema.Int },
    ({ other, otherSalt, salt, secret }) => {
      expect(readObscured(obscured(secret, salt))).toBe(secret)
      expect(readObscured(obscured(secret, otherSalt))).toBe(secret)
      if (other !== secret) expect(readObscured(obscured(other, salt))).not.toBe(secret)
    }
  )
})
