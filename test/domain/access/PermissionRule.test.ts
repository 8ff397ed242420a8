import { describe, expect, it } from "@effect/vitest"
import { coversCall, isGlob, matchesGlob } from "../../../src/domain/access/Glob.ts"
import { obstacleOf, type Permission } from "../../../src/domain/access/PermissionRule.ts"

describe("a glob of paths", () => {
  it.each([
    ["/devices", "/devices", true],
    ["/devices", "/devices/", false],
    ["/device/*", "/device/a/interfaces", true],
    ["/repository/**", "/repository/settings", true],
    ["/groups*", "/groups/x/os_version", true],
    ["/device/?", "/device/a", true],
    ["/device/?", "/device/ab", false],
    ["/device/[0-9]", "/device/4", true],
    ["/device/[!0-9]", "/device/4", false],
    ["/Devices", "/devices", false],
    ["/device/{id}", "/device/12", true],
    ["/device/{id}", "/device/12/interfaces", false],
    ["/device/{hostname}/interfaces", "/device/a.b-c/interfaces", true],
    ["/device/{hostname}/interfaces", "/device/a/b/interfaces", false],
    ["/a.b", "/axb", false],
    ["/[", "/[", true],
    ["*/{id}5", "/device/125", true],
    ["*/{id}5", "/device/5", false],
    ["*{a}{b}x*", "/abx", true],
    ["*{a}{b}x*", "/bx", false],
    ["/{a}x/*b", "/xx/ab", true],
    ["/{a}x/*b", "/x/ab", false],
    ["a**b*c", "abc", true],
    ["a*b*c", "ab\nbcd", false],
    ["*[!a-y]*?", "aaza", true],
    ["*[!a-y]*?", "aaz", false]
  ])("%s on %s: %s", (glob, path, is) => expect(matchesGlob(glob, path)).toBe(is))

  it("takes no time that grows faster than both lengths, because callers choose the path", () => {
    const path = "/" + "a".repeat(10_000)
    const globs = ["*a*a*a*a*a*a*b", "{x}{y}{z}{x}{y}{z}b", "*/{x}a{y}/b", "*{id}{id}{id}b"]
    expect(globs.filter((glob) => matchesGlob(glob, path))).toEqual([])
  })

  it("is refused with an impossible range", () => {
    expect(isGlob("/device/[z-a]")).toBe(false)
    expect(isGlob("/device/[a-z]")).toBe(true)
  })
})

const asked = { method: "POST", path: "/device_syncto" }
const device = (hostname: string, deviceType: string, ...groups: ReadonlyArray<string>) => ({
  hostname,
  deviceType,
  groups
})
const own: Permission = { methods: ["POST"], endpoints: ["/device_syncto"] }

describe("a permission", () => {
  it("covers its methods and endpoints, and nothing without them", () => {
    expect(coversCall(own, "POST", "/device_syncto")).toBe(true)
    expect(coversCall(own, "PUT", "/device_syncto")).toBe(false)
    expect(coversCall({ endpoints: ["*"] }, "GET", "/devices")).toBe(false)
    expect(coversCall({ methods: ["*"] }, "GET", "/devices")).toBe(false)
    expect(coversCall({ methods: ["*"], endpoints: ["*"] }, "GET", "/devices")).toBe(true)
  })

  it.each<[string, Permission, Parameters<typeof obstacleOf>[1], string | undefined]>([
    ["its path", own, { ...asked, path: "/devices" }, "endpoints: /device_syncto"],
    ["its method", own, { ...asked, method: "GET" }, "methods: POST"],
    ["a group", { ...own, groups: ["a"] }, { ...asked, devices: [device("x", "ACCESS", "a")] }, undefined],
    [
      "another group",
      { ...own, groups: ["a"] },
      { ...asked, devices: [device("x", "ACCESS", "a"), device("y", "ACCESS", "b")] },
      "groups: a; y is not among them"
    ],
    [
      "a type",
      { ...own, device_types: ["ACCESS"] },
      { ...asked, devices: [device("c", "CORE")] },
      "device_types: ACCESS; c is not among them"
    ],
    [
      "a port",
      { ...own, interfaces: ["x:Ethernet[1-4]"] },
      { ...asked, ports: [{ hostname: "x", port: "Ethernet5" }] },
      "interfaces: x:Ethernet[1-4]; x:Ethernet5 is not among them"
    ],
    [
      "a kind of job",
      { ...own, jobs: ["sync_devices"] },
      { ...asked, job: { name: "device_upgrade", live: true } },
      "jobs: sync_devices"
    ],
    ["a dry run", { ...own, live: false }, { ...asked, job: { name: "sync_devices", live: false } }, undefined],
    [
      "a live run",
      { ...own, live: false },
      { ...asked, job: { name: "sync_devices", live: true } },
      "live: false, dry runs only"
    ],
    ["a value", { ...own, fields: { state: ["DHCP_BOOT"] } }, { ...asked, fields: { state: "dhcp_boot" } }, undefined],
    [
      "another value",
      { ...own, fields: { state: ["DHCP_BOOT"] } },
      { ...asked, fields: { state: ["DHCP_BOOT"] } },
      "fields: state may be DHCP_BOOT, and this is another value"
    ],
    [
      "another field",
      { ...own, fields: { state: ["*"], port: ["22"] } },
      { ...asked, fields: { port: 22, constructor: 1 } },
      "fields: state, port; constructor is not among them"
    ],
    [
      "a state",
      { ...own, states: ["DISCOVERED"] },
      { ...asked, devices: [{ ...device("x", "ACCESS"), state: "MANAGED" }] },
      "states: DISCOVERED; x is MANAGED"
    ],
    [
      "a state that is not known",
      { ...own, states: ["DISCOVERED"] },
      { ...asked, devices: [device("x", "ACCESS")] },
      "states: DISCOVERED; x is in a state that is not known"
    ],
    [
      "the right trust",
      { ...own, rights: ["write"] },
      { ...asked, trust: "it moves" },
      "rights: write; trust is not among them, and it moves"
    ],
    [
      "a right that it has",
      { ...own, rights: ["trust", "free_lines"] },
      { ...asked, trust: "it moves", free: ["a"] },
      undefined
    ],
    [
      "free lines",
      own,
      { ...asked, free: ["a", "b"] },
      "rights: nothing; free_lines is not among them, and a, b have lines of their own for the configuration"
    ],
    [
      "what says which switch it is",
      { ...own, groups: ["*"] },
      { ...asked, identity: true },
      "only for some devices, and this says which switch a record stands for, which needs the right trust"
    ],
    [
      "many devices",
      { ...own, max_devices: 1 },
      { ...asked, job: { name: "sync_devices", live: true }, devices: [device("x", "ACCESS"), device("y", "ACCESS")] },
      "max_devices: 1, and these are 2"
    ]
  ])("is checked for %s", (_, permission, call, rule) => expect(obstacleOf(permission, call)?.rule).toBe(rule))
})
