import { describe, expect, it } from "@effect/vitest"
import { differenceOf } from "../../../src/drivers/frr/Load.ts"

const told = `2026-01-01 10:00:00,123  INFO: Loading Config object from file /x
2026-01-01 10:00:00,456  INFO: "frr version 8.4.4" cannot be removed

Lines To Delete
===============
no hostname old
interface swp1
 no description to the roof
router bgp 65001
 address-family ipv4 unicast
  no network 10.1.0.0/24
interface swp2
 shutdown

Lines To Add
============
ip prefix-list A seq 5 permit 10.0.0.0/8
router bgp 65001
router bgp 65001
 bgp router-id 1.1.1.1
router bgp 65001
 address-family ipv4 unicast
router bgp 65001
 address-family ipv4 unicast
  network 10.2.0.0/24
`

describe("the diff of frr-reload.py", () => {
  it("has removed and added lines below their sections", () => {
    expect(differenceOf(told).split("\n")).toEqual([
      "-hostname old",
      " interface swp1",
      "- description to the roof",
      " router bgp 65001",
      "  address-family ipv4 unicast",
      "-  network 10.1.0.0/24",
      " interface swp2",
      "- no shutdown",
      "+ip prefix-list A seq 5 permit 10.0.0.0/8",
      "+router bgp 65001",
      "+ bgp router-id 1.1.1.1",
      "+ address-family ipv4 unicast",
      " router bgp 65001",
      "  address-family ipv4 unicast",
      "+  network 10.2.0.0/24"
    ])
  })

  it("is empty when nothing would change", () => {
    expect(differenceOf('2026-01-01 10:00:00,456  INFO: "frr version 8.4.4" cannot be removed\n')).toBe("")
  })
})
