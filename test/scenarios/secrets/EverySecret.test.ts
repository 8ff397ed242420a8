/**
 * The whole program at work with a mark in each of its secrets: afterwards none of them stands in clear, turned, or encoded in its
 * log, its answers, its audit, its database, its folder, or in what can be seen of the programs that it starts, but where
 * docs/security.md#secrets lists it. `LISTED` is that list.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import { createPrivateKey } from "node:crypto"
import { seconds } from "../../support/Patience.ts"
import { command } from "../../support/Program.ts"
import { excerpt, finder, type Mark } from "./Marks.ts"
import { type Child, childrenOf, databaseOf, dump, entriesIn, type Found } from "./Places.ts"
import { GIVEN, makeSite, MARKS, SECRETS, type Site, users } from "./SecretSite.ts"

// The events at the site of secrets: a switch from its lease to its renewal, and all failures in parallel. Every answer is stored.

const HOST = "lhv-acc1"
const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

interface JobAnswer {
  readonly status: string
  readonly next_job_id: number | null
}

/** The parts of answers that this test reads. */
interface Body {
  readonly job_id?: number
  readonly access_token?: string
  readonly data?: {
    readonly token?: string
    readonly jobs?: ReadonlyArray<JobAnswer>
    readonly devices?: ReadonlyArray<Readonly<Record<string, unknown>>>
    readonly certificates?: ReadonlyArray<{ readonly serial: string }>
  }
}

/** Requests in the name of one caller, with a list of what was answered. */
const makeCaller = (url: string, authorization: string, who: string, answers: Array<Found>) => {
  const ask = (method: string, path: string, body?: unknown) =>
    Effect.promise(async () => {
      const response = await fetch(`${url}/api/v1.0${path}`, {
        method,
        headers: { authorization, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      const isPlain = path.startsWith("/auth")
      answers.push([
        `${method} ${path}${isPlain ? "" : ` as ${who}`}`,
        `${JSON.stringify([...response.headers])}${text}`
      ])
      const json: Body = text.startsWith("{") ? JSON.parse(text) : {}
      return { status: response.status, body: json, text }
    })
  const ended = Effect.fnUntraced(function* (id: number) {
    for (;;) {
      const { body, text } = yield* ask("GET", `/job/${id}`)
      const job = body.data?.jobs?.[0]
      if (job !== undefined && ENDED.includes(job.status)) return { id, job, text }
      yield* Effect.sleep("100 millis")
    }
  })
  /** Starts a job and waits for its end, and for that of the job that follows it. */
  const run = Effect.fnUntraced(function* (path: string, body: unknown) {
    const { body: answer, text } = yield* ask("POST", path, body)
    assert.isNumber(answer.job_id, `${path}: ${text}`)
    const done = yield* ended(Number(answer.job_id))
    const next = done.job.next_job_id
    return next === null ? done : { ...(yield* ended(next)), id: done.id }
  })
  return { ask, ended, run }
}

type Caller = ReturnType<typeof makeCaller>

const until = Effect.fnUntraced(function* (condition: Effect.Effect<boolean>) {
  while (!(yield* condition)) yield* Effect.sleep("50 millis")
})

/** People and programs get in, one of them by a wrong password. */
const signOn = Effect.fnUntraced(function* ({ url }: Site, boss: Caller, answers: Array<Found>) {
  yield* boss.ask("POST", "/auth/users", { name: "maria", roles: ["boss"], password: GIVEN.user })
  const basic = (password: string) =>
    makeCaller(url, `Basic ${Buffer.from(`maria:${password}`).toString("base64")}`, "maria", answers)
  yield* basic(`${GIVEN.user}!`).ask("POST", "/auth")
  const { body } = yield* basic(GIVEN.user).ask("POST", "/auth")
  const made = yield* boss.ask("POST", "/auth/tokens", { name: "dhcp", roles: ["boss"], days: 3 })
  const marks: ReadonlyArray<Mark> = [
    { name: "access token", value: String(body.access_token) },
    { name: "api token", value: String(made.body.data?.token) }
  ]
  for (const { value } of marks) {
    assert.isAbove(value.length, 20)
    const caller = makeCaller(url, `Bearer ${value}`, "maria", answers)
    assert.strictEqual((yield* caller.ask("GET", "/devices")).status, 200)
    yield* caller.ask("GET", `/jobs?jwt=${value}&%6Awt=${value};token=${value}`)
  }
  return marks
})

/** From the lease to MANAGED, with a certificate. */
const provision = Effect.fnUntraced(function* ({ lab }: Site, boss: Caller) {
  for (const last of [11, 12]) {
    yield* boss.ask("POST", "/device", {
      hostname: `lhv-dist${last - 10}`,
      state: "MANAGED",
      device_type: "DIST",
      platform: "eos",
      management_ip: `10.199.3.${last}`,
      infra_ip: `10.198.0.${last}`
    })
  }
  yield* boss.ask("POST", "/mgmtdomains", {
    device_a: "lhv-dist1",
    device_a_ip: "10.196.16.2",
    device_b: "lhv-dist2",
    device_b_ip: "10.196.16.3",
    vlan: 3016,
    ipv4_gw: "10.196.16.1/24"
  })
  assert.strictEqual((yield* boss.ask("POST", "/certificate_authority", {})).status, 200)
  const acc = yield* Effect.orDie(lab.get("acc1"))
  yield* acc.boot
  const ztp_mac = acc.hardware().mac.replaceAll(":", "").toUpperCase()
  const device = Effect.map(
    boss.ask("GET", `/devices?filter[ztp_mac]=${ztp_mac}`),
    ({ body }) => body.data?.devices?.[0] ?? {}
  )
  const lease = { ztp_mac, dhcp_ip: acc.lease() }
  yield* boss.ask("POST", "/device", {
    ...lease,
    hostname: `mac-${ztp_mac}`,
    state: "DHCP_BOOT",
    device_type: "UNKNOWN",
    platform: "eos"
  })
  yield* boss.run("/device_discover", lease)
  const { id } = yield* device
  const { text } = yield* boss.run(`/device_init/${id}`, { hostname: HOST, device_type: "ACCESS" })
  assert.strictEqual((yield* device)["state"], "MANAGED", text)
})

/** Changes that succeed, fail, are looked at and taken back. */
const change = Effect.fnUntraced(function* ({ repositories: { templates } }: Site, boss: Caller, reader: Caller) {
  const sync = { hostname: HOST, dry_run: false, force: true }
  const withUsers = Effect.fnUntraced(function* (more: string) {
    yield* templates.commit({ "eos/users.j2": users(more) })
    return yield* boss.ask("PUT", "/repository/templates", { action: "refresh" })
  })
  const first = yield* boss.run("/device_syncto", sync)
  yield* withUsers("\n   no such command {{ TEMPLATE_SECRET_MARKED | upper }}")
  yield* boss.run("/device_syncto", sync)
  yield* withUsers("\n   {{ TEMPLATE_SECRET_MARKED | nosuch }}")
  yield* boss.run("/device_syncto", sync)
  yield* withUsers("\n   description {{ TEMPLATE_SECRET_MARKED[1:] }}")
  yield* boss.run("/device_syncto", { ...sync, dry_run: true })
  const changed = yield* boss.run("/device_syncto", sync)
  assert.include(changed.text, "<hidden:")
  yield* boss.run("/device_drift", { hostname: HOST })
  yield* boss.run(`/job/${changed.id}/revert`, { dry_run: false })
  yield* boss.run(`/device/${HOST}/previous_config`, { job_id: changed.id, dry_run: true })
  yield* boss.run(`/device/${HOST}/apply_config`, {
    full_config: `hostname ${HOST}\nsnmp-server community ${GIVEN.inTemplate} ro\n`,
    dry_run: true
  })
  for (const { ask } of [boss, reader]) {
    yield* ask("GET", `/device/${HOST}/running_config`)
    yield* ask("GET", `/device/${HOST}/previous_config?job_id=${first.id}`)
    yield* ask("GET", `/job/${changed.id}?show_secrets=true`)
  }
})

/** Images that cannot be had, and an upgrade that only looks. */
const firmware = Effect.fnUntraced(function* (boss: Caller) {
  const url = `http://robot:${GIVEN.firmware}@127.0.0.1:1`
  const image = "EOS64-4.31.5M.swi"
  yield* boss.ask("POST", "/firmware", { url: `${url}/${image}`, sha1: "a".repeat(40), verify_tls: false })
  yield* boss.run("/firmware", { url: `http://127.0.0.1:1/${image}`, sha1: "a".repeat(40), verify_tls: false })
  yield* boss.ask("POST", "/firmware/upgrade", { hostname: HOST, filename: image, url, pre_flight: true })
  yield* boss.run("/firmware/upgrade", { hostname: HOST, filename: image, pre_flight: true, download: true })
})

const certificates = Effect.fnUntraced(function* (boss: Caller) {
  yield* boss.run("/device_cert", { hostname: HOST, action: "RENEW" })
  const { body } = yield* boss.ask("GET", `/certificates?hostname=${HOST}`)
  const serials = body.data?.certificates ?? []
  assert.isAtLeast(serials.length, 2)
  yield* boss.ask("POST", `/certificate/${serials.at(-1)?.serial}/revoke`, { reason: "superseded" })
})

/** A remote that hangs, accepts no login and has nothing. Returns the processes that existed while it hung. */
const failingGit = Effect.fnUntraced(function* ({ git, program }: Site, boss: Caller) {
  const refresh = boss.ask("PUT", "/repository/settings", { action: "refresh" })
  yield* git.become("hangs")
  const waiting = yield* Effect.forkChild(refresh)
  yield* until(Effect.sync(git.isAsked))
  const children = childrenOf(program.pid)
  for (const mode of ["refuses", "missing"] as const) {
    yield* git.become(mode)
    yield* refresh
  }
  yield* Fiber.join(waiting)
  yield* git.become("serves")
  return children
})

/** Everything. Yields what was answered, the processes that were seen, and the secrets that were made. */
const life = Effect.fnUntraced(function* (site: Site) {
  const answers: Array<Found> = []
  const boss = makeCaller(site.url, site.boss, "boss", answers)
  const reader = makeCaller(site.url, site.reader, "reader", answers)
  yield* until(Effect.map(boss.ask("GET", "/settings"), ({ status }) => status === 200))
  yield* boss.ask("PUT", "/repository/templates", { action: "refresh" })
  const made = yield* signOn(site, boss, answers)
  yield* provision(site, boss)
  assert.isNotEmpty(site.nav.heard())
  yield* change(site, boss, reader)
  yield* firmware(boss)
  yield* certificates(boss)
  const children: ReadonlyArray<Child> = yield* failingGit(site, boss)
  const listed = ["/jobs", "/devices", "/plugins", "/settings/server", "/settings", "/audit?per_page=1000", "/groups"]
  for (const path of [...listed, `/device/${HOST}`, `/device/${HOST}/generate_config`, `/device/${HOST}/audit`]) {
    yield* reader.ask("GET", path)
    yield* boss.ask("GET", path)
  }
  yield* boss.ask("GET", "/auth/users")
  yield* boss.ask("GET", "/auth/tokens")
  yield* boss.ask("PUT", "/plugins", { action: "selftest" })
  return { answers, children, made }
})

/** Where a mark may be, and why; all by docs/security.md#secrets. */
const LISTED: ReadonlyArray<readonly [place: RegExp, marks: RegExp, why: string]> = [
  [/^answer POST \/auth(\/tokens)?$/, /^(access|api) token$/, "shown once, to whoever asked for it"],
  [/^answer GET .*(running_config|previous_config|show_secrets=true).* as boss$/, /./, "asked for by who may see them"],
  [/^file repositories\/templates\/|^repository\./, /^inTemplate$/, "written in a repository by its site"],
  [/^file plugins\.yml$/, /^inPluginFile$/, "written in the site's own file"],
  [/^file devicecerts\/.+\.key$/, /^key of a device$/, "keys of devices"],
  [/^file database\/postgres-password$/, /^password of the database$/, "the database's own"],
  [/^environment of git/, /^git$/, "git is given the password of its repository"]
]

/** The files that git creates itself when a web server hands out single files, in a folder that no other user may enter. */
const OPEN = /^repositories\/settings\/objects\/[0-9a-f]{2}$/

const isListed = (place: string, mark: string) =>
  LISTED.some(([places, marks]) => places.test(place) && marks.test(mark))

/** Marks that came to be while the server worked. */
const laterMarks = ({ dataDir }: Site): ReadonlyArray<Mark> => {
  const read = (file: string) => readFileSync(path.join(dataDir, file), "utf8")
  const folder = "devicecerts"
  const keys = readdirSync(path.join(dataDir, folder)).filter((name) => name.endsWith(".key"))
  assert.isNotEmpty(keys)
  const authority = createPrivateKey({ key: read("ca/rootCA.key"), passphrase: SECRETS.CAKEY_PASSPHRASE })
  return [
    ...keys.map((name) => ({ name: "key of a device", value: read(path.join(folder, name)) })),
    { name: "key of the authority", value: authority.export({ type: "pkcs1", format: "pem" }).toString() },
    { name: "key of the authority", value: authority.export({ type: "pkcs8", format: "pem" }).toString() },
    { name: "password of the database", value: read("database/postgres-password").trim() }
  ]
}

const ofChildren = (children: ReadonlyArray<Child>): ReadonlyArray<Found> =>
  children.flatMap(({ environment, words }) => {
    const program = path.basename(words.split(" ")[0] ?? "").replace(/^git-.*/, "git")
    return [
      [`command line of ${program}`, words],
      [`environment of ${program}`, environment]
    ]
  })

it.live(
  "leaves no secret outside the list, whatever the program does",
  () =>
    Effect.gen(function* () {
      const site = yield* makeSite
      const { answers, children, made } = yield* life(site)
      const { dataDir, env, program, receiver } = site
      const exported = yield* command(env, ["audit", "export"])
      assert.strictEqual(exported.code, 0, exported.text)
      const stored = yield* Effect.provide(dump, databaseOf(dataDir))
      const entries = yield* entriesIn(dataDir)
      const own = {
        words: readFileSync(`/proc/${program.pid}/cmdline`, "utf8"),
        environment: readFileSync(`/proc/${program.pid}/environ`, "utf8")
      }

      const marks = [...MARKS, ...made, ...laterMarks(site)]
      const found = finder(marks)
      const texts: ReadonlyArray<Found> = [
        ...answers.map(([place, text]) => [`answer ${place}`, text] as const),
        ...stored,
        ...entries.map(({ place, text }) => [`file ${place}`, text] as const),
        ...program
          .text()
          .split("\n")
          .map((line) => ["log", line] as const),
        ["audit export", exported.text],
        ["syslog", receiver.text()],
        ...site.traces.texts.map((text) => ["traces", text] as const),
        ...ofChildren([{ ...own, pid: program.pid, uid: 0 }, ...children])
      ]
      const leaks = texts.flatMap(([place, text]) =>
        found(text)
          .filter((name) => !isListed(place, name))
          .map((name) => {
            const mark = marks.find((one) => one.name === name)
            return `${place}: ${name}: ${mark === undefined ? "" : excerpt(text, mark)}`
          })
      )
      assert.deepStrictEqual([...new Set(leaks)], [])

      // and there was something to be found: each listed place has its mark, and what was looked through is all there
      for (const [place, mark, why] of LISTED) {
        const isSeen = texts.some(([one, text]) => place.test(one) && found(text).some((name) => mark.test(name)))
        assert.isTrue(isSeen, why)
      }
      assert.isNotEmpty(receiver.text())
      assert.isNotEmpty(site.traces.spans.filter(({ name }) => name.startsWith("ssh ")))
      assert.include(program.text(), "level=DEBUG")
      const postgres = children.filter(({ words }) => words.includes("postgres"))
      assert.isNotEmpty(postgres)
      if (process.getuid?.() === 0) for (const { uid } of postgres) assert.notStrictEqual(uid, 0)
      const open = entries.filter(({ mode, place }) => (mode & 0o077) !== 0 && !OPEN.test(place))
      assert.deepStrictEqual(
        open.map(({ mode, place }) => `${mode.toString(8)} ${place}`),
        []
      )
    }).pipe(Effect.scoped),
  seconds(300)
)
