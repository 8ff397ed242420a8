/** The bundled plugin `show`: the lines of a command as items. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PluginRegistry from "../../src/plugins/PluginRegistry.ts"
import { itemsIn } from "../../src/plugins/bundled/show.ts"
import { started } from "./PluginFolder.ts"

const VTEPS = `Remote VTEPS for Vxlan1:

VTEP             Tunnel Type(s)
---------------- --------------
10.0.0.1         flood, unicast
10.0.0.2         unicast
Total number of remote VTEPS:  2
`

describe("lines", () => {
  it.each<[string, RegExp, ReadonlyArray<object>]>([
    [
      "named by the first group",
      /^(\d\S+) /,
      [
        { name: "10.0.0.1", line: "10.0.0.1         flood, unicast" },
        { name: "10.0.0.2", line: "10.0.0.2         unicast" }
      ]
    ],
    [
      "named by their own group, with other groups as fields",
      /^(?<name>\d\S+) +(?<tunnels>.*)$/,
      [
        { name: "10.0.0.1", line: "10.0.0.1         flood, unicast", tunnels: "flood, unicast" },
        { name: "10.0.0.2", line: "10.0.0.2         unicast", tunnels: "unicast" }
      ]
    ],
    [
      "with numbers as numbers, and null for a group without a text",
      /^(Total).*?(?<count>\d+)(?<rest>x)?$/,
      [{ name: "Total", line: "Total number of remote VTEPS:  2", count: 2, rest: null }]
    ],
    [
      "numbered where several have a name",
      /^\S+ +(?:flood, )?(unicast)$/,
      [
        { name: "unicast", line: "10.0.0.1         flood, unicast" },
        { name: "unicast (2)", line: "10.0.0.2         unicast" }
      ]
    ],
    ["none", /^nothing/, []]
  ])("are items %s", (_name, matching, expected) => {
    expect(itemsIn(VTEPS, matching)).toEqual(expected)
  })
})

it.live("asks the command of the platform, and names what is missing", () =>
  Effect.gen(function* () {
    const file = yield* PluginRegistry.findModule("show", "/nowhere")
    const plugin = yield* started("", { file, name: "show" })
    assert.deepStrictEqual((yield* plugin.loaded).checks, ["lines"])
    const given = (platform: string | null, more: object) => ({
      device: { hostname: "lhv-acc1", platform },
      arguments: more
    })
    const commands = (platform: string | null, more: object) =>
      plugin.check({ check: "lines", step: "commands", given: given(platform, more) })
    const both = { eos: "show vxlan vtep", command: "show evpn vni" }
    assert.deepStrictEqual(yield* commands("eos", both), ["show vxlan vtep"])
    assert.deepStrictEqual(yield* commands("frr", both), ["show evpn vni"])
    assert.match((yield* Effect.flip(commands("frr", {}))).message, /names no command for the platform frr/)
    assert.match((yield* Effect.flip(commands(null, { command: 5 }))).message, /command must be a text/)
    const items = { ...given("eos", { matching: "(" }), outputs: [VTEPS] }
    assert.match((yield* Effect.flip(plugin.check({ check: "lines", step: "items", given: items }))).message, /Invalid/)
    const all = yield* plugin.check({
      check: "lines",
      step: "items",
      given: { ...given("eos", { matching: "^10" }), outputs: [VTEPS] }
    })
    expect(all).toHaveLength(2)
  }).pipe(Effect.scoped)
)
