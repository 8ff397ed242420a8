/** A network that exists already, from a list of its switches to MANAGED, through the API: nothing on a switch is changed. */
import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import { add, bring, changesOn, listOf, make, read, rowsOf, statesOf } from "../../support/OnboardingSite.ts"

const quiet = <A, E>(test: Effect.Effect<A, E>) => Effect.provideService(test, References.MinimumLogLevel, "Error")

it.live("is added from a list, read, measured, and managed without a push when nothing differs", () =>
  Effect.gen(function* () {
    const site = yield* make(2)
    const [one = "", other = ""] = site.names

    const wrong = `${listOf([one])}\nbad name,10.0.0.1,ACCESS,eos\n${other},10.0.0.999,ACCESS,eos`
    const refused = yield* site.api.send("POST", "/onboarding", { source: "csv", name: "a.csv", text: wrong })
    assert.strictEqual(refused.status, 400)
    assert.deepEqual(refused.body.message, {
      errors: [
        "a.csv, line 3, hostname: Invalid hostname received",
        "a.csv, line 4, management_ip: Invalid management_ip received. Must be a valid IP address."
      ]
    })
    assert.deepEqual(yield* rowsOf(site), [])
    const tried = yield* site.api.send("POST", "/onboarding", { source: "csv", text: wrong, dry_run: true })
    assert.deepEqual(tried.body.data["hostnames"], [one])
    assert.deepEqual(yield* rowsOf(site), [])

    const before = yield* add(site)
    assert.deepEqual(yield* statesOf(site), { [one]: "differs", [other]: "differs" })
    const [row] = yield* rowsOf(site)
    assert.deepEqual([row?.["config_from"], row?.["origin"], row?.["source"]], ["session", "access.csv", "csv"])
    assert.match(String(row?.["fingerprint"]), /^SHA256:/)
    const now = before["now"] as { distance: number; devices: number; reached: number }
    assert.deepEqual([now.devices, now.reached], [2, 0])
    assert.isAbove(now.distance, 50)
    const groups = before["groups"] as ReadonlyArray<{ diff: string; count: number }>
    assert.isTrue(
      groups.some(({ count, diff }) => count === 2 && diff === "+ntp server 10.20.0.1 prefer"),
      JSON.stringify(groups.slice(0, 5))
    )
    assert.isTrue(groups.every(({ count }, place) => place === 0 || count <= (groups[place - 1]?.count ?? 0)))

    const again = yield* site.api.send("POST", "/onboarding", { source: "csv", name: "b.csv", text: listOf([one]) })
    assert.strictEqual(again.status, 400)
    assert.deepEqual(again.body.message, { errors: ["b.csv, line 2: Device already exists"] })

    // one switch comes to what is generated, the other differs in one line
    yield* bring(site, one)
    yield* bring(site, other, (text) => text.replace(/^interface Vlan3016$/m, "$&\n   mtu 1400"))
    yield* read(site)
    assert.deepEqual(yield* statesOf(site), { [one]: "ready", [other]: "differs" }, JSON.stringify(yield* rowsOf(site)))
    const left = (yield* site.api.send("GET", `/onboarding/distance?hostname=${other}`)).body.data
    assert.deepEqual(
      (left["groups"] as ReadonlyArray<{ diff: string }>).map(({ diff }) => diff),
      [" interface Vlan3016\n-   mtu 1400"]
    )

    const job = yield* site.api.run("/onboarding/manage", {})
    assert.strictEqual(job.status, "FINISHED")
    assert.deepEqual(Object.keys(job.result?.devices ?? {}), [one])
    const [managed] = yield* site.api.devices(`filter[hostname]=${one}`)
    assert.deepEqual([managed?.["state"], managed?.["synchronized"]], ["MANAGED", true])
    const failed = yield* site.api.run("/onboarding/manage", { hostnames: [other] })
    assert.isTrue(failed.result?.devices?.[other]?.failed)
    assert.match(JSON.stringify(failed.result), /1 line run and are not generated, 0 lines are generated/)
    assert.strictEqual((yield* statesOf(site))[other], "differs")

    for (const device of site.switches) assert.deepEqual(changesOn(device), [], device.name)
    const dry = yield* site.api.run("/device_syncto", { hostname: one, dry_run: true, force: true })
    assert.deepEqual(
      dry.result?.devices?.[one]?.job_tasks.map(({ diff }) => diff).filter((diff) => diff !== ""),
      []
    )
    const drift = yield* site.api.run("/device_drift", { hostname: one })
    assert.notInclude(JSON.stringify(drift.result), "does not run what it was last proved")
  }).pipe(Effect.scoped, quiet)
)

it.live("is measured again after a commit, a changed port or an accepted link, and keeps the history", () =>
  Effect.gen(function* () {
    const site = yield* make(1)
    const [one = ""] = site.names
    yield* add(site)
    yield* bring(site, one)
    yield* read(site)
    assert.deepEqual(yield* statesOf(site), { [one]: "ready" })
    const commands = site.switches[0]?.commands().length

    yield* site.folders.settings.commit({
      "access/base_system.yml": `---
dot1x_multi_host: false
poe_reboot_maintain: true
ntp_servers:
  - host: 10.20.0.9
cli_append_str: |
  alias ports show interfaces status
  alias auth show dot1x hosts
`
    })
    yield* site.api.send("PUT", "/repository/settings", { action: "refresh" })
    const after = yield* site.measured
    const { now } = after as { now: { distance: number; differing: number } }
    assert.isAbove(now.differing, 0)
    const port = { interfaces: { Ethernet1: { data: { description: "desk 7" } } } }
    assert.strictEqual((yield* site.api.send("PUT", `/device/${one}/interfaces`, port)).status, 200)
    for (;;) {
      const { groups } = (yield* site.measured) as unknown as { groups: ReadonlyArray<{ diff: string }> }
      if (groups.some(({ diff }) => diff.includes("desk 7"))) break
      yield* Effect.sleep("100 millis")
    }
    const { body } = yield* site.api.send("GET", "/onboarding/history")
    const history = body.data["history"] as ReadonlyArray<{ distance: number; settings_commit: string }>
    assert.isAtLeast(history.length, 3)
    assert.isAbove(new Set(history.map(({ settings_commit }) => settings_commit)).size, 1)
    assert.isTrue(history.some(({ distance }) => distance === 0))
    assert.strictEqual(site.switches[0]?.commands().length, commands)
  }).pipe(Effect.scoped, quiet)
)

it.live("is not read before its host key is approved where the server asks for that, nor if it is another switch", () =>
  Effect.gen(function* () {
    const site = yield* make(2, { HOST_KEY_POLICY: "approve" })
    const [one = "", other = ""] = site.names
    // the list has the two addresses the wrong way round
    yield* add(site, [other, one])
    const states = yield* statesOf(site)
    assert.deepEqual(states, { [one]: "host_key", [other]: "host_key" })
    const rows = yield* rowsOf(site)
    assert.deepEqual(
      site.switches.flatMap((device) => device.logins().filter(({ accepted }) => accepted)),
      []
    )
    const keys = rows.map((row) => ({ hostname: row["hostname"], fingerprint: row["refused_fingerprint"] }))
    assert.strictEqual((yield* site.api.send("POST", "/device_hostkeys/approve", { host_keys: keys })).status, 200)
    yield* site.api.run("/onboarding/read", {})
    const after = yield* rowsOf(site)
    assert.deepEqual(
      after.map((row) => row["state"]),
      ["failed", "failed"]
    )
    assert.match(String(after[0]?.["message"]), /shows the hostname lhv-acc11/)
    assert.deepEqual(
      after.map((row) => row["config_from"]),
      [null, null]
    )
  }).pipe(Effect.scoped, quiet)
)

it.live("is read from a folder of configurations without any session", () =>
  Effect.gen(function* () {
    const site = yield* make(1)
    const [one = ""] = site.names
    const text = Managed.stripped(site.switches[0]?.running())
    const { body, status } = yield* site.api.send("POST", "/onboarding", {
      source: "configs",
      platform: "eos",
      device_type: "ACCESS",
      files: [{ path: `access/${one}`, text, modified_at: "2026-11-20T08:00:00Z" }]
    })
    assert.strictEqual(status, 200, JSON.stringify(body))
    assert.isNull(body.data["job_id"])
    yield* site.measured
    const [row] = yield* rowsOf(site)
    assert.deepEqual(
      [row?.["state"], row?.["config_from"], row?.["config_at"], row?.["management_ip"]],
      ["differs", "file", "2026-11-20T08:00:00", "10.196.16.10"]
    )
    const device = site.switches[0]
    assert.deepEqual([device?.logins(), device?.connections()], [[], 0])
    const refused = yield* site.api.send("POST", "/onboarding/read", {})
    assert.deepEqual(refused.body.message, "No onboarded switch is to be read")
  }).pipe(Effect.scoped, quiet)
)
