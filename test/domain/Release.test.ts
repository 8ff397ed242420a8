import { assert, describe, it } from "@effect/vitest"
import { compareReleases, release } from "../../src/domain/Release.ts"

const IN_ORDER =
  "0.0.9 0.1.0-alpha 0.1.0-alpha.1 0.1.0-alpha.beta 0.1.0-beta 0.1.0-beta.2 0.1.0-beta.11 0.1.0-rc.1 0.1.0"
    .split(" ")
    .concat("0.1.1 0.2.0 0.10.0 1.0.0-rc.1 1.0.0 1.0.10 2.0.0 10.0.0".split(" "))

describe("Of two releases", () => {
  it.each(IN_ORDER.flatMap((a, i) => IN_ORDER.map((b, k) => [a, b, Math.sign(i - k)] as const)))(
    "%s and %s the older is found by its numbers, then by its preview (%d)",
    (a, b, order) => {
      assert.strictEqual(Math.sign(compareReleases(a, b)), order)
    }
  )

  it("the build is ignored", () => {
    assert.strictEqual(compareReleases("1.0.0+build.1", "1.0.0+build.2"), 0)
  })

  it("the running one is a valid release", () => {
    assert.match(release, /^\d+\.\d+\.\d+(-.+)?$/)
  })
})
