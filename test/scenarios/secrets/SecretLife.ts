/** What happens at the site of secrets: a switch from its lease to its renewal, and all that fails beside. Everything that was answered is kept. */
import { assert } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import type { Mark } from "./Marks.ts"
import { type Child, childrenOf, type Found } from "./Places.ts"
import { GIVEN, type Site, users } from "./SecretSite.ts"

const HOST = "lhv-acc1"
const ENDED = ["FINISHED", "EXCEPTION", "ABORTED"]

interface JobAnswer {
  readonly status: string
  readonly next_job_id: number | null
}

/** What this reads of answers. */
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
  assert.strictEqual((yield* boss.ask("POST", "/certificate_authority", { name: "Lab" })).status, 200)
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
  yield* boss.run("/device_discover", { ...lease, iteration: 1 })
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

/** A remote that hangs, knows nobody and has nothing. Yields the processes that were there while it hung. */
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
export const life = Effect.fnUntraced(function* (site: Site) {
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
