/** The whole line as a site would see it: the DHCP hook program, the API, git and SSH, and nothing else. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as net from "node:net"
import * as path from "node:path"
import { promisify } from "node:util"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"

const runFile = promisify(execFile)
const hookProgram = path.resolve(import.meta.dirname, "../../../bin/switchyard")

/** Calls the hook as a DHCP server does. */
const callHook = (url: string, folder: string, lease: { mac: string; ip: string; platform: string }) =>
  Effect.promise(() =>
    runFile(hookProgram, ["dhcp-hook", "commit", lease.mac, lease.ip, lease.platform], {
      env: { ...process.env, SWITCHYARD_URL: url, DATA_DIR: folder }
    })
  )

const accepts = (host: string, port: number) =>
  Effect.promise(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = net.connect({ host, port })
        const end = (answer: boolean) => {
          socket.destroy()
          resolve(answer)
        }
        socket
          .once("connect", () => end(true))
          .once("error", () => end(false))
          .once("timeout", () => end(false))
      })
  )

it.live("provisions a blank switch by its leases alone, and proves a commit on it", () =>
  Effect.gen(function* () {
    const folders = yield* Campus.makeFoldersWithPlugin
    let url = ""
    const lab = yield* Campus.makeCampusLab(1, (lease) => Effect.asVoid(callHook(url, folders.folder, lease)))
    const served = yield* serve(Campus.environment(lab, folders, folders.folder))
    const { api, running } = served
    url = served.url
    yield* Effect.provideContext(Campus.seedSite, running)

    // a new server reads its repositories automatically; until it has, a refresh finds the lock taken
    while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
    while ((yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })).status === 503) {
      yield* Effect.sleep("50 millis")
    }
    assert.strictEqual((yield* api.send("PUT", "/repository/settings", { action: "refresh" })).status, 200)

    // the first lease creates the device, the second one starts its discovery
    const acc = yield* lab.get("acc1")
    yield* acc.boot
    const mac = acc.hardware().mac.replaceAll(":", "").toUpperCase()
    const find = Effect.map(api.devices(`filter[ztp_mac]=${mac}`), ([device]) => device)
    const until = Effect.fnUntraced(function* (state: string) {
      for (let tries = 0; tries < 300; tries++) {
        const device = yield* find
        if (device?.["state"] === state) return device
        yield* Effect.sleep("50 millis")
      }
      return yield* Effect.die(new Error(`never ${state}: ${JSON.stringify(yield* find)}`))
    })
    const discovered = yield* until("DISCOVERED")
    assert.deepInclude(discovered, { hostname: `mac-${mac}`, serial: acc.hardware().serial, vendor: "Arista" })

    const target = { hostname: "lhv-acc1", device_type: "ACCESS" }
    const check = yield* api.send("POST", `/device_initcheck/${discovered["id"]}`, target)
    assert.deepInclude(check.body.data, { compatible: true, neighbors_compatible: true, linknets_compatible: true })
    const step1 = yield* api.run(`/device_init/${discovered["id"]}`, target)
    assert.deepInclude(step1, { status: "FINISHED", exception: null })
    const step2 = yield* api.ended(step1.next_job_id ?? 0)
    assert.strictEqual(step2.status, "FINISHED")
    const managed = yield* until("MANAGED")
    assert.deepInclude(managed, {
      id: discovered["id"],
      hostname: "lhv-acc1",
      device_type: "ACCESS",
      management_ip: "10.196.16.6",
      dhcp_ip: null,
      primary_group: "WEST_WING"
    })

    // the switch answers on its management address only, and has saved what it runs
    assert.isTrue(yield* accepts("127.196.16.6", lab.port))
    assert.isFalse(yield* accepts(String(acc.lease()).replace(/^10\./, "127."), lab.port))
    assert.include(acc.startup() ?? "", "ip address 10.196.16.6/24")
    // links in the database are those of the topology
    const links = yield* api.send("GET", "/linknets")
    const ports = (links.body.data["linknets"] as ReadonlyArray<Record<string, unknown>>).map((link) => [
      link["device_a_port"],
      link["device_b_port"]
    ])
    assert.sameDeepMembers(ports, [
      ["Ethernet27", "Ethernet1"],
      ["Ethernet28", "Ethernet1"]
    ])
    const written = (yield* folders.pluginLog).split("\n").filter((line) => line.includes("new_managed_device"))
    assert.lengthOf(written, 1, "the plugin ran once")

    const first = yield* api.run("/device_syncto", { hostname: "lhv-acc1", dry_run: false })
    assert.isFalse(first.result?.devices?.["lhv-acc1"]?.failed, JSON.stringify(first))
    assert.isTrue((yield* find)?.["synchronized"])

    // a commit that adds an NTP server concerns the device, and the history says why
    yield* folders.settings.commit({
      "access/base_system.yml": "---\npoe_reboot_maintain: true\nntp_servers:\n  - host: 10.20.0.9\n"
    })
    yield* api.send("PUT", "/repository/settings", { action: "REFRESH" })
    assert.isFalse((yield* find)?.["synchronized"])
    const history = yield* api.send("GET", "/device_synchistory?hostname=lhv-acc1")
    assert.include(JSON.stringify(history.body.data), '"cause":"refresh_settings"')
    const untouched = yield* api.devices("filter[hostname]=lhv-dist1")
    assert.notInclude(
      JSON.stringify(yield* api.send("GET", "/device_synchistory?hostname=lhv-dist1")),
      "refresh_settings"
    )
    assert.lengthOf(untouched, 1)

    const before = acc.running()
    const dry = yield* api.run("/device_syncto", { hostname: "lhv-acc1", dry_run: true })
    assert.include(JSON.stringify(dry.result), "+ntp server 10.20.0.9")
    assert.strictEqual(acc.running(), before, "a dry run changes nothing")
    assert.isEmpty(acc.sessions().filter((session) => session.state === "pending"))
    const live = yield* api.run("/device_syncto", { hostname: "lhv-acc1", dry_run: false })
    assert.isFalse(live.result?.devices?.["lhv-acc1"]?.failed, JSON.stringify(live))
    assert.include(acc.running(), "ntp server 10.20.0.9")
    assert.include(acc.startup() ?? "", "ntp server 10.20.0.9")
    assert.isTrue((yield* find)?.["synchronized"])
    assert.isUndefined(acc.timer())

    // once more: nothing to do
    const again = yield* api.run("/device_syncto", { hostname: "lhv-acc1", dry_run: true })
    assert.deepEqual(
      again.result?.devices?.["lhv-acc1"]?.job_tasks.map((task) => task.diff),
      ["", "", ""]
    )

    // an undo gives it what it ran before
    const sent = yield* api.send("POST", `/job/${live.id}/revert`, { dry_run: false })
    const undone = yield* api.ended(Number(sent.body["job_id"]))
    assert.deepInclude(undone, { status: "FINISHED", exception: null })
    assert.strictEqual(acc.running(), before)
    assert.notInclude(acc.startup() ?? "", "ntp server 10.20.0.9")
    assert.isUndefined(acc.timer())
  }).pipe(Effect.scoped)
)
