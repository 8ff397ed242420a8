import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  changedLines,
  configLines,
  lineCount,
  withoutOwnLines,
  withOwnLinesAlike
} from "../../src/domain/ConfigLines.ts"
import { platformOf } from "../../src/domain/platforms/Platforms.ts"

const lists = /^(.*\bvlan )([\d,-]+)$/

it("puts each line below every section of a list", () => {
  const config = "vlan 10-11\n   name users\n!\nrouter bgp 1\n   vrf A\n      rd 1:1\n   vrf B\n"
  expect(configLines(config, lists)).toEqual([
    { sections: [], text: "vlan 10" },
    { sections: [], text: "vlan 11" },
    { sections: ["vlan 10"], text: "name users" },
    { sections: ["vlan 11"], text: "name users" },
    { sections: [], text: "router bgp 1" },
    { sections: ["router bgp 1"], text: "vrf A" },
    { sections: ["router bgp 1", "vrf A"], text: "rd 1:1" },
    { sections: ["router bgp 1"], text: "vrf B" }
  ])
})

it("finds the one changed line among 50,000", () => {
  const config = (description: string) =>
    Array.from(
      { length: 10_000 },
      (_, index) =>
        `interface Ethernet${index}\n   description ${index === 5_000 ? description : "user"}\n   mtu 1500\n   no shutdown\n!`
    ).join("\n")
  const [before, after] = [configLines(config("old"), lists), configLines(config("new"), lists)]
  expect(changedLines(before, after)).toEqual([
    { sections: ["interface Ethernet5000"], text: "description old", change: "removed" },
    { sections: ["interface Ethernet5000"], text: "description new", change: "added" }
  ])
})

it.prop("counts lines by splitting them", { lines: Schema.Array(Schema.String) }, ({ lines }) => {
  const text = lines.join("\n")
  expect(lineCount(text)).toBe(text.split("\n").length)
})

/** Lines that a device of a platform writes automatically, and lines that it was given, some of which look alike. */
const OWN: ReadonlyArray<readonly [platform: string, own: ReadonlyArray<string>, told: ReadonlyArray<string>]> = [
  [
    "eos",
    [
      "! Command: show running-config",
      "! device: lhv-acc1 (CCS-720XP-24ZY4-F, EOS-4.32.2F)",
      "! boot system flash:/EOS-4.32.2F.swi",
      "! Startup-config last modified at Tue Mar  3 09:12:07 2026 by admin",
      "!",
      "   !",
      "end",
      ""
    ],
    ["boot test memory 1", "!! by hand", "   !! by hand", "   description ! boot system", "vlan 10"]
  ],
  [
    "ios",
    [
      "Building configuration...",
      "Current configuration : 4711 bytes",
      "version 17.9",
      "boot system flash:packages.conf",
      "!"
    ],
    ["hostname version", "   description version 17"]
  ],
  ["iosxr", ["!! Last configuration change at Mon Mar  2", "Mon Mar  2 10:00:00.123 UTC", "end"], ["hostname Mon"]],
  [
    "nxos",
    ["!Time: Mon Mar  2 10:00:00 2026", "version 10.3(4a) Bios:version 01.14", "boot nxos bootflash:/x.bin"],
    ["vlan 10"]
  ],
  ["junos", ["## Last commit: 2026-03-02 10:00:00 UTC by admin", "version 22.4R3.25;"], ["    version 9;", "system {"]],
  ["frr", ["frr version 10.2", "Current configuration:", "!", "end"], ["frr defaults datacenter", "hostname leaf1"]]
]

it.each(OWN)(
  "ignores in a comparison the lines that a device with %s writes automatically, and nothing else",
  (name, own, told) => {
    const notation = platformOf(name)?.configuration
    expect(notation).toBeDefined()
    if (notation === undefined) return
    for (const line of own) expect(withoutOwnLines(notation, `${line}\n`), line).toBe("")
    for (const line of told) expect(withoutOwnLines(notation, `${line}\r\n`), line).toBe(`${line}\n`)
    const mixed = told.flatMap((line, index) => [own[index % own.length], line]).join("\n")
    expect(withoutOwnLines(notation, mixed)).toBe(`${told.join("\n")}\n`)
    expect(lineCount(withOwnLinesAlike(notation, mixed))).toBe(lineCount(mixed))
  }
)

it("compares the text of a banner with any contents", () => {
  const notation = platformOf("eos")?.configuration
  if (notation === undefined) return expect.unreachable()
  const text = "banner motd\n! Authorized only\n\nend\nEOF\n"
  expect(withoutOwnLines(notation, `! Time: now\n${text}!\nend\n`)).toBe(text)
})
