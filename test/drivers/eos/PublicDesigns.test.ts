/** Configurations in the style of public designs, through the driver: the switch takes them, so must what stands in front of it. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { corpus } from "../../lab/corpus/Corpus.ts"
import { baseConfig, makeOneSwitch } from "./OneSwitchLab.ts"

/** Blocks behind the running configuration of an access switch, and the lines that the difference must have. */
const BLOCKS: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  [
    "a virtual router address",
    ["interface Vlan4092", "   ip virtual-router address 10.254.254.1"],
    ["+   ip virtual-router address 10.254.254.1"]
  ],
  [
    "a bundle of VLANs",
    ["router bgp 65101", "   vlan-aware-bundle B3", "      rd 10.0.0.1:1", "      vlan 90,100,1008-1009"],
    ["+      vlan 90,100,1008-1009"]
  ],
  [
    "a QoS profile",
    ["qos profile EGRESS", "   qos trust dscp", "   tx-queue 5", "      bandwidth guaranteed percent 90"],
    ["+   tx-queue 5", "+      bandwidth guaranteed percent 90"]
  ]
]

const OF_EACH_KIND = [
  "leaf-bgp-symmetric-mlag-0",
  "spine-bgp-6",
  "access-powered-0",
  "distribution-ospf-0",
  "management-1",
  "labels"
]

describe("public designs", () => {
  for (const [what, lines, shown] of BLOCKS)
    it.live(`are loaded with ${what}`, () =>
      Effect.gen(function* () {
        const { driver, target } = yield* makeOneSwitch()
        const session = yield* driver.open(target)
        const text = `${baseConfig}${lines.join("\n")}\n`
        const { diff } = yield* session.load({ text, mode: "replace", name: "job412" })
        for (const line of shown) expect(diff).toContain(line)
      }).pipe(Effect.scoped)
    )

  for (const { model, name, text } of corpus.filter((example) => OF_EACH_KIND.includes(example.name)))
    it.live(`are loaded: ${name}`, () =>
      Effect.gen(function* () {
        const { driver, target } = yield* makeOneSwitch({ model })
        const session = yield* driver.open(target)
        const { diff } = yield* session.load({ text, mode: "replace", name: "job412" })
        expect(diff).toContain(`+hostname sw-${name}`)
      }).pipe(Effect.scoped)
    )
})
