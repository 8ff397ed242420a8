/** Roles in sentences: what they allow, for which switches, and what they do not. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readPermissions, readyRoles } from "../../../src/domain/access/PermissionFile.ts"
import { abilitySentences } from "../../../src/domain/words/RoleWords.ts"

const textsOf = (name: string, role: unknown) =>
  abilitySentences(Result.getOrThrow(readPermissions({ roles: { [name]: role } })).roles.get(name) ?? []).map(
    ({ text }) => text
  )

const LACKS = "May not approve what others ask for, set up new switches or upgrade firmware."

describe("a role in sentences", () => {
  it("says for which switches it may change ports, how many at a time, and what it may not do", () => {
    assert.deepEqual(textsOf("east", { extends: "port-editor", groups: ["EAST"], max_devices: 5, approval: true }), [
      "May see switches, see configurations and see jobs, only for switches of EAST.",
      "May change ports and restart ports, only for switches of EAST.",
      "May push to switches, only for switches of EAST; at most 5 switches at a time; another person must approve.",
      LACKS
    ])
  })

  it("names ports, types and previews", () => {
    const role = { extends: "port-editor", interfaces: ["lhv-*:Ethernet1"], device_types: ["ACCESS"], live: false }
    assert.include(
      textsOf("some", role),
      "May change ports and restart ports, only for switches of type access, only ports lhv-*:Ethernet1."
    )
    assert.isTrue(textsOf("some", role).some((text) => /^May push to switches, .*; previews only\.$/.test(text)))
  })

  it("does not offer what is about more than single switches to a role of some", () => {
    const texts = textsOf("west", { extends: "operator", groups: ["WEST"] }).join(" ")
    assert.notInclude(texts, "fetch settings")
    assert.notInclude(texts, "add switches")
    assert.include(textsOf("all", { extends: "operator" }).join(" "), "fetch settings and templates")
  })

  it("tells the wider of two permissions", () => {
    const permissions = [
      { methods: ["PUT"], endpoints: ["/device/{hostname}/interfaces"], groups: ["EAST"] },
      { methods: ["PUT"], endpoints: ["/device/{hostname}/interfaces"] }
    ]
    assert.strictEqual(textsOf("both", { permissions })[0], "May change ports.")
  })

  it("is short for a role that may do everything, or nothing", () => {
    assert.deepEqual(abilitySentences(readyRoles.get("administrator") ?? []), [
      { text: "May do everything.", from: [0] }
    ])
    assert.deepEqual(abilitySentences([]), [{ text: "May do nothing.", from: [] }])
  })

  it("reads like a sentence for every ready role", () => {
    for (const [name, permissions] of readyRoles)
      for (const { text } of abilitySentences(permissions)) assert.match(text, /^May [^_{}[\]/]+\.$/, name)
  })
})
