import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { questionOf } from "../../src/api/FindApi.ts"

const whole = { mac: "005056AA1207" }

describe("a search text", () => {
  it.each([
    ["00:50:56:aa:12:07", whole],
    ["00-50-56-AA-12-07", whole],
    ["0050.56aa.1207", whole],
    ["005056AA1207", whole],
    [" 00:50:56:aa:12:07 ", whole],
    ["00:50:56:a", { mac: "005056A" }],
    ["00:50:", { mac: "0050" }],
    ["0050.56", { mac: "005056" }],
    ["005056", { mac: "005056" }],
    ["10.110.0.57", { ip: "10.110.0.57", mac: null }],
    ["2001:db8::57", { ip: "2001:db8::57", mac: null }],
    ["fe80::1%swp1", { ip: null, mac: null }],
    ["110", { vlan: 110, mac: null }],
    ["VLAN 110", { vlan: 110 }],
    ["vlan110", { vlan: 110 }],
    ["5000", { vlan: null, mac: null }],
    ["123456", { vlan: null, mac: "123456" }],
    ["7", { vlan: 7 }],
    ["ab-a1", { mac: null }],
    ["meeting room", { text: "meeting room", mac: null, ip: null, vlan: null }]
  ])("%j may mean %j", (sent, meant) => {
    expect(Result.getOrThrow(questionOf(sent))).toMatchObject(meant)
  })

  it.each([
    ["", /^q must be given: a MAC address/],
    ["   ", /^q must be given/],
    ["a", "q must have at least 2 characters"],
    ["%%", "q has no letter and no digit, so nothing can be found by it"],
    ["a\u0000b", "q must not have control characters"],
    ["x".repeat(129), "q must have at most 128 characters"],
    ["10.110.0.300", /^q is no IP address: each number of 10\.110\.0\.300/],
    ["00:50:56:aa:12:07:08", /^q is no MAC address: 00:50:56:aa:12:07:08 has 14 digits/],
    ["vlan 5000", "q is no VLAN: 5000 is not from 1 to 4094"]
  ])("%j is refused with %s", (sent, refusal) => {
    const said = Result.isFailure(questionOf(sent)) ? Result.getOrThrow(Result.flip(questionOf(sent))) : "accepted"
    if (typeof refusal === "string") expect(said).toBe(refusal)
    else expect(said).toMatch(refusal)
  })
})
