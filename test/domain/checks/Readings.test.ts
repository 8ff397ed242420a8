import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Question, questionText, Reading, readingItems, readingKinds } from "../../../src/domain/checks/Readings.ts"

const isQuestion = Schema.is(Question)
const ping = { reads: "ping", to: "10.0.0.1", count: 5 } as const

describe("questions about the state of a device", () => {
  it("can be asked of every kind", () => {
    assert.sameMembers([...readingKinds], Object.keys(readingItems))
    for (const reads of readingKinds) {
      if (reads !== "log" && reads !== "ping") assert.isTrue(isQuestion({ reads }), reads)
    }
    assert.isTrue(isQuestion({ reads: "log", severity: "error", since: 0 }))
    assert.isFalse(isQuestion({ reads: "temper" }))
  })

  it("ping an address of either version, from an address or an interface, in a VRF", () => {
    for (const question of [
      ping,
      { ...ping, to: "2001:db8::1" },
      { ...ping, source: "Loopback0" },
      { ...ping, source: "Ethernet1/1.100", vrf: "MGMT_1.a-b" },
      { ...ping, source: "lo", vrf: "default" }
    ])
      assert.isTrue(isQuestion(question), JSON.stringify(question))
  })

  it.each([
    ["another command behind the address", { to: "10.0.0.1; reload now" }],
    ["a line break", { to: "10.0.0.1\nreload" }],
    ["a pipe", { to: "10.0.0.1 | redirect flash:x" }],
    ["a name, which could be a word of the command", { to: "vrf" }],
    ["nothing", { to: "" }],
    ["an option", { to: "-f" }],
    ["a further word in the source", { source: "Loopback0 repeat 100000" }],
    ["an option as source", { source: "-I" }],
    ["a shell's word in the VRF", { vrf: "$(reboot)" }],
    ["a blank in the VRF", { vrf: "a b" }],
    ["an option as VRF", { vrf: "-n" }],
    ["no packets", { count: 0 }],
    ["packets without end", { count: 100_000 }],
    ["half a packet", { count: 1.5 }]
  ])("of a ping are refused with %s", (_what, part) => {
    assert.isFalse(isQuestion({ ...ping, ...part }))
  })

  it("have a text for people", () => {
    assert.strictEqual(questionText({ reads: "port_channels" }), "port channels")
    assert.strictEqual(
      questionText({ ...ping, source: "Loopback0", vrf: "BLUE" }),
      "ping 10.0.0.1 from Loopback0 in VRF BLUE"
    )
  })
})

describe("readings of the state of a device", () => {
  it("have the items of their kind", () => {
    const isReading = Schema.is(Reading)
    const session = { state: "established", is_established: true, prefixes_received: 12, asn: null }
    assert.isTrue(isReading({ reads: "bgp", items: { "default 10.0.0.1": session } }))
    assert.isFalse(isReading({ reads: "ospf", items: { "default 10.0.0.1": session } }))
  })
})
