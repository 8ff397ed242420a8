/** Which lines that a switch shows for another keep its meaning (docs/changes.md#spellings). */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { keepsMeaning } from "../../src/drivers/SameMeaning.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"

describe("a spelling", () => {
  it.each([
    ["the same line", "mtu 9500", ["mtu 9500"]],
    ["a keyword that was cut short", "switchport mode tr", ["switchport mode trunk"]],
    ["keywords between others", "storm level 5 burst 10", ["storm-control all level 5", "storm-control burst 10"]],
    ["a mask", "ip address 10.0.0.1 255.255.255.0", ["ip address 10.0.0.1/24"]],
    ["a mask of an access list", "permit ip 10.0.0.0 0.0.0.255 any", ["permit ip 10.0.0.0/24 any"]],
    ["a host", "permit ip 10.0.0.1/32 any", ["permit ip host 10.0.0.1 any"]],
    ["any address", "permit ip 0.0.0.0 255.255.255.255 any", ["permit ip any any"]],
    ["a MAC address", "mac-address 001c.7300.0099", ["mac-address 00:1c:73:00:00:99"]],
    ["an IPv6 address", "ipv6 address 2001:0DB8:0:0::1/64", ["ipv6 address 2001:db8::1/64"]],
    ["a list", "switchport trunk allowed vlan 20,10,11,12", ["switchport trunk allowed vlan 10-12,20"]],
    ["a list in two lines", "vlan 10,20", ["vlan 10", "vlan 20"]],
    ["an interface", "source-interface lo0", ["source-interface lo0"]],
    ["an interface that was cut short", "ntp local et1", ["ntp local Ethernet1"]],
    ["a port", "permit tcp any any eq 22", ["permit tcp any any eq ssh"]],
    ["ports", "permit tcp any range 20 21 any", ["permit tcp any range ftp-data ftp any"]],
    ["a protocol", "permit 6 any any", ["permit tcp any any"]],
    ["a class", "set dscp 46", ["set dscp ef"]],
    ["a position", "permit tcp any any eq 22", ["30 permit tcp any any eq ssh"]],
    ["a position of a prefix list", "permit 10.0.0.0/8 le 24", ["seq 10 permit 10.0.0.0/8 le 24"]],
    [
      "a secret with another salt, and another order",
      "username admin secret hunter2 privilege 15 role network-admin",
      ["username admin privilege 15 role network-admin secret sha512 $6$a$b"]
    ],
    ["two keywords for one", "neighbor 10.0.0.1 peer-group LEAFS", ["neighbor 10.0.0.1 peer group LEAFS"]],
    ["another keyword of a later release", "vrf definition MGMT", ["vrf instance MGMT"]],
    ["a keyword that is gone", "vrf forwarding MGMT", ["vrf MGMT"]],
    ["a text", "desc to the printer, 2nd floor", ["description to the printer, 2nd floor"]],
    ["a line with no", "no switchport tr allowed", ["no switchport trunk allowed"]]
  ])("has %s", (_, line, shown) => expect(keepsMeaning(eos, line, shown)).toBe(true))
})

describe("another meaning", () => {
  it.each([
    ["nothing", "mtu 9500", []],
    ["another number", "mtu 9500", ["mtu 9214"]],
    ["another unit", "speed 1000", ["speed 1g"]],
    ["one number less", "logging host 10.0.0.1 1514", ["logging host 10.0.0.1"]],
    ["one number more", "router-id 10.0.0.1", ["router-id 10.0.0.1 5"]],
    ["numbers in another order", "timers bgp 3 9", ["timers bgp 9 3"]],
    ["numbers behind other keywords", "storm level 5 burst 10", ["storm-control burst 5", "storm-control level 10"]],
    ["another list", "vlan 10-12", ["vlan 10-11"]],
    ["another next hop", "ip route 0.0.0.0/0 10.0.0.1", ["ip route 0.0.0.0/0 10.0.0.2"]],
    ["another prefix", "ip address 10.0.0.1 255.255.255.0", ["ip address 10.0.0.1/25"]],
    ["another MAC address", "mac-address 001c.7300.0099", ["mac-address 00:1c:73:00:00:98"]],
    ["another interface", "ntp local et1", ["ntp local Ethernet11"]],
    ["another name", "ip access-group MGMT in", ["ip access-group OTHER in"]],
    ["a longer name", "vrf cust", ["vrf customer"]],
    ["another access list", "ip access-group a in", ["ip access-group b in"]],
    ["another direction", "ip access-group MGMT in", ["ip access-group MGMT out"]],
    ["another verb", "permit tcp any any eq 22", ["deny tcp any any eq ssh"]],
    ["another port", "permit tcp any any eq 22", ["permit tcp any any eq telnet"]],
    ["another position", "10 permit ip any any", ["20 permit ip any any"]],
    ["another mode", "switchport mode trunk", ["switchport mode access"]],
    ["a keyword less", "permit ip any any log", ["permit ip any any"]],
    ["a no", "lldp transmit", ["no lldp transmit"]],
    ["no no", "no lldp transmit", ["lldp transmit"]],
    ["a keyword that negates", "poe", ["poe disabled"]],
    ["no secret", "username bob privilege 15 secret hunter2", ["username bob privilege 15 nopassword"]],
    ["no password", "neighbor 10.0.0.1 password hunter2", ["neighbor 10.0.0.1"]],
    ["a secret of nobody's", "username bob privilege 15", ["username bob privilege 15 secret sha512 $6$a$b"]],
    ["another user", "username bob secret hunter2", ["username rob secret sha512 $6$a$b"]],
    ["another text", "description to the printer", ["description to the print"]],
    ["a text of another command", "name to", ["description to"]]
  ])("has %s", (_, line, shown) => expect(keepsMeaning(eos, line, shown)).toBe(false))
})

const COMMANDS = ["ip", "route", "level", "burst", "timers", "static", "metric", "tag", "local", "remote"] as const
const NAMED = ["vrf", "access-group", "prefix-list", "route-map", "role"] as const

const Part = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("keyword"), word: Schema.Literals(COMMANDS) }),
  Schema.Struct({
    kind: Schema.Literal("number"),
    word: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 99_999 }))
  }),
  Schema.Struct({
    kind: Schema.Literal("address"),
    word: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 250 }))
  }),
  Schema.Struct({
    kind: Schema.Literal("name"),
    by: Schema.Literals(NAMED),
    word: Schema.Literals(["a", "Red", "red2"])
  })
])
type Part = typeof Part.Type

const written = (part: Part): string => {
  if (part.kind === "address") return `10.0.0.${part.word}`
  return part.kind === "name" ? `${part.by} ${part.word}` : String(part.word)
}

/** The same kind of word with another meaning. */
const other = (part: Part): Part => {
  if (part.kind === "keyword") return { ...part, word: part.word === "ip" ? "metric" : "ip" }
  return part.kind === "name" ? { ...part, word: part.word === "a" ? "Red" : "a" } : { ...part, word: part.word + 1 }
}

const Parts = Schema.Array(Part).check(Schema.isMinLength(1), Schema.isMaxLength(8))
const line = (parts: ReadonlyArray<Part>) => ["set", ...parts.map(written)].join(" ")

describe("whatever a line says", () => {
  it.prop("it has its own meaning, also with keywords cut short", [Parts], ([parts]) => {
    const short = parts.map((part) => (part.kind === "keyword" ? part.word.slice(0, 3) : written(part)))
    expect(keepsMeaning(eos, line(parts), [line(parts)])).toBe(true)
    expect(keepsMeaning(eos, ["se", ...short].join(" "), [line(parts)])).toBe(true)
  })

  it.prop("one word of another meaning is another meaning", [Parts, Schema.Int], ([parts, seed]) => {
    const place = Math.abs(seed) % parts.length
    const changed = parts.map((part, at) => (at === place ? other(part) : part))
    expect(keepsMeaning(eos, line(parts), [line(changed)])).toBe(false)
  })

  it.prop("one value less, one value more, a no and a secret are another meaning", [Parts], ([parts]) => {
    const given = line(parts)
    const values = parts.filter(({ kind }) => kind !== "keyword")
    const others = [`no ${given}`, `${given} 7`, `${given} secret hunter2`]
    const less = values.map((gone) => line(parts.filter((part) => part !== gone)))
    for (const shown of [...others, ...less]) expect(keepsMeaning(eos, given, [shown]), shown).toBe(false)
  })
})
