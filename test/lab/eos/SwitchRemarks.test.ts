/** The output of a lab switch while it is configured, and its spelling of lines (its quirks). */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { spelled } from "../../../src/lab/eos/Wording.ts"
import { oneSwitch } from "../../support/lab/Campus.ts"

const answers = Effect.fnUntraced(function* (quirks: Quirks, lines: ReadonlyArray<string>) {
  const { device, shell } = yield* oneSwitch({ quirks })
  const { ask } = yield* shell
  const said: Array<string> = []
  for (const line of ["configure session s1", ...lines]) said.push(yield* Effect.promise(() => ask(line)))
  const running = device.running()
  return { said: said.slice(1), running, ask }
})

describe("a switch that refuses in other words", () => {
  it.live.each([
    ["error", /^Error: /],
    ["percentError", /^%Error /],
    ["denied", /denied/],
    ["silent", /^$/]
  ] as const)("prints %s", ([refusal, words]) =>
    Effect.gen(function* () {
      const { said } = yield* answers({ refusal }, ["interface Ethernet999", "vlan 10"])
      expect(said[0]).toMatch(words)
      expect(said[1]).toBe("")
    }).pipe(Effect.scoped)
  )
})

it.live("a chatty switch prints log lines and remarks at lines and at the commit, and accepts both", () =>
  Effect.gen(function* () {
    const { ask, said } = yield* answers(
      { chatty: true },
      Array.from({ length: 14 }, (_, index) => `vlan ${100 + index}`)
    )
    const text = said.join("")
    for (const words of [/%LINEPROTO-5-UPDOWN/, /^! Change takes effect/m, /^% Info: /m, /^Ports of/m])
      expect(text).toMatch(words)
    expect(yield* Effect.promise(() => ask("commit"))).not.toMatch(/^% (?!Info)/m)
    expect(yield* Effect.promise(() => ask("show running-config"))).toContain("vlan 113")
  }).pipe(Effect.scoped)
)

it("spells lines as the quirk says", () => {
  const all = ["abbreviations", "defaults", "vlanLists", "masks", "mac", "ipv6"] as const
  const spell = (line: string) => spelled({ normalises: all, rewrites: {} }, line)
  expect(spell("   desc to the printer")).toBe("   description to the printer")
  expect(spell("   sw mode acc")).toBe("   default switchport mode")
  expect(spell("   switchport trunk allowed vlan 5,3,4,9")).toBe("   switchport trunk allowed vlan 3-5,9")
  expect(spell("ip route 10.0.0.0 255.128.0.0 10.1.1.1")).toBe("ip route 10.0.0.0/9 10.1.1.1")
  expect(spell("ip virtual-router mac-address 001C.7300.0099")).toBe("ip virtual-router mac-address 00:1c:73:00:00:99")
  expect(spell("   ipv6 address 2001:0DB8:0::1/64")).toBe("   ipv6 address 2001:db8::1/64")
  expect(spell("   description 1,2,3 2001:0DB8::1")).toBe("   description 1,2,3 2001:0DB8::1")
  expect(spelled({ normalises: [], rewrites: {} }, "desc x")).toBe("desc x")
  const rewrites = { "^mtu (9[3-9]\\d\\d)$": "mtu 9214", "^vrf definition (.*)": "vrf instance $1" }
  expect(spelled({ normalises: [], rewrites }, "   mtu 9500")).toBe("   mtu 9214")
  expect(spelled({ normalises: [], rewrites }, "vrf definition A")).toBe("vrf instance A")
})

it.live("reads a text after any command that is configured for it, and keeps it", () =>
  Effect.gen(function* () {
    const { ask, said } = yield* answers({}, ["event-handler e"])
    expect(said).toEqual([""])
    const { shell } = yield* oneSwitch()
    const { type, until } = yield* shell
    type("configure session s2\ncontrol-functions\n   code unit one\nfunction f() {\n}\nEOF\nshow session-config\n")
    const text = yield* Effect.promise(() => until(/\nend\n/))
    expect(text).toContain("Type 'EOF' on its own line")
    expect(text).toMatch(/ {3}code unit one\r?\nfunction f\(\) \{\r?\n\}\r?\nEOF/)
    expect(yield* Effect.promise(() => ask("abort"))).toBe("")
  }).pipe(Effect.scoped)
)
