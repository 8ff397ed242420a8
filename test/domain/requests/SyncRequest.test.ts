/** Bodies of synchronizations: the selector in effect, ignored and refused keys, and the arguments of the job. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { targetOf } from "../../../src/domain/requests/RequestFields.ts"
import { syncArguments, SyncRequest } from "../../../src/domain/requests/ChangeRequests.ts"

type Sent = Readonly<Record<string, unknown>>

const taken = (sent: Sent) => Result.getOrThrow(SyncRequest.check(sent).complete)
const refusals = (sent: Sent) => {
  const { complete } = SyncRequest.check(sent)
  return Result.isFailure(complete) ? complete.failure : []
}

describe("A request to synchronize", () => {
  it("selects the devices of the first selector, whatever the others contain", () => {
    const target = (sent: Sent) => targetOf(taken(sent))
    assert.deepStrictEqual(target({ hostname: "a1", hostnames: 5, device_type: "SPINE", group: null }), {
      _tag: "Hostname",
      hostname: "a1"
    })
    assert.deepStrictEqual(target({ hostnames: ["a1", "a2", "a1"], group: "EAST", all: 7 }), {
      _tag: "Hostnames",
      hostnames: ["a1", "a2"]
    })
    assert.deepStrictEqual(target({ device_type: "access" }), {
      _tag: "DeviceType",
      device_type: "ACCESS",
      sent: "access"
    })
    assert.deepStrictEqual(target({ group: 5 }), { _tag: "Group", group: "5" })
    assert.deepStrictEqual(target({ all: true }), { _tag: "All" })
  })

  it("is refused without a selector, before any other check", () => {
    for (const sent of [{}, { all: false }, { all: "true" }, { confirm_mode: 7 }]) {
      assert.strictEqual(refusals(sent)[0], "No devices to synchronize were specified")
    }
  })

  it("passes its options to the job, and treats options of another type as absent", () => {
    assert.deepStrictEqual(syncArguments(taken({ all: true, dry_run: "no", urgent: "yes", confirm_mode: "1" })), {
      dry_run: true,
      auto_push: false,
      force: false,
      resync: false
    })
    const options = { dry_run: false, abort_on_failure: true, canary: ["a1"], batch_size: 10, max_failures: null }
    assert.deepStrictEqual(syncArguments(taken({ group: "EAST", ...options, confirm_mode: 2, comment: "x" })), {
      dry_run: false,
      auto_push: false,
      force: false,
      resync: false,
      abort_on_failure: true,
      batch_size: 10,
      canary: ["a1"],
      confirm_mode_override: 2
    })
  })

  it("accepts the meanings of missing lines, and refuses other words", () => {
    assert.include(syncArguments(taken({ all: true, on_missing_lines: "warn" })), { on_missing_lines: "warn" })
    assert.notProperty(syncArguments(taken({ all: true, on_missing_lines: null })), "on_missing_lines")
    assert.deepStrictEqual(refusals({ all: true, on_missing_lines: "ignore" }), [
      "on_missing_lines must be warn or fail"
    ])
  })

  it("refuses invalid rollout options", () => {
    const counted = (key: string) => `${key} must be an integer of 1 or more`
    assert.deepStrictEqual(refusals({ all: true, batch_size: 0 }), [counted("batch_size")])
    assert.deepStrictEqual(refusals({ all: true, max_failures: 1.5 }), [counted("max_failures")])
    assert.deepStrictEqual(refusals({ all: true, confirm_mode: 3 }), ["confirm_mode must be 0, 1 or 2"])
    assert.deepStrictEqual(refusals({ all: true, canary: ["a b"] }), ["canary: 'a b' is not a valid hostname"])
    assert.match(refusals({ all: true, canary: [] })[0] ?? "", /^canary must be an integer of 1 or more, or a list/)
  })

  it("is urgent for named devices only, and not with options that wait for another job", () => {
    assert.deepStrictEqual(refusals({ hostname: "a1", urgent: true }), [])
    assert.deepStrictEqual(refusals({ all: true, urgent: true }), ["urgent needs named devices: hostname or hostnames"])
    assert.deepStrictEqual(refusals({ hostnames: ["a1"], urgent: true, confirm_mode: 2, revert_on_failure: true }), [
      "urgent cannot be combined with confirm_mode 2",
      "urgent cannot be combined with revert_on_failure"
    ])
  })
})
