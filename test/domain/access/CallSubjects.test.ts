/** What a caller may be offered, before the device of a call is known. */
import { describe, expect, it } from "@effect/vitest"
import { offersCall } from "../../../src/domain/access/CallSubjects.ts"

const everything = { methods: ["*"], endpoints: ["*"], rights: ["*"] }
const group = { ...everything, groups: ["EAST_WING"] }
const ports = { ...everything, interfaces: ["east-a1:Ethernet[12]"] }

describe("a call is offered to a caller of", () => {
  it.each([
    ["everything", everything, "GET", "/settings", true],
    ["a group", group, "GET", "/settings", false],
    ["a group", group, "GET", "/overview/history", false],
    ["a group", group, "GET", "/overview", true],
    ["a group", group, "GET", "/device/east-a1/interfaces", true],
    ["a group", group, "PUT", "/device/7", true],
    ["a group", group, "GET", "/auth/tokens", true],
    ["a group", group, "GET", "/auth/users", false],
    ["a group", group, "POST", "/approvals/4/approve", true],
    ["some ports", ports, "PUT", "/device/east-a1/interfaces", true],
    ["some ports", ports, "POST", "/interfaces/bulk", true],
    ["some ports", ports, "PUT", "/device/7", false],
    ["some ports", ports, "POST", "/device/east-a1/trust", false]
  ] as const)("%s: %s %s %s", (_, permission, method, path, isOffered) => {
    expect(offersCall(permission, method, path)).toBe(isOffered)
  })

  it("a permission that does not cover it", () => {
    expect(offersCall({ methods: ["GET"], endpoints: ["/devices"] }, "GET", "/jobs")).toBe(false)
  })
})
