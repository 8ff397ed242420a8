/** A campus of EOS with blank Junos switches in it, and the whole server: each lease of the lab is reported by the program of the DHCP hook. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { makeLab } from "../../../src/lab/Lab.ts"
import type { Node } from "../../../src/lab/Topology.ts"
import * as Campus from "../../support/Campus.ts"
import { seconds, timer } from "../../support/Patience.ts"
import { serve } from "../../support/ServedCampus.ts"

const runFile = promisify(execFile)
const repository = path.resolve(import.meta.dirname, "../../..")
const read = (file: string) => fs.readFile(path.join(repository, file), "utf8")

const blankAccess: Node = { kind: "junos", blank: true, role: "access", model: "EX3400-48P" }
const blankDist: Node = { kind: "junos", blank: true, role: "dist", model: "QFX5120-48Y" }

/** The blank switches, with what they are plugged into. */
const BLANK: Readonly<Record<string, { readonly node: Node; readonly cables: Readonly<Record<string, string>> }>> = {
  good: {
    node: blankAccess,
    cables: { "xe-0/2/0": "lhv-dist1:Ethernet1", "xe-0/2/1": "lhv-dist2:Ethernet1" }
  },
  // its minutes are short, because it is to come back by itself
  wrong: {
    node: { ...blankAccess, minuteMs: seconds(3) },
    cables: { "xe-0/2/0": "lhv-dist1:Ethernet2", "xe-0/2/1": "lhv-dist2:Ethernet2" }
  },
  newdist: {
    node: blankDist,
    cables: { "et-0/0/48": "lhv-core1:Ethernet1/1", "et-0/0/49": "lhv-core2:Ethernet1/1" }
  }
}

const DOWNLINKS = "---\ninterfaces:\n  - name: Ethernet[1-20]\n    ifclass: downlink\n"

/** The name under which the wrong one is initialised: its template gives another address than the server. */
export const WRONG = "lhv-acc6"

const settings = async (): Promise<Record<string, string>> => {
  const mixed = "examples/mixed/settings/devices"
  const access = await read(`${mixed}/lhv-acc5/base_system.yml`)
  const ofDist: Array<readonly [string, string]> = []
  for (const name of ["base_system.yml", "interfaces.yml", "routing.yml"])
    ofDist.push([`devices/lhv-dist3/${name}`, await read(`${mixed}/lhv-dist3/${name}`)])
  return {
    ...Object.fromEntries(ofDist),
    ...Object.fromEntries(
      ["lhv-acc5", WRONG, "lhv-acc7"].flatMap((name) => [
        [`devices/${name}/base_system.yml`, access],
        [`devices/${name}/interfaces.yml`, "---\n{}\n"],
        [`devices/${name}/routing.yml`, "---\n{}\n"]
      ])
    ),
    ...Object.fromEntries(
      ["lhv-dist1", "lhv-dist2"].flatMap((name) => [
        [`devices/${name}/interfaces.yml`, DOWNLINKS],
        [`devices/${name}/base_system.yml`, "---\n{}\n"],
        [`devices/${name}/routing.yml`, "---\n{}\n"]
      ])
    )
  }
}

/** Starts the site. */
export const startSite = Effect.gen(function* () {
  const folders = yield* Campus.makeFoldersWithPlugin
  yield* folders.settings.commit(yield* Effect.promise(settings))
  const vlans = yield* Effect.promise(() => read("examples/templates/junos/access-vlans.j2"))
  const elsewhere = `{{ "10.196.99.9/24" if host == "${WRONG}" else mgmt_ipif }}`
  yield* folders.templates.commit({
    "junos/access-vlans.j2": vlans.replace("address {{ mgmt_ipif }};", `address ${elsewhere};`)
  })
  const junosConfig = yield* Effect.promise(() => read("examples/templates/junos/dhcp-init.j2"))
  let url = ""
  const lab = yield* makeLab(
    {
      name: "blank-junos",
      lab: { dhcp: { pool: "10.90.0.10-10.90.0.250", config: Campus.INITIAL, junosConfig } },
      topology: {
        defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD, admin: "abc123abc123" } },
        nodes: {
          "lhv-dist1": { ...Campus.fabricNode("DIST", "lhv-dist1", 11), version: "4.31.4M" },
          "lhv-dist2": { ...Campus.fabricNode("DIST", "lhv-dist2", 12), version: "4.31.4M" },
          "lhv-core1": { ...Campus.fabricNode("CORE", "lhv-core1", 1), version: "4.31.4M" },
          "lhv-core2": { ...Campus.fabricNode("CORE", "lhv-core2", 2), version: "4.31.4M" },
          ...Object.fromEntries(Object.entries(BLANK).map(([name, { node }]) => [name, node]))
        },
        links: Object.entries(BLANK).flatMap(([name, { cables }]) =>
          Object.entries(cables).map(([port, far]) => ({ endpoints: [`${name}:${port}`, far] as const }))
        )
      }
    },
    {
      provisioningMs: 20,
      // the hook of the DHCP server
      onLease: ({ ip, mac, platform }) =>
        Effect.asVoid(
          Effect.promise(() =>
            runFile(path.join(repository, "bin/switchyard"), ["dhcp-hook", "commit", mac, ip, platform], {
              env: { ...process.env, SWITCHYARD_URL: url, DATA_DIR: folders.folder }
            })
          )
        )
    }
  )
  const served = yield* serve({
    ...Campus.environment(lab, folders, folders.folder),
    TEMPLATE_SECRET_JUNOS_ROOT_HASH: "$6$saltsalt$root-example-hash",
    TEMPLATE_SECRET_JUNOS_RADIUS: "Zq7x-radius-M4rk",
    // the timer of Junos counts minutes
    INIT_MGMT_TIMEOUT: timer(6)
  })
  url = served.url
  yield* Effect.provideContext(
    Effect.gen(function* () {
      yield* Campus.seedSite
      yield* Campus.seedFabric("CORE", "lhv-core1", 1)
      yield* Campus.seedFabric("CORE", "lhv-core2", 2)
    }),
    served.running
  )
  const { api } = served
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status === 503) {
    yield* Effect.sleep("50 millis")
  }
  yield* api.send("PUT", "/repository/settings", { action: "REFRESH" })
  return { ...served, folders, lab }
})

type Site = Effect.Success<typeof startSite>

/** Waits until the device of this box of the lab is in a state; dies with what it is instead. */
export const until = Effect.fnUntraced(function* ({ api, lab }: Site, name: string, state: string) {
  const mac = (yield* lab.get(name)).hardware().mac.replaceAll(":", "").toUpperCase()
  const find = Effect.map(api.devices(`filter[ztp_mac]=${mac}`), ([device]) => device)
  const end = Date.now() + seconds(60)
  while (Date.now() < end) {
    const device = yield* find
    if (device?.["state"] === state) return device
    yield* Effect.sleep("50 millis")
  }
  return yield* Effect.die(new Error(`${name} is never ${state}: ${JSON.stringify(yield* find)}`))
})
