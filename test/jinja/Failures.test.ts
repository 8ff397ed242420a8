import { expect, it } from "vitest"
import { describe, Environment, memoryLoader, siteFilters } from "../../src/jinja/Jinja.ts"

const files: Readonly<Record<string, string>> = {
  "main.j2": "hostname {{ host }}\n{% for p in ports %}\n  {% include 'parts/port.j2' %}\n{% endfor %}\n",
  "parts/port.j2": "interface {{ p.name }}\n   vlan {{ p.data.vlan + 1 }}\n",
  "macros.j2": "{% macro half(n) %}\n{{ n / 0 }}{% endmacro %}",
  "calls.j2": "{% from 'macros.j2' import half %}\n\n  {{ half(4) }}\n",
  "broken.j2": "line 1\n\t{% if host %}\n{% endfor %}\n",
  "includes-broken.j2": "x\n{% include 'broken.j2' %}",
  "filter.j2": "{{ 'a' }}\n{{ host | nosuch }}"
}

const failureOf = (name: string, variables = {}): string => {
  const environment = new Environment({ loader: memoryLoader(files), filters: [siteFilters] })
  const result = environment.renderFile(name, variables)
  return result.ok ? `rendered: ${result.value.text}` : describe(result.failure, (template) => files[template])
}

it("names the place in an included file, shows its line and names the including place", () => {
  expect(failureOf("main.j2", { ports: [{ name: "Ethernet1", data: {} }] })).toBe(
    [
      "UndefinedError: 'dict object' has no attribute 'vlan'",
      "  in parts/port.j2, line 2, column 24",
      "     2 |    vlan {{ p.data.vlan + 1 }}",
      "       |                        ^",
      "  included or called from main.j2, line 3, column 6"
    ].join("\n")
  )
})

it("names the place in a macro and the place of its call", () => {
  expect(failureOf("calls.j2")).toBe(
    [
      "ZeroDivisionError: division by zero",
      "  in macros.j2, line 2, column 6",
      "     2 | {{ n / 0 }}{% endmacro %}",
      "       |      ^",
      "  included or called from calls.j2, line 3, column 10"
    ].join("\n")
  )
})

it("names the place of a syntax error in an included file, with its tabs kept before the mark", () => {
  expect(failureOf("includes-broken.j2")).toBe(
    [
      "TemplateSyntaxError: Encountered unknown tag 'endfor'. Jinja was looking for the following tags: 'elif' or 'else' or 'endif'. The innermost block that needs to be closed is 'if'.",
      "  in broken.j2, line 3, column 4",
      "     3 | {% endfor %}",
      "       |    ^",
      "  included or called from includes-broken.j2, line 2, column 12"
    ].join("\n")
  )
})

it("refuses an unknown filter before rendering", () => {
  expect(failureOf("filter.j2")).toContain(
    "TemplateAssertionError: No filter named 'nosuch'.\n  in filter.j2, line 2, column 11"
  )
})

it("reports a missing template", () => {
  expect(failureOf("nothing.j2")).toBe(
    "TemplateNotFound: template 'nothing.j2' was not found\n  in nothing.j2, line 1, column 1"
  )
})

it("ends rendering with the text given to raise", () => {
  const environment = new Environment({ loader: memoryLoader(files) })
  const template = environment.compileText("t", "a\n{% if true %}{{ raise('no VLAN for ' ~ port) }}{% endif %}")
  const result = template.ok ? environment.render(template.value, { port: "Et1" }) : template
  expect(result.ok ? "" : describe(result.failure, () => undefined)).toBe(
    "TemplateRuntimeError: no VLAN for Et1\n  in t, line 2, column 22"
  )
})
