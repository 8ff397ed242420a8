/** The template line and the settings behind each line of a configuration. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { markTemplate, namesAt, placesIn, settingLines } from "../../src/templates/LinePlaces.ts"
import { deviceTask } from "../../src/templates/Rendering.ts"
import { buildTemplateSnapshot } from "../../src/templates/TemplateSnapshot.ts"
import { inputsOf, readExample, site } from "./Campus.ts"

type Files = ReadonlyMap<string, string>

const files = readExample("templates")

const render = (given: Files, host: string): string => {
  const snapshot = buildTemplateSnapshot({ files: given, root: "templates" })
  const { file, platform, variables } = Result.getOrThrow(deviceTask(snapshot, inputsOf(host), site))
  const rendered = platform.environment.renderFile(file, variables)
  return rendered.ok ? rendered.value.text : ""
}

const traced = (given: Files, host: string) => {
  const names = [...given.keys()]
  const marked = new Map(
    [...given].map(([name, text], number) => [name, name.endsWith(".j2") ? markTemplate(text, number) : text])
  )
  return placesIn(render(given, host), render(marked, host), names)
}

const innermost = (given: Files, line: string) =>
  traced(given, "lhv-acc1")
    .find(({ text }) => text === line)
    ?.places.at(-1)

describe("the places of the lines of a configuration", () => {
  it.each(["lhv-acc1", "lhv-dist1", "lhv-core1"])("are known for nearly every line of %s", (host) => {
    const lines = traced(files, host)
    const unknown = lines.filter(({ places }) => places.length === 0).map(({ text }) => text)
    assert.isAbove(lines.length, 100)
    assert.isAtMost(unknown.length, lines.length / 100, unknown.join("\n"))
  })

  it("are the line of the macro or the include that wrote the text", () => {
    for (const line of ["ntp server 10.20.0.2", "   spanning-tree bpduguard enable", "   description NAS"]) {
      const place = innermost(files, line)
      assert.isDefined(place, line)
      const written = files.get(place?.file ?? "")?.split("\n")[(place?.line ?? 0) - 1] ?? ""
      assert.include(written, line.trim().split(" ")[0] ?? "")
    }
  })

  it("are none where a template treats the marks as its own text", () => {
    const base = files.get("eos/base.j2") ?? ""
    const counted = `{% set words %}hello{% endset %}\n{{ words | length }} letters\n${base}`
    const lines = traced(new Map([...files, ["eos/base.j2", counted]]), "lhv-acc1")
    assert.isTrue(lines.some(({ text }) => text === "5 letters"))
    assert.isTrue(lines.every(({ places }) => places.length === 0))
  })
})

const TEMPLATE = `{% set via = mgmt_vrf ~ "x" %}
{% for server in ntp_servers if server.host %}
ntp server {{ via }} {{ server.host | upper }} {{ "not a name" }}
{% endfor %}
{% if banner is defined %}
banner login
{% endif %}
hostname {{ host }}
`

const names: ReadonlyArray<readonly [line: number, names: ReadonlyArray<string>]> = [
  [3, ["mgmt_vrf", "ntp_servers", "server", "via"]],
  [6, ["banner"]],
  [8, ["host"]]
]

describe("the variables of a line of a template", () => {
  it.each(names)("of line %i are followed through loops and assignments", (line, wanted) => {
    assert.deepStrictEqual([...namesAt(TEMPLATE, line)].filter((name) => name !== "defined").toSorted(), [...wanted])
  })
})

const SETTINGS = `---
ntp_servers:
  - host: 10.20.0.1
    prefer: true
  - host: 10.20.0.2
syslog_servers:
  - host: 10.20.0.2
`

describe("the lines of settings behind a line", () => {
  const template = "ntp server {{ server.host }}"
  it("are those below the key whose values it has, and the key's own otherwise", () => {
    assert.deepStrictEqual(settingLines(SETTINGS, 2, { line: "ntp server 10.20.0.2", template }), [5])
    assert.deepStrictEqual(settingLines(SETTINGS, 2, { line: "ntp server 10.20.0.1 prefer", template }), [3])
    assert.deepStrictEqual(
      settingLines(SETTINGS, 6, { line: "logging host 10.20.0.2", template: "logging host {{ x }}" }),
      [7]
    )
    assert.deepStrictEqual(settingLines(SETTINGS, 2, { line: "ntp server 192.0.2.1", template }), [2])
  })
})
