/** The lines of a configuration with a text, each with the section around it. */
import { assert, describe, it } from "@effect/vitest"
import { linesWith } from "../../src/domain/ConfigSearch.ts"

const CONFIG = `hostname lhv-a1
!
interface Ethernet3
   description Printers
   switchport access vlan 110
!
router bgp 65000
   address-family ipv4
      neighbor 10.0.0.1 activate
   neighbor 10.0.0.1 remote-as 65001
ntp server 10.20.0.2`

describe("A search in a configuration", () => {
  const cases: ReadonlyArray<
    readonly [text: string, found: ReadonlyArray<readonly [line: number, section: string, text: string]>]
  > = [
    ["printers", [[4, "interface Ethernet3", "description Printers"]]],
    [
      "10.0.0.1",
      [
        [9, "address-family ipv4", "neighbor 10.0.0.1 activate"],
        [10, "router bgp 65000", "neighbor 10.0.0.1 remote-as 65001"]
      ]
    ],
    ["ntp server", [[11, "", "ntp server 10.20.0.2"]]],
    ["interface", [[3, "", "interface Ethernet3"]]],
    ["!", []],
    ["printers vlan", []]
  ]
  for (const [text, found] of cases)
    it(`finds ${found.length} lines with ${text}`, () => {
      const lines = linesWith(CONFIG, text).map(({ number, section, text: line }) => [number, section, line] as const)
      assert.deepStrictEqual<typeof found>(lines, found)
    })

  it("names the whole path in braces, and finds no closing brace", () => {
    const text = `system {
    host-name sw1;
}
interfaces {
    ge-0/0/1 {
        description "Desk { 1 }";
        unit 0 {
            family inet {
                address 10.0.0.1/24;
            }
        }
    }
}`
    const found = (wanted: string) => linesWith(text, wanted).map(({ section, text: line }) => [section, line])
    assert.deepEqual(found("10.0.0.1"), [["interfaces ge-0/0/1 unit 0 family inet", "address 10.0.0.1/24;"]])
    assert.deepEqual(found("host-name"), [["system", "host-name sw1;"]])
    assert.deepEqual(found("}"), [["interfaces ge-0/0/1", `description "Desk { 1 }";`]])
    assert.deepEqual(found("interfaces"), [["", "interfaces {"]])
  })
})
