/** `switchyard check` as a pipeline runs it before a merge: its lines and its exit code. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
const program = path.join(root, "bin/switchyard")

interface End {
  readonly code: number
  readonly lines: ReadonlyArray<string>
  readonly err: string
}

const check = (...args: ReadonlyArray<string>) =>
  Effect.callback<End>((resume) => {
    execFile(program, ["check", ...args], (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : 0
      resume(Effect.succeed({ code, lines: stdout.split("\n").filter((line) => line !== ""), err: stderr }))
    })
  })

/** A copy of the example repositories with other files; null takes one away. */
const copies = (changes: Readonly<Record<string, string | null>>) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await fs.mkdtemp(path.join(tmpdir(), "switchyard-check-"))
      for (const name of ["settings", "templates"]) {
        await fs.cp(path.join(root, "examples", name), path.join(folder, name), { recursive: true })
      }
      for (const [file, text] of Object.entries(changes)) {
        const target = path.join(folder, file)
        await fs.mkdir(path.dirname(target), { recursive: true })
        await (text === null ? fs.rm(target) : fs.writeFile(target, text))
      }
      return folder
    }),
    (folder) => Effect.promise(() => fs.rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )

const checkCopies = (changes: Readonly<Record<string, string | null>>, ...more: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const folder = yield* copies(changes)
    const end = yield* check("--settings", `${folder}/settings`, "--templates", `${folder}/templates`, ...more)
    return { ...end, lines: end.lines.map((line) => line.replace(`${folder}/`, "")) }
  }).pipe(Effect.scoped)

describe("switchyard check", () => {
  it.live("ends with 0 and prints nothing for sound repositories", () =>
    Effect.gen(function* () {
      const { code, err, lines } = yield* checkCopies({})
      assert.deepEqual([code, lines, err], [0, [], "0 errors, 0 warnings\n"])
    })
  )

  it.live("ends with 2 for warnings only, each on a line with its file, line and column", () =>
    Effect.gen(function* () {
      const { code, err, lines } = yield* checkCopies({
        "settings/global/base_system.yml":
          "dns_servers:\n  - host: 10.0.0.1\n    prot: 53\nntp_serverz: []\ndns_servers:\n  - hosst: a\n    host: a\n",
        "settings/global/vxlans.yml":
          "vxlans:\n  a:\n    vni: 1\n    vlan_id: 5\n    vlan_name: A\n    groups: [NOBODY]\n",
        "settings/groups/NOBODY/base_system.yml": "",
        "settings/device/sw1/base_system.yml": "",
        "settings/global/vxlan.yml": "",
        "templates/eos/draft.j2": "",
        "templates/eos/access.j2": "{% if false %}{% include 'gone.j2' %}{% endif %}\n",
        "templates/eos/mapping.yml":
          "ACCESS:\n  entrypoint: access.j2\n  dependancies: [base.j2]\n  entrypoint: access.j2\nACESS:\n  entrypoint: access.j2\n"
      })
      assert.strictEqual(code, 2, err)
      const settings = lines.filter((line) => line.startsWith("settings/"))
      assert.sameMembers(settings, [
        "settings/device/sw1/base_system.yml: warning: not used: there is no directory device among global, fabric, core, dist, access, groups, devices",
        "settings/global/base_system.yml:5:1: warning: dns_servers: key dns_servers is given more than once",
        "settings/global/base_system.yml:4:1: warning: ntp_serverz: no setting has this name",
        "settings/global/base_system.yml:6:5: warning: dns_servers->0->hosst: nothing here has this name; known are host",
        "settings/global/vxlan.yml: warning: not used: global has no file of this name",
        "settings/global/vxlans.yml:6:14: warning: vxlans->a->groups->0: group NOBODY is not defined",
        "settings/groups/NOBODY/base_system.yml: warning: not used: there is no group NOBODY in global/groups.yml"
      ])
      const templates = lines.filter((line) => !settings.includes(line))
      assert.includeMembers(templates, [
        "templates/eos/access.j2:1:18: warning: file gone.j2 does not exist",
        "templates/eos/draft.j2: warning: not used: no device type leads to it",
        "templates/eos/mapping.yml:3:3: warning: ACCESS->dependancies: nothing here has this name; known are entrypoint, dependencies, unmanaged_config_sections",
        "templates/eos/mapping.yml:4:3: warning: ACCESS->entrypoint: key entrypoint is given more than once",
        "templates/eos/mapping.yml:5:1: warning: ACESS: no device has this type; known are ACCESS, DIST, CORE"
      ])
    })
  )

  it.live("ends with 1 for errors, which it explains in words, also in files of unknown devices", () =>
    Effect.gen(function* () {
      const { code, lines } = yield* checkCopies({
        "settings/global/base_system.yml": "ntp_servers:\n  - host: 10.0.0.500\n",
        "settings/devices/lhv-dist1/interfaces.yml": "interfaces:\n  - name: Ethernet1\n    ifclass: uplink\n",
        "templates/eos/users.j2": "{{ a\n",
        "templates/eos/mapping.yml": "ACCESS:\n  entrypoint: access.j2\nDIST:\n  entrypoint: gone.j2\n"
      })
      assert.strictEqual(code, 1)
      const errors = lines.filter((line) => line.includes(": error: "))
      assert.isTrue(
        errors.every((line) => line.length < 400),
        errors.join("\n")
      )
      assert.isTrue(
        errors.some((line) =>
          line.startsWith(
            "settings/global/base_system.yml:2:11: error: ntp_servers->0->host: Input should be an IPv4 address"
          )
        ),
        errors.join("\n")
      )
      assert.isTrue(
        errors.some((line) =>
          line.startsWith(
            "settings/devices/lhv-dist1/interfaces.yml:3:14: error: interfaces->0->ifclass: Input should be"
          )
        )
      )
      assert.isTrue(errors.some((line) => line.startsWith("templates/eos/gone.j2: error: ")))
      assert.isTrue(
        errors.some((line) => /^templates\/eos\/users\.j2:\d+:\d+: error: TemplateSyntaxError: /.test(line))
      )
    })
  )

  it.live("checks the settings of the server's devices if it is given the server's list", () =>
    Effect.gen(function* () {
      const folder = yield* copies({
        "settings/devices/lhv-dist1/interfaces.yml": "interfaces:\n  - name: Ethernt1\n    ifclass: custom\n"
      })
      const device = { id: 1, hostname: "lhv-dist1", device_type: "DIST", state: "MANAGED" }
      const devices = [{ ...device, model: null, platform: "eos", os_version: null, serial: "x" }]
      yield* Effect.promise(() =>
        fs.writeFile(`${folder}/devices.json`, JSON.stringify({ status: "success", data: { devices } }))
      )
      const { code, lines } = yield* check("--settings", `${folder}/settings`, "--devices", `${folder}/devices.json`)
      assert.strictEqual(code, 2)
      assert.include(
        lines.join("\n"),
        "interfaces.yml:2:11: warning: interfaces->0->name: no switch of platform eos has an interface Ethernt1"
      )
      assert.include(lines.join("\n"), "Device lhv-dist2 specified in settings/devices but it was not found")
    }).pipe(Effect.scoped)
  )

  it.live("warns of undefined names that templates print, with and without a list of devices", () =>
    Effect.gen(function* () {
      const read = (file: string) => Effect.promise(() => fs.readFile(path.join(root, "examples", file), "utf8"))
      const access = yield* read("templates/eos/access.j2")
      const folder = yield* copies({ "templates/eos/access.j2": `! {{ organisation_nam }}\n${access}` })
      const device = { id: 1, hostname: "lhv-acc1", device_type: "ACCESS", state: "MANAGED", serial: "x" }
      const devices = [{ ...device, model: null, platform: "eos", os_version: null }]
      yield* Effect.promise(() => fs.writeFile(`${folder}/devices.json`, JSON.stringify({ data: { devices } })))
      const both = ["--settings", `${folder}/settings`, "--templates", `${folder}/templates`]
      for (const more of [[], ["--devices", `${folder}/devices.json`]]) {
        const { code, lines } = yield* check(...both, ...more)
        const said = lines.filter((line) => line.includes("organisation_nam"))
        assert.strictEqual(code, 2, lines.join("\n"))
        assert.lengthOf(said, 1)
        assert.match(
          said[0] ?? "",
          /templates\/eos\/access\.j2:1:\d+: warning: 'organisation_nam' is undefined: nothing was printed for it \(\S+\)$/
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("names in a sentence what it cannot check", () =>
    Effect.gen(function* () {
      const nothing = yield* check()
      assert.deepEqual([nothing.code, nothing.lines], [1, []])
      assert.include(nothing.err, "give --settings DIR, --templates DIR or both")
      const gone = yield* check("--settings", "/no/such/folder")
      assert.strictEqual(gone.code, 1)
      assert.include(gone.err, "/no/such/folder")
      const empty = yield* copies({})
      const { code, lines } = yield* check("--templates", `${empty}/settings/groups/EAST_WING`)
      assert.strictEqual(code, 1)
      assert.include(lines[0], "no platform")
    }).pipe(Effect.scoped)
  )
})
