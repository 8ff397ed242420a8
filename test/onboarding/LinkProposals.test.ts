/** Links that are proposed from LLDP, and how sure they are. */
import { assert, describe, it } from "@effect/vitest"
import { linkNetwork, proposeLinks } from "../../src/onboarding/LinkProposals.ts"

const devices = ["a1", "d1", "d2"].map((hostname, index) => ({ id: index + 1, hostname, platform: "eos" }))
const said = (device_id: number, port: string, name: string, peer_port: string) => ({
  device_id,
  port,
  name,
  peer_port
})
const shown = (...args: Parameters<typeof proposeLinks>) =>
  proposeLinks(...args).map(
    (link) => `${link.device_a} ${link.device_a_port} ${link.device_b} ${link.device_b_port} ${link.agreement}`
  )

describe("A proposed link", () => {
  it("is sure if both ends report it, whatever the form of their names", () => {
    const heard = [said(1, "Et27", "D1.example.org", "Ethernet1"), said(2, "Ethernet1", "a1", "Et27")]
    assert.deepEqual(shown(devices, heard, []), ["a1 Ethernet27 d1 Ethernet1 both"])
  })

  it("is less sure if one end reports it, and has none to a stranger", () => {
    const heard = [said(1, "Ethernet27", "d1", "Ethernet1"), said(1, "Ethernet5", "phone", "1")]
    assert.deepEqual(shown(devices, heard, []), ["a1 Ethernet27 d1 Ethernet1 one"])
  })

  it("is a contradiction if its ends report different neighbours", () => {
    const heard = [said(1, "Ethernet27", "d1", "Ethernet1"), said(2, "Ethernet1", "d2", "Ethernet9")]
    const [first] = proposeLinks(devices, heard, [])
    assert.strictEqual(first?.agreement, "contradiction")
    assert.strictEqual(first?.reason, "a1 reports d1 Ethernet1 on Ethernet27, but d1 reports d2 Ethernet9 on Ethernet1")
    assert.isTrue(proposeLinks(devices, heard, []).every(({ agreement }) => agreement === "contradiction"))
  })

  it("is not proposed where a link is stored", () => {
    const heard = [said(1, "Ethernet27", "d1", "Ethernet1"), said(1, "Ethernet28", "d2", "Ethernet1")]
    const stored = { device_a_id: 2, device_a_port: "Ethernet1", device_b_id: 1, device_b_port: "Ethernet27" }
    assert.deepEqual(shown(devices, heard, [stored]), ["a1 Ethernet28 d2 Ethernet1 one"])
  })

  it("has the network in which both ends have their address", () => {
    const config = (port: string, address: string) =>
      `interface ${port}\n   no switchport\n   ip address ${address}\n!\n`
    assert.deepEqual(
      linkNetwork(config("Ethernet1", "10.1.0.3/31"), "Ethernet1", config("Ethernet2", "10.1.0.2/31"), "Ethernet2"),
      { ipv4_network: "10.1.0.2/31", isFirst: false }
    )
    assert.isUndefined(
      linkNetwork(config("Ethernet1", "10.1.0.3/31"), "Ethernet1", config("Ethernet2", "10.1.0.4/31"), "Ethernet2")
    )
  })
})
