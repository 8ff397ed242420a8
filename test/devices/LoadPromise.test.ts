/** What a switch promises to run, by its statement or by one of the dialects of its difference (docs/changes.md#the-promise). */
import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { contradicts, promisedBy } from "../../src/devices/LoadPromise.ts"
import { eos } from "../../src/domain/platforms/eos/Platform.ts"

const lines = (...text: ReadonlyArray<string>) => `${text.join("\n")}\n`

const HEAD = [
  "! Command: show running-config",
  "! device: acc1 (DCS-7050, EOS-4.31)",
  "!",
  "! boot system flash:EOS.swi",
  "!"
]
const running = lines(
  ...HEAD,
  "hostname acc1",
  "!",
  "interface Ethernet5",
  "   description old room",
  "!",
  "router bgp 65001",
  "   neighbor 10.1.1.1 peer group UNDERLAY",
  "!",
  "end"
)
const later = running.replace("old room", "room 12")
const stated = later
  .replace("show running-config", "show session-config named job7")
  .replace("! boot system flash:EOS.swi\n", "")

const promised = (willRun: string | null, diff = "") => Option.getOrThrow(promisedBy(eos, running, { willRun, diff }))

describe("the promise of a switch", () => {
  it("is its statement, below the first lines of what runs", () => {
    const found = promised(stated)
    assert.strictEqual(found.text, later)
    assert.match(found.diff, /^@@ .*\n[^@]*-   description old room\n\+   description room 12\n/)
    assert.isTrue(found.readBack && found.exact)
  })

  it("is no change if only lines differ that the switch writes on its own", () => {
    const found = promised(
      running.replace("flash:EOS.swi", "flash:EOS2.swi").replace("   description", "!\n   description")
    )
    assert.strictEqual(found.diff, "")
  })

  it("follows from a difference with places, if nothing is stated", () => {
    const { diff } = promised(stated)
    assert.deepInclude(promised(null, diff), { text: later, diff, readBack: false, exact: true })
    assert.deepInclude(promised(null, ""), { text: running, diff: "" })
  })

  it("follows from a difference with headings of sections, if nothing is stated", () => {
    const diff = [
      " interface Ethernet5",
      "-   description old room",
      "+   description room 12",
      " router bgp 65001",
      "    neighbor 10.1.1.1 peer group UNDERLAY",
      "+   neighbor 10.1.1.1 description spine1",
      "+ip access-list MGMT-IN",
      "+   10 permit ip 10.0.0.0/24 any"
    ].join("\n")
    const found = promised(null, diff)
    assert.isFalse(found.exact)
    const expected = later
      .replace("UNDERLAY\n", "UNDERLAY\n   neighbor 10.1.1.1 description spine1\n")
      .replace("spine1\n", "spine1\nip access-list MGMT-IN\n   10 permit ip 10.0.0.0/24 any\n")
    assert.strictEqual(found.text, expected)
    assert.include(found.diff, "+   description room 12")
  })

  it("is unknown if the difference names what does not run, or is something else", () => {
    for (const diff of [
      " interface Ethernet9\n-   description x",
      "-vlan 10",
      "Please wait",
      "@@ -1 +1 @@\n-no\n+yes"
    ]) {
      assert.isTrue(Option.isNone(promisedBy(eos, running, { willRun: null, diff })), diff)
    }
  })

  it("is not believed if it has no change and the difference has one", () => {
    const none = promised(running)
    assert.isTrue(contradicts(eos, none, { diff: "@@ -7 +7 @@\n-   description old room\n+   description room 12" }))
    assert.isFalse(
      contradicts(eos, none, { diff: "@@ -3 +3 @@\n-! boot system flash:EOS.swi\n+! boot system flash:X.swi" })
    )
    assert.isFalse(contradicts(eos, promised(stated), { diff: "" }))
  })
})
