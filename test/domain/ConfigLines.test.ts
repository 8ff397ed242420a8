import { expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { changedLines, configLines, lineCount } from "../../src/domain/ConfigLines.ts"

const lists = /^(.*\bvlan )([\d,-]+)$/

it("puts each line below every section that a list stands for", () => {
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

it("names the one line that changed among 50,000", () => {
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

it.prop("counts lines as they are split", { lines: Schema.Array(Schema.String) }, ({ lines }) => {
  const text = lines.join("\n")
  expect(lineCount(text)).toBe(text.split("\n").length)
})
