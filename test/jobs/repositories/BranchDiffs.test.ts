/** The changes of a branch and the results of commits, as tables. */
import { assert, describe, it } from "@effect/vitest"
import { BranchDiffs } from "../../../src/jobs/repositories/CommitEffects.ts"
import { commitList } from "../../../src/jobs/repositories/Repositories.ts"

const diffOf = (hostname: string, address: string) =>
  `@@ -2,3 +2,3 @@\n !\n hostname ${hostname}\n-ntp server 10.0.0.1\n+ntp server ${address}`

describe("Differences of a branch", () => {
  it("group devices that change by the same lines, with any context, and show small groups first", () => {
    const diffs = new BranchDiffs()
    for (const name of ["a1", "a2", "a3"]) diffs.add(name, diffOf(name, "10.0.0.2"), 3)
    diffs.add("b1", diffOf("b1", "10.0.0.3"), 60)
    assert.deepEqual(
      diffs.groups.map(({ added, count, hostnames, removed }) => ({ added, count, hostnames, removed })),
      [
        { added: 1, count: 1, hostnames: ["b1"], removed: 1 },
        { added: 1, count: 3, hostnames: ["a1", "a2", "a3"], removed: 1 }
      ]
    )
    assert.deepEqual(
      diffs.groups.map(({ risk, score }) => [score, risk.level]),
      [
        [60, "high"],
        [3, "low"]
      ]
    )
    assert.isFalse(diffs.isTruncated)
  })

  it("report omitted groups and omitted lines", () => {
    const many = new BranchDiffs()
    for (let index = 0; index < 101; index += 1) many.add(`a${index}`, diffOf("a", `10.1.0.${index}`), 1)
    assert.deepEqual([many.groups.length, many.isTruncated], [100, true])
    const long = new BranchDiffs()
    long.add("a1", `@@ -1 +1,4000 @@\n${"+vlan 1\n".repeat(4000)}`, null)
    assert.isTrue(long.isTruncated)
    assert.isBelow(long.groups[0]?.diff.length ?? 0, 20_001)
  })
})

const logged = (hash: string) => ({ hash, author: "a", committer: "c", seconds: 0, message: `${hash}\n\nmore` })
const refusal = { job_id: 1, at: null, by: null, message: "no", problems: [] }

describe("Results of commits", () => {
  for (const [name, inForce, refused, states] of [
    ["the newest is in force", "c", [], ["in_force", "replaced", "replaced"]],
    ["the newest was refused", "b", ["c"], ["refused", "in_force", "replaced"]],
    ["one was pushed together with a refused one", "a", ["c"], ["refused", "not_applied", "in_force"]],
    ["a refused one came into force later", "c", ["c"], ["in_force", "replaced", "replaced"]],
    ["nothing is in force", null, ["c"], ["refused", "not_applied", "not_applied"]]
  ] as const) {
    it(name, () => {
      const refusals = new Map<string, typeof refusal>(refused.map((hash) => [hash, refusal]))
      const list = commitList(["c", "b", "a"].map(logged), inForce, refusals)
      assert.deepEqual(
        list.map(({ state }) => state),
        [...states]
      )
      assert.deepEqual(
        list.map((commit) => commit.refusal !== null),
        states.map((state) => state === "refused")
      )
      assert.deepInclude(list[0], { subject: "c", message: "c\n\nmore", at: "1970-01-01T00:00:00" })
    })
  }
})
