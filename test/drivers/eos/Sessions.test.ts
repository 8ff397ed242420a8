import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import { readFileSync } from "node:fs"
import {
  parseSessionText,
  sessionMode,
  sessionsOf,
  ShowSessions,
  timerPlaces
} from "../../../src/drivers/eos/Sessions.ts"

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
    const found = sessionsOf("json", decode(before432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open", job411: "done" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read as EOS from 4.32 shows them, where a running timer is called committed", () => {
    const found = sessionsOf("json", decode(from432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read from text", () => {
    const read = parseSessionText(text)
    const found = sessionsOf("text", read ?? { sessions: {} })
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are not read from a disturbed answer, which would hide a running timer", () => {
    expect(parseSessionText("")).toBeUndefined()
    expect(parseSessionText("% Internal error")).toBeUndefined()
  })

  it("show no timer when a session is merely committed, which does not say that none runs", () => {
    const done = sessionsOf("json", decode({ sessions: { job412: { state: "committed" } }, ...limits }))
    expect(done).toMatchObject({ pending: Option.none(), timer: { _tag: "unknown" } })
  })

  it("do not show a timer in one form by fields of the other form", () => {
    const elsewhere = { ...from432, commitTimerSessionName: undefined }
    expect(sessionsOf("json", decode(elsewhere)).timer).toEqual({ _tag: "unknown" })
  })

  it.each([
    ["JSON", () => sessionsOf("json", decode(from432)).limits],
    ["text", () => sessionsOf("text", parseSessionText(text) ?? { sessions: {} }).limits]
  ])("report in %s how the switch is set up", (_form, read) => {
    expect(read()).toEqual({ maxOpen: 5, maxSaved: 1, mergesAtCommit: false, savesAtCommit: false })
  })

  it("report nothing about fields that a release omits", () => {
    const limits = { maxOpen: null, maxSaved: null, mergesAtCommit: null, savesAtCommit: null }
    expect(sessionsOf("json", { sessions: {} }).limits).toEqual(limits)
    expect(
      sessionsOf("text", parseSessionText("Maximum number of pending sessions: 1") ?? { sessions: {} }).limits
    ).toEqual({
      ...limits,
      maxOpen: 1
    })
  })

  it("report whether a user is in an open one, and the latest time since when it exists", () => {
    const instances = { "868": { user: "root", terminal: "vty5", currentTerminal: false } }
    const json = sessionsOf("json", {
      sessions: {
        "cfg-4711-1": { state: "pending", completedTime: 1_736_543_591.5, instances },
        left: { state: "pending", instances: {} }
      }
    })
    expect(json.sessions).toMatchObject([{ attended: true, since: 1_736_543_591_500 }, { attended: false }])
    const rows = [
      "Maximum number of pending sessions: 5",
      "  cfg-4711-1       pending   root  vty5     2026-09-20 10:00:00",
      "  left             pending",
      "* s1               aborted   admin vty9     2026-09-20 22:19:28"
    ]
    const read = sessionsOf("text", parseSessionText(rows.join("\n")) ?? { sessions: {} })
    expect(read.sessions).toMatchObject([
      { attended: true, since: Date.parse("2026-09-20T22:00:00Z") },
      { attended: false },
      { state: "done", user: "admin" }
    ])
  })
})

it("timers are read as the manual describes for releases", () => {
  const manual = readFileSync(new URL("../../../docs/switch-dialogues.md", import.meta.url), "utf8")
  for (const { form, releases, shows } of timerPlaces) expect(manual).toContain(`| ${form} | ${releases} | ${shows}`)
})

it("the prompt contains the first six characters of the session", () => {
  expect(sessionMode("job412")).toBe("(config-s-job412)#")
  expect(sessionMode("job41234-2")).toBe("(config-s-job412)#")
})
