/** What a command asks before it changes switches: with the answers of a user at a terminal, of a script, and without either. */
import { assert, describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { atTerminal } from "../support/AtTerminal.ts"
import { answer, makeExampleServer } from "../support/ExampleServer.ts"
import { command } from "../support/Program.ts"
import { job } from "../../src/api/Documented.ts"

const DRY = 41
const LIVE = 42

const names = (count: number) => Array.from({ length: count }, (_, index) => `lhv-a${index + 1}`)

const group = (count: number, hostnames = names(count)) => ({
  key: "5f0c1a2b91d3e4f0",
  count,
  hostnames: hostnames.slice(0, 100),
  diff: "@@ -3,2 +3,3 @@\n hostname lhv-a1\n-router bgp 65000\n+ntp server 10.255.0.2\n",
  added: 1,
  removed: 1,
  score: 61.4,
  risks: [{ line: "-router bgp 65000", weight: 50 }]
})

interface Found {
  readonly changed?: number
  readonly unchanged?: number
  readonly failed?: number
}

const unknownKey = (hostname: string) => ({
  hostname,
  state: "DISCOVERED",
  address: "10.0.0.1",
  refused_fingerprint: "SHA256:1fW2gZ0y3o0E0bU2cH6m9qg8nT8m3cQn0q3V0s2kQ1c",
  fingerprint: null,
  since: "2026-11-23T13:59:05"
})

interface Body {
  readonly dry_run?: boolean
}

const bodyOf = ({ body }: { readonly body: unknown }): Body => (typeof body === "object" && body !== null ? body : {})

/** A server whose dry runs find this. */
const makeNetwork = ({ changed = 0, failed = 0, unchanged = 0 }: Found) =>
  Effect.gen(function* () {
    const start = (asked: { readonly body: unknown }) =>
      answer("Scheduled job", { job_id: bodyOf(asked).dry_run === true ? DRY : LIVE })
    const server = yield* makeExampleServer(
      new Map<string, unknown>([
        ["POST /device_syncto", start],
        ["POST /job/:id/revert", start],
        ["GET /job/:id", answer({ jobs: [{ ...job, id: DRY, function_name: "sync_devices (dry_run)" }] })],
        [
          "GET /job/:id/diffs",
          ({ query }: { readonly query: URLSearchParams }) => {
            const one = group(changed)
            const all = query.has("group") ? { ...one, hostnames: names(changed) } : one
            return answer({ groups: changed === 0 ? [] : [all], changed, unchanged, failed, left_out: 0 })
          }
        ],
        [
          "GET /devices",
          ({ query }: { readonly query: URLSearchParams }) => {
            const asked = query.get("filter[hostname]")
            const devices = names(query.has("filter[group]") ? changed : 120).filter(
              (hostname) => asked === null || hostname === asked
            )
            return answer({
              devices: devices.map((hostname) => ({ hostname, state: hostname === "lhv-a9" ? "UNMANAGED" : "MANAGED" }))
            })
          }
        ],
        ["GET /device_hostkeys", answer({ host_keys: names(changed).map(unknownKey) })],
        ["POST /firmware/upgrade", answer("Scheduled job", { job_id: LIVE })]
      ])
    )
    const env = { SWITCHYARD_URL: server.url, SWITCHYARD_TOKEN: "swy_token", XDG_CONFIG_HOME: "/nonexistent" }
    const changes = () => server.asked.filter(({ call }) => call.startsWith("POST")).map(bodyOf)
    return {
      ...server,
      env,
      /** The live calls. */
      pushed: () => changes().filter(({ dry_run }) => dry_run !== true),
      script: (line: string) => command(env, line.split(" ")),
      user: (line: string, typed: string, columns?: number) =>
        atTerminal(env, line.split(" "), {
          replies: [[/\[y\/N\]|to agree:/, typed]],
          ...(columns === undefined ? {} : { columns })
        })
    }
  })

describe("A live push", () => {
  it.live("without a terminal is a dry run that says so, and shows groups, scope and risk", () =>
    Effect.gen(function* () {
      const { pushed, script } = yield* makeNetwork({ changed: 7, unchanged: 2, failed: 1 })
      const end = yield* script("sync --all")
      assert.strictEqual(end.code, 1)
      expect(end.out).toMatch(/^7 devices: \+1 -1, score 61 \(high risk\)\n {2}lhv-a1 to lhv-a7\n[^]*-router bgp 65000/)
      expect(end.err).toContain(
        "Scope: 7 devices: lhv-a1 to lhv-a7; 2 stay as they are; 1 could not be compared\nRisk:  high, score 61: -router bgp 65000\n"
      )
      expect(end.err).toMatch(/Nothing was pushed: this was only a dry run \(job 41\)[^]*add --dry-run-job 41 --yes\n$/)
      assert.deepEqual(pushed(), [])
    }).pipe(Effect.scoped)
  )

  it.live("with --yes pushes exactly what its own dry run has shown", () =>
    Effect.gen(function* () {
      const { asked, pushed, script } = yield* makeNetwork({ changed: 7 })
      const end = yield* script("sync --group EDGE --force --canary 2 --ticket CHG-7 --yes --json")
      assert.strictEqual(end.code, 0, end.err)
      assert.deepEqual(JSON.parse(end.out), { job_id: LIVE, dry_run_job: DRY, changed: 7, unchanged: 0, failed: 0 })
      const dry = asked.find(({ call }) => call === "POST /device_syncto")
      assert.deepEqual(dry?.body, { group: "EDGE", force: true, resync: false, ticket_ref: "CHG-7", dry_run: true })
      expect(pushed()).toMatchObject([
        { group: "EDGE", force: true, canary: 2, ticket_ref: "CHG-7", dry_run: false, dry_run_job: DRY }
      ])
    }).pipe(Effect.scoped)
  )

  it.live("of a dry run that was made before shows that one, of the named devices only", () =>
    Effect.gen(function* () {
      const { asked, pushed, script } = yield* makeNetwork({ changed: 120 })
      const end = yield* script("sync lhv-a101 lhv-a7 --dry-run-job 30 --yes")
      assert.strictEqual(end.code, 0, end.err)
      expect(end.err).toContain("Scope: 2 devices: lhv-a7, lhv-a101")
      expect(pushed()).toMatchObject([{ hostnames: ["lhv-a101", "lhv-a7"], dry_run: false, dry_run_job: 30 }])
      assert.lengthOf(
        asked.filter(({ call }) => call === "POST /device_syncto"),
        1
      )
    }).pipe(Effect.scoped)
  )

  it.live.each([
    { changed: 7, typed: "y\n", asks: "Push exactly this to 7 devices? [y/N]", pushes: true },
    { changed: 7, typed: "n\n", asks: "Push exactly this to 7 devices? [y/N]", pushes: false },
    { changed: 7, typed: "\n", asks: "Push exactly this to 7 devices? [y/N]", pushes: false },
    { changed: 120, typed: "120\n", asks: "Push exactly this to 120 devices? Type 120 to agree:", pushes: true },
    { changed: 120, typed: "yes\n", asks: "Push exactly this to 120 devices? Type 120 to agree:", pushes: false }
  ])("at a terminal asks before it pushes to $changed, and hears $typed", ({ asks, changed, pushes, typed }) =>
    Effect.gen(function* () {
      const { pushed, user } = yield* makeNetwork({ changed })
      const { code, screen } = yield* user("sync --all", typed)
      expect(screen).toContain(asks)
      expect(screen).toContain(pushes ? "Scheduled job: job 42" : "Nothing was pushed")
      assert.deepEqual([code, pushed().length], pushes ? [0, 1] : [1, 0])
    }).pipe(Effect.scoped)
  )

  it.live("with nothing to do says so, and asks nobody", () =>
    Effect.gen(function* () {
      const { pushed, script } = yield* makeNetwork({ unchanged: 4 })
      expect(yield* script("sync --all")).toMatchObject({
        code: 0,
        out: "Nothing to do: every managed device is in sync.\n"
      })
      expect((yield* script("sync lhv-a1")).out).toBe("Nothing to do: the devices run what the settings say.\n")
      expect(JSON.parse((yield* script("sync --all --json")).out)).toMatchObject({ job_id: null, changed: 0 })
      assert.deepEqual(pushed(), [])
    }).pipe(Effect.scoped)
  )

  it.live(
    "of a name that no device has, or of a device that is not managed, is refused before anything is compared",
    () =>
      Effect.gen(function* () {
        const { asked, script } = yield* makeNetwork({ changed: 7 })
        for (const line of [
          "sync lhv-a1 lhv-b1 lhv-a9 --yes",
          "sync lhv-a1 lhv-b1 lhv-a9 --dry-run",
          `sync ${names(30).join(" ")} lhv-b1 --yes`
        ])
          expect(yield* script(line)).toMatchObject({
            code: 1,
            out: "",
            err: expect.stringMatching(
              line.includes("lhv-a30")
                ? /^lhv-a9 is UNMANAGED: .*\nNo device is called lhv-b1\n$/
                : /^No device is called lhv-b1\nlhv-a9 is UNMANAGED: only managed devices are synchronized\n$/
            )
          })
        assert.notInclude(
          asked.map(({ call }) => call),
          "POST /device_syncto"
        )
      }).pipe(Effect.scoped)
  )

  it.live("of an older dry run without a change says no more than that", () =>
    Effect.gen(function* () {
      const { script } = yield* makeNetwork({ unchanged: 4 })
      expect((yield* script("sync --all --dry-run-job 30 --yes")).out).toBe(
        "Nothing to do: dry run 30 has found no change.\n"
      )
    }).pipe(Effect.scoped)
  )

  it.live("of devices that could not be compared is no success", () =>
    Effect.gen(function* () {
      const { pushed, script } = yield* makeNetwork({ failed: 3 })
      expect(yield* script("sync --all --yes")).toMatchObject({
        code: 1,
        out: "",
        err: expect.stringContaining("Nothing was pushed: no device changes, and 3 devices could not be compared")
      })
      assert.deepEqual(pushed(), [])
    }).pipe(Effect.scoped)
  )
})

describe("A replay of all messages that were given up", () => {
  const makeSite = Effect.map(
    makeExampleServer(new Map<string, unknown>([["GET /alerts/deliveries", answer({ deliveries: names(12) })]])),
    ({ asked, url }) => {
      const env = { SWITCHYARD_URL: url, SWITCHYARD_TOKEN: "swy_token", XDG_CONFIG_HOME: "/nonexistent" }
      return {
        script: (line: string) => command(env, line.split(" ")),
        user: (typed: string) => atTerminal(env, ["alerts", "replay"], { replies: [[/\[y\/N\]|to agree:/, typed]] }),
        replayed: () => asked.filter(({ call }) => call.startsWith("POST")).map(({ body, call }) => ({ call, body }))
      }
    }
  )

  it.live("asks, and a number above ten must be typed; one message is tried unasked", () =>
    Effect.gen(function* () {
      const { replayed, script, user } = yield* makeSite
      const end = yield* script("alerts replay")
      assert.deepEqual([end.code, end.out], [1, ""])
      expect(end.err).toContain("Nothing was sent: without a terminal nobody can be asked")
      expect((yield* user("y\n")).screen).toContain("Try 12 messages again? Type 12 to agree:")
      assert.deepEqual(replayed(), [])
      assert.strictEqual((yield* user("12\n")).code, 0)
      assert.strictEqual((yield* script("alerts replay --receiver noc --yes")).code, 0)
      assert.strictEqual((yield* script("alerts replay 7f9c")).code, 0)
      assert.deepEqual(replayed(), [
        { call: "POST /alerts/replay", body: {} },
        { call: "POST /alerts/replay", body: { receiver: "noc" } },
        { call: "POST /alerts/deliveries/:id/replay", body: null }
      ])
    }).pipe(Effect.scoped)
  )
})

describe("An undo, an upgrade and an approval of many keys", () => {
  it.live("ask like a push, and do nothing without a terminal or a yes", () =>
    Effect.gen(function* () {
      const { pushed, script, user } = yield* makeNetwork({ changed: 12 })
      const lines = ["undo 7", "firmware upgrade EOS.swi --group EDGE --download --reboot", "hostkeys approve --all"]
      for (const line of lines) {
        const { code, err } = yield* script(line)
        assert.deepEqual([line, code], [line, 1])
        expect(err).toMatch(/without a terminal nobody can be asked/)
      }
      expect((yield* user("undo 7", "y\n")).screen).toMatch(/Undo job 7 on 12 devices\? Type 12 to agree:/)
      const upgrade = yield* user(lines[1] ?? "", "n\n")
      expect(upgrade.screen).toContain("Upgrade 12 devices to EOS.swi (download, reboot)? Type 12 to agree:")
      expect(upgrade.screen).toContain("every device reboots, many at the same time")
      assert.deepEqual([upgrade.code, pushed()], [1, []])
      assert.strictEqual((yield* user(lines[1] ?? "", "12\n")).code, 0)
      assert.strictEqual((yield* script("undo 7 --yes")).code, 0)
      assert.lengthOf(pushed(), 2)
      // checks change nothing
      assert.strictEqual((yield* script("firmware upgrade EOS.swi --group EDGE --pre-flight")).code, 0)
    }).pipe(Effect.scoped)
  )
})
