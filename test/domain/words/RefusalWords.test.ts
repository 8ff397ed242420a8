/** Why a role does not allow something, in words for people. */
import { assert, it } from "@effect/vitest"
import { type Asked, obstacleOf, type Permission } from "../../../src/domain/access/PermissionRule.ts"
import { refusalWords } from "../../../src/domain/words/RefusalWords.ts"

const sync: Asked = { method: "POST", path: "/device_syncto" }
const own: Permission = { methods: ["POST"], endpoints: ["/device_syncto"] }
const job = { name: "sync_devices", live: true }
const switchIn = (hostname: string, group: string, state = "MANAGED") => ({
  hostname,
  deviceType: "ACCESS",
  groups: [group],
  state
})

const cases: ReadonlyArray<readonly [string, Permission, Asked]> = [
  ["lets people only look here", { methods: ["GET"], endpoints: ["*"] }, sync],
  ["lets people only look or change something here", { methods: ["GET", "PUT"], endpoints: ["*"] }, sync],
  ["lets people do nothing here", { endpoints: ["*"] }, sync],
  ["has nothing to do with this", { methods: ["*"], endpoints: ["/jobs"] }, sync],
  [
    "is only for switches of EAST or WEST and of type access, and y is none of them",
    { ...own, groups: ["EAST", "WEST"], device_types: ["ACCESS"] },
    { ...sync, devices: [switchIn("x", "EAST"), switchIn("y", "NORTH")] }
  ],
  [
    "is only for switches that are starting or found, not set up, and x is managed",
    { ...own, states: ["DHCP_BOOT", "DISCOVERED"] },
    { ...sync, devices: [switchIn("x", "EAST")] }
  ],
  [
    "is only for the ports x:Ethernet[1-4], and not for x:Ethernet5",
    { ...own, interfaces: ["x:Ethernet[1-4]"] },
    { ...sync, ports: [{ hostname: "x", port: "Ethernet5" }] }
  ],
  [
    "lets people set state only to DHCP_BOOT",
    { ...own, fields: { state: ["DHCP_BOOT"] } },
    { ...sync, fields: { state: 1 } }
  ],
  [
    "lets people set only state and port, and not name",
    { ...own, fields: { state: ["*"], port: ["*"] } },
    { ...sync, fields: { name: "x" } }
  ],
  ["starts only previews", { ...own, live: false }, { ...sync, job }],
  [
    "is for at most 1 switch at a time, and these are 2",
    { ...own, max_devices: 1 },
    { ...sync, job, devices: [switchIn("x", "EAST"), switchIn("y", "EAST")] }
  ],
  ["does not give the right skip_checks for changes without their checks", own, { ...sync, job, skipChecks: true }],
  ["does not give the right trust, and it moves", own, { ...sync, trust: "it moves" }],
  [
    "is only for some switches, and this is about more than single ones",
    { ...own, groups: ["EAST"] },
    { ...sync, beyond: true }
  ]
]

for (const [words, permission, asked] of cases)
  it(words, () => {
    const obstacle = obstacleOf(permission, asked)
    assert.isDefined(obstacle)
    if (obstacle !== undefined) assert.strictEqual(refusalWords(obstacle, permission), words)
  })
