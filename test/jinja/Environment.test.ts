import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it } from "vitest"
import {
  Dict,
  directoryLoader,
  Environment,
  Float,
  library,
  memoryLoader,
  parseJson,
  resolveName,
  siteFilters,
  toValue
} from "../../src/jinja/Jinja.ts"
import type { Rendered, Result } from "../../src/jinja/Jinja.ts"
import { outcome } from "./Cases.ts"

const textOf = (result: Result<Rendered>): string => (result.ok ? result.value.text : result.failure.message)

it("reads and compiles each file once, however often it is rendered and included", () => {
  const reads: Array<string> = []
  const files = memoryLoader({ "a.j2": "{% for i in range(3) %}{% include 'b.j2' %}{% endfor %}", "b.j2": "{{ i }}" })
  const loader = {
    read: (name: string) => {
      reads.push(name)
      return files.read(name)
    }
  }
  const environment = new Environment({ loader })
  for (let i = 0; i < 3; i++) expect(textOf(environment.renderFile("a.j2", {}))).toBe("012")
  expect(reads).toEqual(["a.j2", "b.j2"])
})

it("carries nothing from one rendering into the next", () => {
  const environment = new Environment({
    loader: memoryLoader({
      "state.j2": "{% set seen = [] %}{% macro add(x) %}{% set _ = seen.append(x) %}{{ seen }}{% endmacro %}",
      "main.j2":
        "{% import 'state.j2' as a %}{% import 'state.j2' as b %}{{ a.add(1) }}{{ b.add(2) }}{% set _ = given.append(9) %}{{ given }}"
    })
  })
  for (let i = 0; i < 2; i++) expect(textOf(environment.renderFile("main.j2", { given: [1] }))).toBe("[1][1, 2][1, 9]")
})

it("returns the messages of log", () => {
  const environment = new Environment({
    loader: memoryLoader({ "main.j2": "a{{ log('careful ' ~ x, 'WARNING', 'ports') }}b" })
  })
  const result = environment.renderFile("main.j2", { x: 1 })
  expect(result.ok && result.value.text).toBe("ab")
  expect(result.ok && result.value.log).toMatchObject([
    { text: "careful 1", level: "WARNING", module: "ports", at: { line: 1 } }
  ])
})

it("takes further filters and globals", () => {
  const filters = [
    library({
      "double(value, times=2)": ([value, times]) =>
        typeof value === "number" && typeof times === "number" ? value * times : null
    })
  ]
  const environment = new Environment({
    loader: memoryLoader({ "main.j2": "{{ 4|double }}{{ 4|double(times=3) }}{{ site }}" }),
    filters,
    globals: new Map([["site", "S"]])
  })
  expect(textOf(environment.renderFile("main.j2", {}))).toBe("812S")
})

it("resolves names relative to the including file and never above the root", () => {
  expect(resolveName("b.j2", "eos/a.j2")).toBe("eos/b.j2")
  expect(resolveName("./x/../b.j2", "a.j2")).toBeUndefined()
  expect(resolveName("./b.j2", "a.j2")).toBe("b.j2")
  expect(resolveName("/b.j2", "eos/a.j2")).toBe("b.j2")
  expect(resolveName("", "a.j2")).toBeUndefined()
  expect(resolveName("a\\b", "a.j2")).toBeUndefined()
})

it("reads files of a directory, except those that a link leads out of it to", () => {
  const root = mkdtempSync(join(tmpdir(), "jinja-"))
  try {
    mkdirSync(join(root, "in", "sub"), { recursive: true })
    writeFileSync(join(root, "secret.j2"), "secret")
    writeFileSync(join(root, "in", "sub", "a.j2"), "A{% include 'b.j2' ignore missing %}")
    symlinkSync(join(root, "secret.j2"), join(root, "in", "sub", "b.j2"))
    symlinkSync(join(root, "in", "sub", "a.j2"), join(root, "in", "c.j2"))
    const loader = directoryLoader(join(root, "in"))
    expect(textOf(new Environment({ loader }).renderFile("sub/a.j2", {}))).toBe("A")
    expect(loader.read("c.j2")).toContain("A")
    expect(loader.read("sub")).toBeUndefined()
  } finally {
    rmSync(root, { recursive: true })
  }
})

it("keeps integers, floats and the order of keys of JSON", () => {
  const parsed = parseJson(
    "v.json",
    '{"z": 1, "a": 1.0, "big": 123456789012345678901, "e": 1e3, "n": null, "2": [true, "\\u00e4\\n"]}'
  )
  expect(parsed.ok).toBe(true)
  expect(parsed.ok && parsed.value instanceof Dict ? outcome("{{ d }}", Dict.of([["d", parsed.value]])) : "").toBe(
    "{'z': 1, 'a': 1.0, 'big': 123456789012345678901, 'e': 1000.0, 'n': None, '2': [True, 'ä\\n']}"
  )
})

it("names the place of a mistake in JSON", () => {
  const parsed = parseJson("v.json", '{\n "a": 1,\n "b" 2}')
  expect(parsed.ok ? "" : parsed.failure).toMatchObject({
    message: "expected ':'",
    position: { template: "v.json", line: 3, column: 6 }
  })
  for (const text of ["", "{", "[1,]", "01", "'a'", '"\n"', "1 2", "{1: 2}", "nul"])
    expect(parseJson("v", text).ok).toBe(false)
  expect(parseJson("v", "[".repeat(100_000)).ok).toBe(false)
})

it("converts plain data and Maps with keys of any type, and refuses the rest", () => {
  const vlans = new Map<unknown, unknown>([
    [500, "x"],
    [30, "y"],
    ["n", new Float(1)],
    [true, [1.5, null]]
  ])
  expect(
    outcome("{{ vlans }}{{ vlans[500] }}{{ day }}{{ missing is defined }}", {
      vlans,
      day: new Date("2020-01-01"),
      missing: undefined
    })
  ).toBe("{500: 'x', 30: 'y', 'n': 1.0, True: [1.5, None]}x2020-01-01False")
  expect(toValue(() => 1).ok).toBe(false)
  expect(toValue(new URL("http://x/")).ok).toBe(false)
  const circle: Array<unknown> = []
  circle.push(circle)
  expect(toValue(circle).ok).toBe(false)
})

it("renders a text as a template with the current variables", () => {
  expect(outcome("{% set a = 1 %}{{ '{{ host }}-{{ a }}-{{ b }}'|render_as_jinja(b=2) }}", { host: "sw1" })).toBe(
    "sw1-1-2"
  )
  expect(outcome("{{ '{{ 1 +'|render_as_jinja }}")).toMatch(/^TemplateSyntaxError/)
})

it("has the filters of sites and of no other package", () => {
  expect(outcome("{{ 'x'|fqdn_to_ip }}")).toBe("TemplateAssertionError: No filter named 'fqdn_to_ip'.")
  expect(siteFilters.has("encrypt_type7")).toBe(false)
})

it("reports the places where undefined values were printed as nothing, each once, and not if that was intended", () => {
  const files = {
    "main.j2":
      "{{ gone }}\n{% for i in range(3) %}{{ i }}{{ d.x }}{% endfor %}\n{{ 'a' ~ gone }}\n" +
      "{{ gone | default('') }}{{ 'yes' if false }}{{ gone is defined }}{% if gone %}x{% endif %}\n{% include 'b.j2' %}",
    "b.j2": "{{ other }}"
  }
  const result = new Environment({ loader: memoryLoader(files) }).renderFile("main.j2", { d: {} })
  const prints = result.ok ? result.value.undefinedPrints : []
  expect(prints.map(({ at, message }) => [at.template, at.line, message])).toEqual([
    ["main.j2", 1, "'gone' is undefined"],
    ["main.j2", 2, "'dict object' has no attribute 'x'"],
    ["main.j2", 3, "'gone' is undefined"],
    ["b.j2", 1, "'other' is undefined"]
  ])
})
