/** The command line for people, each command as a process of its own against one server, as a user types it or a program reads it. */
import { assert, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { spawn, spawnSync } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { makeCampusWithRoles } from "../support/CampusWithRoles.ts"
import { dataFolder, ofThisProcess, program } from "../support/Program.ts"
import { accessNames } from "../scenarios/chaos/ManagedCampus.ts"

const NAMES = accessNames(4)
const [ONE = "", OTHER = "", SILENT = ""] = NAMES

const ROLES = `group_mappings: {}
roles:
  junior: { extends: operator, approval: true }
`

interface End {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

const run = (env: Readonly<Record<string, string>>, words: ReadonlyArray<string>, input = "", until?: RegExp) =>
  Effect.callback<End>((resume) => {
    const child = spawn(process.execPath, [program, ...words], { env: { ...ofThisProcess, ...env } })
    const said = { out: "", err: "" }
    // once: a second one ends a process at once
    const stopAt = (text: string) => until?.test(text) === true && !child.killed && child.kill("SIGINT")
    child.stdout.on("data", (chunk) => {
      said.out += String(chunk)
      stopAt(said.out)
    })
    child.stderr.on("data", (chunk) => {
      said.err += String(chunk)
      stopAt(said.err)
    })
    child.once("close", (code) => resume(Effect.succeed({ code, ...said })))
    child.stdin.end(input)
  })

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: ROLES })
  const folder = yield* dataFolder
  const as = Effect.fnUntraced(function* (role: string, sub: string) {
    const env = {
      SWITCHYARD_URL: campus.url,
      SWITCHYARD_TOKEN: yield* campus.tokenOf(role, sub),
      XDG_CONFIG_HOME: folder
    }
    return (words: string, input = "", until?: RegExp) => run(env, words.split(" "), input, until)
  })
  const boss = yield* as("administrator", "boss")
  return { ...campus, folder, cli: boss, junior: yield* as("junior", "ann") }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/cli/Client") {
  static readonly layer = Layer.effect(Site, make)
}

/** Characters that control a terminal: bell, escape, and the eight-bit form of an escape sequence. */
const CONTROL = ["\u0007", "\u001b", "\u009b"]

/** The number of the job that was named. */
const jobIn = ({ err, out }: End): number => {
  const id = /job (\d+)/.exec(out)?.[1] ?? /"job_id": ?(\d+)/.exec(out)?.[1]
  if (id === undefined) throw new Error(out + err)
  return Number(id)
}

const parsed = ({ err, out }: End): unknown => {
  assert.notInclude(out, "\u001b", err)
  return JSON.parse(out)
}

layer(Site.layer, { excludeTestServices: true })("The command line", (it) => {
  it.effect("signs on with a token that it stores for its owner only, and forgets it", () =>
    Effect.gen(function* () {
      const { folder, tokenOf, url } = yield* Site
      const env = { SWITCHYARD_URL: url, XDG_CONFIG_HOME: folder }
      const refused = yield* run(env, ["devices"])
      expect(refused).toMatchObject({ code: 3, out: "" })
      expect(refused.err).toContain("switchyard login")
      expect(yield* run(env, ["login", "--stdin"], "nonsense\n")).toMatchObject({ code: 3 })
      const token = yield* tokenOf("administrator", "boss")
      const signedOn = yield* run(env, ["login", "--stdin"], `${token}\n`)
      expect(signedOn).toMatchObject({ code: 0, err: "" })
      expect(signedOn.out).toContain("as boss")
      const file = path.join(folder, "switchyard", "token")
      expect((yield* Effect.promise(() => fs.stat(file))).mode & 0o777).toBe(0o600)
      expect((yield* run(env, ["devices"])).out).toContain(ONE)
      yield* Effect.promise(() => fs.chmod(file, 0o644))
      const open = yield* run(env, ["devices"])
      expect(open).toMatchObject({ code: 3 })
      expect(open.err).toContain("can be read by others")
      yield* Effect.promise(() => fs.chmod(file, 0o600))
      const copy = path.join(folder, "token.txt")
      yield* Effect.promise(() => fs.writeFile(copy, `${token}\n`))
      expect(yield* run(env, ["login", "--token-file", copy])).toMatchObject({ code: 0, err: "" })
      expect(yield* run(env, ["login", "--token-file", `${copy}.none`])).toMatchObject({ code: 1 })
      yield* run(env, ["logout"])
      expect(yield* run(env, ["devices"])).toMatchObject({ code: 3 })
    })
  )

  it.effect(
    "lists devices as a table, JSON and comma-separated values, and names the work and the missing parts of one",
    () =>
      Effect.gen(function* () {
        const { cli } = yield* Site
        const table = yield* cli("devices --type ACCESS")
        expect(table.out.split("\n")[0]).toMatch(/^NAME +STATE +IN SYNC/)
        expect(table.out).not.toContain("\u001b")
        expect(parsed(yield* cli(`devices ${ONE} --json`))).toMatchObject([{ hostname: ONE, state: "MANAGED" }])
        expect((yield* cli("devices --csv")).out.split("\r\n")[0]?.split("\n")).toHaveLength(NAMES.length + 4)
        expect((yield* cli(`device ${ONE}`)).out).toMatch(/does +Idle/)
        expect((yield* cli(`why ${ONE}`)).out).toContain(`${ONE} is out of sync`)
        const nobody = yield* cli("device nobody")
        expect(nobody).toMatchObject({ code: 1, err: expect.stringContaining("Device not found") })
      })
  )

  it.effect("lists tokens, users and alerts in the same way, without control characters of user texts", () =>
    Effect.gen(function* () {
      const { boss, cli } = yield* Site
      yield* boss("POST", "/auth/tokens", { name: "hook", roles: ["dhcp-hook"], days: 3 })
      const tokens = yield* cli("token list")
      expect(tokens).toMatchObject({ code: 0, err: "" })
      expect(tokens.out).toMatch(/^ID +NAME +ROLES[^]*hook +dhcp-hook +boss/)
      expect(parsed(yield* cli("token list --json"))).toMatchObject([{ name: "hook", roles: ["dhcp-hook"] }])
      expect((yield* cli("token list --csv")).out).toContain("id,name,roles,created by")
      expect(yield* cli("user list")).toMatchObject({ code: 0, err: expect.stringContaining("There is no user") })
      const owned = { rule: "drift", minutes: 5, reason: "\u001b]0;owned\u0007" }
      expect(JSON.stringify(yield* boss("POST", "/alerts/mutes", owned))).toMatch(/reason: holds the control character/)
      yield* boss("POST", "/alerts/mutes", { rule: "drift", minutes: 5, reason: "owned works" })
      const mutes = yield* cli("alerts mutes")
      expect(mutes.out).toMatch(/drift.*owned/)
      for (const sign of CONTROL) expect(mutes.out).not.toContain(sign)
      expect((yield* cli("alerts list")).code).toBe(0)
      expect((yield* cli("alerts dead --json")).out.trim()).toBe("[]")
      expect(yield* cli("leases")).toMatchObject({
        code: 0,
        err: expect.stringContaining("No lease was refused or waits")
      })
      yield* boss("POST", "/dhcp_leases", {
        ztp_mac: "00:1c:73:00:0d:09",
        dhcp_ip: "10.90.0.9",
        platform: "toaster",
        host: "dhcp1",
        waiting: 12
      })
      const leases = yield* cli("leases")
      expect(leases.out).toMatch(/^ZTP_MAC +DHCP_IP[^]*001C73000D09 +10\.90\.0\.9 +toaster +Refused/)
      expect(leases.out).toContain("dhcp1 had 12 more to report at")
      expect(parsed(yield* cli("leases --json"))).toMatchObject([{ ztp_mac: "001C73000D09", outcome: "refused" }])
      expect(yield* cli("spellings list --platform eos")).toMatchObject({
        code: 0,
        err: expect.stringContaining("Nothing was learnt")
      })
      expect(yield* cli("spellings withdraw 4711")).toMatchObject({
        code: 1,
        err: expect.stringContaining("No learned line with id 4711 found")
      })
      yield* boss("PUT", `/device/${ONE}/interfaces`, {
        interfaces: { Ethernet3: { data: { description: "a\u009b31mred" } } }
      })
      yield* boss("PUT", `/device/${ONE}/interfaces`, { interfaces: { Ethernet3: { data: {} } } })
      const events = yield* cli("events --kind interface")
      expect(events).toMatchObject({ code: 0 })
      for (const sign of CONTROL) expect(events.out).not.toContain(sign)
    })
  )

  it.effect("shows a change in groups, pushes it, and names failures with an exit code", () =>
    Effect.gen(function* () {
      const { cli, lab } = yield* Site
      const dry = yield* cli("sync --all --dry-run --watch")
      expect(dry).toMatchObject({ code: 0 })
      expect(dry.out).toMatch(/1 device: \+\d+ -\d+, score \d+[^]*4 devices change in 4 ways/)
      const shown = yield* cli(`diff ${jobIn(dry)} --json`)
      expect(parsed(shown)).toMatchObject({ changed: 4, groups: [{}, {}, {}, { count: 1 }] })
      const unasked = yield* cli("sync --all")
      expect(unasked).toMatchObject({ code: 1, err: expect.stringMatching(/Scope: 4 devices[^]*Nothing was pushed/) })
      expect(parsed(yield* cli("jobs --json"))).not.toContainEqual(
        expect.objectContaining({ function_name: "sync_devices" })
      )
      yield* (yield* lab.get(SILENT)).powerOff
      const pushed = yield* cli("sync --all --force --canary 1 --watch --ticket CHG-7 --yes")
      expect(pushed.code).toBe(1)
      expect(pushed.err).toContain(`${SILENT} failed`)
      expect(pushed.err).toMatch(/partly failed/i)
      expect((yield* cli("jobs --outcome partial")).out).toContain("CHG-7")
      expect((yield* cli(`job ${jobIn(pushed)}`)).out).toContain(`failed    ${SILENT}`)
      const undone = yield* cli(`undo ${jobIn(pushed)} --watch --yes`)
      expect(undone).toMatchObject({ code: 0, out: expect.stringMatching(/1 device: \+\d+ -\d+, no score/) })
      expect(undone.err).toMatch(/Scope: 3 devices: [^]*\nRisk: {2}\w+/)
      expect(yield* cli("sync")).toMatchObject({ code: 2, err: expect.stringContaining("Say which devices") })
      expect(yield* cli("sync --batch many --all")).toMatchObject({ code: 2 })
    })
  )

  it.effect("lets one person request and another approve, reject or abort", () =>
    Effect.gen(function* () {
      const { cli, junior } = yield* Site
      const dry = jobIn(yield* junior(`sync ${ONE} --dry-run --force --watch`))
      const asked = jobIn(yield* junior(`sync ${ONE} --dry-run-job ${dry} --yes`))
      expect(yield* junior(`approve ${asked} --comment seen`)).toMatchObject({ code: 3 })
      expect(yield* cli(`approve ${asked} --comment seen --watch`)).toMatchObject({ code: 0 })
      const again = jobIn(yield* junior(`sync ${ONE} --dry-run-job ${dry} --yes`))
      expect((yield* cli(`reject ${again} --comment no`)).out).toContain("Rejected")
      const last = jobIn(yield* junior(`sync ${ONE} --dry-run-job ${dry} --yes`))
      expect((yield* junior(`abort ${last} --reason wrong`)).out).toContain("being aborted")
    })
  )

  it.effect("changes ports after showing the effect, and stores nothing in a dry run", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      expect((yield* cli(`ports list ${OTHER} --csv`)).out).toContain("Ethernet2,ACCESS_AUTO")
      const tried = yield* cli(`ports set ${OTHER} Ethernet2 --description printer --dry-run`)
      expect(tried.out).toMatch(/\+ +description printer/)
      expect((yield* cli(`ports list ${OTHER}`)).out).not.toContain("printer")
      expect(yield* cli(`ports set ${OTHER} Ethernet2 --description printer`)).toMatchObject({ code: 0 })
      expect((yield* cli(`ports list ${OTHER}`)).out).toContain("printer")
      expect(yield* cli(`ports set ${OTHER} Ethernet99 --disable`)).toMatchObject({
        code: 1,
        err: expect.stringContaining("Interface Ethernet99 not found")
      })
    })
  )

  it.effect("changes ports from a file, all or none, and exports them in the same form", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      const wrong = yield* cli(`ports import - --dry-run`, `switch,port,enabled\n${OTHER},Ethernet3,perhaps\n`)
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("line 2, enabled: expected yes or no") })
      const file = `port;switch;description\nEthernet3-4;${OTHER};bench\n`
      const tried = yield* cli(`ports import - --dry-run`, file)
      expect(tried.out).toMatch(/\+ +description bench/)
      expect(tried.out).toContain("2 ports of 1 device change.")
      expect((yield* cli(`ports list ${OTHER}`)).out).not.toContain("bench")
      expect(yield* cli(`ports import -`, file)).toMatchObject({ code: 0, out: expect.stringContaining("Stored.") })
      const exported = yield* cli(`ports export ${OTHER}`)
      expect(exported.out).toMatch(new RegExp(`^${OTHER},Ethernet4,ACCESS_AUTO,,,bench,`, "m"))
      expect((yield* cli(`ports import -`, exported.out)).out).toContain("No port changes.")
      const none = yield* cli(`ports set ${OTHER} Ethernet3 --profile nothing`)
      expect(none).toMatchObject({ code: 1, err: expect.stringContaining("there is no profile nothing") })
    })
  )

  it.effect("takes every option of a sync, and canaries by their names", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      const dry = jobIn(yield* cli(`sync ${ONE} ${OTHER} --dry-run --force --watch`))
      const later = `sync ${ONE} ${OTHER} --force --dry-run-job ${dry} --start-at 2126-12-24T02:00:00Z --yes --json`
      const rollout = yield* cli(
        `${later} --canary ${OTHER},${ONE} --abort-on-failure --revert-on-failure --on-missing-lines warn`
      )
      const urgent = yield* cli(`${later} --canary 1 --urgent`)
      expect(parsed(yield* cli(`job ${jobIn(rollout)} --json`))).toMatchObject({
        status: "SCHEDULED",
        scheduled_time: expect.stringContaining("2126-12-24T02:00:00"),
        start_arguments: {
          canary: [OTHER, ONE],
          abort_on_failure: true,
          revert_on_failure: true,
          on_missing_lines: "warn"
        }
      })
      expect(parsed(yield* cli(`job ${jobIn(urgent)} --json`))).toMatchObject({
        start_arguments: { canary: 1, urgent: true }
      })
      for (const started of [rollout, urgent]) expect(yield* cli(`abort ${jobIn(started)}`)).toMatchObject({ code: 0 })
    })
  )

  it.effect("keeps the record of a device from its first day to its deletion, and asks before it deletes", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      const mistaken = yield* cli("device add shed-d1 --type DIST --address 10.99.0.300")
      expect(mistaken).toMatchObject({ code: 1, err: expect.stringContaining("Invalid --address received") })
      const added = yield* cli("device add shed-d1 --type DIST --platform eos --address 10.99.0.3 --json")
      expect(parsed(added)).toMatchObject({ hostname: "shed-d1", state: "UNMANAGED", management_ip: "10.99.0.3" })
      expect((yield* cli("device shed-d1")).out).toMatch(/state +Not managed/)
      const changed = yield* cli("device set shed-d1 --hostname shed-d2 --serial SSJ5 --description moved --json")
      expect(parsed(changed)).toMatchObject({ hostname: "shed-d2", serial: "SSJ5", description: "moved" })
      expect(yield* cli("device set shed-d2")).toMatchObject({ code: 2 })
      expect((yield* cli("device manage shed-d2")).out).toContain("shed-d2 is MANAGED")
      expect((yield* cli("device unmanage shed-d2")).out).toContain("shed-d2 is UNMANAGED")
      const unasked = yield* cli("device delete shed-d2")
      expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was deleted") })
      expect((yield* cli("device delete shed-d2 --yes")).out).toContain("shed-d2 is deleted")
      expect(yield* cli("device shed-d2")).toMatchObject({ code: 1 })
    })
  )

  it.effect("replaces a switch by a discovered unit only: the old one becomes unmanaged first", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      for (const [name, state, address] of [
        ["shed-a1", "MANAGED", "10.99.0.4"],
        ["shed-new", "DISCOVERED", "10.99.0.5"]
      ]) {
        const added = yield* cli(
          `device add ${name} --type ACCESS --platform eos --address ${address} --state ${state}`
        )
        expect(added).toMatchObject({ code: 0 })
      }
      const wrong = yield* cli(`device replace shed-a1 ${ONE} --yes`)
      expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("only a DISCOVERED unit") })
      const managed = yield* cli("init shed-a1 shed-a2")
      expect(managed).toMatchObject({
        code: 1,
        out: "",
        err: "shed-a1 is MANAGED: only a DISCOVERED switch can be initialised\n"
      })
      const unasked = yield* cli("device replace shed-a1 shed-new")
      expect(unasked).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was replaced") })
      expect((yield* cli("device shed-a1")).out).toMatch(/state +Managed/)
      const begun = yield* cli("device replace shed-a1 shed-new --yes --json")
      expect(parsed(yield* cli(`job ${jobIn(begun)} --json`))).toMatchObject({
        function_name: "init_access_device_step1",
        start_arguments: { new_hostname: "shed-a1", replace_hostname: true }
      })
      expect((yield* cli("device shed-a1")).out).toMatch(/state +Not managed/)
      // no switch answers there, so the job fails; its end is awaited
      expect(yield* cli(`job ${jobIn(begun)} --watch`)).toMatchObject({ code: 1 })
      for (const name of ["shed-a1", "shed-new"])
        expect(yield* cli(`device delete ${name} --yes`)).toMatchObject({ code: 0 })
    })
  )

  it.effect("finds devices and ports by a word, and names the tables that it searched", () =>
    Effect.gen(function* () {
      const { cli } = yield* Site
      const unread = yield* cli(`find ${ONE}`)
      expect(unread).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`device +${ONE}`)) })
      expect(unread.err).toContain("--read")
      const hits = parsed(yield* cli(`find ${ONE} --json`))
      expect(hits).toMatchObject({ hits: [{ kind: "device", hostname: ONE }], truncated: false })
      expect((yield* cli(`find ${ONE} --csv`)).out).toMatch(/^kind,device,port[^]*\ndevice,/)
      expect(yield* cli("find 10.0.0.999")).toMatchObject({
        code: 1,
        err: expect.stringContaining("The word is no IP address")
      })
      expect(yield* cli("find nothingsuch")).toMatchObject({ code: 0, out: "" })
      expect(yield* cli("find")).toMatchObject({ code: 2 })
    })
  )

  it.effect("leaves a job running when the user stops following it, and says so", () =>
    Effect.gen(function* () {
      const { cli, junior } = yield* Site
      const dry = jobIn(yield* junior(`sync ${OTHER} --dry-run --force --watch`))
      const waiting = jobIn(yield* junior(`sync ${OTHER} --dry-run-job ${dry} --yes`))
      const stopped = yield* cli(`job ${waiting} --watch`, "", /job \d+: /)
      expect(stopped).toMatchObject({ code: 130, err: expect.stringContaining(`Job ${waiting} continues`) })
      expect(parsed(yield* cli(`job ${waiting} --json`))).toMatchObject({ id: waiting, finish_time: null })
      expect(yield* cli(`abort ${waiting} --reason tried`)).toMatchObject({ code: 0 })
    })
  )

  it.effect("manages repositories, events, the audit and firmware", () =>
    Effect.gen(function* () {
      const { cli, folders } = yield* Site
      expect((yield* cli("repo status settings")).out).toMatch(/In force +[0-9a-f]{10}/)
      const sound = yield* cli("repo check settings main")
      expect(sound).toMatchObject({ code: 0, out: expect.stringContaining("would be accepted; 0 of 0 devices") })
      yield* folders.settings.commit({ "global/base_system.yml": "---\nntp_servers: 5\n" }, "Wrong")
      const refused = yield* cli("repo refresh settings")
      expect(refused).toMatchObject({ code: 1 })
      expect((yield* cli("repo status settings")).out).toMatch(/Refused[^]*global\/base_system.yml:\d+/)
      expect(yield* cli("repo check settings main")).toMatchObject({
        code: 1,
        err: expect.stringContaining("would be refused")
      })
      expect((yield* cli("events --kind job")).out).toContain("job  started")
      const followed = yield* cli("events --follow --kind job --since 0 --json", "", /"kind":"job"/)
      expect(JSON.parse(followed.out.split("\n")[0] ?? "")).toMatchObject({ kind: "job" })
      expect(parsed(yield* cli("audit list --kind job --limit 3 --json"))).toHaveLength(3)
      expect(yield* cli("firmware images")).toMatchObject({
        code: 0,
        err: expect.stringContaining("There is no image")
      })
      expect((yield* cli("firmware versions --csv")).out).toMatch(/^group,version,devices\n[^]*DEFAULT,not known,\d+/)
      expect((yield* cli("firmware order nothing")).code).toBe(1)
      expect(yield* cli("init nobody lhv-new")).toMatchObject({ code: 1, err: expect.stringContaining("No switch") })
    })
  )

  it.effect("finds stuck work, and repairs it after confirmation", () =>
    Effect.gen(function* () {
      const { cli, junior, running } = yield* Site
      // a site without listed networks and hosts that accepts first host keys gets exactly these findings
      const before = yield* cli("doctor")
      expect(before.code).toBe(0)
      expect(before.out.match(/^\S.*$/gm)?.map((line) => line.slice(0, 32))).toEqual([
        "warn  MANAGEMENT_NETWORKS: The f",
        "warn  HOST_KEY_POLICY: A device ",
        "warn  OUTBOUND_HOSTS: Callers ma"
      ])
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update config_change set phase = 'unknown' where id =
          (select max(c.id) from config_change c join device on device.id = c.device_id where hostname = ${ONE})`
        yield* sql`insert into certificate (serial, job_id, device_id, hostname, address, issued_at, not_after)
          select '4711', 1, id, hostname, '10.0.0.1', now() - interval '1 year', now() + interval '5 days'
          from device where hostname = ${OTHER}`
      }).pipe(Effect.provide(running))
      const found = yield* cli("doctor")
      expect(found).toMatchObject({ code: 1, err: expect.stringContaining("1 of 5 findings are bad") })
      expect(found.out).toMatch(
        new RegExp(`bad  ${ONE}: Its configuration is unknown[^]*next:[^]*warn  ${OTHER}: Its certificate ends`)
      )
      expect((yield* cli("doctor --csv")).out).toContain("level,kind,about,since,what,why,next")
      const json = yield* cli("doctor --json")
      expect(parsed(json)).toMatchObject([
        { kind: "device" },
        { kind: "certificate" },
        { kind: "protection", about: "MANAGEMENT_NETWORKS" },
        { kind: "protection", about: "HOST_KEY_POLICY" },
        { kind: "protection", about: "OUTBOUND_HOSTS" }
      ])
      expect(json.code).toBe(1)
      const mended = yield* junior("doctor --repair", "y\nno\n")
      expect(mended.err).toMatch(
        new RegExp(`Read the configuration of ${ONE}\\? [^]*Renew the certificate of ${OTHER}\\?`)
      )
      expect(mended.out.match(/done: Scheduled job/g)).toHaveLength(1)
    })
  )

  it.effect("reports an unreachable server, and completes words in bash, zsh and fish", () =>
    Effect.gen(function* () {
      const away = yield* run({ SWITCHYARD_URL: "http://127.0.0.1:9" }, ["devices"])
      expect(away).toMatchObject({ code: 4, err: expect.stringContaining("does not answer") })
      expect(yield* run({}, ["devices", "--nonsense"])).toMatchObject({ code: 2 })
      for (const shell of ["bash", "zsh", "fish"]) {
        const { code, out } = yield* run({}, ["--completions", shell])
        expect(code).toBe(0)
        expect(out).toContain("unsynchronized")
        if (shell === "bash") expect(spawnSync("bash", ["-n"], { input: out }).status).toBe(0)
      }
    })
  )
})
