/** Edits of settings files, and the patch that git itself applies. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import * as path from "node:path"
import {
  deviceFiles,
  type Files,
  patchOf,
  withDevices,
  withEntry,
  withItems,
  withKey
} from "../../src/onboarding/SettingsEdits.ts"
import { readYaml } from "../../src/settings/YamlFile.ts"

const BASE = `---
# Servers of the campus.
ntp_servers:
  - host: 10.0.0.1
  # the second one is far away
  - host: 10.0.0.2

# Names are resolved here.
dns_servers:
  - host: 10.0.0.53
users:
  - username: noc
    password_hash_arista: "$6$saltsalt$noc-example-hash"
`

const VXLANS = `---
vxlans:
  staff:
    vni: 100110
    vlan_id: 110
    vlan_name: STAFF
    groups:
      - ACCESS_ALL
  lab:
    vni: 100210
    vlan_id: 210
    vlan_name: LAB
    devices:
      - lhv-acc3
`

const plain = (text: string) => text

/** The files after git has applied the patch between two sets of files. */
const applied = (before: Files, patch: string, wanted: Iterable<string>): Files => {
  const folder = mkdtempSync(path.join(tmpdir(), "switchyard-patch-"))
  const git = (...args: ReadonlyArray<string>) => execFileSync("git", ["-C", folder, ...args], { stdio: "pipe" })
  try {
    git("init", "-q")
    for (const [file, text] of before) {
      mkdirSync(path.join(folder, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(folder, file), text)
    }
    writeFileSync(path.join(folder, "p.patch"), patch)
    git("apply", "--unidiff-zero", "p.patch")
    return new Map([...wanted].map((file) => [file, readFileSync(path.join(folder, file), "utf8")]))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const yaml = (text: string) => {
  const read = readYaml("x.yml", text)
  return read._tag === "Success" ? read.success.value : assert.fail(JSON.stringify(read.failure))
}

describe("An edit of settings", () => {
  it("sets a key and leaves everything else of the file as it is", () => {
    const edited = withKey(BASE, "ntp_servers", [{ host: "10.20.0.1" }, { host: "ntp.example.org" }])
    assert.strictEqual(
      edited,
      BASE.replace(
        / {2}- host: 10\.0\.0\.1\n.*\n {2}- host: 10\.0\.0\.2\n/,
        "  - host: 10.20.0.1\n  - host: ntp.example.org\n"
      )
    )
    const added = withKey(BASE, "syslog_servers", [{ host: "10.0.0.21", port: 5514 }])
    assert.isTrue(added.startsWith(BASE))
    assert.isTrue(added.endsWith("\nsyslog_servers:\n  - host: 10.0.0.21\n    port: 5514\n"))
    assert.strictEqual(withKey("---\n{}\n", "domain_name", "yes"), '---\ndomain_name: "yes"\n')
  })

  it("adds users without touching the secrets of those that are there", () => {
    const edited = withItems(BASE, "users", [{ username: "ann", permission_arista: "privilege 15 role network-admin" }])
    assert.strictEqual(edited, `${BASE}  - username: ann\n    permission_arista: "privilege 15 role network-admin"\n`)
  })

  it("adds a VLAN, and switches to one that exists", () => {
    const value = { vni: 100150, vlan_id: 150, vlan_name: "IOT", devices: ["a1", "a2"] }
    const edited = withDevices(
      withDevices(withEntry(VXLANS, "vxlans", "iot", value), "vxlans", "lab", ["a1"]),
      "vxlans",
      "staff",
      ["a2"]
    )
    const vxlans = (yaml(edited) as Map<string, Map<string, Map<string, unknown>>>).get("vxlans")
    assert.deepEqual([...(vxlans?.keys() ?? [])], ["staff", "lab", "iot"])
    assert.deepEqual(vxlans?.get("lab")?.get("devices"), ["lhv-acc3", "a1"])
    assert.deepEqual(vxlans?.get("staff")?.get("devices"), ["a2"])
    assert.deepEqual(vxlans?.get("iot")?.get("devices"), ["a1", "a2"])
  })

  it("becomes a patch that git applies, also for new files", () => {
    const before: Files = new Map([
      ["global/base_system.yml", BASE],
      ["global/vxlans.yml", VXLANS]
    ])
    const after: Files = new Map([
      ["global/base_system.yml", withKey(BASE, "ntp_servers", [{ host: "10.20.0.1" }])],
      ["global/vxlans.yml", withDevices(VXLANS, "vxlans", "lab", ["a1"])],
      ...deviceFiles("a1", before),
      ["devices/a1/base_system.yml", withKey(undefined, "domain_name", "a.example.org")]
    ])
    const patch = patchOf(before, after, plain)
    assert.deepEqual(applied(before, patch, after.keys()), after)
    assert.strictEqual(patchOf(before, before, plain), "")
  })

  it("shows no secret around a change", () => {
    const before: Files = new Map([["global/base_system.yml", BASE]])
    const after: Files = new Map([["global/base_system.yml", withItems(BASE, "users", [{ username: "ann" }])]])
    const hide = (text: string) => text.replaceAll("$6$saltsalt$noc-example-hash", "<hidden>")
    assert.include(patchOf(before, after, plain), "noc-example-hash")
    const patch = patchOf(before, after, hide)
    assert.notInclude(patch, "noc-example-hash")
    assert.deepEqual(applied(before, patch, after.keys()), after)
  })
})
