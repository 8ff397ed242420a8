import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { remarkText } from "../../src/domain/Repository.ts"
import {
  type CheckedDevice,
  checkSettings,
  checkSettingsGently,
  type Inventory
} from "../../src/settings/SettingsCheck.ts"
import { problemRemarks, refreshAnswer } from "../../src/settings/SettingsProblem.ts"
import { buildSnapshot, type SettingsSnapshot } from "../../src/settings/SettingsSnapshot.ts"
import { failure, filesWith, memberFiles, messages, snapshotWith } from "./repository.ts"

let nextId = 0
const managed = (
  hostname: string,
  device_type: CheckedDevice["device_type"],
  extra: Partial<CheckedDevice> = {}
): CheckedDevice => {
  nextId += 1
  return {
    id: nextId,
    hostname,
    device_type,
    state: "MANAGED",
    model: null,
    platform: "eos",
    os_version: null,
    ...extra
  }
}

const inventory = (devices: ReadonlyArray<CheckedDevice>, extra: Partial<Inventory> = {}): Inventory => ({
  devices,
  linknets: [],
  managementDomains: [],
  globalUniqueVlans: true,
  ...extra
})

const problemsOf = (
  snapshot: SettingsSnapshot,
  devices: ReadonlyArray<CheckedDevice>,
  extra: Partial<Inventory> = {}
) => messages(checkSettings(snapshot, inventory(devices, extra)).problems)

const vxlan = (name: string, vni: number, vlan: number, vlanName = name) =>
  `  ${name}: {vni: ${vni}, vlan_id: ${vlan}, vlan_name: ${vlanName}}\n`
const vxlans = (...lines: ReadonlyArray<string>) => `vxlans:\n${lines.join("")}`
const own = (hostname: string, base_system: string) => memberFiles(`devices/${hostname}`, { base_system })

const a = managed("a", "ACCESS")
const b = managed("b", "ACCESS")
const wrongVlan = "dot1x_fail_vlan: 5000\n"

describe("a settings repository", () => {
  it("that is empty has no problems", () => {
    assert.deepStrictEqual(checkSettings(snapshotWith({}), inventory([a])), { problems: [], warnings: [] })
  })

  it("is checked without devices, for all and for each type", () => {
    for (const path of [
      "global/base_system.yml",
      "access/base_system.yml",
      "dist/base_system.yml",
      "core/base_system.yml"
    ]) {
      const origin = path.startsWith("global") ? "global->base_system.yml" : "devicetype->base_system.yml"
      const found = problemsOf(snapshotWith({ [path]: wrongVlan }), [])
      assert.lengthOf(found, 1)
      assert.include(found[0], `(value origin: ${origin})`)
    }
  })

  it("is checked for the directories of known devices in any state, but not of type UNKNOWN", () => {
    const snapshot = snapshotWith(own("sw", wrongVlan))
    assert.lengthOf(problemsOf(snapshot, [managed("sw", "ACCESS", { state: "UNMANAGED" })]), 1)
    assert.lengthOf(problemsOf(snapshot, [managed("sw", "UNKNOWN", { state: "DISCOVERED" })]), 0)
  })

  it("may describe devices that are not in the database, with a remark", () => {
    const { problems, warnings } = checkSettings(snapshotWith(own("sw", wrongVlan)), inventory([]))
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual(warnings.map(remarkText), [
      "devices/sw: Device sw specified in settings/devices but it was not found in database"
    ])
  })

  it("is checked for the files of models that no device has", () => {
    const found = problemsOf(snapshotWith({ "core/interfaces_x.yml": "interfaces: [{name: a}]\n" }), [])
    assert.include(found[0], "setting interfaces->0->ifclass, bad value: None (value origin: core->interfaces_x.yml)")
  })

  it("answers a wrong value with 400 and the text of the validation", () => {
    const [problem] = checkSettings(
      snapshotWith({ "global/vxlans.yml": vxlans(vxlan("student", 1, 501_555)) }),
      inventory([])
    ).problems
    assert.deepStrictEqual(problem && refreshAnswer(problem), {
      status: 400,
      message:
        "Syntax error in repository: Validation error for setting vxlans->student->vlan_id, bad value: 501555 " +
        "(value origin: global->vxlans.yml)\n" +
        "Message: Input should be less than 4095, field should be: Numeric 802.1Q VLAN ID, 1-4094\n"
    })
  })
})

/** Problems of a repository with one VXLAN of this VNI and an allowed range of 10 to 20. */
const withVni = (vni: number) =>
  problemsOf(
    snapshotWith({
      "global/base_system.yml": "vxlan_vni_range: 10-20\n",
      "global/vxlans.yml": vxlans(vxlan("x", vni, 5))
    }),
    [a]
  )

/** Problems of a repository with one VXLAN of this VLAN and the internal VLANs 100 to 200. */
const withInternalVlan = (vlan: number) =>
  problemsOf(
    snapshotWith({
      "dist/base_system.yml": "internal_vlans: {vlan_id_low: 100, vlan_id_high: 200}\n",
      "global/vxlans.yml": vxlans(vxlan("x", 1, vlan))
    }),
    [a, managed("d", "DIST")]
  )

describe("VLANs and VNIs", () => {
  it("of two management domains must differ when VLANs are unique", () => {
    const managementDomains = [{ vlan: 600 }, { vlan: null }, { vlan: null }, { vlan: 600 }]
    const text = "Management VLAN 600 used in multiple management domains"
    assert.deepStrictEqual(problemsOf(snapshotWith({}), [], { managementDomains }), [text])
    assert.deepStrictEqual(problemsOf(snapshotWith({}), [], { managementDomains, globalUniqueVlans: false }), [])
  })

  it("must lie in the allowed VNI range, its ends included", () => {
    assert.deepStrictEqual([withVni(10), withVni(20)], [[], []])
    assert.deepStrictEqual(withVni(9), ["VXLAN VNI 9 is outside of the allowed range 10-20"])
    assert.deepStrictEqual(withVni(21), ["VXLAN VNI 21 is outside of the allowed range 10-20"])
  })

  it("may not carry one VNI under two names, on one device or on several", () => {
    const text = "VXLAN VNI 7 used in VXLAN two is already used elsewhere"
    const here = snapshotWith({ "global/vxlans.yml": vxlans(vxlan("one", 7, 1), vxlan("two", 7, 2)) })
    const there = snapshotWith({ ...own("a", vxlans(vxlan("one", 7, 1))), ...own("b", vxlans(vxlan("two", 7, 2))) })
    for (const snapshot of [here, there]) {
      assert.deepStrictEqual(problemsOf(snapshot, [a, b]), [text])
      assert.deepStrictEqual(problemsOf(snapshot, [a, b], { globalUniqueVlans: false }), [text])
    }
  })

  it("may not carry one VLAN under two names when VLANs are unique over all devices", () => {
    const snapshot = snapshotWith({ ...own("a", vxlans(vxlan("one", 1, 9))), ...own("b", vxlans(vxlan("two", 2, 9))) })
    assert.deepStrictEqual(problemsOf(snapshot, [a, b]), ["VLAN id 9 used in VXLAN two is already used elsewhere"])
    assert.deepStrictEqual(problemsOf(snapshot, [a, b], { globalUniqueVlans: false }), [])
  })

  it("may not be a management domain's VLAN when VLANs are unique", () => {
    const snapshot = snapshotWith({ "global/vxlans.yml": vxlans(vxlan("one", 1, 600)) })
    const managementDomains = [{ vlan: 600 }]
    assert.deepStrictEqual(problemsOf(snapshot, [a], { managementDomains }), [
      "VLAN id 600 used in VXLAN one is already used elsewhere"
    ])
    assert.deepStrictEqual(problemsOf(snapshot, [a], { managementDomains, globalUniqueVlans: false }), [])
  })

  it("may not be used twice on a device, whether VLANs are unique or not", () => {
    const snapshot = snapshotWith({ "global/vxlans.yml": vxlans(vxlan("one", 1, 9), vxlan("two", 2, 9)) })
    assert.deepStrictEqual(problemsOf(snapshot, [a, b], { globalUniqueVlans: false }), [
      "VLAN id 9 used multiple times in device a",
      "VLAN id 9 used multiple times in device b"
    ])
    assert.strictEqual(problemsOf(snapshot, [a])[0], "VLAN id 9 used in VXLAN two is already used elsewhere")
  })

  it("may not lie in the device's internal VLANs, ends included", () => {
    assert.deepStrictEqual([withInternalVlan(99), withInternalVlan(201)], [[], []])
    for (const vlan of [100, 200])
      assert.deepStrictEqual(withInternalVlan(vlan), [`VLAN id ${vlan} is overlapping with internal VLAN range`])
  })

  it("may not have one name twice on an access switch", () => {
    const snapshot = snapshotWith({ "global/vxlans.yml": vxlans(vxlan("one", 1, 1, "N"), vxlan("two", 2, 2, "N")) })
    assert.deepStrictEqual(problemsOf(snapshot, [a]), ["VLAN name N used multiple times in device a"])
    assert.deepStrictEqual(problemsOf(snapshot, [managed("d", "DIST")]), [])
  })

  it("of devices that are not MANAGED do not count", () => {
    const snapshot = snapshotWith({ "global/vxlans.yml": vxlans(vxlan("one", 1, 9), vxlan("two", 2, 9)) })
    assert.deepStrictEqual(problemsOf(snapshot, [managed("x", "ACCESS", { state: "UNMANAGED" })]), [])
  })

  it("of an access switch count for the distribution switch above it", () => {
    const d = managed("d", "DIST")
    const snapshot = snapshotWith({
      "dist/base_system.yml": "internal_vlans: {vlan_id_low: 100, vlan_id_high: 200}\n",
      ...own("a", vxlans(vxlan("x", 1, 150)))
    })
    const linknets = [{ id: 1, device_a_id: a.id, device_b_id: d.id }]
    assert.deepStrictEqual(problemsOf(snapshot, [a, d], { linknets }), [
      "VLAN id 150 is overlapping with internal VLAN range"
    ])
    assert.deepStrictEqual(problemsOf(snapshot, [a, d]), [])
  })

  it("may not have gateways that overlap within one VRF", () => {
    const gateways = (...all: ReadonlyArray<readonly [name: string, vrf: string, keys: string]>) => {
      const entries = all.map(
        ([name, vrf, keys], index) =>
          `  ${name}: {vni: ${index + 1}, vlan_id: ${index + 1}, vlan_name: ${name}, vrf: ${vrf}, ${keys}}\n`
      )
      return problemsOf(snapshotWith({ "global/vxlans.yml": `vxlans:\n${entries.join("")}` }), [a, b])
    }
    const one = ["one", "RED", "ipv4_gw: 10.1.0.1/24"] as const
    assert.deepStrictEqual(gateways(one, ["two", "RED", "ipv4_gw: 10.1.0.129/25"]), [
      "Gateway 10.1.0.129/25 of VXLAN two overlaps 10.1.0.1/24 of VXLAN one in VRF RED"
    ])
    assert.deepStrictEqual(gateways(one, ["two", "RED", "ipv4_secondaries: [10.1.0.1/24]"]), [
      "Gateway 10.1.0.1/24 of VXLAN two overlaps 10.1.0.1/24 of VXLAN one in VRF RED"
    ])
    assert.deepStrictEqual(
      gateways(["x", "RED", "ipv6_gw: '2001:db8::1/64'"], ["y", "RED", "ipv6_gw: '2001:db8:0::2/64'"]),
      ["Gateway 2001:db8:0::2/64 of VXLAN y overlaps 2001:db8::1/64 of VXLAN x in VRF RED"]
    )
    assert.deepStrictEqual(
      gateways(
        ["wide", "RED", "ipv4_gw: 10.0.0.1/8"],
        ["low", "RED", "ipv4_gw: 10.1.0.1/24"],
        ["high", "RED", "ipv4_gw: 10.200.0.1/24"]
      ).length,
      2
    )
    assert.deepStrictEqual(gateways(one, ["two", "BLUE", "ipv4_gw: 10.1.0.1/24"]), [])
    assert.deepStrictEqual(gateways(one, ["two", "RED", "ipv4_gw: 10.1.1.1/24"]), [])
    assert.deepStrictEqual(gateways(["one", "RED", "ipv4_gw: 10.1.0.1/24, ipv4_secondaries: [10.1.0.2/24]"]), [])
  })

  it("that collide end a refresh with 500", () => {
    const [problem] = checkSettings(
      snapshotWith({}),
      inventory([], { managementDomains: [{ vlan: 6 }, { vlan: 6 }] })
    ).problems
    assert.deepStrictEqual(problem && refreshAnswer(problem), {
      status: 500,
      message: "Error in repository: Management VLAN 6 used in multiple management domains"
    })
  })
})

const routing = (extra: string) => ({
  routing: `extroute_bgp: {vrfs: [{name: A, local_as: 1,
  neighbor_v4: [{peer_ipv4: 10.0.0.1, peer_as: 2, route_map_in: in, route_map_out: out}],
  neighbor_v6: [{peer_ipv6: '::1', peer_as: 2, route_map_in: in6, route_map_out: out}]}]}\n${extra}`
})

describe("route maps of BGP neighbours", () => {
  const remarksOf = (snapshot: SettingsSnapshot, devices: ReadonlyArray<CheckedDevice>) => {
    const { problems, warnings } = checkSettings(snapshot, inventory(devices))
    assert.deepStrictEqual(problems, [])
    return warnings.map(remarkText)
  }

  it("must be defined in the settings or listed as external; templates may define them, so it is a warning", () => {
    const d = managed("d", "DIST")
    const known = "routing_policies: {in: {statements: []}}\nexternal_routing_policies: [out]\n"
    assert.deepStrictEqual(remarksOf(snapshotWith(memberFiles("devices/d", routing(known))), [d]), [
      "devices/d/routing.yml, line 3, column 62: extroute_bgp->vrfs->0->neighbor_v6->0->route_map_in: d: BGP neighbor route map in6 is not defined"
    ])
    assert.deepStrictEqual(
      remarksOf(snapshotWith(memberFiles("devices/d", routing(`${known.replace("[out]", "[out, in6]")}`))), [d]),
      []
    )
  })

  it("are known per device: definitions of another device do not count", () => {
    const snapshot = snapshotWith({
      ...memberFiles("devices/d", routing("external_routing_policies: [in, out, in6]\n")),
      ...memberFiles("devices/e", routing("external_routing_policies: [in, out]\n"))
    })
    const found = remarksOf(snapshot, [managed("d", "DIST"), managed("e", "DIST")])
    assert.lengthOf(found, 1)
    assert.include(found[0], "e: BGP neighbor route map in6 is not defined")
  })
})

describe("several problems", () => {
  const snapshot = snapshotWith({
    "global/groups.yml":
      "groups: [{group: {name: A, regex: x, group_priority: 5}}, {group: {name: B, regex: x, group_priority: 5}}]\n",
    "access/base_system.yml": wrongVlan,
    ...own("d", vxlans(vxlan("one", 1, 9), vxlan("two", 2, 9)))
  })
  const everything = inventory([managed("d", "DIST"), a], { managementDomains: [{ vlan: 6 }, { vlan: 6 }] })

  it("are all found, once each, in the order in which a refresh would meet them", () => {
    assert.deepStrictEqual(
      checkSettings(snapshot, everything).problems.map(({ kind, message }) => [kind, message.slice(0, 40)]),
      [
        ["validation", "Validation error for setting dot1x_fail_"],
        ["vlan", "Management VLAN 6 used in multiple manag"],
        ["vlan", "VLAN id 9 used in VXLAN two is already u"],
        ["vlan", "VLAN id 9 used multiple times in device "],
        ["groups", "Groups must have unique group_priority v"]
      ]
    )
  })

  it.effect("are the same when the check yields to other work", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* checkSettingsGently(snapshot, everything), checkSettings(snapshot, everything))
    })
  )
})

describe("a file that is not a mapping, or contains forbidden text", () => {
  const cases: ReadonlyArray<readonly [file: string, text: string, expected: string]> = [
    [
      "global/vxlans.yml",
      "- vxlans\n",
      "line 1, column 1: expected a mapping of settings at the top of the file, not list"
    ],
    [
      "access/base_system.yml",
      "# why\n---\nword\n",
      "line 3, column 1: expected a mapping of settings at the top of the file, not str"
    ],
    [
      "devices/far/routing.yml",
      "[1]",
      "line 1, column 1: expected a mapping of settings at the top of the file, not list"
    ],
    [
      "access/base_system.yml",
      'a: 1\nb: [{c: "x\\0y"}]\n',
      "line 2, column 9: b->0->c: the text holds the control character U+0000"
    ],
    [
      "access/base_system.yml",
      'domain_name: "\\ud800b"\n',
      "line 1, column 14: domain_name: the text holds half of a surrogate pair (U+D800)"
    ],
    [
      "access/base_system.yml",
      'organization_name: "a\\Lb"\n',
      "line 1, column 20: organization_name: the text holds the line separator U+2028"
    ],
    ["devices/far/base_system.yml", '"a\\tb": 1\n', "line 1, column 1: the key holds a tab (U+0009)"],
    ["access/base_system.yml", "# bell \u0007\n", "line 1, column 8: the file holds the control character U+0007"]
  ]
  for (const [file, text, expected] of cases) {
    it(`${file} with ${JSON.stringify(text)} stops a refresh with its place, also of an unknown device`, () => {
      const snapshot = snapshotWith({ ...memberFiles("devices/far", {}), [file]: text })
      for (const { problems } of [checkSettings(snapshot), checkSettings(snapshot, inventory([a]))]) {
        const [problem] = problems
        assert.include(problem?.message, `${file}, ${expected}`)
        assert.deepInclude(problem && refreshAnswer(problem), { status: 400 })
        const [found] = problemRemarks(problems, snapshot.files)
        assert.deepInclude(found, { file })
        assert.isNotNull(found?.line)
      }
    })
  }

  it("stops a refresh when it defines the groups", () => {
    const built = buildSnapshot({ files: filesWith({ "global/groups.yml": "- groups\n" }), root: "settings" })
    assert.deepStrictEqual(
      failure(built).map(({ message }) => message),
      ["global/groups.yml, line 1, column 1: expected a mapping of settings at the top of the file, not list"]
    )
  })

  it("is reported in a field of one line with the place of its value, and a line break at the end is none", () => {
    const broken = snapshotWith({ "access/base_system.yml": 'organization_name: "a\\nb"\n' })
    assert.include(checkSettings(broken).problems[0]?.message, "Value error, the text holds a line break (U+000A)")
    assert.deepStrictEqual(
      problemRemarks(checkSettings(broken).problems, broken.files).map(({ file, line }) => [file, line]),
      [["access/base_system.yml", 1]]
    )
    const block = "organization_name: |\n  Lindhaven\nbanner_motd: |\n  one\n  two\n"
    assert.deepStrictEqual(checkSettings(snapshotWith({ "access/base_system.yml": block })).problems, [])
  })
})

describe("remarks that stop nothing", () => {
  it("report misspelled groups, misplaced, unknown, ignored and doubled keys and unusable pools", () => {
    const snapshot = snapshotWith({
      "global/base_system.yml": "vxlans: {}\nno_such_key: 1\ndns_servers: []\ndns_servers: []\n",
      "global/vxlans.yml": "vxlans: {x: {vni: 1, vlan_id: 1, vlan_name: x, groups: [MISSPELLED]}}\n",
      "global/access_lists.yml": "access_lists: {}\n",
      "global/routing.yml":
        "underlay: {infra_lo_net: 10.0.0.1/16, infra_link_net: 10.1.0.0/16, mgmt_lo_net: 10.2.0.0/99}\n",
      "access/base_system.yml": ""
    })
    const { problems, warnings } = checkSettings(snapshot, inventory([a]))
    assert.deepStrictEqual(problems, [])
    assert.sameMembers(warnings.map(remarkText), [
      "global/routing.yml, line 1, column 26: underlay->infra_lo_net: 10.0.0.1/16 has host bits set",
      "global/routing.yml, line 1, column 81: underlay->mgmt_lo_net: 10.2.0.0/99 is not a network",
      "global/vxlans.yml, line 1, column 57: vxlans->x->groups->0: group MISSPELLED is not defined",
      "global/base_system.yml, line 4, column 1: dns_servers: key dns_servers is given more than once",
      "global/base_system.yml, line 1, column 1: vxlans: belongs into another file",
      "global/base_system.yml, line 2, column 1: no_such_key: no setting has this name",
      "global/access_lists.yml, line 1, column 1: access_lists: accepted but not used"
    ])
  })
})
