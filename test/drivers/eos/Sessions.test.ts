import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { parseSessionText, sessionMode, sessionsOf, ShowSessions } from "../../../src/drivers/eos/Sessions.ts"

const limits = { maxSavedSessions: 1, maxOpenSessions: 5, mergeOnCommit: false, saveToStartupConfigOnCommit: false }
const before432 = {
  sessions: {
    job412: { state: "pendingCommitTimer", commitBy: 92110, commitUser: "admin", description: "", instances: {} },
    job413: { state: "pending", commitUser: "", description: "", instances: {} },
    job411: { state: "completed", completedTime: 1741090000.2, commitUser: "admin", instances: {} }
  },
  ...limits
}
const from432 = {
  sessions: {
    job412: { state: "committed", completedTime: 1741090000.2, commitUser: "admin", instances: {} },
    job413: { state: "pending", commitUser: "", instances: {} }
  },
  commitTimerSessionName: "job412",
  commitTimerExpireTime: 92110,
  ...limits
}
const text = `Maximum number of completed sessions: 1
Maximum number of pending sessions: 5
Merge on commit is disabled
Autosave to startup-config on commit is disabled

Session with pending commit timer: job412
Time left until commit timer expiry: in 0:04:52

  Name             State     User  Terminal Completed Time      Committed By
- ---------------- --------- ----- -------- ------------------- ------------
  job412           committed                2025-03-04 10:21:07 admin
* job413           pending   admin vty8`

const decode = Schema.decodeUnknownSync(ShowSessions)
const names = (found: ReturnType<typeof sessionsOf>) =>
  Object.fromEntries(found.sessions.map(({ name, state }) => [name, state]))

describe("configuration sessions", () => {
  it("are read as EOS up to 4.31 shows them", () => {
    const found = sessionsOf(decode(before432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open", job411: "done" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read as EOS from 4.32 shows them, where a running timer is called committed", () => {
    const found = sessionsOf(decode(from432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read from text", () => {
    const read = parseSessionText(text)
    const found = sessionsOf(read ?? { sessions: {} })
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are not read from an answer that got lost, which would hide a running timer", () => {
    expect(parseSessionText("")).toBeUndefined()
    expect(parseSessionText("% Internal error")).toBeUndefined()
  })

  it("have no timer when a session is merely committed", () => {
    const done = { sessions: { job412: { state: "committed" } }, ...limits }
    expect(sessionsOf(decode(done)).pending).toEqual(Option.none())
  })
})

it("shows the first six characters of a session in its prompt", () => {
  expect(sessionMode("job412")).toBe("(config-s-job412)#")
  expect(sessionMode("job41234-2")).toBe("(config-s-job412)#")
})
