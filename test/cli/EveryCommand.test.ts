/** What every command has in common for its caller: JSON on request, a sentence when nothing was found, tables that fit the terminal. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { fitWidths } from "../../src/cli/client/Terminal.ts"
import { device, job } from "../../src/api/Documented.ts"
import { atTerminal } from "../support/AtTerminal.ts"
import { COMMANDS } from "../support/CommandLines.ts"
import { answer, makeExampleServer } from "../support/ExampleServer.ts"
import { command } from "../support/Program.ts"

const INPUT = "seven green bicycles\n"
const AT_ONCE = { concurrency: 3, discard: true } as const
const environment = (url: string) => ({
  SWITCHYARD_URL: url,
  SWITCHYARD_TOKEN: "swy_token",
  XDG_CONFIG_HOME: "/nonexistent"
})

/** Commands that ask, or end otherwise, with the words that let them go on. */
const asked = (line: string): string =>
  /^(?:sync|undo|retry|drift undo|config restore|firmware upgrade)/.test(line) ? `${line} --yes` : line

/** What commands expect that the examples do not show. */
const suited = new Map<string, unknown>([
  [
    "GET /device_hostkeys",
    answer({
      host_keys: [
        {
          hostname: "lhv-a1",
          state: "DISCOVERED",
          address: "10.0.0.1",
          refused_fingerprint: "SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c",
          fingerprint: null,
          since: "2026-11-23T13:59:05"
        }
      ]
    })
  ],
  ["GET /system/findings", answer({ findings: [] })],
  // one that does not hold ends the command with 1
  [
    "GET /device/:hostname/checks",
    answer({
      checks: [
        {
          name: "access-ntp",
          sentence: "reads sources of time: there must be at least 1",
          end: "holds",
          now: "1 source of time",
          why: "now 1 source of time"
        }
      ]
    })
  ],
  // the last page: the command asks for all of them
  [
    "GET /repository/:name/lines",
    answer({ searched: 40, lines: [{ hostname: "lhv-a1", line: 12, text: "ntp server 10.20.0.5" }], next: null })
  ],
  [
    "GET /device/:id",
    ({ path }: { readonly path: string }) =>
      answer({ devices: [{ ...device, state: path === "/device/7" ? "DISCOVERED" : device.state }] })
  ]
])

const isJson = (text: string): boolean =>
  Option.isSome(Schema.decodeOption(Schema.fromJsonString(Schema.Unknown))(text))

/** Commands that write a file of the user, or never end. */
const isLeftOut = (line: string): boolean => /^login|--follow|--server/.test(line)

describe("Every command", () => {
  it.live("prints JSON on request, and nothing else on its output", () =>
    Effect.gen(function* () {
      const { url } = yield* makeExampleServer(suited)
      const faults: Array<unknown> = []
      yield* Effect.forEach(
        COMMANDS.filter((line) => !isLeftOut(line)),
        Effect.fnUntraced(function* (line) {
          const { code, err, out } = yield* command(environment(url), [...asked(line).split(" "), "--json"], INPUT)
          // events are one a line
          const texts = line === "events" ? out.trim().split("\n") : [out]
          if (code !== 0 || !texts.every(isJson)) faults.push({ line, code, out, err })
        }),
        AT_ONCE
      )
      assert.deepEqual(faults, [])
    }).pipe(Effect.scoped)
  )

  it.live("says in JSON, too, why it has failed", () =>
    Effect.gen(function* () {
      const error = { status: "error", message: "Job 7 has not ended" }
      const { url } = yield* makeExampleServer(new Map([["POST /job/:id/revert", undefined]]))
      const refused = yield* command(environment(url), ["undo", "7", "--json"])
      assert.deepEqual(JSON.parse(refused.err), {
        ...error,
        message: "No example of POST /job/:id/revert",
        exit_code: 1
      })
      const mistyped = yield* command(environment(url), ["sync", "--canari", "2", "--json"])
      assert.strictEqual(mistyped.out, "")
      expect(JSON.parse(mistyped.err)).toMatchObject({
        exit_code: 2,
        message: expect.stringContaining("Did you mean this? --canary")
      })
      const away = yield* command(environment("http://127.0.0.1:9"), ["devices", "--json"])
      expect(JSON.parse(away.err)).toMatchObject({ status: "error", exit_code: 4 })
    }).pipe(Effect.scoped)
  )

  it.live("fails if the job that it follows is no success", () =>
    Effect.gen(function* () {
      const failed = { ...job, outcome: "failed", failed_devices: ["lhv-a1"] }
      const { url } = yield* makeExampleServer(new Map([...suited, ["GET /job/:id", answer({ jobs: [failed] })]]))
      yield* Effect.forEach(
        [
          "sync --all --dry-run-job 7 --yes",
          "sync --all --dry-run",
          "undo 7 --dry-run",
          "approve 7 --comment yes",
          "job 7",
          "init 7 lhv-a2",
          "firmware get http://images.example.org/EOS.swi --sha1 00",
          "firmware upgrade EOS.swi --group DEFAULT --reboot --yes"
        ],
        Effect.fnUntraced(function* (line) {
          const { code, err } = yield* command(environment(url), [...line.split(" "), "--watch"])
          assert.deepEqual([line, code], [line, 1])
          assert.match(err, /Job \d+ failed/, line)
        }),
        AT_ONCE
      )
    }).pipe(Effect.scoped)
  )

  it.live("that lists says in a sentence that it has found nothing, which is no failure", () =>
    Effect.gen(function* () {
      const none = (name: string) => answer({ [name]: [] })
      const { url } = yield* makeExampleServer(
        new Map([
          ["GET /devices", none("devices")],
          ["GET /jobs", none("jobs")],
          ["GET /events", none("events")],
          ["GET /device_hostkeys", none("host_keys")],
          ["GET /system/findings", none("findings")],
          ["GET /device/:hostname/configs", none("configs")],
          ["GET /device/:hostname/interfaces", none("interfaces")],
          ["GET /learned_lines", none("learned_lines")],
          ["GET /dhcp_leases", answer({ leases: [], queues: [] })],
          ["GET /repository/:name/commits", none("commits")],
          ["GET /firmware_images", answer({ images: [], downloads: [] })],
          ["GET /firmware_versions", none("groups")],
          ["POST /firmware/upgradecheck", none("upgrade_groups")],
          ["GET /auth/tokens", none("tokens")],
          ["GET /auth/users", none("users")],
          ["GET /auth/persons", none("persons")],
          ["GET /approvals/jobs", none("approvals")],
          ["GET /approvals", none("approvals")],
          ["GET /alerts", none("alerts")],
          ["GET /alerts/deliveries", none("deliveries")],
          ["GET /alerts/mutes", none("mutes")],
          ["GET /audit", none("events")]
        ])
      )
      yield* Effect.forEach(
        [
          ["devices", "No devices yet. They appear when they start up."],
          ["devices lhv --type access", "No device matches."],
          ["jobs", "No jobs yet."],
          ["jobs --outcome failed", "No job ended so: failed"],
          ["events", "No event matches."],
          ["findings", "Nothing is stuck."],
          ["drift", "No device has drifted."],
          ["config list lhv-a1", "No job has changed lhv-a1 yet."],
          ["hostkeys", "No host key waits for approval."],
          ["ports list lhv-a1", "lhv-a1 has no ports here: those of other than access switches are in the settings"],
          ["spellings list", "Nothing was learnt yet."],
          ["leases", "No lease was refused or waits."],
          ["repo status", "Nothing was fetched yet: switchyard repo refresh settings"],
          ["firmware images", "There is no image: switchyard firmware get URL --sha1 SUM"],
          ["firmware versions", "No device is managed yet."],
          ["firmware order EDGE", "No device of EDGE reboots in steps."],
          ["token list", "There is no token"],
          ["user list", "There is no user"],
          ["person list", "No person has called yet"],
          ["approvals", "No request waits for another person."],
          ["approvals jobs", "No job waits for another person."],
          ["alerts list", "No alerts."],
          ["alerts dead", "No message was given up."],
          ["alerts mutes", "Nothing is muted."],
          ["audit list", "No audit entry matches."]
        ] as const,
        Effect.fnUntraced(function* ([line, sentence]) {
          const end = yield* command(environment(url), line.split(" "))
          assert.deepEqual([line, end.code, end.out, end.err], [line, 0, "", `${sentence}\n`])
        }),
        AT_ONCE
      )
    }).pipe(Effect.scoped)
  )

  it.live("names the values that a filter may have", () =>
    Effect.gen(function* () {
      const { asked, url } = yield* makeExampleServer()
      const lines = [
        ["devices --state fine", "MANAGED, MANAGED_NOIF, UNMANAGED"],
        ["devices --type router", "ACCESS, DIST, CORE"],
        ["sync --type router", "ACCESS, DIST, CORE"],
        ["jobs --outcome fine", "success, partial, failed, aborted"],
        ["devices --sort hostnme", "hostnme: devices are not sorted by it, did you mean hostname?"],
        ["devices --sort=-nosuch", "nosuch: devices are not sorted by it"],
        ["audit list --kind logon", "logon: no event is of this kind, did you mean login?"],
        ["events --kind device,jop", "jop: no event is of this kind, did you mean job?"]
      ] as const
      for (const [line, values] of lines) {
        const { code, err } = yield* command(environment(url), line.split(" "))
        assert.deepEqual([line, code], [line, 2])
        assert.include(err, values)
      }
      assert.deepEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})

describe("A table", () => {
  const rows = Array.from({ length: 3 }, (_, index) => ({ ...device, hostname: `lhv-building-east-a${index}` }))
  const site = Effect.map(makeExampleServer(new Map([["GET /devices", answer({ devices: rows })]])), ({ url }) =>
    environment(url)
  )

  it.live("fits the terminal, and says which columns do not", () =>
    Effect.gen(function* () {
      const { code, screen } = yield* atTerminal(yield* site, ["devices"], { columns: 60 })
      assert.strictEqual(code, 0)
      // oxlint-disable-next-line no-control-regex
      const lines = screen.replaceAll(/\u001b\[\d+m/g, "").split("\n")
      for (const line of lines.slice(0, 4)) assert.isAtMost(line.length, 60)
      assert.include(lines[1], "lhv-building-east-a0")
      assert.match(screen, /The terminal is too narrow for: .*version, serial, seen\. --csv and --json have all\./)
    }).pipe(Effect.scoped)
  )

  it.live("is whole in a file, without colours; on a terminal it has some unless NO_COLOR is set", () =>
    Effect.gen(function* () {
      const env = yield* site
      const file = yield* command(env, ["devices"])
      assert.match(file.out, /^NAME +STATE .* SEEN\n/)
      assert.notInclude(file.out, "\u001b")
      assert.include((yield* atTerminal(env, ["devices"])).screen, "\u001b[1mNAME")
      assert.notInclude((yield* atTerminal({ ...env, NO_COLOR: "1" }, ["devices"])).screen, "\u001b")
    }).pipe(Effect.scoped)
  )

  it.live("of progress is a bar at a terminal, also without colours, and lines elsewhere", () =>
    Effect.gen(function* () {
      let reads = 0
      const { url } = yield* makeExampleServer(
        new Map<string, unknown>([
          [
            "GET /job/:id",
            () => answer({ jobs: [reads++ % 3 === 0 ? { ...job, finish_time: null, outcome: null } : job] })
          ]
        ])
      )
      const env = { ...environment(url), NO_COLOR: "1" }
      const { screen } = yield* atTerminal(env, ["job", "7", "--watch"])
      assert.include(screen, `\r\u001b[2K[${"-".repeat(30)}] 0 of 1`)
      reads = 0
      const { err } = yield* command(env, ["job", "7", "--watch"])
      assert.strictEqual(err, "job 812: 0 of 1 done\njob 7: Done, 1 of 1 done\n")
    }).pipe(Effect.scoped)
  )

  it.each([
    { wanted: [10, 8, 12], room: Number.POSITIVE_INFINITY, widths: [10, 8, 12] },
    { wanted: [10, 8, 12], room: 34, widths: [10, 8, 12] },
    { wanted: [10, 40, 20], room: 60, widths: [10, 26, 20] },
    { wanted: [10, 40, 20], room: 40, widths: [10, 13, 13] },
    { wanted: [10, 40, 20], room: 37, widths: [10, 25] },
    { wanted: [30, 40], room: 20, widths: [30] }
  ])("of columns $wanted in $room", ({ room, wanted, widths }) => {
    expect(fitWidths(wanted, room)).toEqual(widths)
  })
})
