/** The topology file of a campus of 308 switches: every switch with its own name and address, and every cable with two ends. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as path from "node:path"
import * as Topology from "../../src/lab/Topology.ts"

const FILE = path.resolve(import.meta.dirname, "../../examples/lab/campus-308/campus.clab.yml")

it.effect("the campus of 308 switches has so many names and addresses, and nothing in it is ignored", () =>
  Effect.gen(function* () {
    const { notes, topology } = yield* Topology.readFile(FILE)
    assert.deepStrictEqual(notes, [])
    const nodes = Object.entries(topology.topology.nodes)
    assert.lengthOf(nodes, 308)
    assert.lengthOf(topology.topology.links ?? [], 612)
    const roles = Map.groupBy(nodes, ([, { role }]) => role)
    assert.deepStrictEqual(
      [...roles].map(([role, found]) => [role, found.length]),
      [
        ["core", 2],
        ["dist", 6],
        ["access", 300]
      ]
    )
    const addresses = nodes.map(([name, { "startup-config": config = "" }]) => {
      assert.include(config, `hostname ${name}\n`)
      return /ip address (10\.[\d.]+)\/\d+/.exec(config)?.[1]
    })
    assert.strictEqual(new Set(addresses).size, 308)
  }).pipe(Effect.provide(NodeServices.layer))
)
