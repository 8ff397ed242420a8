import { assert, describe, it } from "@effect/vitest"
import { causeText, madeBy } from "../../src/domain/SyncCause.ts"

const noted = (cause: string, by: string) => ({ cause, found_by: by, made_by: madeBy(cause, by) })

describe("why a device is not synchronized", () => {
  it("names the finder of a change outside Switchyard, and no author", () => {
    for (const cause of ["drift", "confighash"]) {
      assert.isNull(madeBy(cause, "scheduler"))
      assert.isNull(madeBy(cause, "otto"))
      assert.strictEqual(causeText(noted(cause, "otto")), "changed outside Switchyard, found by otto")
    }
    assert.strictEqual(
      causeText(noted("drift", "scheduler")),
      "changed outside Switchyard, found by the scheduled look for drift"
    )
  })

  it("names the author of a change here", () => {
    assert.strictEqual(causeText(noted("interface_updated", "anna")), "its ports were changed, by anna")
    assert.strictEqual(causeText(noted("refresh_settings", "anna")), "the settings have changed, by anna")
  })

  it("ignores the causes that clients write, and the server's own names", () => {
    assert.isNull(madeBy("oob", "anna"))
    assert.isNull(madeBy("neighbor_deleted", "unknown"))
    assert.strictEqual(causeText(noted("oob", "anna")), "oob, found by anna")
    assert.isNull(madeBy("constructor", "anna"))
  })

  it("has no author for the texts of older rows", () => {
    const row = { cause: "refresh_settings", found_by: "anna", made_by: null }
    assert.strictEqual(causeText(row), "the settings have changed, found by anna")
  })
})
