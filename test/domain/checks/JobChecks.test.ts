/** The checks of a job in groups: what failed first, each device once. */
import { describe, expect, it } from "@effect/vitest"
import type { CheckResult } from "../../../src/domain/Job.ts"
import { checksOfDevices, checksOfJob, type DeviceChecks, MOST_RESULTS } from "../../../src/domain/checks/JobChecks.ts"

const result = (name: string, held: boolean | null, more: Partial<CheckResult> = {}): CheckResult => ({
  name,
  held,
  before: "2 BGP sessions",
  now: held === true ? "2 BGP sessions" : "1 BGP session",
  sentence: "before 2 BGP sessions, now 1 BGP session, but none may be gone",
  tried: 1,
  seconds: 12,
  ...more
})

const device = (hostname: string, ...results: ReadonlyArray<CheckResult>): DeviceChecks => ({
  hostname,
  results,
  planned: []
})

describe("the checks of a job", () => {
  it("begin with the check that failed on most devices, and with its failures", () => {
    const checks = checksOfDevices([
      device("acc1", result("bgp", true), result("uplinks", true)),
      device("acc10", result("bgp", false), result("uplinks", true)),
      device("acc2", result("bgp", false), result("uplinks", null))
    ])
    expect(checks.map(({ name, sentence }) => [name, sentence])).toEqual([
      ["bgp", "failed on 2 switches, holds on 1 switch"],
      ["uplinks", "could not be read on 1 switch, holds on 2 switches"]
    ])
    expect(checks[0]?.results.map(({ hostname }) => hostname)).toEqual(["acc2", "acc10", "acc1"])
  })

  it("count a device once, by the worst of its neighbours, and never take a missing reading for success", () => {
    const [check] = checksOfDevices([
      device("acc1", result("bgp", true), result("bgp", null, { on: "dist1" })),
      device("acc2", result("bgp", true), result("bgp", false, { on: "dist1", ignored: "failed before" }))
    ])
    expect(check).toMatchObject({ held: 0, failed: 0, unread: 1, undecided: 1 })
    expect(check?.sentence).toBe("could not be read on 1 switch, did not decide on 1 switch")
  })

  it("name the devices on which a live run would make them", () => {
    const planned = [{ name: "bgp", sentence: "reads BGP sessions: none may be gone" }]
    expect(
      checksOfDevices([
        { hostname: "acc10", results: [], planned },
        { hostname: "acc2", results: [], planned }
      ])
    ).toMatchObject([
      {
        name: "bgp",
        sentence: "would be made on 2 switches",
        planned: ["acc2", "acc10"],
        rule: "reads BGP sessions: none may be gone",
        results: []
      }
    ])
  })

  it("say why a job leaves them out, and who wanted it", () => {
    const job = {
      scheduled_by: "anna",
      start_arguments: { dry_run: false, skip_checks: "the peer is down for repair" }
    }
    expect(checksOfJob(job, [])).toEqual({ checks: [], skipped: { reason: "the peer is down for repair", by: "anna" } })
    expect(checksOfJob({ ...job, start_arguments: { dry_run: false } }, []).skipped).toBe(null)
  })

  it("show a bounded number of results and say how many are left out", () => {
    const many = Array.from({ length: MOST_RESULTS + 3 }, (_, index) => device(`acc${index}`, result("bgp", true)))
    const [check] = checksOfDevices([...many, device("zzz", result("bgp", false))])
    expect(check?.left_out).toBe(4)
    expect(check?.results).toHaveLength(MOST_RESULTS)
    expect(check?.results[0]?.hostname).toBe("zzz")
  })
})
