/** Refusals of the server name the options that the user has typed. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { inOptions, optionsByCall } from "../../src/cli/client/Refusals.ts"
import { command } from "../support/Program.ts"

describe("A refusal", () => {
  it.each([
    ["dry_run_job is for live runs: dry_run must be false", "--dry-run-job needs a push: leave out --dry-run"],
    [
      "dry_run_job must be a dry run that has ended: job 7 is none",
      "--dry-run-job needs the number of a dry run that has ended: job 7 is none"
    ],
    [
      "This needs an approval, so it has to name the dry run that is to be approved: dry_run_job, with dry_run false and without auto_push",
      "This needs an approval, so it has to name the dry run that is to be approved: --dry-run-job, without --dry-run"
    ],
    ["urgent needs named devices: hostname or hostnames", "--urgent needs the names of devices"],
    ["urgent cannot be combined with confirm_mode 2", "--urgent cannot be combined with --confirm-mode 2"],
    ["emergency cannot be combined with wait_for_window", "--emergency cannot be combined with --wait-for-window"],
    ["batch_size must be an integer of 1 or more", "--batch must be an integer of 1 or more"],
    ["start_at must be in the future", "--start-at must be in the future"],
    [
      "The window of lhv-a1 is closed. Send wait_for_window: true to wait for it, or emergency with a reason",
      "The window of lhv-a1 is closed. --wait-for-window waits for it, --emergency REASON does it now"
    ],
    [
      "Refresh them first, or set confirm_older: true to push it",
      "Refresh them first, or add --confirm-older to push it"
    ],
    // a sentence about a device or a file
    ["Device all-force-1 not found", "Device all-force-1 not found"],
    ["The group canary has no devices", "The group canary has no devices"]
  ])("of a synchronization that says %s", (said, shown) => {
    expect(inOptions("POST /device_syncto", said)).toBe(shown)
  })

  it("of another call keeps its words unless they are fields of that call", () => {
    expect(inOptions("PUT /device/:id", "Invalid management_ip received. 10.0.0.300")).toBe(
      "Invalid --address received. 10.0.0.300"
    )
    expect(inOptions("POST /device_init/:id", "Both 'mlag_peer_id' and 'mlag_peer_hostname' must be specified")).toBe(
      "Both --mlag-peer and --mlag-peer-name must be specified"
    )
    expect(inOptions("PUT /repository/:name", "batch_size must be a number")).toBe("batch_size must be a number")
  })

  it.live("names only options that the command has", () =>
    Effect.gen(function* () {
      const commands = [
        ["POST /device_syncto", "sync"],
        ["POST /job/:id/revert", "undo"],
        ["POST /device/:hostname/previous_config", "config restore"],
        ["POST /device_drift", "drift check"],
        ["PUT /job/:id", "pause"],
        ["POST /job/:id/approve", "approve"],
        ["POST /job/:id/reject", "reject"],
        ["POST /device", "device add"],
        ["POST /device_init/:id", "init"]
      ] as const
      for (const [call, line] of commands) {
        const { out } = yield* command({}, [...line.split(" "), "--help"])
        for (const option of Object.values(optionsByCall[call] ?? {})) {
          if (option !== null) assert.match(out, new RegExp(`${option}\\b`), `${line} has no ${option}`)
        }
      }
    })
  )
})
