/** Where secrets are used: the lines that name them, the switches behind these, and what is missing or unused. */
import { assert, describe, it } from "@effect/vitest"
import { listSecrets, type SecretSource, secretUsesIn, type UsedTexts } from "../../src/domain/SecretUse.ts"

const NOTHING: UsedTexts = { templates: {}, settings: {}, alerts: "", plugins: "" }

const placesIn = (texts: Partial<UsedTexts>) =>
  secretUsesIn({ ...NOTHING, ...texts }).uses.map(({ file, line, name }) => `${name} ${file}:${line}`)

const DEVICES = [
  { hostname: "a2", device_type: "ACCESS", platform: "eos", state: "MANAGED" },
  { hostname: "a10", device_type: "ACCESS", platform: "eos", state: "MANAGED" },
  { hostname: "d1", device_type: "DIST", platform: "junos", state: "INIT" }
]

const listed = (
  texts: Partial<UsedTexts>,
  sources: Readonly<Record<string, SecretSource>> = {},
  stored: ReadonlyArray<string> = []
) => {
  const { computed, uses } = secretUsesIn({ ...NOTHING, ...texts })
  return listSecrets({
    uses,
    isComputed: computed.length > 0,
    sources: new Map(Object.entries(sources)),
    stored: stored.map((name) => ({ name, set_at: "2026-03-02T09:12:07.000Z", set_by: "root" })),
    devices: DEVICES,
    groups: new Map([["EAST", ["a10"]]])
  })
}

const standings = (...given: Parameters<typeof listed>) =>
  Object.fromEntries(listed(...given).map(({ name, standing }) => [name, standing]))

const LOGINS = { PASSWORD_MANAGED: "environment", PASSWORD_INIT: "file" } as const

describe("the lines that name a secret", () => {
  it("are found in each spelling of a template", () => {
    const text = [
      "{{ TEMPLATE_SECRET_RADIUS }}",
      "{{ TEMPLATE_SECRET.SNMP }} {{ TEMPLATE_SECRET['NTP'] }}",
      '{{ TEMPLATE_SECRET.get("TACACS") }}'
    ].join("\n")
    assert.deepEqual(placesIn({ templates: { "eos/base.j2": text } }), [
      "TEMPLATE_SECRET_RADIUS eos/base.j2:1",
      "TEMPLATE_SECRET_SNMP eos/base.j2:2",
      "TEMPLATE_SECRET_NTP eos/base.j2:2",
      "TEMPLATE_SECRET_TACACS eos/base.j2:3"
    ])
  })

  it("are none within comments, which do not move the lines below", () => {
    const template = "{# TEMPLATE_SECRET_OLD\n more #}\n{{ TEMPLATE_SECRET_NEW }}"
    assert.deepEqual(placesIn({ templates: { "eos/base.j2": template } }), ["TEMPLATE_SECRET_NEW eos/base.j2:3"])
    const settings = "ssh:\n  # key_secret: DEVICE_SECRET_OLD\n  key_secret: DEVICE_SECRET_NEW # DEVICE_SECRET_NEXT\n"
    assert.deepEqual(placesIn({ settings: { "groups/EAST/base_system.yml": settings } }), [
      "DEVICE_SECRET_NEW groups/EAST/base_system.yml:3"
    ])
  })

  it("are found by their short names in rules of alerts and in the file of plugins", () => {
    assert.deepEqual(placesIn({ alerts: "receivers:\n  noc: { type: slack, url_secret: NOC }\n" }), [
      "ALERT_SECRET_NOC alerts.yml:2"
    ])
    assert.deepEqual(placesIn({ plugins: "plugins:\n  - vars:\n      apitoken_secret: NAV\n" }), [
      "PLUGIN_SECRET_NAV null:3"
    ])
  })

  it("name the lines that compute a name apart, because they may mean any secret", () => {
    const { computed, uses } = secretUsesIn({ ...NOTHING, templates: { "eos/x.j2": "{{ TEMPLATE_SECRET[name] }}" } })
    assert.deepEqual([computed, uses], [[{ file: "eos/x.j2", line: 1 }], []])
  })
})

describe("the list of secrets", () => {
  it("begins with what is needed and not set, and names what nothing uses", () => {
    const templates = { "eos/base.j2": "{{ TEMPLATE_SECRET_RADIUS }} {{ TEMPLATE_SECRET_SNMP }}" }
    const sources = { ...LOGINS, TEMPLATE_SECRET_SNMP: "environment", TEMPLATE_SECRET_OLD: "environment" } as const
    assert.deepEqual(standings({ templates }, sources), {
      TEMPLATE_SECRET_RADIUS: "missing",
      TEMPLATE_SECRET_OLD: "unused",
      PASSWORD_INIT: "used",
      PASSWORD_MANAGED: "used",
      TEMPLATE_SECRET_SNMP: "used"
    })
    assert.strictEqual(listed({ templates }, sources)[0]?.name, "TEMPLATE_SECRET_RADIUS")
  })

  it("says that a secret of the database counts from the next start, by whom and when it was set", () => {
    const [secret] = listed({}, LOGINS, ["DEVICE_SECRET_EAST"])
    assert.deepInclude(secret, { name: "DEVICE_SECRET_EAST", standing: "waiting", source: "database", set_by: "root" })
    const [, own] = listed({}, { ...LOGINS, CAKEY_PASSPHRASE: "environment" }, ["CAKEY_PASSPHRASE"])
    assert.notStrictEqual(own?.set_by, "root")
  })

  it("does not miss a secret that templates can do without", () => {
    const templates = {
      "eos/a.j2": '{% if "SNMP" in TEMPLATE_SECRET %}\n{{ TEMPLATE_SECRET.SNMP }}\n{% endif %}',
      "eos/b.j2": '{{ TEMPLATE_SECRET.get("RADIUS", "unset") }}'
    }
    assert.deepEqual(standings({ templates }, LOGINS), {
      PASSWORD_INIT: "used",
      PASSWORD_MANAGED: "used",
      TEMPLATE_SECRET_RADIUS: "optional",
      TEMPLATE_SECRET_SNMP: "optional"
    })
    assert.deepEqual(secretUsesIn({ ...NOTHING, templates }).computed, [])
  })

  it("calls no secret unused while a template computes names", () => {
    const sources = { ...LOGINS, TEMPLATE_SECRET_OLD: "environment" } as const
    assert.strictEqual(
      standings({ templates: { "eos/x.j2": "{{ TEMPLATE_SECRET[name] }}" } }, sources)["TEMPLATE_SECRET_OLD"],
      "used"
    )
  })

  it("needs a login for each state that has switches, unless it has a key", () => {
    assert.deepEqual(standings({}, { SSH_KEY_MANAGED: "file" }), { PASSWORD_INIT: "missing", SSH_KEY_MANAGED: "used" })
  })

  it("counts the switches of each scope once, in natural order", () => {
    const use = "{ key_secret: DEVICE_SECRET_X }"
    const settings = {
      "groups/EAST/base_system.yml": use,
      "access/base_system.yml": use,
      "devices/a2/base_system.yml": use
    }
    const secret = listed({ settings }, { ...LOGINS, DEVICE_SECRET_X: "environment" }).find(
      ({ name }) => name === "DEVICE_SECRET_X"
    )
    assert.deepEqual([secret?.devices, secret?.hostnames], [2, ["a2", "a10"]])
  })
})
