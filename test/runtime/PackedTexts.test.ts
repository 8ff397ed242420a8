/** Texts that are stored once: what is packed comes back, and an earlier release takes a reference for what it cannot open. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted } from "effect"
import { open, pack, seal, sealingKey, unpack } from "../../src/runtime/SecretKey.ts"
import { REFERENCE } from "../../src/store/SecretStore.ts"

describe("packed texts", () => {
  it.each(["", "hostname acc-1\n", "description für Größe ✓ \u0000\n", "interface Ethernet1\n".repeat(5000)])(
    "come back as they were (%#)",
    (text) => assert.strictEqual(unpack(pack(text)), text)
  )
  it("are told from texts that are not", () => assert.strictEqual(unpack("hostname acc-1\n"), "hostname acc-1\n"))
  it("are small", () => assert.isBelow(pack("interface Ethernet1\n".repeat(5000)).length, 1000))
})

describe("a reference to a stored text", () => {
  it("is for an earlier release a text under another key, which it gives to no switch", () => {
    const key = sealingKey(Redacted.make(new Uint8Array(32)))
    assert.isTrue(Option.isSome(open([key], seal(key, "hostname acc-1"))))
    assert.isTrue(Option.isNone(open([key], `${REFERENCE}vrpa2XGLqUjVGAh3MvvPeg7vPWrEVsU0`)))
  })
})
