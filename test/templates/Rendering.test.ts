/** Errors, secrets and bounds of renderings, and the templates with fixed names (docs/templates.md). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Limits } from "../../src/jinja/Jinja.ts"
import { renderConfiguration, renderDevice, renderFixed } from "./DirectRendering.ts"
import {
  buildTemplateSnapshot,
  describeTemplateError,
  type RepoStructureError,
  type TemplateError
} from "../../src/templates/TemplateSnapshot.ts"
import type { VariablesError } from "../../src/templates/VariableInputs.ts"
import { inputsOf, readExample, site } from "./Campus.ts"

const mapping = "ACCESS:\n  entrypoint: access.j2\n"

const snapshotOf = (templates: Readonly<Record<string, string>>, limits: Partial<Limits> = {}) =>
  buildTemplateSnapshot({
    files: new Map([
      ["eos/mapping.yml", mapping],
      ...Object.entries(templates).map(([name, text]) => [`eos/${name}`, text] as const)
    ]),
    root: "/srv/templates",
    limits
  })

const acc1 = inputsOf("lhv-acc1")

const textOf = (template: string): string =>
  Result.getOrThrow(renderDevice(snapshotOf({ "access.j2": template }), acc1, site)).text

const errorOf = <A>(result: Result.Result<A, VariablesError | RepoStructureError | TemplateError>): TemplateError => {
  if (Result.isFailure(result) && result.failure._tag === "TemplateError") return result.failure
  throw new Error("the rendering did not fail in a template")
}

const failing = (templates: Readonly<Record<string, string>>, limits: Partial<Limits> = {}): TemplateError =>
  errorOf(renderDevice(snapshotOf(templates, limits), acc1, site))

describe("a rendering", () => {
  it("knows the filters of sites and the device's own mappings in their order", () => {
    assert.strictEqual(textOf("{{ 'abc'|sha1 }}"), "a9993e364706816aba3e25717850c26c9cd0d89d")
    assert.strictEqual(textOf("{{ 'aabbccddeeff'|mac_to_format('MAC_DOT_FOUR') }}"), "aabb.ccdd.eeff")
    assert.strictEqual(textOf("{{ vxlans|join(' ') }}"), "staff student printer voice iot quarantine")
    assert.strictEqual(textOf("{{ interfaces[1].data.description }}"), "Printer room 1.14")
  })

  it("keeps integers, booleans and null as Python prints them", () => {
    const template = "{{ mgmt_vlan_id }} {{ mgmt_vlan_id / 2 }} {{ mlag_peer }} {{ mlag_peer_hostname }}"
    assert.strictEqual(textOf(template), "3016 1508.0 False None")
  })

  it("gives each device untouched settings, though a template changes its copy", () => {
    const snapshot = snapshotOf({
      "access.j2":
        "{% if ntp_servers.append({'host': 'x'}) %}{% endif %}{{ ntp_servers|length }}{{ interfaces.pop().name }}"
    })
    const twice = [1, 2].map(() => Result.getOrThrow(renderDevice(snapshot, acc1, site)).text)
    assert.deepEqual(twice, ["3Ethernet28", "3Ethernet28"])
  })

  it("passes on the log lines of templates", () => {
    const snapshot = snapshotOf({ "access.j2": "a{{ log('no uplink', 'WARNING', 'ports') }}b" })
    const { log, text } = Result.getOrThrow(renderDevice(snapshot, acc1, site))
    assert.strictEqual(text, "ab")
    assert.deepEqual(
      log.map(({ level, module, text: message }) => [level, module, message]),
      [["WARNING", "ports", "no uplink"]]
    )
  })
})

describe("an error in a template", () => {
  const files = {
    "access.j2": "hostname {{ host }}\n{% include 'b.j2' %}\n",
    "b.j2": "one\ntwo\n  {{ nothing.at.all }}\n"
  }

  it("names template, line, column and sentence, and the chain of includes", () => {
    const error = failing(files)
    const { column, line, template } = error.place
    assert.deepEqual([template, line], ["eos/b.j2", 3])
    assert.isAbove(column, 2)
    assert.strictEqual(error.kind, "UndefinedError")
    assert.strictEqual(error.sentence, "'nothing' is undefined")
    assert.strictEqual(error.message, `UndefinedError: 'nothing' is undefined (eos/b.j2, line 3, column ${column})`)
    assert.strictEqual(error.via[0]?.template, "eos/access.j2")
    assert.strictEqual(error.via[0]?.line, 2)
  })

  it("is shown with its source line and a mark under the column", () => {
    const error = failing(files)
    const lines = describeTemplateError(error).split("\n")
    assert.strictEqual(lines[2], "     3 |   {{ nothing.at.all }}")
    assert.strictEqual(lines[3]?.indexOf("^"), "     3 | ".length + error.place.column - 1)
    assert.include(lines[4] ?? "", "included or called from eos/access.j2, line 2")
  })

  it("never shows a secret", () => {
    const raised = failing({ "access.j2": "{{ raise('bad key ' ~ TEMPLATE_SECRET_RADIUS) }}" })
    assert.strictEqual(raised.sentence, "bad key <hidden>")
    assert.notInclude(JSON.stringify(raised), "0832494D1B1C11")
    const shorter = failing({ "access.j2": "{{ raise(TEMPLATE_SECRET.SNMP_COMMUNITY) }}" })
    assert.strictEqual(shorter.sentence, "<hidden>")
  })

  it("of a missing include names the file", () => {
    const { kind, sentence } = failing({ "access.j2": "{% include 'gone.j2' %}" })
    assert.strictEqual(kind, "TemplateNotFound")
    assert.include(sentence, "gone.j2")
  })

  it("of an include out of the platform's directory is a missing file", () => {
    assert.strictEqual(failing({ "access.j2": "{% include '../junos/x.j2' %}" }).kind, "TemplateNotFound")
  })
})

describe("the bounds of a rendering", () => {
  it.each([
    ["output", "{% for i in range(1000) %}0123456789{% endfor %}", { output: 5000 }],
    ["time", "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}", { deadline: 20 }],
    ["nesting", "{% include 'access.j2' %}", {}]
  ] as const)("stop one that uses too much %s", (_, template, limits) => {
    assert.strictEqual(failing({ "access.j2": template }, limits).kind, "LimitExceeded")
  })
})

const fixed = (...args: Parameters<typeof renderFixed>) =>
  Result.match(renderFixed(...args), { onFailure: ({ message }) => message, onSuccess: ({ text }) => text })

describe("a template with a fixed name", () => {
  const examples = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })
  it("is rendered with the few variables that it needs", () => {
    assert.include(fixed(examples, "eos", "hostname.j2", { host: "lhv-acc9" }), "hostname lhv-acc9")
    const bounced = fixed(examples, "eos", "bounce-down.j2", { host: "lhv-acc1", interfaces: ["Ethernet3"] })
    assert.include(bounced, "interface Ethernet3")
    assert.include(fixed(examples, "eos", "bounce-up.j2", { host: "x", interfaces: ["Ethernet3"] }), "Ethernet3")
  })

  it("is missing by its path", () => {
    const missing = "File templates/nxos/hostname.j2 not found in template repo"
    assert.strictEqual(fixed(examples, "nxos", "hostname.j2", {}), missing)
  })
})

describe("plain variables", () => {
  it("render like computed ones", () => {
    const snapshot = snapshotOf({ "access.j2": "{{ host }} {{ list|sum }}" })
    const rendered = renderConfiguration(
      snapshot,
      "eos",
      "ACCESS",
      new Map<string, unknown>([
        ["host", "a"],
        ["list", [1, 2]]
      ])
    )
    assert.strictEqual(Result.getOrThrow(rendered).text, "a 3")
  })
})
