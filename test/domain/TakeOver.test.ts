/** The times of taking work over fit together, whatever they are set to. */
import { assert, it } from "@effect/vitest"
import {
  CLAIM_VALID,
  HEARTBEAT,
  IDLE_TRANSACTION,
  LOOK_FOR_JOBS,
  LOOK_FOR_MESSAGES,
  LOOK_FOR_REPLICAS,
  REFUSED,
  SILENT_JOB,
  SILENT_REPLICA,
  TAKE_OVER
} from "../../src/domain/TakeOver.ts"

it("continues devices and jobs of a silent replica within the promised time", () => {
  assert.isAtMost(TAKE_OVER, 10)
  assert.isAtMost(SILENT_REPLICA + LOOK_FOR_REPLICAS + LOOK_FOR_MESSAGES, TAKE_OVER)
  assert.isAtMost(SILENT_JOB + LOOK_FOR_JOBS + LOOK_FOR_MESSAGES, TAKE_OVER)
})

it("frees rows of a silent replica before its work continues, even rows that two of its transactions wanted", () => {
  assert.isBelow(IDLE_TRANSACTION, SILENT_REPLICA)
  assert.isBelow(2 * IDLE_TRANSACTION, TAKE_OVER)
})

it("starts no work that a paused process may still own", () => {
  assert.isBelow(CLAIM_VALID, SILENT_REPLICA - HEARTBEAT)
  assert.isBelow(CLAIM_VALID, REFUSED)
})

it("stops a process without heartbeats before others take its work over", () => {
  assert.isBelow(2 * HEARTBEAT, SILENT_REPLICA)
  assert.isBelow(2 * HEARTBEAT, SILENT_JOB)
  // the cluster asks for three signs in the time of silence
  assert.isAtMost(HEARTBEAT, SILENT_REPLICA / 3)
})
