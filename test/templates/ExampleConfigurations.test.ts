/** The stored renderings, made from repositories and rows instead of from stored variables. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { configPreview } from "../../src/templates/Rendering.ts"
import { deviceVariables } from "../../src/templates/DeviceVariables.ts"
import { renderDevice } from "./DirectRendering.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import { stored } from "../support/Lindhaven.ts"
import { asJson, inputsOf, readExample, site } from "./Campus.ts"

const templates = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })

/** Keys that the settings model has gained since the files were stored; each is at its default. */
const LATER_KEYS = { arista_models_arm: null, banner_login: null, banner_motd: null, system_access_lists: [] }
const LATER_FIELDS = ["groups", "remove_private_as"]

const withoutLaterFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLaterFields)
  if (typeof value !== "object" || value === null) return value
  const kept = Object.entries(value).filter(([key, item]) => item !== null || !LATER_FIELDS.includes(key))
  return Object.fromEntries(kept.map(([key, item]) => [key, withoutLaterFields(item)]))
}

const hosts = ["lhv-acc1", "lhv-dist1", "lhv-core1"]

describe("the example campus", () => {
  it.each(hosts)("gives %s the stored configuration, byte for byte", (host) => {
    const rendered = Result.getOrThrow(renderDevice(templates, inputsOf(host), site))
    assert.strictEqual(rendered.text, stored(`${host}.cfg`))
    assert.deepEqual(rendered.warnings, [])
  })

  it.each(hosts)("computes the stored variables of %s", (host) => {
    const { variables } = Result.getOrThrow(deviceVariables(inputsOf(host), site))
    assert.deepEqual(withoutLaterFields(asJson(variables)), {
      ...LATER_KEYS,
      ...Object(withoutLaterFields(JSON.parse(stored(`${host}.variables.json`))))
    })
  })

  it.each(hosts)("lists entries of lists and fields of entries of %s in the stored order", (host) => {
    const { variables } = Result.getOrThrow(deviceVariables(inputsOf(host), site))
    const expected: Readonly<Record<string, unknown>> = JSON.parse(stored(`${host}.variables.json`))
    for (const name of ["interfaces", "bgp_ipv4_peers", "bgp_evpn_peers", "mgmtdomains", "vxlans"]) {
      assert.strictEqual(JSON.stringify(asJson(variables.get(name))), JSON.stringify(expected[name]))
    }
  })

  it("shows a configuration and its variables without any secret", () => {
    const rendered = Result.getOrThrow(renderDevice(templates, inputsOf("lhv-acc1"), site))
    assert.include(rendered.text, "0832494D1B1C11")
    const preview = configPreview("lhv-acc1", rendered)
    const shown = JSON.stringify(preview)
    for (const secret of ["0832494D1B1C11", "104D000A0618", "lhv-read", "switchyard-example-hash"]) {
      assert.notInclude(shown, secret)
    }
    assert.deepEqual(preview.available_variables["TEMPLATE_SECRET"], {
      SWITCHYARD_HASH: "<hidden>",
      SNMP_COMMUNITY: "<hidden>",
      RADIUS: "<hidden>",
      RADIUS_10_20_1_11: "<hidden>"
    })
    assert.strictEqual(preview.available_variables["TEMPLATE_SECRET_RADIUS"], "<hidden>")
    assert.strictEqual(preview.hostname, "lhv-acc1")
    assert.include(preview.generated_config, "hostname lhv-acc1\n")
  })
})
