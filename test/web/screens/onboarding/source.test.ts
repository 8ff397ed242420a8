/** The guesses of the form that adds a list of switches. */
import { assert, describe, it } from "@effect/vitest"
import { isSource, pathBelow, sourceNamed } from "../../../../web/screens/onboarding/source.ts"

describe("A chosen file", () => {
  it("says by its name what it is, or nothing", () => {
    assert.deepEqual(
      ["access.csv", "list.TSV", "fabric.clab.yml", "hosts.yaml", "hosts.ini", "list.txt"].map(sourceNamed),
      ["csv", "csv", "containerlab", "ansible", "ansible", undefined]
    )
    assert.isTrue(isSource("netbox"))
    assert.isFalse(isSource("toString"))
  })

  it("of a folder has its path below the folder, and is left out if it is hidden", () => {
    const at = (webkitRelativePath: string) => pathBelow({ name: "lhv-a1", webkitRelativePath })
    assert.deepEqual(["oxidized/access/lhv-a1", "oxidized/lhv-a1", "oxidized/.git/config", ""].map(at), [
      "access/lhv-a1",
      "lhv-a1",
      null,
      "lhv-a1"
    ])
  })
})
