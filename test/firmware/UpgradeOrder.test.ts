/** The order of a staggered upgrade, on drawn and on random networks. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Network, type OrderedSwitch, upgradeOrder, UpgradeOrderUnknown } from "../../src/firmware/UpgradeOrder.ts"

type Cable = readonly [string, string]

const network = (cables: ReadonlyArray<Cable>, pairs: ReadonlyArray<Cable> = []): Network => {
  const names = new Set(cables.flat())
  const peers = new Map(pairs.flatMap(([a, b]) => [[a, b] as const, [b, a] as const]))
  const neighboursOf = (name: string) =>
    new Set(cables.flatMap(([a, b]) => (a === name ? [b] : b === name ? [a] : [])).filter((other) => other !== name))
  return new Map(
    [...names].map((name): [string, OrderedSwitch] => [
      name,
      { hostname: name, root: name.startsWith("dist"), neighbours: neighboursOf(name), mlagPeer: peers.get(name) }
    ])
  )
}

const accessOf = (net: Network) => [...net.keys()].filter((name) => name.startsWith("a"))

const groups = (net: Network, selected = accessOf(net)) => {
  const order = upgradeOrder(net, selected)
  if (order instanceof UpgradeOrderUnknown) throw new Error(order.message)
  return order
}

/** Names that reach a distribution switch while these are down. */
const connected = (net: Network, down: ReadonlySet<string>): ReadonlySet<string> => {
  const seen = new Set<string>()
  const queue = [...net.values()].filter(({ root }) => root).map(({ hostname }) => hostname)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name) || down.has(name)) continue
    seen.add(name)
    queue.push(...(net.get(name)?.neighbours ?? []))
  }
  return seen
}

/** Names that lose their last way out although a slower order would have kept one. */
const strandedBy = (net: Network, down: ReadonlySet<string>) => {
  const now = connected(net, down)
  return accessOf(net).filter(
    (name) =>
      !down.has(name) &&
      !now.has(name) &&
      connected(net, new Set()).has(name) &&
      ![...down].some((one) => !connected(net, new Set([one])).has(name))
  )
}

describe("The order of a staggered upgrade", () => {
  it("reboots all switches together that have their own way to the distribution layer", () => {
    const net = network([
      ["a1", "dist1"],
      ["a1", "dist2"],
      ["a2", "dist1"],
      ["a2", "dist2"]
    ])
    assert.deepStrictEqual(groups(net), [["a1", "a2"]])
  })

  it("proceeds outwards along a chain, and only over the selected switches", () => {
    const net = network([
      ["a3", "dist1"],
      ["a3", "a2"],
      ["a2", "a1"]
    ])
    assert.deepStrictEqual(groups(net), [["a3"], ["a2"], ["a1"]])
    assert.deepStrictEqual(groups(net, ["a1", "a2"]), [["a2"], ["a1"]])
  })

  it("reboots the two of an MLAG pair one after the other, and those below them last", () => {
    const net = network(
      [
        ["a1", "dist1"],
        ["a2", "dist2"],
        ["a1", "a2"],
        ["a3", "a1"],
        ["a3", "a2"]
      ],
      [["a1", "a2"]]
    )
    assert.deepStrictEqual(groups(net), [["a1"], ["a2"], ["a3"]])
  })

  it("does not reboot both uplinks of a switch together although they are not a pair", () => {
    const net = network([
      ["a1", "dist1"],
      ["a2", "dist1"],
      ["a3", "a1"],
      ["a3", "a2"]
    ])
    assert.deepStrictEqual(groups(net), [["a1"], ["a2"], ["a3"]])
  })

  it("refuses switches without a known way to the distribution layer", () => {
    const net = network([
      ["a1", "dist1"],
      ["a2", "a3"]
    ])
    assert.instanceOf(upgradeOrder(net, ["a1", "a2"]), UpgradeOrderUnknown)
  })

  const Switch = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 11 }))
  const End = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 13 }))
  const Links = Schema.Array(Schema.Tuple([Switch, End])).check(Schema.isMinLength(1), Schema.isMaxLength(40))

  it.prop(
    "upgrades every switch once, and never strands one that has another way",
    [Links],
    ([links]) => {
      const size = 12
      const cables = links.map(([a, b]): Cable => {
        return [`a${a + 10}`, b >= size ? `dist${b}` : `a${b + 10}`]
      })
      const net = network(cables)
      const reached = connected(net, new Set())
      const selected = accessOf(net).filter((name) => reached.has(name))
      const order = groups(net, selected)
      assert.deepStrictEqual(order.flat().toSorted(), selected.toSorted())
      for (const group of order) {
        const down = new Set(group)
        assert.deepStrictEqual(strandedBy(net, down), [])
        // and while the group comes back one after the other
        for (const back of group) {
          down.delete(back)
          assert.isTrue(connected(net, down).has(back), `${back} comes back without a way out`)
          down.add(back)
        }
      }
    },
    { arbitrary: { runs: 300 } }
  )
})
