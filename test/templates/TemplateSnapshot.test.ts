/** Reading and checking a templates repository (docs/templates.md#files and docs/templates.md#who-becomes-unsynchronized). */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { remarkText } from "../../src/domain/Repository.ts"
import { renderConfiguration } from "./DirectRendering.ts"
import { checkTemplates } from "../../src/templates/TemplateCheck.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import { devices, readExample } from "./Campus.ts"
import { affectedTypes, changedTemplateFiles, devicesOfTypes } from "../../src/templates/TemplateReferences.ts"

type Files = Readonly<Record<string, string>>

const snapshotOf = (files: Files, refused: Files = {}) =>
  buildTemplateSnapshot({
    files: new Map(Object.entries(files)),
    refused: new Map(Object.entries(refused).map(([path, reason]) => [path, { reason, line: null }])),
    root: "/srv/templates"
  })

const check = (files: Files, refused: Files = {}) => {
  const { problems, warnings } = checkTemplates(snapshotOf(files, refused))
  return { problems: problems.map(({ message }) => message), warnings: warnings.map(remarkText) }
}

const mapping = "ACCESS:\n  entrypoint: access.j2\n"
const sound: Files = { "eos/mapping.yml": mapping, "eos/access.j2": "hostname {{ host }}\n" }

describe("a templates repository", () => {
  it("passes with the example templates, without a remark", () => {
    const snapshot = buildTemplateSnapshot({ files: readExample("templates"), root: "templates" })
    assert.deepEqual(checkTemplates(snapshot), { problems: [], warnings: [] })
  })

  it("takes every directory in its root as a platform, hidden ones and files aside", () => {
    const { platforms } = snapshotOf({ ...sound, "README.md": "", ".ci/run": "", "junos/x.j2": "" })
    assert.deepEqual([...platforms.keys()], ["eos", "junos"])
  })

  it.each([
    ["without mapping.yml", {}, "File mapping.yml not found in template repo /srv/templates/eos"],
    [
      "with a mapping that is no YAML",
      { "eos/mapping.yml": "ACCESS: [" },
      /^Could not parse \/srv\/templates\/eos\/mapping\.yml in template repo: mapping\.yml, line 1, column \d+: /
    ],
    [
      "with a mapping that is a list",
      { "eos/mapping.yml": "- ACCESS" },
      "Could not parse /srv/templates/eos/mapping.yml in template repo: expected a mapping of device types, not list"
    ],
    [
      "without an entry point",
      { "eos/mapping.yml": "ACCESS: {dependencies: []}" },
      "Could not parse mapping.yml in template repo for ACCESS, value not found: 'entrypoint'"
    ],
    [
      "with an entry point that is a number",
      { "eos/mapping.yml": "ACCESS: {entrypoint: 7}" },
      "Could not parse mapping.yml in template repo for ACCESS, 'entrypoint' must be the name of a file, not int"
    ],
    [
      "with an entry that is a text",
      { "eos/mapping.yml": "ACCESS: access.j2" },
      "Could not parse mapping.yml in template repo for ACCESS, expected a mapping, not str"
    ],
    [
      "with an entry point that does not exist",
      { "eos/mapping.yml": "ACCESS: {entrypoint: other.j2}" },
      "File /srv/templates/eos/other.j2 not found in template repo"
    ],
    [
      "with a template that does not compile",
      { "eos/mapping.yml": mapping, "eos/access.j2": "hostname x\n{% if %}\n" },
      /^TemplateSyntaxError: .* \(eos\/access\.j2, line 2, column \d+\)$/
    ],
    [
      "with an unknown filter in an included template",
      { "eos/mapping.yml": mapping, "eos/access.j2": "{% include 'b.j2' %}", "eos/b.j2": "{{ host|nothing }}" },
      /^TemplateAssertionError: No filter named 'nothing'\.? \(eos\/b\.j2, line 1, column \d+\)$/
    ],
    [
      "with a broken bounce template",
      { ...sound, "eos/bounce-up.j2": "{% for %}" },
      /^TemplateSyntaxError: .*eos\/bounce-up\.j2/
    ]
  ] as const)("is refused %s", (_, files, message) => {
    const { problems } = check({ "eos/access.j2": "hostname {{ host }}\n", ...files })
    assert.lengthOf(problems, 1)
    if (typeof message === "string") assert.strictEqual(problems[0], message)
    else assert.match(problems[0] ?? "", message)
  })

  it("is refused with all its problems at once", () => {
    const { problems } = check({
      "eos/mapping.yml": "ACCESS: {}\nDIST: {}\n",
      "junos/a.j2": "",
      "ios/mapping.yml": "ACCESS: {entrypoint: a.j2}\nDIST: {entrypoint: b.j2}\n",
      "ios/a.j2": "{% if %}"
    })
    assert.lengthOf(problems, 5)
  })

  it("may have unused entries, with a remark", () => {
    const { problems, warnings } = check({
      ...sound,
      "eos/mapping.yml": `${mapping}  dependencies: [gone.j2]\n`,
      "eos/access.j2": "{% if false %}{% include 'missing.j2' %}{% endif %}{% include 'x.j2' ignore missing %}",
      "eos/draft.j2": "{% if %}",
      "eos/dhcp-init.j2": "{% this is read by the switch"
    })
    assert.deepEqual(problems, [])
    assert.deepEqual(warnings.slice(0, 2), [
      "eos/access.j2, line 1, column 18: file missing.j2 does not exist",
      "eos/mapping.yml, line 3, column 18: dependency gone.j2 of ACCESS does not exist"
    ])
    assert.match(
      warnings[2] ?? "",
      /^eos\/draft\.j2, line 1, column \d+: Not used by any device type: TemplateSyntaxError: /
    )
    assert.lengthOf(warnings, 3)
  })

  it("is refused when a file in use cannot be read", () => {
    const needed = check({ "eos/mapping.yml": mapping }, { "eos/access.j2": "not UTF-8", "eos/logo.png": "not UTF-8" })
    assert.deepEqual(needed, {
      problems: ["File /srv/templates/eos/access.j2 cannot be read: not UTF-8"],
      warnings: ["eos/logo.png: File /srv/templates/eos/logo.png cannot be read: not UTF-8"]
    })
    const unmapped = check({ "eos/access.j2": "" }, { "eos/mapping.yml": "too large" })
    assert.deepEqual(unmapped.problems, ["File /srv/templates/eos/mapping.yml cannot be read: too large"])
  })

  it("keeps the compiled templates of platforms that did not change", () => {
    const before = snapshotOf({ ...sound, "junos/mapping.yml": "{}" })
    const after = buildTemplateSnapshot({
      files: new Map(Object.entries({ ...sound, "junos/mapping.yml": "{} # changed" })),
      root: "/srv/templates",
      previous: before
    })
    assert.strictEqual(after.platforms.get("eos"), before.platforms.get("eos"))
    assert.notStrictEqual(after.platforms.get("junos"), before.platforms.get("junos"))
  })
})

const fault = (files: Files, platform: string, type: string) =>
  Result.match(renderConfiguration(snapshotOf(files), platform, type, new Map()), {
    onFailure: ({ message }) => message,
    onSuccess: () => "rendered"
  })

describe("a rendering", () => {
  it("needs the platform, a mapping and an entry for the type", () => {
    assert.strictEqual(fault(sound, "ios", "ACCESS"), "File /srv/templates/ios/mapping.yml not found in template repo")
    const missing = "KeyError: 'DIST' not found in /srv/templates/eos/mapping.yml"
    assert.strictEqual(fault(sound, "eos", "DIST"), missing)
    const broken = { "eos/mapping.yml": "ACCESS: {}" }
    const text = "Could not parse mapping.yml in template repo for ACCESS, value not found: 'entrypoint'"
    assert.strictEqual(fault(broken, "eos", "ACCESS"), text)
  })
})

describe("a change of templates", () => {
  const files: Files = {
    "eos/mapping.yml": [
      "ACCESS: {entrypoint: access.j2, dependencies: [base.j2]}",
      "DIST: {entrypoint: dist.j2, dependencies: [base.j2, sub/lists.j2]}",
      "CORE: {entrypoint: core.j2}"
    ].join("\n"),
    "eos/access.j2": "{% include 'ports.j2' %}{% from 'macros.j2' import port %}",
    "eos/ports.j2": "{% extends 'frame.j2' %}",
    "eos/dist.j2": "{% import 'macros.j2' as m %}{% include ['a.j2', 'b.j2'] %}",
    "eos/core.j2": "core",
    "junos/mapping.yml": "DIST: {entrypoint: dist.j2}",
    "junos/dist.j2": "{% include 'roles/' ~ host ~ '.j2' %}"
  }
  const snapshot = snapshotOf(files)
  const touched = (...paths: ReadonlyArray<string>) =>
    affectedTypes(paths, snapshot, snapshot).map(({ device_type, platform }) => `${platform} ${device_type}`)

  it.each([
    ["an entry point", "eos/core.j2", ["eos CORE"]],
    ["a listed dependency", "eos/base.j2", ["eos ACCESS", "eos DIST"]],
    ["a dependency in a directory", "eos/sub/lists.j2", ["eos DIST"]],
    ["an included file that is not listed", "eos/ports.j2", ["eos ACCESS"]],
    ["the parent of an included file", "eos/frame.j2", ["eos ACCESS"]],
    ["an imported file", "eos/macros.j2", ["eos ACCESS", "eos DIST"]],
    ["the second of a list of files", "eos/b.j2", ["eos DIST"]],
    ["any file, where a template computes names", "junos/roles/x.j2", ["junos DIST"]],
    ["a file that nothing leads to", "eos/hostname.j2", []],
    ["a file in the root", "README.md", []],
    ["a mapping with the same entries", "eos/mapping.yml", []],
    ["a platform that is not there", "ios/access.j2", []]
  ] as const)("in %s concerns those that are rendered with it", (_, path, expected) => {
    assert.deepEqual(touched(path), [...expected])
  })

  it("in an entry of the mapping concerns that type", () => {
    const remapped = files["eos/mapping.yml"]?.replace("entrypoint: core.j2", "entrypoint: core2.j2") ?? ""
    const after = snapshotOf({ ...files, "eos/mapping.yml": remapped })
    const core = [{ platform: "eos", device_type: "CORE" }]
    assert.deepEqual(affectedTypes(["eos/mapping.yml"], snapshot, after), core)
    const without = snapshotOf({
      ...files,
      "eos/mapping.yml": "ACCESS: {entrypoint: access.j2, dependencies: [base.j2]}"
    })
    assert.deepEqual(affectedTypes(["eos/mapping.yml"], snapshot, without), [
      { platform: "eos", device_type: "DIST" },
      ...core
    ])
  })

  it("concerns the devices of the type on the platform", () => {
    const affected = [{ platform: "eos", device_type: "CORE" }]
    const [first, ...others] = devices
    assert.isDefined(first)
    const chosen = devicesOfTypes(affected, [{ ...first, platform: "junos" }, ...others])
    assert.deepEqual(
      chosen.map(({ hostname }) => hostname),
      ["lhv-core2"]
    )
  })

  it("is found by comparing two snapshots", () => {
    const after = snapshotOf({ ...files, "eos/core.j2": "new", "ios/mapping.yml": "{}" })
    assert.deepEqual(changedTemplateFiles(snapshot, after), ["eos/core.j2", "ios/mapping.yml"])
  })
})
