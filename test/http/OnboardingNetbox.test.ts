/** Switches of a NetBox, onboarded through the API: its pages, filters and tokens, and a NetBox that does not do what it should. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as http from "node:http"
import { serve } from "../plugins/JsonServer.ts"
import * as NetBoxServer from "../plugins/NetBoxServer.ts"
import { ApiClient, SiteServer } from "../support/ApiServer.ts"

const TOKENS = [
  "0123456789abcdef0123456789abcdef01234567",
  "nbt_0123456789ab.0123456789abcdef0123456789abcdef"
] as const

/** What stands before NetBox does with a request. */
type Mode = "forwards" | "spoils the token" | "hangs up" | "is silent" | "redirects" | "answers a page" | "fails"

interface Front {
  readonly url: string
  mode: Mode
}

/** What is before a NetBox, as a proxy is. */
const makeFront = Effect.fnUntraced(function* (netbox: string, elsewhere: string) {
  const front = { url: "", mode: "forwards" as Mode }
  const forward = async (request: http.IncomingMessage, response: http.ServerResponse) => {
    const { authorization = "" } = request.headers
    const answer = await fetch(`${netbox}${request.url}`, {
      headers: { authorization: front.mode === "spoils the token" ? "Token of-nobody" : authorization }
    })
    response.writeHead(answer.status, { "content-type": "application/json" })
    response.end(await answer.text())
  }
  const server = http.createServer((request, response) => {
    switch (front.mode) {
      case "hangs up":
        return void request.socket.destroy()
      case "is silent":
        return
      case "redirects":
        response.writeHead(302, { location: `${elsewhere}${request.url}` })
        return void response.end()
      case "answers a page":
        response.writeHead(200, { "content-type": "text/html" })
        return void response.end("<title>NetBox</title>")
      case "fails":
        response.writeHead(502)
        return void response.end("bad gateway")
      default:
        return void forward(request, response)
    }
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new Error("the server has no port")
  front.url = `http://127.0.0.1:${address.port}`
  return front satisfies Front
})

const makeNetwork = Effect.fnUntraced(function* (token: string) {
  const netbox = yield* NetBoxServer.make(token)
  const elsewhere = yield* serve(() => ({ status: 200, json: { count: 0, next: null, results: [] } }))
  const front = yield* makeFront(netbox.url, elsewhere.url)
  const site = netbox.add("dcim/sites", { name: "Lindhaven", slug: "lhv" })
  const other = netbox.add("dcim/sites", { name: "Elsewhere", slug: "els" })
  const maker = netbox.add("dcim/manufacturers", { name: "Arista", slug: "arista" })
  const role = netbox.add("dcim/device-roles", { name: "Access switch", slug: "access" })
  const platform = netbox.add("dcim/platforms", { name: "EOS", slug: "eos" })
  const type = netbox.add("dcim/device-types", {
    manufacturer: maker.id,
    model: "CCS-720XP-48ZC2",
    slug: "ccs-720xp-48zc2"
  })
  const add = (name: string, place: number, address: string | null) => {
    const device = netbox.add("dcim/devices", {
      name,
      site: place,
      role: role.id,
      device_type: type.id,
      platform: platform.id,
      status: "active",
      serial: `SN-${name}`
    })
    if (address === null) return
    const port = netbox.add("dcim/interfaces", { device: device.id, name: "Management1", type: "1000base-t" })
    const ip = netbox.add("ipam/ip-addresses", { address, assigned_object_id: port.id })
    Object.assign(device, { primary_ip4: ip.id })
  }
  for (const number of [1, 2, 3, 4, 5]) add(`lhv-n${number}`, site.id, `10.0.7.${number}/24`)
  add("els-n1", other.id, "10.0.8.1/24")
  add("els-n2", other.id, null)
  return { token, netbox, elsewhere, front }
})

class Network extends Context.Service<Network, Effect.Success<ReturnType<typeof makeNetwork>>>()(
  "test/http/OnboardingNetbox"
) {}

const Site = (token: string) =>
  Layer.unwrap(
    Effect.map(Network, ({ front }) =>
      SiteServer({
        NETBOX_URL: `${front.url}/`,
        PLUGIN_SECRET_NETBOX_TOKEN: token,
        OUTBOUND_HOSTS: "127.0.0.1"
      })
    )
  ).pipe(Layer.provideMerge(Layer.effect(Network, makeNetwork(token))))

const onboard = Effect.fnUntraced(function* (filter: string, more: Readonly<Record<string, unknown>> = {}) {
  const api = yield* ApiClient
  return yield* api.send("POST", "/api/v1.0/onboarding", { json: { source: "netbox", filter, ...more } })
})

const hostnames = Effect.gen(function* () {
  const api = yield* ApiClient
  const { text } = yield* api.send("GET", "/api/v1.0/onboarding")
  return [...text.matchAll(/"hostname":"([a-z]+-n\d)"/g)].map(([, name]) => name)
})

const LHV = ["lhv-n1", "lhv-n2", "lhv-n3", "lhv-n4", "lhv-n5"]

for (const token of TOKENS)
  layer(Site(token), { excludeTestServices: true })(
    `A NetBox with a token of version ${token.startsWith("nbt_") ? 2 : 1}`,
    (it) => {
      it.effect("is asked page by page for the devices of a filter, and each is added with its fields", () =>
        Effect.gen(function* () {
          const { netbox } = yield* Network
          const before = netbox.asked.length
          const { status, text } = yield* onboard("site=lhv&status=active")
          assert.strictEqual(status, 200, text)
          assert.include(text, '"stored":true')
          assert.deepEqual(yield* hostnames, LHV)
          const pages = netbox.asked.slice(before)
          assert.strictEqual(pages.length, 3)
          assert.isTrue(pages.every(({ path, query }) => path === "/api/dcim/devices/" && query.get("site") === "lhv"))
          const sql = yield* SqlClient.SqlClient
          const rows = yield* sql`select hostname, host(management_ip::inet) as ip, platform, device_type::text as type,
            serial, state::text as state from device order by hostname limit 1`
          assert.deepEqual(rows, [
            {
              hostname: "lhv-n1",
              ip: "10.0.7.1",
              platform: "eos",
              type: "ACCESS",
              serial: "SN-LHV-N1",
              state: "UNMANAGED"
            }
          ])
        })
      )

      it.effect("whose devices have mistakes names device and field, and nothing of it is added", () =>
        Effect.gen(function* () {
          const { status, text } = yield* onboard("site=els")
          assert.strictEqual(status, 400)
          assert.include(text, "NetBox, els-n2, management_ip")
          assert.deepEqual(yield* hostnames, LHV)
          const good = yield* onboard("site=els", { only_good: true, dry_run: true })
          assert.include(good.text, '"hostnames":["els-n1"]')
          assert.deepEqual(yield* hostnames, LHV)
        })
      )

      it.effect("that refuses the token or the filter, fails or redirects says so; the token goes nowhere else", () =>
        Effect.gen(function* () {
          const { elsewhere, front } = yield* Network
          const refused: ReadonlyArray<readonly [mode: Mode, filter: string, status: number, said: string]> = [
            ["spoils the token", "site=els", 400, "it refuses PLUGIN_SECRET_NETBOX_TOKEN"],
            ["forwards", "colour=blue", 400, "NetBox answers 400: it does not know the filter"],
            ["forwards", "site=none", 400, "lists no device that fits the filter"],
            ["redirects", "site=els", 400, "NETBOX_URL must be the address to which it redirects"],
            ["answers a page", "site=els", 400, "something that is no list of its API"],
            ["fails", "site=els", 503, "NetBox could not be asked: it answers 502"],
            ["hangs up", "site=els", 503, "NetBox could not be asked"],
            ["is silent", "site=els", 503, "NetBox could not be asked: no answer in 30 s"]
          ]
          // a silent one takes its time once
          const wanted = token === TOKENS[0] ? refused : refused.filter(([mode]) => mode !== "is silent")
          for (const [mode, filter, status, said] of wanted) {
            front.mode = mode
            const answer = yield* onboard(filter)
            assert.strictEqual(answer.status, status, `${mode}: ${answer.text}`)
            assert.include(answer.text, said, mode)
            assert.notInclude(answer.text, token)
          }
          front.mode = "forwards"
          assert.deepEqual(elsewhere.asked, [])
          assert.deepEqual(yield* hostnames, LHV)
        })
      )

      it.effect("has a token that is in no event, job or record", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const table of ["event", "job", "onboarding", "device"]) {
            const [found] = yield* sql<{ rows: number; text: string }>`
              select count(*)::integer as rows, coalesce(string_agg(row_to_json(t)::text, ' '), '') as text
              from ${sql(table)} t`
            assert.isAbove(found?.rows ?? 0, 0, table)
            assert.notInclude(found?.text, token, table)
          }
        })
      )
    }
  )
