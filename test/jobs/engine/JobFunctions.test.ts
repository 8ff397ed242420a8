/** The definitions of jobs: what the compiler refuses, and that records and memos of earlier releases are read unchanged. */
import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import type { SentArgs } from "../../../src/domain/jobs/JobDefinition.ts"
import type { JobEngine } from "../../../src/jobs/engine/JobEngine.ts"
import { jobFunctions } from "../../../src/jobs/JobList.ts"
import { jobNamed } from "../../support/Jobs.ts"
import { DeviceDrift, RevertJob, SyncDevices } from "../../../src/domain/jobs/ChangeJobs.ts"
import { UpdateFacts } from "../../../src/domain/jobs/UpkeepJobs.ts"

/** Names under which rows of earlier releases wait to be resumed. */
const NAMES = [
  "sync_devices",
  "confirm_devices",
  "apply_config",
  "discover_device",
  "init_access_device_step1",
  "init_fabric_device_step1",
  "init_device_step2",
  "update_facts",
  "update_interfacedb",
  "renew_cert",
  "device_erase",
  "get_firmware",
  "get_firmware_chksum",
  "remove_file",
  "device_upgrade",
  "device_drift",
  "read_tables",
  "onboard_devices",
  "manage_onboarded",
  "revert_job",
  "refresh_repo"
]

const address = { ip: "10.0.0.5", network: "10.0.0.0/24" }

/** Memos as the release before the definitions wrote them. */
const MEMOS: ReadonlyArray<readonly [name: string, memo: unknown]> = [
  ["sync_devices", { hostnames: ["a"], eventsSeen: 4, changesSeen: 7 }],
  ["sync_devices", { hostnames: [], eventsSeen: 0, changesSeen: 0, stop: { aborted: true, message: "m" } }],
  ["sync_devices", { hostnames: ["a"], eventsSeen: 4, changesSeen: 7, confirmingJob: 9 }],
  ["confirm_devices", { begun: true }],
  ["init_device_step2", { done: true }],
  ["remove_file", { begun: true }],
  ["device_upgrade", { groups: [["a", "b"], ["c"]] }],
  ["refresh_repo", { repository: "settings", refused: { status: 400, message: "m" } }],
  ["refresh_repo", { repository: "templates", warnings: [] }],
  [
    "init_fabric_device_step1",
    {
      stage: "pushing",
      deviceId: 4,
      device_type: "DIST",
      previousHostname: "mac-1",
      newHostname: "d1",
      oldAddress: "10.9.0.1",
      primary: address,
      secondary: null,
      infraIp: "10.1.0.1",
      variables: { mgmt_ip: "10.0.0.5", asn: 65000, gone: null },
      neighbours: ["c1"],
      uplinks: [],
      before: { deviceIds: [4], removed: [], added: [1], ports: [], inSync: [2], infraIp: null, replaced: null },
      lost: { interfaces: [], links: [] }
    }
  ]
]

/** Arguments of records, and how their functions read them. */
const ARGUMENTS: ReadonlyArray<readonly [name: string, stored: unknown, read: unknown]> = [
  ["refresh_repo", null, null],
  ["revert_job", { job_id: 3 }, { job_id: 3, dry_run: false }],
  [
    "confirm_devices",
    { prev_job_id: 3, hostnames: ["a"] },
    { prev_job_id: 3, hostnames: ["a"], revert_on_failure: true }
  ],
  [
    "sync_devices",
    { hostnames: ["a"], dry_run: false, force: true },
    {
      hostnames: ["a"],
      dry_run: false,
      force: true,
      confirm_older: false,
      auto_push: false,
      resync: false,
      urgent: false,
      abort_on_failure: false
    }
  ],
  [
    "init_fabric_device_step1",
    { device_id: 1, new_hostname: "d1", device_type: "DIST", neighbors: null, replace_hostname: false },
    { device_id: 1, new_hostname: "d1", device_type: "DIST", neighbors: null }
  ],
  [
    "update_interfacedb",
    { hostname: "a" },
    { hostname: "a", replace: false, delete_all: false, mlag_peer_hostname: null }
  ]
]

describe("the functions of jobs", () => {
  it("have the names that earlier releases stored in their rows", () => {
    assert.sameMembers(
      jobFunctions.map(({ definition }) => definition.name),
      NAMES
    )
  })

  it.each(MEMOS)("%s reads the memo of an earlier release and writes it unchanged", (name, memo) => {
    const { Memo } = jobNamed(name)
    assert.deepStrictEqual(Schema.encodeUnknownSync(Memo)(Schema.decodeUnknownSync(Memo)(memo)), memo)
  })

  it.each(ARGUMENTS)("%s reads the arguments of a record", (name, stored, read) => {
    assert.deepStrictEqual(Schema.decodeUnknownSync(jobNamed(name).Args)(stored), read)
  })

  it("need the lock of the devices to change them, except for an urgent sync", () => {
    assert.isTrue(SyncDevices.needsDevicesLock({ dry_run: false }))
    assert.isFalse(SyncDevices.needsDevicesLock({}))
    assert.isFalse(SyncDevices.needsDevicesLock({ dry_run: false, urgent: true, hostnames: ["a"] }))
    assert.isFalse(SyncDevices.needsDevicesLock({ dry_run: false, canary: "no list" }))
    assert.isTrue(RevertJob.needsDevicesLock({ job_id: 3 }))
    assert.isFalse(RevertJob.needsDevicesLock({ job_id: 3, dry_run: true }))
    assert.isFalse(DeviceDrift.needsDevicesLock({}))
  })

  it("discover an address, if they discover anything", () => {
    const lease = { ztp_mac: "0C1A33BEEF01", dhcp_ip: "10.90.0.23" }
    assert.deepStrictEqual(jobNamed("discover_device").discoveryIn({ ...lease, iteration: 1 }), Option.some(lease))
    assert.deepStrictEqual(jobNamed("update_facts").discoveryIn({ hostname: "a" }), Option.none())
  })

  it("cannot be started with misspelt, missing or wrong arguments", () => {
    const start = (engine: JobEngine["Service"]) => [
      engine.start(SyncDevices, { hostnames: ["a"], dry_run: false }, { user: "u" }),
      // @ts-expect-error the argument is dry_run
      engine.start(SyncDevices, { hostnames: ["a"], dryRun: false }, { user: "u" }),
      // @ts-expect-error hostname is missing
      engine.start(UpdateFacts, {}, { user: "u" }),
      // @ts-expect-error a job is a number
      engine.start(RevertJob, { job_id: "3" }, { user: "u" }),
      // @ts-expect-error the user is missing
      engine.start(UpdateFacts, { hostname: "a" }, {}),
      // @ts-expect-error the function remembers nothing
      engine.start(UpdateFacts, { hostname: "a" }, { user: "u", memo: {} }),
      // @ts-expect-error the argument is hostnames
      engine.follow(1, DeviceDrift, { hostname: "a" }, { user: "u" })
    ]
    const sent: SentArgs<typeof UpdateFacts> = { hostname: "a" }
    assert.deepStrictEqual([typeof start, sent], ["function", { hostname: "a" }])
  })
})
