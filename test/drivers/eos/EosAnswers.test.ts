import { describe, expect, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as Answers from "../../../src/drivers/eos/EosAnswers.ts"
import { clockTime } from "../../../src/drivers/eos/EosCommit.ts"
import { trimDiff } from "../../../src/drivers/eos/EosLoad.ts"
import { configHash } from "../../../src/drivers/eos/EosReading.ts"
import { parseSessionText } from "../../../src/drivers/eos/EosSessionText.ts"

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

const decode = Schema.decodeUnknownSync(Answers.ShowSessions)
const names = (found: ReturnType<typeof Answers.sessionsOf>) =>
  Object.fromEntries(found.sessions.map(({ name, state }) => [name, state]))

describe("configuration sessions", () => {
  it("are read as EOS up to 4.31 shows them", () => {
    const found = Answers.sessionsOf(decode(before432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open", job411: "done" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read as EOS from 4.32 shows them, where a running timer is called committed", () => {
    const found = Answers.sessionsOf(decode(from432))
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are read from text", () => {
    const read = parseSessionText(text)
    const found = Answers.sessionsOf(read ?? { sessions: {} })
    expect(names(found)).toEqual({ job412: "timed", job413: "open" })
    expect(found.pending).toEqual(Option.some({ name: "job412" }))
  })

  it("are not read from an answer that got lost, which would hide a running timer", () => {
    expect(parseSessionText("")).toBeUndefined()
    expect(parseSessionText("% Internal error")).toBeUndefined()
  })

  it("have no timer when a session is merely committed", () => {
    const done = { sessions: { job412: { state: "committed" } }, ...limits }
    expect(Answers.sessionsOf(decode(done)).pending).toEqual(Option.none())
  })
})

describe("facts", () => {
  const interfaces = { interfaces: { Ethernet10: {}, Ethernet2: {}, "Ethernet2.100": {}, Management1: {} } }
  const version = { modelName: "CCS-720XP-48Y6-F", serialNumber: "WTW22190555", version: "4.31.4M" }

  it("take the internal version, natural order and no subinterfaces", () => {
    const full = { ...version, internalVersion: "4.31.4M-36737551.4314M", uptime: 91233.4 }
    expect(Answers.factsOf(full, { hostname: "a", fqdn: "a.example.org" }, interfaces, 0)).toEqual({
      hostname: "a",
      fqdn: "a.example.org",
      vendor: "Arista",
      model: "CCS-720XP-48Y6-F",
      serial_number: "WTW22190555",
      os_version: "4.31.4M-36737551.4314M",
      uptime: 91233.4,
      interface_list: ["Ethernet2", "Ethernet10", "Management1"]
    })
  })

  it("count the uptime from the boot time on old releases", () => {
    expect(Answers.uptimeOf({ ...version, bootupTimestamp: 1000 }, 1500)).toBe(500)
  })
})

describe("interfaces and neighbours", () => {
  it("are normalised", () => {
    const found = Answers.interfacesOf({
      interfaces: {
        Loopback0: { interfaceStatus: "connected", lineProtocolStatus: "up" },
        Ethernet1: {
          description: "desk",
          interfaceStatus: "disabled",
          lineProtocolStatus: "down",
          bandwidth: 1_000_000_000,
          mtu: 9214,
          physicalAddress: "94:8e:d3:11:22:34",
          lastStatusChangeTimestamp: 1741081234.55
        },
        "Ethernet1.5": {}
      }
    })
    expect(Object.keys(found)).toEqual(["Ethernet1", "Loopback0"])
    expect(found["Ethernet1"]).toEqual({
      is_up: false,
      is_enabled: false,
      description: "desk",
      last_flapped: 1741081234.55,
      mtu: 9214,
      speed: 1000,
      mac_address: "94:8E:D3:11:22:34"
    })
    expect(found["Loopback0"]).toMatchObject({ is_up: true, is_enabled: true, last_flapped: -1, mac_address: "" })
  })

  it("have long port names, and several neighbours on a port", () => {
    const lldpNeighbors = [
      { port: "Et51", neighborDevice: "dist-b2-1", neighborPort: '"Ethernet7"' },
      { port: "Ethernet51", neighborDevice: "phone", neighborPort: "0a:1b" }
    ]
    expect(Answers.neighboursOf({ lldpNeighbors })).toEqual({
      Ethernet51: [
        { hostname: "dist-b2-1", port: "Ethernet7" },
        { hostname: "phone", port: "0a:1b" }
      ]
    })
  })
})

describe("the hash of a configuration", () => {
  const body = "!\nhostname a\n!\nend\n"
  it("does not depend on header lines, line ends and blank lines at the end", () => {
    const header = "! Command: show running-config\n! device: a (X, EOS-4.31.4M)\n! Time: Tue Mar  4\n"
    expect(configHash(header + body)).toBe(configHash(body))
    expect(configHash(body.replaceAll("\n", "\r\n"))).toBe(configHash(body))
    expect(configHash(`${body}\n\n`)).toBe(configHash(body))
    expect(configHash(body)).toMatch(/^[0-9a-f]{64}$/)
  })

  it("depends on every line of the configuration, comments too", () => {
    expect(configHash(body.replace("hostname a", "hostname b"))).not.toBe(configHash(body))
    expect(configHash(`! boot system flash:/x.swi\n${body}`)).not.toBe(configHash(body))
  })
})

describe("small forms", () => {
  it.each([
    [300, "00:05:00"],
    [59, "00:00:59"],
    [7265, "02:01:05"],
    [0, "00:00:01"]
  ])("writes %i seconds as %s", (seconds, text) => {
    expect(clockTime(seconds)).toBe(text)
  })

  it("takes the two header lines off a difference", () => {
    const diff = "--- system:/running-config\n+++ session:/job412-session-config\n@@ -1 +1 @@\n-a\n+b\n"
    expect(trimDiff(diff)).toBe("@@ -1 +1 @@\n-a\n+b")
    expect(trimDiff("\n")).toBe("")
  })
})
