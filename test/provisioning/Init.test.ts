/** Arguments, start, check and replacement of an initialisation (docs/provisioning.md). */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import {
  accessStart,
  type InitArguments,
  initArguments,
  initCheck,
  type InitCheckSurvey,
  initJob,
  step2Delay
} from "../../src/provisioning/Init.ts"
import { checkReplacement, lostInterfaces, planReplacement } from "../../src/provisioning/InterfaceDatabase.ts"
import { acc1Rows } from "./Campus.ts"
import { InitRequest } from "../../src/domain/requests/InitRequests.ts"

const argumentsOf = (sent: Readonly<Record<string, unknown>>) =>
  Result.map(InitRequest.check(sent).complete, (request) => initArguments(71, request))

const body = { hostname: "acc-b2-07", device_type: "access" }

describe("the arguments of device_init", () => {
  it("are parsed into the form that parsed_args shows, in its order", () => {
    const full = {
      ...body,
      mlag_peer_id: 72,
      mlag_peer_hostname: "acc-b2-08",
      neighbors: ["dist1"],
      replace_hostname: true
    }
    expect(JSON.stringify(Result.getOrThrow(argumentsOf(full)))).toBe(
      '{"device_id":71,"new_hostname":"acc-b2-07","device_type":"ACCESS","mlag_peer_id":72,"mlag_peer_new_hostname":"acc-b2-08","neighbors":["dist1"],"replace_hostname":true}'
    )
  })

  it.each([{}, { neighbors: null }, { replace_hostname: null }])("may be left out: %j", (extra) => {
    expect(argumentsOf({ ...body, ...extra })).toEqual(
      Result.succeed({ device_id: 71, new_hostname: "acc-b2-07", device_type: "ACCESS", neighbors: null })
    )
  })

  it.each([
    [{}, "POST data must include new 'hostname'"],
    [{ hostname: "a b" }, "Provided hostname is not valid"],
    [{ hostname: 7 }, "Provided hostname is not valid"],
    [{ hostname: "a" }, "POST data must include 'device_type'"],
    [{ hostname: "a", device_type: "SPINE" }, "Invalid 'device_type' provided"],
    [{ hostname: "a", device_type: 1 }, "Invalid 'device_type' provided"],
    [{ ...body, mlag_peer_id: 72 }, "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"],
    [{ ...body, mlag_peer_hostname: null }, "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified"],
    [{ ...body, mlag_peer_id: "72", mlag_peer_hostname: "b" }, "'mlag_peer_id' must be an integer"],
    [{ ...body, mlag_peer_id: 1.5, mlag_peer_hostname: "b" }, "'mlag_peer_id' must be an integer"],
    [{ ...body, mlag_peer_id: 72, mlag_peer_hostname: "b b" }, "Provided 'mlag_peer_hostname' is not valid"],
    [
      { ...body, neighbors: "dist1" },
      "Neighbors must be specified as either a list of hostnames,an empty list, or not specified at all"
    ],
    [{ ...body, neighbors: ["dist1", 5] }, "Invalid hostname specified in neighbor list"],
    [{ ...body, replace_hostname: "yes" }, "'replace_hostname' must be a boolean"]
  ])("%j are refused", (arguments_, message) => {
    const refused = argumentsOf(arguments_)
    expect(Result.isFailure(refused) ? refused.failure[0] : undefined).toBe(message)
  })
})

const args: InitArguments = { device_id: 71, new_hostname: "acc-b2-07", device_type: "ACCESS", neighbors: null }

describe("the start of an initialisation", () => {
  it.each([
    ["INIT", "10.0.6.9", "ACCESS", "ACCESS", "init_device_step2"],
    ["INIT", null, "ACCESS", "ACCESS", "init_access_device_step1"],
    ["INIT", "10.0.6.9", "UNKNOWN", "DIST", "init_fabric_device_step1"],
    ["DISCOVERED", null, "UNKNOWN", "ACCESS", "init_access_device_step1"],
    ["DISCOVERED", null, "UNKNOWN", "CORE", "init_fabric_device_step1"]
  ] as const)(
    "of a device in %s with address %s and type %s as %s is %s",
    (state, management_ip, now, device_type, job) => {
      expect(initJob({ state, management_ip, device_type: now }, { ...args, device_type })).toEqual(Result.succeed(job))
    }
  )

  it.each([
    [{ ...args, device_type: "UNKNOWN" }, "Unsupported 'device_type' provided"],
    [
      { ...args, device_type: "DIST", replace_hostname: true },
      "MLAG peers and replacement are for device_type ACCESS only"
    ],
    [{ ...args, device_type: "CORE", mlag_peer_id: 72 }, "MLAG peers and replacement are for device_type ACCESS only"]
  ] as const)("is refused (%#)", (wrong, message) => {
    const device = { state: "DISCOVERED", management_ip: null, device_type: "UNKNOWN" } as const
    expect(initJob(device, wrong)).toMatchObject({ failure: { message } })
  })

  const discovered = "Device must be in state DISCOVERED to begin init"
  it.each([
    ["DISCOVERED", null, "wholeStep1"],
    ["MANAGED", null, discovered],
    ["DISCOVERED", "DISCOVERED", "wholeStep1"],
    ["DISCOVERED", "INIT", discovered],
    ["MANAGED", "DISCOVERED", "peerOnly"],
    ["MANAGED", "MANAGED", discovered],
    ["INIT", "DISCOVERED", "First MLAG device must be in state MANAGED to restart MLAG peer init"]
  ] as const)("of a switch in %s with a peer in %s: %s", (state, peer, expected) => {
    const start = accessStart({ state }, peer === null ? null : { state: peer })
    expect(Result.match(start, { onFailure: ({ message }) => message, onSuccess: (what): string => what })).toBe(
      expected
    )
  })

  it("gives the peer of an MLAG pair the time to complete its own step 1", () => {
    expect([step2Delay(60, 30, false), step2Delay(60, 30, true), step2Delay(600, 30, true)]).toEqual([60, 120, 600])
  })
})

const link = { device_a_port: "Ethernet51", device_b_port: "Ethernet7" }
const fullLink = {
  ...link,
  device_a_id: 71,
  device_b_id: 12,
  device_a_ip: null,
  device_b_ip: null,
  ipv4_network: null,
  site_id: null,
  description: null,
  device_a_hostname: "mac-0C1A33BEEF01",
  device_b_hostname: "dist-b2-1",
  redundant_link: true
}

const check = (changes: Partial<InitCheckSurvey> = {}) =>
  initCheck({
    args,
    links: { links: [fullLink], problems: [] },
    neighbours: { neighbors: ["dist-b2-1"], problems: [] },
    mlagPeerHostname: null,
    ...changes
  })

describe("device_initcheck", () => {
  it("of a compatible switch has exactly its keys", () => {
    expect(check()).toEqual({
      linknets: [fullLink],
      linknets_compatible: true,
      neighbors: ["dist-b2-1"],
      neighbors_compatible: true,
      parsed_args: args,
      compatible: true
    })
  })

  it("of a switch without links says so", () => {
    expect(check({ links: { links: [], problems: [] } })).toEqual({
      linknets: [],
      linknets_compatible: true,
      neighbors_compatible: false,
      neighbors_error: "No linknets found",
      parsed_args: args,
      compatible: false
    })
  })

  it("accepts a switch without links when the request gives an empty list of neighbours", () => {
    expect(check({ args: { ...args, neighbors: [] }, links: { links: [], problems: [] } })).toMatchObject({
      neighbors: [],
      compatible: true
    })
  })

  it("reports a port that is not configured instead of failing", () => {
    const message = "Peer device interface is not configured: dist-b2-1 Ethernet20"
    const answer = check({ links: { links: [], problems: [{ message }] } })
    expect(answer).toMatchObject({ linknets_compatible: false, linknets_error: message, compatible: false })
    expect(answer).not.toHaveProperty("linknets")
  })

  it("reports neighbours that do not fit", () => {
    const answer = check({ neighbours: { neighbors: [], problems: [{ message: "No uplinks" }] } })
    expect(answer).toMatchObject({ neighbors_compatible: false, neighbors_error: "No uplinks", compatible: false })
    expect(answer).not.toHaveProperty("neighbors")
  })

  it("reports all problems, each once", () => {
    const problem = (message: string) => ({ message })
    const answer = check({
      links: { links: [fullLink], problems: [problem("port 1"), problem("port 2"), problem("port 1")] },
      neighbours: { neighbors: ["dist-b2-1"], problems: [problem("no domain"), problem("one peer link")] },
      hostnames: [problem("name a"), problem("name b")]
    })
    expect(answer).toEqual({
      linknets_compatible: false,
      linknets_error: "port 1; port 2",
      neighbors_compatible: false,
      neighbors_error: "no domain; one peer link",
      hostname_error: "name a; name b",
      parsed_args: args,
      compatible: false
    })
  })

  it.each([
    ["dist-b2-1", true],
    ["mac-0C1A33BEEF02", false]
  ])("with the MLAG peer %s is compatible: %s", (mlagPeerHostname, compatible) => {
    expect(check({ mlagPeerHostname })).toMatchObject({ mlag_compatible: compatible, compatible })
  })
})

describe("replacing a broken access switch", () => {
  const old = {
    id: 21,
    hostname: "acc-b2-01",
    state: "UNMANAGED",
    management_ip: "10.0.6.6",
    secondary_management_ip: null
  } as const
  const survey = { hostname: "acc-b2-01", old, interfaces: [], stackMembers: 0 }

  it("is allowed for a switch that an operator set UNMANAGED", () => {
    expect(checkReplacement(survey)).toEqual(Result.succeed(old))
  })

  it.each([
    [{ old: null }, "Device acc-b2-01 not found"],
    [{ old: { ...old, state: "MANAGED" } }, "Device acc-b2-01 not in UNMANAGED state"],
    [{ interfaces: [{ configtype: "MLAG_PEER" }] }, "Replacing a MLAG switch is not supported"],
    [{ stackMembers: 2 }, "Replacing a stacked switch is not supported"]
  ] as const)("is refused (%#)", (changes, message) => {
    expect(checkReplacement({ ...survey, ...changes })).toMatchObject({
      failure: { _tag: "DeviceStateError", message }
    })
  })

  it("keeps the old row and its address, and gives it the identity of the new unit", () => {
    const unit = { id: 71, ztp_mac: "0C1A33BEEF01", serial: "S", model: "M", dhcp_ip: "10.90.0.23", platform: "eos" }
    expect(planReplacement(old, unit)).toEqual({
      deviceId: 21,
      deleteId: 71,
      event: {
        type: "REPLACED",
        ztp_mac: "0C1A33BEEF01",
        serial: "S",
        model: "M",
        dhcp_ip: "10.90.0.23",
        platform: "eos"
      },
      reuse: ["10.0.6.6"]
    })
  })

  it("lists the ports that the new unit does not have", () => {
    expect(lostInterfaces(acc1Rows, ["Ethernet1", "Ethernet2"])).toEqual(["Ethernet3", "Ethernet4"])
  })
})
