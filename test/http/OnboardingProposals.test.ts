/** Settings and ports from what switches run: proposed as a patch that git applies, measured, and accepted by a person. */
import { assert, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import * as path from "node:path"
import { InterfaceStore } from "../../src/store/InterfaceStore.ts"
import { add, bring, changesOn, make, read, statesOf } from "../support/OnboardingSite.ts"

interface Proposal {
  readonly patch: string
  readonly files: ReadonlyArray<string>
  readonly keys: ReadonlyArray<{ readonly key: string }>
  readonly ports: Readonly<
    Record<string, Readonly<Record<string, { readonly configtype: string; readonly data: unknown }>>>
  >
  readonly before: number
  readonly after: number
}

const GLOBAL = `---
organization_name: "Lindhaven College"
flow_collectors:
  - host: 10.20.0.60
    port: 6343
dot1x_fail_vlan: 199
users:
  - username: noc
    password_hash_arista: "$6$saltsalt$noc-example-hash"
    permission_arista: "privilege 15 role network-admin"
    ssh_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleKeyForTheNocAccountOnly noc@lindhaven"
`

it.live("brings the distance of a campus whose settings were thrown away to zero, and changes no switch", () =>
  Effect.gen(function* () {
    const site = yield* make(1)
    const [one = ""] = site.names
    yield* add(site)
    const interfaces = yield* Effect.provideContext(InterfaceStore, site.running)
    const device = (yield* site.api.devices(`filter[hostname]=${one}`))[0]
    const id = Number(device?.["id"])
    yield* interfaces.put(id, "Ethernet1", "ACCESS_UNTAGGED", { untagged_vlan: "STAFF", description: "room 5" })
    yield* interfaces.put(id, "Ethernet2", "ACCESS_TAGGED", { tagged_vlan_list: ["STAFF", "VOICE"], enabled: false })
    yield* bring(site, one)
    yield* interfaces.put(id, "Ethernet1", "ACCESS_AUTO", null)
    yield* interfaces.put(id, "Ethernet2", "ACCESS_AUTO", null)
    // servers and VLANs are not in the settings any more
    yield* site.folders.settings.commit({
      "global/base_system.yml": GLOBAL,
      "global/vxlans.yml": "---\nvxlans: {}\n"
    })
    const refresh = Effect.gen(function* () {
      const confirm = execFileSync("git", ["-C", site.folders.settings.folder, "rev-parse", "HEAD"]).toString().trim()
      const { body, status } = yield* site.api.send("PUT", "/repository/settings", { action: "refresh", confirm })
      assert.strictEqual(status, 200, JSON.stringify(body))
    })
    yield* refresh
    yield* read(site)
    assert.deepEqual(yield* statesOf(site), { [one]: "differs" })

    const { body } = yield* site.api.send("GET", "/onboarding/settings")
    const proposal = body.data as unknown as Proposal
    assert.includeMembers(
      proposal.keys.map(({ key }) => key),
      ["ntp_servers", "dns_servers", "syslog_servers", "snmp_servers", "radius_servers", "domain_name", "vxlans.staff"]
    )
    assert.deepEqual(Object.keys(proposal.ports[one] ?? {}), ["Ethernet1", "Ethernet2"])
    assert.isBelow(proposal.after, proposal.before)
    assert.strictEqual(proposal.after, 0, JSON.stringify(proposal))
    assert.notInclude(proposal.patch, "noc-example-hash")

    const { folder } = site.folders.settings
    const file = path.join(site.folders.folder, "p.patch")
    writeFileSync(file, proposal.patch)
    execFileSync("git", ["-C", folder, "apply", "--unidiff-zero", file])
    yield* site.folders.settings.commit({}, "From what runs")
    yield* refresh
    const accepted = yield* site.api.send("POST", "/onboarding/ports", {})
    assert.deepEqual(accepted.body.data, { hostnames: [one], ports: 2 })
    yield* site.measured
    assert.deepEqual(yield* statesOf(site), { [one]: "ready" })
    for (const each of site.switches) assert.deepEqual(changesOn(each), [])
  }).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
)
