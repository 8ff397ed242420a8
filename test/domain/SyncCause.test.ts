import { assert, describe, it } from "@effect/vitest"
import { madeBy } from "../../src/domain/SyncCause.ts"
import { causeText } from "../../src/domain/words/DeviceWords.ts"

const noted = (cause: string, by: string) => ({ cause, found_by: by, made_by: madeBy(cause, by) })

describe("why a device is not synchronized", () => {
  it("names the finder of a change outside Switchyard, and no author", () => {
    for (const [cause, said] of [
      ["drift", "changed by hand"],
      ["confighash", "it runs something else than was last checked"]
    ] as const) {
      assert.isNull(madeBy(cause, "scheduler"))
      assert.isNull(madeBy(cause, "otto"))
      assert.strictEqual(causeText(noted(cause, "otto")), `${said}, found by otto`)
    }
    assert.strictEqual(causeText(noted("drift", "scheduler")), "changed by hand, found by the scheduled check")
  })

  it("names the author of a change here", () => {
    assert.strictEqual(causeText(noted("interface_updated", "anna")), "its ports were changed, by anna")
    assert.strictEqual(causeText(noted("refresh_settings", "anna")), "the settings changed, by anna")
  })

  it("ignores the causes that clients write, and the server's own names", () => {
    assert.isNull(madeBy("oob", "anna"))
    assert.isNull(madeBy("neighbor_deleted", "unknown"))
    assert.strictEqual(causeText(noted("oob", "anna")), "changed by hand, found by anna")
    assert.isNull(madeBy("constructor", "anna"))
  })

  it("has no author for the texts of older rows", () => {
    const row = { cause: "refresh_settings", found_by: "anna", made_by: null }
    assert.strictEqual(causeText(row), "the settings changed, found by anna")
  })
})
