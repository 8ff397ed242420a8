/** Every row of docs/provisioning.md#neighbour-checks. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import type { ReportedLink } from "../../src/provisioning/Links.ts"
import {
  checkAccessNeighbours,
  checkFabricNeighbours,
  checkNeighbourStates,
  type VerifiedNeighbours
} from "../../src/provisioning/Placement.ts"
import { acc1, blank, byHostname, core1, core2, device, dist1, dist2, linknet, peer } from "./Campus.ts"

interface Named {
  readonly id: number
  readonly hostname: string
}

const link = (a: Named, b: Named, redundant_link = true, port = "Ethernet1"): ReportedLink => ({
  ...linknet(1, [a.id, port], [b.id, port]),
  device_a_hostname: a.hostname,
  device_b_hostname: b.hostname,
  redundant_link
})

const stranger = { id: 99, hostname: "stranger" }

const access = (
  links: ReadonlyArray<ReportedLink>,
  neighbors: ReadonlyArray<string> | null = null,
  mlagPeer: Named | null = null
) => checkAccessNeighbours({ device: blank, mlagPeer, links, devices: byHostname, neighbors })

const fabric = (links: ReadonlyArray<ReportedLink>, neighbors: ReadonlyArray<string> | null = null) =>
  checkFabricNeighbours({ device: blank, links, devices: byHostname, neighbors }, "DIST")

const message = (result: Result.Result<VerifiedNeighbours, { readonly message: string }>) =>
  Result.match(result, { onFailure: (error) => error.message, onSuccess: ({ neighbors }) => neighbors })

const who = "71 (mac-0C1A33BEEF01)"
const incompatible = (list: string, redundant: number) =>
  `Incompatible uplink neighbors found for device id ${who}: ${list} - ${redundant} has redundancy required ("redundant_link" setting)`

describe("an access switch", () => {
  it.each([
    ["no uplinks", [link(blank, core1)], `No uplink neighbors found for device id: ${who}`],
    ["one uplink that needs no twin", [link(blank, dist1, false)], ["dist-b2-1"]],
    ["one uplink that needs a twin", [link(blank, dist1)], incompatible("['dist-b2-1']", 1)],
    ["two uplinks", [link(blank, dist1), link(dist2, blank)], ["dist-b2-1", "dist-b2-2"]],
    ["two uplinks to one switch", [link(blank, dist1), link(blank, dist1)], ["dist-b2-1", "dist-b2-1"]],
    ["two uplinks below access switches", [link(blank, acc1), link(blank, acc1)], ["acc-b2-01", "acc-b2-01"]],
    [
      "two uplinks of which one needs no twin",
      [link(blank, dist1), link(blank, dist2, false)],
      incompatible("['dist-b2-1', 'dist-b2-2']", 1)
    ],
    [
      "three uplinks",
      [link(blank, dist1), link(blank, dist2), link(blank, acc1)],
      incompatible("['dist-b2-1', 'dist-b2-2', 'acc-b2-01']", 3)
    ],
    ["a cable from itself to itself", [link(blank, blank), link(blank, dist1, false)], ["dist-b2-1"]],
    ["a neighbour that nobody knows", [link(blank, stranger)], "Neighbor device stranger not found in database"],
    ["somebody else's cable", [link(dist1, dist2)], "Own hostname not found in linknet"],
    ["no links", [], "No linknets were specified to check_neighbors"]
  ] as const)("with %s", (_name, links, expected) => expect(message(access(links))).toEqual(expected))

  it("is not checked when the request gives an empty list of neighbours", () => {
    expect(access([], [])).toEqual(Result.succeed({ neighbors: [], uplinks: [] }))
  })

  it("says which devices are above it", () => {
    expect(Result.getOrThrow(access([link(blank, dist1), link(blank, dist2)])).uplinks).toEqual([dist1, dist2])
  })
})

describe("an MLAG pair", () => {
  const uplinks = [link(blank, dist1), link(peer, dist2)]
  const peerLink = link(blank, peer, true, "Ethernet3")

  it("has the uplinks of both switches and at least two links between them", () => {
    const found = message(access([...uplinks, peerLink, link(peer, blank, true, "Ethernet4")], null, peer))
    expect(found).toEqual(["dist-b2-1", "dist-b2-2", peer.hostname, peer.hostname])
  })

  it("needs a second link between its switches", () => {
    expect(message(access([...uplinks, peerLink], null, peer))).toBe(
      `MLAG requires at least two MLAG peer links, 1 found for device id ${who}`
    )
  })

  it("does not count a peer that is an access switch already as an uplink", () => {
    const devices = new Map([...byHostname, [peer.hostname, device(peer.id, peer.hostname, "ACCESS")]])
    const links = [...uplinks, peerLink, link(blank, peer, true, "Ethernet4")]
    const checked = checkAccessNeighbours({ device: blank, mlagPeer: peer, links, devices, neighbors: null })
    expect(Result.getOrThrow(checked).uplinks).toEqual([dist1, dist2])
  })
})

describe("a fabric device", () => {
  const cores = [link(blank, core1), link(core2, blank)]
  it.each([
    ["two of the opposite type", [...cores, link(blank, dist1)], null, ["core1", "core2"]],
    ["two links to one of the opposite type", [link(blank, core1), link(blank, core1)], null, ["core1", "core1"]],
    [
      "too few of the opposite type",
      [link(blank, core1), link(blank, dist1)],
      null,
      "Not enough compatible neighbors (1 of 2) were detected"
    ],
    ["all that were asked for, whatever their type", [...cores, link(blank, dist1)], ["dist-b2-1"], ["dist-b2-1"]],
    ["two links to one that was asked for", [link(blank, core1), link(blank, core1)], ["core1"], ["core1", "core1"]],
    ["one missing that was asked for", cores, ["core1", "dist-b2-1"], "Not all expected neighbors were detected"],
    ["nothing to check", [], [], []],
    ["no links", [], null, "No linknets were specified to check_neighbors"]
  ] as const)("with %s", (_name, links, neighbors, expected) =>
    expect(message(fabric(links, neighbors))).toEqual(expected)
  )
})

describe("the state of a neighbour", () => {
  const late = device(14, "late", "DIST", { synchronized: false })
  const gone = device(15, "gone", "DIST", { state: "UNMANAGED" })
  const devices = new Map([dist1, late, gone].map((one) => [one.hostname, one]))

  it("is good if it is MANAGED and synchronized; its hash must be checked once", () => {
    expect(checkNeighbourStates(["dist-b2-1", "dist-b2-1"], devices, "DIST")).toEqual(
      Result.succeed({ toHashCheck: ["dist-b2-1"], warnings: [] })
    )
  })

  it("that waits for a sync is only a warning above an access switch", () => {
    expect(checkNeighbourStates(["late"], devices, "ACCESS")).toMatchObject({
      success: { toHashCheck: ["late"], warnings: [{ message: "Neighbor device late not synchronized" }] }
    })
  })

  it.each([
    ["late", "CORE", "DeviceSyncError", "Neighbor device late not synchronized"],
    ["gone", "ACCESS", "DeviceStateError", "Neighbor device gone not in state MANAGED"],
    ["none", "ACCESS", "DeviceError", "Neighbor device none not found"]
  ] as const)("%s stops a device of type %s with %s", (hostname, type, _tag, text) => {
    expect(checkNeighbourStates([hostname], devices, type)).toMatchObject({ failure: { _tag, message: text } })
  })
})
