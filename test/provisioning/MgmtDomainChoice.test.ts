/** Every row of docs/provisioning.md#choice-of-the-management-domain, and the placement of an access switch that uses it. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { domainOfAddress, findMgmtDomain, placeAccessSwitch } from "../../src/provisioning/Placement.ts"
import { acc1, blank, byHostname, core1, core2, device, dist1, dist2, domain } from "./Campus.ts"

const coreDevices = new Set([core1.id, core2.id])
const pair = domain(2, dist2.id, dist1.id)
const other = domain(3, 90, 91, { ipv4_gw: "10.0.7.1/24" })
const ofCore = domain(4, core1.id, core2.id, { ipv4_gw: "10.0.8.1/24" })

const elsewhere = device(22, "acc-b3-01", "ACCESS", { management_ip: "10.0.7.9" })
const lost = device(23, "acc-x", "ACCESS", { management_ip: null })
const sixth = device(24, "acc-v6", "ACCESS", { management_ip: "2001:db8:6::9" })

const found = (uplinks: Parameters<typeof findMgmtDomain>[0], domains: Parameters<typeof domainOfAddress>[0]) =>
  Result.match(findMgmtDomain(uplinks, { domains, coreDevices }), {
    onFailure: ({ message }) => message,
    onSuccess: ({ id }) => id
  })

const nothing = (list: string) => `Could not find appropriate management domain for uplink peer devices: ${list}`

describe("the management domain", () => {
  it.each([
    ["one DIST that is a member", [dist1], [other, pair], 2],
    ["one DIST in several domains", [dist1], [domain(9, dist1.id, 50), pair], 2],
    ["one DIST without a domain", [dist1], [other], "No mgmtdomain found for uplink device: dist-b2-1"],
    ["one ACCESS in a domain", [acc1], [other, pair], 2],
    ["one ACCESS in an IPv6 domain", [sixth], [domain(6, 1, 2, { ipv4_gw: null, ipv6_gw: "2001:db8:6::1/64" })], 6],
    ["one ACCESS outside all domains", [lost], [pair], nothing("['acc-x']")],
    ["two DIST that are a pair, in either order", [dist1, dist2], [other, pair], 2],
    ["two DIST with several domains", [dist1, dist2], [domain(7, dist1.id, dist2.id), pair], 2],
    ["two DIST below the domain of a CORE", [dist1, dist2], [other, ofCore], 4],
    ["two DIST with nothing", [dist1, dist2], [other], nothing("['dist-b2-1', 'dist-b2-2']")],
    ["twice the same DIST", [dist1, dist1], [pair], nothing("['dist-b2-1', 'dist-b2-1']")],
    [
      "two DIST below several domains of a CORE",
      [dist1, dist2],
      [ofCore, domain(5, core2.id, 50)],
      "Found multiple possible mgmtdomains, please remove any redundant mgmtdomains"
    ],
    ["two ACCESS in one domain", [acc1, acc1], [pair], 2],
    [
      "two ACCESS of which one has none",
      [acc1, lost],
      [pair],
      "Uplink access devices are missing mgmtdomains: acc-b2-01, acc-x"
    ],
    [
      "two ACCESS in different domains",
      [acc1, elsewhere],
      [pair, other],
      "Uplink access devices have different mgmtdomains: acc-b2-01, acc-b3-01"
    ],
    [
      "a DIST and an ACCESS",
      [dist1, acc1],
      [pair],
      "Both uplink devices must be of same device type: dist-b2-1, acc-b2-01"
    ],
    ["one CORE", [core1], [ofCore], "Unexpected uplink device type: CORE"],
    ["two CORE", [core1, core2], [ofCore], "Unexpected uplink device type: CORE"],
    ["no uplinks", [], [pair], "One or two uplink devices are required to find a compatible mgmtdomain, got: []"],
    [
      "three uplinks",
      [dist1, dist2, dist1],
      [pair],
      "One or two uplink devices are required to find a compatible mgmtdomain, got: ['dist-b2-1', 'dist-b2-2', 'dist-b2-1']"
    ]
  ] as const)("below %s", (_name, uplinks, domains, expected) => expect(found(uplinks, domains)).toBe(expected))

  it("of an address is none when its gateway is no network", () => {
    expect(domainOfAddress([domain(1, 1, 2, { ipv4_gw: "nonsense" })], "10.0.6.6")).toBeUndefined()
  })
})

describe("the place of an access switch", () => {
  const link = {
    device_a_hostname: blank.hostname,
    device_b_hostname: dist1.hostname,
    device_a_id: blank.id,
    device_b_id: dist1.id,
    device_a_port: "Ethernet51",
    device_b_port: "Ethernet11",
    device_a_ip: null,
    device_b_ip: null,
    ipv4_network: null,
    site_id: null,
    description: null,
    redundant_link: false
  }
  const survey = { device: blank, mlagPeer: null, links: [link], devices: byHostname, neighbors: null }

  it("is its neighbours and its domain", () => {
    expect(placeAccessSwitch(survey, { domains: [pair], coreDevices })).toMatchObject({
      success: { neighbors: ["dist-b2-1"], domain: { id: 2 } }
    })
  })

  it("is missing when no domain belongs to the uplinks", () => {
    expect(placeAccessSwitch(survey, { domains: [], coreDevices })).toMatchObject({
      failure: { _tag: "InitVerificationError", message: "No mgmtdomain found for uplink device: dist-b2-1" }
    })
  })

  it("is not searched when the checks are switched off", () => {
    expect(placeAccessSwitch({ ...survey, neighbors: [] }, { domains: [], coreDevices })).toEqual(
      Result.succeed({ neighbors: [], uplinks: [], domain: null })
    )
  })
})
