/** Real routers that run already, from a list of them to MANAGED without a push, through the API. */
import { expect, it } from "@effect/vitest"
import { Effect, References } from "effect"
import * as Fabric from "../../../src/fabric/Fabric.ts"
import { addressOf, usual } from "../../../src/fabric/FabricPlan.ts"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { CandidateConfigs } from "../../../src/templates/CandidateConfigs.ts"
import { describeReal } from "../../support/RealFabric.ts"
import { serve } from "../../support/ServedCampus.ts"
import { cores, makeRouterSite, routers, routerSettings, routing } from "./RouterSite.ts"

const [CORE, ...DISTS] = ["core1", "dist1", "dist2"] as const
const NAMES = [CORE, ...DISTS]

const LIST = [
  "hostname,management_ip,device_type,platform",
  ...NAMES.map((name) => `${name},${addressOf(name)},${cores.includes(name) ? "CORE" : "DIST"},frr`)
].join("\n")

const typed = (...lines: ReadonlyArray<string>): string =>
  `vtysh ${["configure terminal", ...lines].map((line) => `-c '${line}'`).join(" ")}`

const RUNNING = "vtysh -c 'show running-config no-header' 2>/dev/null"
/** What a push prepares on a router; each login leaves the script that would hold it. */
const LEFT = "ls /etc/frr/switchyard/candidates 2>/dev/null || true"

interface Row {
  readonly hostname: string
  readonly state: string
  readonly message: string | null
}

const make = Effect.gen(function* () {
  const fabric = yield* Fabric.make(usual())
  const { environment, folders } = yield* makeRouterSite(fabric, routers.map(addressOf))
  yield* folders.settings.commit({ ...routerSettings, "global/routing.yml": routing("10.99.0.0/24") })
  const { api, running } = yield* serve({ ...environment, COMMIT_CONFIRMED_WAIT: "0" })
  for (const name of ["templates", "settings"]) yield* api.send("PUT", `/repository/${name}`, { action: "refresh" })

  const rows = Effect.map(
    api.send("GET", "/onboarding"),
    ({ body }) => body.data["devices"] as unknown as ReadonlyArray<Row>
  )
  const measured: Effect.Effect<Readonly<Record<string, unknown>>> = Effect.flatMap(
    api.send("GET", "/onboarding/distance"),
    ({ body }) =>
      body.data["is_measuring"] === false
        ? Effect.succeed(body.data)
        : Effect.andThen(Effect.sleep("200 millis"), measured)
  )
  const read = Effect.andThen(api.run("/onboarding/read", { hostnames: NAMES }), measured)

  /** What the templates generate for a router. */
  const generated = (hostname: string) =>
    Effect.provideContext(
      Effect.gen(function* () {
        const device = yield* (yield* DeviceStore).getByHostname(hostname)
        const render = yield* (yield* CandidateConfigs).prepare([device])
        return (yield* Effect.fromResult(yield* render(device))).text
      }),
      running
    )
  return { api, fabric, rows, measured, read, generated }
})

describeReal("a network of real routers that exists already", () => {
  it.live("is read, gets its links from LLDP, and a router without a difference is managed without a push", () =>
    Effect.gen(function* () {
      const { api, fabric, generated, measured, read, rows } = yield* make
      yield* fabric.run(CORE, typed("interface swp1", "ip address 10.98.201.0/31"))
      yield* fabric.run("dist1", typed("interface swp1", "ip address 10.98.201.1/31"))
      const { body, status } = yield* api.send("POST", "/onboarding", { source: "csv", text: LIST })
      expect(status, JSON.stringify(body)).toBe(200)
      yield* api.ended(Number(body.data["job_id"]))
      yield* measured
      expect((yield* rows).map(({ hostname, state }) => [hostname, state])).toEqual(
        NAMES.map((name) => [name, "differs"])
      )

      // routers tell their neighbours every two seconds
      const both = Effect.map(api.send("GET", "/onboarding/links"), ({ body: { data } }) =>
        (data["links"] as ReadonlyArray<{ readonly agreement: string }>).filter(({ agreement }) => agreement === "both")
      )
      while ((yield* both).length < DISTS.length) yield* read
      const accepted = yield* api.send("POST", "/onboarding/links", { both: true })
      expect(accepted.status, JSON.stringify(accepted.body)).toBe(200)
      const { body: links } = yield* api.send("GET", "/linknets")
      expect(links.data["linknets"]).toContainEqual(
        expect.objectContaining({ device_a_port: "swp1", device_b_port: "swp1", ipv4_network: "10.98.201.0/31" })
      )
      yield* measured

      // the router gets the generated lines by hand; its link has no addresses in them
      const text = yield* generated(CORE)
      yield* fabric.run(CORE, typed("interface swp1", "no ip address 10.98.201.0/31"))
      yield* fabric.run(CORE, `cat > /tmp/typed.conf <<'END'\n${text}\nEND\nvtysh -f /tmp/typed.conf`)
      const before = yield* fabric.run(CORE, RUNNING)
      const { groups } = yield* read
      const left = (groups as ReadonlyArray<{ hostnames: ReadonlyArray<string>; diff: string }>).filter(
        ({ hostnames }) => hostnames.includes(CORE)
      )
      expect(left).toEqual([])
      expect((yield* rows).map(({ hostname, message, state }) => [hostname, state, message])).toEqual([
        [CORE, "ready", null],
        ...DISTS.map((name) => [name, "differs", null])
      ])

      const job = yield* api.run("/onboarding/manage", {})
      expect([job.status, Object.keys(job.result?.devices ?? {})], JSON.stringify(job)).toEqual(["FINISHED", [CORE]])
      const [managed] = yield* api.devices(`filter[hostname]=${CORE}`)
      expect([managed?.["state"], managed?.["synchronized"]], JSON.stringify(job)).toEqual(["MANAGED", true])
      for (const name of NAMES) expect(yield* fabric.run(name, LEFT), name).toBe("")
      expect(yield* fabric.run(CORE, RUNNING)).toBe(before)

      // the next preview finds nothing to do
      const dry = yield* api.run("/device_syncto", { hostname: CORE, dry_run: true, force: true })
      expect(dry.result?.devices?.[CORE]?.job_tasks.map(({ diff }) => diff).filter((diff) => diff !== "")).toEqual([])
    }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
  )
})
