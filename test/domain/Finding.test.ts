/** Which things count as stuck, and the sentences about them. */
import { describe, expect, it } from "vitest"
import { lengthOf } from "../../src/domain/Finding.ts"
import { type Facts, findingsOf } from "../../src/domain/findings/Findings.ts"
import { ofProtection, type ProtectionFacts } from "../../src/domain/findings/ProtectionFindings.ts"

const since = "2026-03-02T09:12:07.031"

const nothing: Facts = {
  jobs: [],
  changes: [],
  sessions: [],
  locks: [],
  disputes: [],
  overlaps: [],
  tokens: [],
  certificates: [],
  database: { age: 200_000, oldest_transaction: 1, bloated: [] },
  tls: null,
  disk: { free: 50, size: 100 },
  clock: 0.1,
  dead_letters: 0,
  restored: null
}

const job = { id: 12, function_name: "sync_devices", status: "RUNNING", reason: null, since, quiet: 3600, unserved: 1 }
const change = {
  hostname: "lhv-a1",
  job_id: 12,
  phase: "committed",
  job_ended: true,
  since,
  quiet: 3600,
  overdue: null
}
const session = { hostname: "lhv-a1", names: ["job12"], is_timed: false, since, seen: 3600 }
const lock = { name: "devices", job_id: 12, job_ended: true, since, held: 60 }
const tls = { path: "/etc/tls.crt", problem: null, ends: "2026-04-01T00:00:00", left: 90 * 86_400 }
const certificate = { hostname: "lhv-a1", ends: "2026-04-01T00:00:00", left: 10 * 86_400 }

const token = { id: 7, name: "dhcp", created_by: "otto", created_at: since, days: 3650, is_ownerless: false }

const cases: ReadonlyArray<readonly [name: string, facts: Partial<Facts>, what: string, repair: string | null]> = [
  ["a job that says nothing", { jobs: [job] }, "sync_devices has made no progress for 60 minutes", "PUT /job/12"],
  [
    "a job that nobody begins",
    { jobs: [{ ...job, status: "SCHEDULED", quiet: 1300, unserved: 1300 }] },
    "sync_devices has been due for 21 minutes, and no server has begun it",
    "PUT /job/12"
  ],
  [
    "a job that somebody forgot to resume",
    { jobs: [{ ...job, reason: "pause", quiet: 3 * 86_400 }] },
    "sync_devices has been paused for 3 days",
    "PUT /job/12"
  ],
  [
    "a change that was left",
    { changes: [change] },
    "A change is still committed, although job 12 has ended",
    "POST /device_drift"
  ],
  [
    "a device that was lost",
    { changes: [{ ...change, phase: "unknown" }] },
    "Its configuration is unknown since job 12",
    "POST /device_drift"
  ],
  [
    "a timer that ran out unseen",
    { changes: [{ ...change, job_ended: false, overdue: 3600 }] },
    "Its timer must have run out 60 minutes ago, and its result is unknown",
    "POST /device_drift"
  ],
  [
    "an API token of before that is valid for years",
    { tokens: [token] },
    "The API token dhcp, made by otto, is valid for 3650 days",
    null
  ],
  [
    "an API token of before that ends with nobody",
    { tokens: [{ ...token, is_ownerless: true }] },
    "The API token dhcp, made by otto, does not end with an owner",
    null
  ],
  [
    "a session that was left on a switch",
    { sessions: [session] },
    "One of our sessions remains open on it: job12",
    "POST /device_syncto"
  ],
  [
    "several of them, at once",
    { sessions: [{ ...session, names: ["job12", "job12-check"] }] },
    "2 of our sessions remain open on it: job12, job12-check",
    "POST /device_syncto"
  ],
  [
    "a timer that nobody waits for",
    { sessions: [{ ...session, is_timed: true }] },
    "One of our commit timers ran on it although no job waits for it: job12",
    "POST /device_drift"
  ],
  [
    "a lock of a job that has ended",
    { locks: [lock] },
    "Job 12 has held the lock devices for 1 minute",
    "DELETE /joblocks"
  ],
  [
    "a lock of a job that goes on for days",
    { locks: [{ ...lock, job_ended: false, held: 3 * 86_400 }] },
    "Job 12 has held the lock devices for 3 days",
    null
  ],
  ["a certificate that ends", { certificates: [certificate] }, "Its certificate ends in 10 days", "POST /device_cert"],
  [
    "a certificate that has ended",
    { certificates: [{ ...certificate, left: -90 }] },
    "Its certificate ended 1 minute ago",
    "POST /device_cert"
  ],
  [
    "old rows",
    { database: { age: 1.5e9, oldest_transaction: 0, bloated: [] } },
    "The oldest rows are 1500 million transactions old",
    null
  ],
  [
    "a forgotten transaction",
    { database: { age: 0, oldest_transaction: 7200, bloated: [] } },
    "A transaction has been open for 2 hours",
    null
  ],
  [
    "a bloated table",
    { database: { age: 0, oldest_transaction: 0, bloated: [{ table: "event", dead: 300_000, live: 10 }] } },
    "The table event has 300000 dead and 10 live rows",
    null
  ],
  [
    "a certificate of the server that ends",
    { tls: { ...tls, left: 10 * 86_400 } },
    "This server's own certificate ends in 10 days",
    null
  ],
  [
    "a certificate of the server that has ended",
    { tls: { ...tls, left: -3 * 86_400 } },
    "This server's own certificate ended 3 days ago",
    null
  ],
  [
    "files of a certificate that cannot be used",
    { tls: { ...tls, problem: "TLS_KEY: it cannot be read", ends: null, left: null } },
    "The files of this server's own certificate cannot be used",
    null
  ],
  ["a full disk", { disk: { free: 4, size: 100 } }, "4 % of the disk are free", null],
  ["a clock that is wrong", { clock: -90 }, "The clock of the database is 1 minute behind that of the server", null],
  [
    "commits of a restored backup that nobody has refreshed",
    { restored: { backup_of: "2026-11-24T01:00:00", commits: [{ name: "settings", commit: "0123456789abcdef" }] } },
    "The commits in force are those of the backup of 2026-11-24T01:00:00 (settings 0123456789ab): the repositories may have newer ones, and nobody has refreshed since the restore. Refresh them first",
    null
  ],
  [
    "a role that may more than it says",
    { impliedFreeLines: ["netops"] },
    "The role netops may write free lines into ports (cli_append_str) without naming the right free_lines",
    null
  ],
  ["alerts that nobody took", { dead_letters: 2 }, "2 messages were given up", "POST /alerts/replay"]
]

const safe: ProtectionFacts = {
  tokens: true,
  unlimited: null,
  anyAddress: false,
  anyKey: false,
  anyHost: false,
  clear: null,
  reachable: null
}

describe("Missing protection", () => {
  it.each<readonly [string, Partial<ProtectionFacts>, ReadonlyArray<string>]>([
    ["nothing where all safe values count", {}, []],
    [
      "everything of this machine without tokens, and no more than that",
      { tokens: false, unlimited: "no file" },
      ["warn JWT_ENABLED"]
    ],
    [
      "everything of the network without tokens",
      { tokens: false, reachable: "https://0.0.0.0:5443" },
      ["bad JWT_ENABLED"]
    ],
    ["every good token without a file", { unlimited: "no file" }, ["warn permissions.yml"]],
    ["every good token where roles are off", { unlimited: "disabled" }, ["warn PERMISSIONS_DISABLED"]],
    ["what is sent in clear", { clear: "http://0.0.0.0:5000", reachable: "http://0.0.0.0:5000" }, ["warn HOST"]],
    ["images from everywhere", { anyHost: true }, ["warn OUTBOUND_HOSTS"]],
    ["logins of the fleet", { anyAddress: true, anyKey: true }, ["warn MANAGEMENT_NETWORKS", "warn HOST_KEY_POLICY"]]
  ])("is reported: %s", (_, facts, wanted) => {
    const found = ofProtection({ ...safe, ...facts })
    expect(found.map(({ about, level }) => `${level} ${about}`)).toEqual(wanted)
    for (const { kind, next } of found) expect([kind, next === ""]).toEqual(["protection", false])
  })
})

describe("Stuck work", () => {
  it("is not reported while everything works", () => {
    expect(findingsOf(nothing)).toEqual([])
    const going = {
      ...nothing,
      jobs: [
        { ...job, quiet: 60 },
        { ...job, reason: "approval" },
        { ...job, reason: "pause" }
      ],
      changes: [
        { ...change, job_ended: false },
        { ...change, quiet: 10 },
        { ...change, job_ended: false, overdue: -20 }
      ],
      locks: [{ ...lock, job_ended: false }],
      certificates: [{ ...certificate, left: 90 * 86_400 }],
      tls
    }
    expect(findingsOf(going)).toEqual([])
  })

  it.each(cases)("is reported: %s", (_, facts, what, repair) => {
    const [found, ...others] = findingsOf({ ...nothing, ...facts })
    expect(others).toEqual([])
    expect(found?.what).toBe(what)
    expect(found?.repair === null || found === undefined ? null : `${found.repair.method} ${found.repair.path}`).toBe(
      repair
    )
    expect(found?.why).toMatch(/\.$/)
    expect(found?.next).toMatch(/[.`]$/)
  })

  it("is sorted by severity", () => {
    const levels = findingsOf({ ...nothing, certificates: [certificate], jobs: [job], dead_letters: 1 }).map(
      ({ level }) => level
    )
    expect(levels).toEqual(["bad", "warn", "warn"])
  })

  it("has readable durations", () => {
    expect([1, 59, 60, 119, 7199, 7200, 172_799, 172_800].map(lengthOf)).toEqual([
      "1 second",
      "59 seconds",
      "1 minute",
      "1 minute",
      "119 minutes",
      "2 hours",
      "47 hours",
      "2 days"
    ])
  })
})
