/** The weights of changed lines of Junos. */
import { describe, expect, it } from "@effect/vitest"
import { deviceScore } from "../../../src/domain/ChangeRisk.ts"
import { junos } from "../../../src/domain/platforms/junos/Platform.ts"

const config = "line\n".repeat(1_000)
const scoreOf = (...lines: ReadonlyArray<string>) => deviceScore(config, lines.join("\n"), junos.risk)

describe("a change of Junos", () => {
  it("of a description or of braces alone weighs nothing", () => {
    const usual = scoreOf("+    mtu 9000;")
    for (const line of ['+    description "x";', "-    }", "+}", "-## Last commit: x", "+    /* remark */"]) {
      expect(scoreOf(line)).toBeLessThan(usual)
    }
  })

  it.each([
    "+    user eve {",
    '+        encrypted-password "x"; ## SECRET-DATA',
    "-            ssh;",
    "+        root-login allow;",
    "+    execute-commands {",
    "-            address 10.0.0.1/24;",
    "-        vlan-id 110;",
    "-    bgp {",
    "-            neighbor 10.0.0.1 {",
    "+    mstp {",
    "+    inactive: ge-0/0/1 {"
  ])("of %j weighs more than another line", (line) => {
    expect(scoreOf(line)).toBeGreaterThan(scoreOf("+    mtu 9000;"))
  })
})
