/** The messages of socket.io for each event of the log, and their rooms, as tables. */
import { assert, describe, it } from "@effect/vitest"
import type { LiveEvent } from "../../src/domain/events/Event.ts"
import { roomOf, roomsOfLine, socketPayload } from "../../src/events/SocketBridge.ts"

const event = (kind: string, action: string, more: Partial<LiveEvent> = {}): LiveEvent => ({
  id: 1,
  at: "2026-03-02T09:11:27.512000",
  kind,
  action,
  actor: "admin",
  way: "jwt",
  address: null,
  device_id: null,
  hostname: null,
  job_id: null,
  data: {},
  is_audit: false,
  object: null,
  ...more
})

const record = { id: 12, hostname: "dist1", synchronized: false, confhash: null }
const ofDevice = (action: string) => event("device", action, { device_id: 12, hostname: "dist1", object: record })
const toldDevice = (action: string) => ({ action, device_id: 12, hostname: "dist1", object: record })
const ofJob = (action: string, data: LiveEvent["data"]) => event("job", action, { job_id: 7, data })

const DRY_RUN = { function: "sync_devices (dry_run)", scheduled_by: "admin", comment: "none of theirs" }

const TOLD: ReadonlyArray<readonly [name: string, event: LiveEvent, room: string, payload: unknown]> = [
  ["a new device", ofDevice("created"), "update_device", toldDevice("CREATED")],
  ["a changed device", ofDevice("updated"), "update_device", toldDevice("UPDATED")],
  ["a device in another state", ofDevice("state"), "update_device", toldDevice("UPDATED")],
  ["a device that is gone", ofDevice("deleted"), "update_device", toldDevice("DELETED")],
  [
    "a job that begins",
    ofJob("running", { ...DRY_RUN, status: "RUNNING" }),
    "update_job",
    { job_id: 7, status: "RUNNING", function_name: "sync_devices (dry_run)", scheduled_by: "admin" }
  ],
  [
    "a job that has ended",
    ofJob("ended", { ...DRY_RUN, status: "FINISHED", outcome: "success" }),
    "update_job",
    { job_id: 7, status: "FINISHED" }
  ],
  [
    "a job with a follow-up",
    ofJob("ended", { ...DRY_RUN, status: "FINISHED", next_job_id: 8 }),
    "update_job",
    { job_id: 7, status: "FINISHED", next_job_id: 8 }
  ],
  [
    "a job that was aborted while it ran",
    ofJob("ended", { ...DRY_RUN, status: "ABORTED", abort_reason: "wrong" }),
    "update_job",
    { job_id: 7, status: "ABORTED" }
  ],
  [
    "a job that was aborted before it began",
    ofJob("aborted", { ...DRY_RUN, status: "ABORTED", reason: "wrong", aborted_by: "admin" }),
    "update_job",
    { job_id: 7, status: "ABORTED", message: "wrong" }
  ],
  [
    "a job that threw",
    ofJob("ended", { ...DRY_RUN, status: "EXCEPTION", exception: "No such device", next_job_id: null }),
    "update_job",
    { job_id: 7, status: "EXCEPTION", exception: "No such device" }
  ],
  [
    "a refresh that threw",
    ofJob("ended", { function: "refresh_repo", status: "EXCEPTION", exception: "Bad YAML" }),
    "update_job",
    { job_id: 7, status: "EXCEPTION" }
  ],
  [
    "why a device is to be synchronized",
    event("sync", "needed", {
      hostname: "dist1",
      data: { cause: "refresh_settings", timestamp: 1772442687.51, by: "admin", job_id: 7, commit: "abc" }
    }),
    "sync",
    {
      syncevent_hostname: "dist1",
      syncevent_data: { cause: "refresh_settings", timestamp: 1772442687.51, by: "admin", job_id: 7 }
    }
  ],
  [
    "the same by a request",
    event("sync", "needed", {
      hostname: "dist1",
      data: { cause: "linknet_created", timestamp: 1, by: "unknown", job_id: null }
    }),
    "sync",
    {
      syncevent_hostname: "dist1",
      syncevent_data: { cause: "linknet_created", timestamp: 1, by: "unknown", job_id: null }
    }
  ]
]

const UNTOLD: ReadonlyArray<LiveEvent> = [
  ofJob("started", { ...DRY_RUN, status: "SCHEDULED" }),
  ofJob("aborted", { ...DRY_RUN, status: "ABORTING", reason: "wrong" }),
  ofJob("device", { function: "sync_devices", failed: false }),
  event("device", "approved", { hostname: "dist1" }),
  event("change", "planned", { job_id: 7 }),
  event("lock", "taken", { job_id: 7 }),
  event("repository", "in force"),
  event("constructor", "created")
]

const MESSAGES: ReadonlyArray<readonly [message: unknown, room: string | undefined]> = [
  [{ update: "device" }, "update_device"],
  [{ update: "job" }, "update_job"],
  [{ sync: "all" }, "sync"],
  [{ loglevel: "DEBUG" }, "DEBUG"],
  [{ loglevel: "CRITICAL" }, "CRITICAL"],
  [{ update: "device", more: 1 }, "update_device"],
  [{ update: "device", sync: "all" }, undefined],
  [{ update: "linknet" }, undefined],
  [{ update: "constructor" }, undefined],
  [{ loglevel: "debug" }, undefined],
  [{ sync: true }, undefined],
  [{}, undefined],
  [[], undefined],
  ["update", undefined],
  [null, undefined],
  [undefined, undefined]
]

describe("events for socket.io clients", () => {
  it.each(TOLD)("%s", (_, told, room, payload) => {
    const found = socketPayload(told)
    assert.deepStrictEqual({ room: found?.room, payload: found?.payload }, { room, payload })
  })

  it("omit kinds that they do not know", () => {
    assert.deepStrictEqual(
      UNTOLD.map(socketPayload),
      UNTOLD.map(() => null)
    )
  })
})

describe("rooms", () => {
  it.each(MESSAGES)("%j", (message, room) => {
    assert.strictEqual(roomOf(message), room)
  })

  it("receive lines of their own level and of those above", () => {
    assert.deepStrictEqual(roomsOfLine("INFO"), ["DEBUG", "INFO"])
    assert.deepStrictEqual(roomsOfLine("CRITICAL"), ["DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"])
  })
})
