/** Texts that are stored once: what is packed comes back, and an earlier release takes a reference for what it cannot open. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { open, pack, seal, sealingKey, unpack } from "../../src/runtime/SecretKey.ts"
import { REFERENCE } from "../../src/store/SecretStore.ts"

describe("packed texts", () => {
  it.each(["", "hostname acc-1\n", "description für Größe ✓ \u0000\n", "interface Ethernet1\n".repeat(5000)])(
    "are restored exactly (%#)",
    (text) => assert.strictEqual(unpack(pack(text)), text)
  )
  it("are distinguished from plain texts", () => assert.strictEqual(unpack("hostname acc-1\n"), "hostname acc-1\n"))
  it("are small", () => assert.isBelow(pack("interface Ethernet1\n".repeat(5000)).length, 1000))
})

describe("a reference to a stored text", () => {
  it("is a text under another key for an earlier release, which gives it to no switch", () => {
    const key = sealingKey(Redacted.make(new Uint8Array(32)))
    assert.isTrue(Option.isSome(open([key], seal(key, "hostname acc-1"))))
    assert.isTrue(Option.isNone(open([key], `${REFERENCE}vrpa2XGLqUjVGAh3MvvPeg7vPWrEVsU0`)))
  })
})
