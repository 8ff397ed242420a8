/**
 * Secrets that are none of the server's: lines with a marked one in each place where a text can enter, in random forms of all platforms.
 * Afterwards no mark stands in clear in any table, event, log, message or answer to a reader without the right, but where a site has
 * written it itself (docs/security.md#forms-of-secrets). Another campaign: `SECRET_FORMS_SEED=…`.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { seconds } from "../../support/Patience.ts"
import { listen } from "../../support/AlertReceiver.ts"
import { SECRET as HOOK } from "../../support/AlertSite.ts"
import { type Ask, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { openSource } from "../../support/EventSource.ts"
import { keepLines } from "../../support/LogLines.ts"
import { randomOf } from "../../support/Random.ts"
import { FORMS } from "../../drivers/SecretForms.ts"
import { dump, type Found } from "./Places.ts"

const HOST = "lhv-acc10"
const ROLES = "roles:\n  looker: { extends: reader }\n"

/** Permitted places of a mark: in the copy of a commit in force, and in the settings, which are shown verbatim. */
const LISTED: ReadonlyArray<readonly [place: RegExp, marks: RegExp]> = [
  [/^repository\.\w+$/, /^Mk(?:tpl|set|bad)/],
  [/^answer GET \/settings/, /^Mkset/]
]

const seed = Number(process.env["SECRET_FORMS_SEED"] ?? 1)
const random = randomOf(seed)
const pick = <A>(list: ReadonlyArray<A>): A | undefined => list[Math.floor(random() * list.length)]

const all = Object.values(FORMS).flat()
/** Descriptions of ports have 64 characters. */
const short = all.filter((line) => line.trim().replaceAll("<secret>", "x".repeat(16)).length <= 64)
/** Forms that the lab takes on top of a configuration. */
const taken = [
  "username bob privilege 1 secret 0 <secret>",
  "snmp-server community <secret> ro",
  "snmp-server host 10.0.0.9 vrf MGMT version 2c <secret>",
  "radius-server host 10.0.0.9 vrf MGMT key 7 <secret>",
  "ntp authentication-key 7 md5 <secret>"
]

/** Plants marks, and remembers them. */
const makePlanter = () => {
  const marks: Array<string> = []
  const plant = (place: string, line = pick(all) ?? "") => {
    const mark = `Mk${place}x${Math.floor(random() * 2 ** 40).toString(36)}x`
    marks.push(mark)
    return line.trim().replaceAll("<secret>", mark)
  }
  return { marks, plant }
}

const site = (url: string, keep: ReturnType<typeof keepLines>, plant: ReturnType<typeof makePlanter>["plant"]) =>
  makeCampusWithRoles({
    names: [HOST],
    roles: ROLES,
    variables: { ALERT_SECRET_HOOK: HOOK, LOG_LEVEL: "Trace", ALLOW_APPLY_CONFIG_LIVERUN: "true" },
    logging: keep.layer,
    prepare: ({ settings, templates }) =>
      Effect.gen(function* () {
        yield* settings.commit({
          "alerts.yml": `receivers:\n  noc: { type: webhook, url: "${url}", secret: HOOK }\nready:\n  job_not_success: { to: noc, wait: 0s }\n`
        })
        yield* templates.commit({ "eos/users.j2": users(taken.map((line) => plant("tpl", line))) })
      })
  })

const users = (lines: ReadonlyArray<string>) => `aaa authorization exec default local
!
username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
${lines.join("\n")}
!
`

const READS = [
  "/jobs?per_page=100&show_arguments=true",
  "/devices",
  "/audit?per_page=1000",
  "/events?after=0",
  "/system/findings",
  "/system/status",
  "/overview",
  "/topology",
  "/linknets",
  "/mgmtdomains",
  "/joblocks",
  "/plugins",
  "/settings",
  `/settings?hostname=${HOST}`,
  "/settings/server",
  "/alerts",
  "/alerts/deliveries",
  "/alerts/mutes",
  "/device_synchistory",
  "/find?q=Mk",
  "/find?q=room",
  "/repository/templates/problems",
  "/repository/settings/problems",
  "/repository/templates/file?path=eos/users.j2",
  "/repository/templates/commits",
  ...[
    "",
    "/interfaces",
    "/interfaces_export",
    "/interface_status",
    "/lldp_neighbors",
    "/lldp_neighbors_detail",
    "/optics",
    "/generate_config",
    "/config_diff",
    "/config_blame",
    "/running_config",
    "/previous_config?previous=0",
    "/configs",
    "/variables",
    "/audit",
    "/actor",
    "/host_key"
  ].map((rest) => `/device/${HOST}${rest}`)
]

const run = Effect.fnUntraced(function* (ask: Ask, route: string, body: unknown, method = "POST") {
  const id = jobIn(yield* ask(method, route, body))
  yield* ended(ask, id)
  return id
})

it.live(
  "shows no secret of an entered text, in whatever form it is written",
  () =>
    Effect.gen(function* () {
      const { marks, plant } = makePlanter()
      const keep = keepLines("Trace")
      const { received, url: hook } = yield* listen()
      const { as, boss, folders, lab, running, tokenOf, url } = yield* site(hook, keep, plant)
      const looker = yield* as("looker")
      const answers: Array<Found> = []
      const jobs: Array<number> = []
      const token = yield* tokenOf("looker")
      const live = yield* openSource(`${url}/api/v1.0/events`, {
        authorization: `Bearer ${token}`,
        accept: "text/event-stream"
      })
      const job = Effect.fnUntraced(function* (route: string, body: Readonly<Record<string, unknown>>) {
        // other jobs take neither, or only one
        const notes = route === "/device_syncto" ? { comment: plant("com"), ticket_ref: plant("tic") } : {}
        const id = yield* run(boss, route, { ...notes, ...body })
        jobs.push(id)
        return id
      })
      const refresh = (what: string) => boss("PUT", `/repository/${what}`, { action: "refresh" })
      const ports = (data: Readonly<Record<string, unknown>>, name = "Ethernet1") =>
        boss("PUT", `/device/${HOST}/interfaces`, { interfaces: { [name]: { configtype: "ACCESS_AUTO", data } } })
      const sync = { hostname: HOST, force: true, resync: true }
      const device = yield* Effect.orDie(lab.get(HOST))

      yield* job("/device_syncto", { ...sync, dry_run: true })
      const first = yield* job("/device_syncto", { ...sync, dry_run: false })
      assert.include(device.running(), "Mktpl")

      // texts of ports and of records
      for (const name of ["Ethernet1", "Ethernet2", "Ethernet2", "Ethernet2", "Ethernet2"]) {
        const stored = yield* ports({ description: plant("des", pick(short)), tags: [plant("tag")] }, name)
        assert.strictEqual(stored.status, 200, stored.text)
      }
      yield* ports({ description: `room 1 ${plant("des", "secret 0 <secret>")}` })
      yield* boss("POST", `/device/${HOST}/interfaces/preview`, {
        interfaces: { Ethernet3: { configtype: "ACCESS_AUTO", data: { cli_append_str: plant("cli", taken[0]) } } }
      })
      yield* ports({ cli_append_str: plant("cli", "description key 7 <secret>") }, "Ethernet3")
      const { text } = yield* boss("GET", `/device/${HOST}`)
      const id = /"id":(\d+)/.exec(text)?.[1]
      yield* boss("PUT", `/device/${id}`, { description: plant("dev") })
      yield* job("/device_syncto", { ...sync, dry_run: true })
      yield* job("/device_syncto", { ...sync, dry_run: false })
      // the switch has the given text, and permitted users see it
      for (const part of ["Mktpl", "Mkdes", "Mkcli"]) assert.include(device.running(), part)
      const seen = yield* boss("GET", `/device/${HOST}/interfaces`)
      assert.include(seen.text, "Mkdes")
      assert.include((yield* looker("GET", `/device/${HOST}/interfaces`)).text, "<hidden:")
      assert.include((yield* looker("GET", `/jobs`)).text, "********")
      // the switch is changed by hand
      device.configure(`${plant("dri", taken[1])}\ninterface Ethernet4\n   description ${plant("dri")}\n`)
      device.setNeighbour("Ethernet5", {
        systemName: "other",
        neighbourPort: plant("lld", "secret 0 <secret>"),
        description: plant("lld")
      })
      yield* job("/device_drift", { hostname: HOST })
      yield* job("/device_update_facts", { hostname: HOST })
      const reads = ["interface_status", "lldp_neighbors_detail", "lldp_neighbors", "running_config"]
      for (const read of reads)
        answers.push([`answer GET ${read}`, (yield* looker("GET", `/device/${HOST}/${read}`)).text])
      yield* job("/device_syncto", { ...sync, dry_run: false })

      // raw configuration, wrong lines of it, and undo
      yield* job(`/device/${HOST}/apply_config`, {
        full_config: `hostname ${HOST}\n${plant("raw", taken[0])}\n${plant("raw")}\n`,
        dry_run: true
      })
      yield* job(`/device/${HOST}/apply_config`, {
        full_config: `hostname ${HOST}\nno such ${plant("raw")}\n${plant("raw")} brandnew\nfrob ${plant("raw")}\n`,
        dry_run: true
      })
      yield* folders.templates.commit({
        "eos/users.j2": users([...taken.map((line) => plant("tpl", line)), `no such command ${plant("tpl")}`])
      })
      yield* refresh("templates")
      yield* job("/device_syncto", { ...sync, dry_run: true })
      yield* job("/device_syncto", { ...sync, dry_run: false })
      yield* folders.templates.commit({ "eos/users.j2": users([`{{ nothing.of | nosuch('${plant("bad")}') }}`]) })
      answers.push(["answer refresh", (yield* refresh("templates")).text])
      yield* job("/device_syncto", { ...sync, dry_run: true })
      yield* folders.templates.commit({ "eos/users.j2": users([`${plant("bad", taken[0])} {{ nothing.of.it }}`]) })
      yield* refresh("templates")
      yield* job("/device_syncto", { ...sync, dry_run: true })
      answers.push(["answer generate", (yield* looker("GET", `/device/${HOST}/generate_config`)).text])
      yield* folders.templates.commit({ "eos/users.j2": users([`${plant("bad", taken[0])} {% endfor %}`]) })
      answers.push(["answer refresh", (yield* refresh("templates")).text])
      yield* folders.templates.commit({ "eos/users.j2": users([`{% if ${plant("bad")} %}`]) })
      answers.push(["answer refresh", (yield* refresh("templates")).text])
      yield* folders.templates.commit({ "eos/users.j2": users(taken.map((line) => plant("tpl", line))) })
      yield* refresh("templates")
      yield* folders.settings.commit({
        "global/base_system.yml": `ntp_servers: [\n  ${plant("bad", "snmp-server community <secret> ro")}\n`
      })
      answers.push(["answer refresh", (yield* refresh("settings")).text])
      yield* folders.settings.commit({
        "global/base_system.yml": `ntp_servers: "${plant("bad", taken[1])}"\nvrfs: [{ name: "${plant("bad", taken[0])}" }]\n`
      })
      const refused = yield* refresh("settings")
      answers.push(["answer refresh", refused.text])
      yield* job(`/job/${first}/revert`, { dry_run: true })
      yield* job(`/device/${HOST}/previous_config`, { job_id: first, dry_run: true })
      const waiting = jobIn(
        yield* boss("POST", "/device_syncto", { ...sync, dry_run: true, start_at: "2099-01-01T00:00:00" }).pipe(
          Effect.flatMap((reply) =>
            reply.status < 300 ? Effect.succeed(reply) : boss("POST", "/device_syncto", { ...sync, dry_run: true })
          )
        )
      )
      yield* boss("PUT", `/job/${waiting}`, { action: "ABORT", abort_reason: plant("rea"), reason: plant("rea") })
      yield* ended(boss, waiting)

      // what everybody may see
      for (const read of [
        ...READS,
        ...jobs.flatMap((one) => [`/job/${one}`, `/job/${one}/diffs`, `/job/${one}/progress`])
      ]) {
        answers.push([`answer GET ${read}`, (yield* looker("GET", read)).text])
      }
      yield* Effect.sleep(500)
      const stored = yield* Effect.provide(dump, running)
      const plugin = yield* folders.pluginLog
      const texts: ReadonlyArray<Found> = [
        ...stored,
        ...answers,
        ...keep.lines.map((line) => ["log", JSON.stringify([line.text, line.details])] as const),
        ...live.messages.map(({ data }) => ["event", JSON.stringify(data)] as const),
        ...received.map(({ body }) => ["webhook", body] as const),
        ["plugin", plugin]
      ]
      assert.isNotEmpty(live.messages)
      assert.isNotEmpty(received)
      const leaks = texts.flatMap(([place, one]) =>
        marks
          .filter(
            (mark) => one.includes(mark) && !LISTED.some(([where, which]) => where.test(place) && which.test(mark))
          )
          .map(
            (mark) =>
              `${place}: ${one.slice(Math.max(0, one.indexOf(mark) - 90), one.indexOf(mark) + mark.length + 20)}`
          )
      )
      assert.deepStrictEqual([...new Set(leaks)], [], `SECRET_FORMS_SEED=${seed}`)
    }).pipe(Effect.scoped),
  seconds(180)
)

it.live(
  "lets a user who cannot see a port's secret change the rest of the port, and does not store a mark as a secret",
  () =>
    Effect.gen(function* () {
      const { as, boss, running } = yield* makeCampusWithRoles({
        names: [HOST],
        roles:
          'roles:\n  ports:\n    permissions:\n      - { methods: [GET, PUT, POST], endpoints: ["/device/*/interfaces", "/device/*/interfaces/preview"] }\n'
      })
      const ports = yield* as("ports")
      const put = (ask: Ask, data: Readonly<Record<string, unknown>>) =>
        ask("PUT", `/device/${HOST}/interfaces`, { interfaces: { Ethernet1: { configtype: "ACCESS_AUTO", data } } })
      assert.strictEqual((yield* put(boss, { description: "desk 7 secret 0 MkSecret7" })).status, 200)
      const { text } = yield* ports("GET", `/device/${HOST}/interfaces`)
      const shown = /desk 7 secret 0 <hidden:[\da-f]+>/.exec(text)?.[0] ?? ""
      assert.notStrictEqual(shown, "", text)

      const kept = yield* put(ports, { description: shown, bpdu_filter: true })
      assert.strictEqual(kept.status, 200, kept.text)
      assert.notInclude(kept.text, "MkSecret7")
      const lost = yield* put(ports, { description: `room 8, ${shown}` })
      assert.strictEqual(lost.status, 400)
      assert.include(lost.text, "in the place of a secret")
      const after = (yield* boss("GET", `/device/${HOST}/interfaces`)).text
      assert.include(after, "desk 7 secret 0 MkSecret7")
      assert.include(after, '"bpdu_filter":true')

      const stored = yield* Effect.provide(dump, running)
      assert.deepStrictEqual(
        stored.filter(([, value]) => value.includes("MkSecret7")),
        []
      )
    }).pipe(Effect.scoped)
)
