import { expect, it } from "vitest"
import { Environment, memoryLoader, siteFilters } from "../../src/jinja/Jinja.ts"
import type { Limits, Rendered, Result } from "../../src/jinja/Jinja.ts"
import { outcome } from "./Cases.ts"
import { randomFrom, randomTemplate } from "./RandomTemplates.ts"

const files: Readonly<Record<string, string>> = {
  "a.j2": "{% macro f(a) %}{{ a }}{% endmacro %}{% block b %}B{% endblock %}{{ x }}",
  "again.j2": "{% include 'again.j2' %}",
  "deep/a.j2": "{% include '../a.j2' %}"
}

const variables = {
  name: "a.j2",
  items: [{ k: 1 }, { k: 2 }],
  number: 7,
  text: "hello, world",
  data: { k: { z: [1] } }
}

const renderWithin = (template: string, limits: Partial<Limits>): Result<Rendered> => {
  const environment = new Environment({ loader: memoryLoader(files), filters: [siteFilters], limits })
  const compiled = environment.compileText("main.j2", template)
  return compiled.ok ? environment.render(compiled.value, variables) : compiled
}

const failureOf = (template: string, limits: Partial<Limits> = {}): string => {
  const result = renderWithin(template, limits)
  return result.ok ? `rendered ${result.value.text.slice(0, 40)}` : `${result.failure.kind}: ${result.failure.message}`
}

it("neither throws, nor breaks inside, nor leaks anything of JavaScript for 100,000 random templates", () => {
  const asked: Array<string> = []
  const memory = memoryLoader(files)
  const loader = {
    read: (name: string) => {
      asked.push(name)
      return memory.read(name)
    }
  }
  const environment = new Environment({ loader, filters: [siteFilters], limits: { deadline: 5000 } })
  const random = randomFrom(Number(process.env["JINJA_SEED"] ?? 1))
  const count = Number(process.env["JINJA_RANDOM_TEMPLATES"] ?? 100_000)
  const strange: Array<unknown> = []
  for (let i = 0; i < count; i++) {
    const source = randomTemplate(random, 14)
    const compiled = environment.compileText("main.j2", source)
    const result = compiled.ok ? environment.render(compiled.value, variables) : compiled
    if (!result.ok && result.failure.kind === "InternalError") strange.push({ source, failure: result.failure })
    if (result.ok && /native code|\[object \w|function \w*\(/.test(result.value.text)) strange.push({ source, result })
  }
  expect(strange).toEqual([])
  expect(asked.filter((name) => name.includes("..") || name.startsWith("/"))).toEqual([])
  expect(Object.keys(Object.prototype)).toEqual([])
})

it.each([
  "{{ ''.constructor }}",
  "{{ ''.constructor.constructor }}",
  "{{ ''['constructor']['constructor']('return process')() }}",
  "{{ [].__proto__.polluted }}",
  "{{ {}.__class__.__mro__ }}",
  "{{ data|attr('constructor') }}",
  "{{ items|map(attribute='constructor.constructor')|list }}",
  "{{ range.constructor('return 1')() }}",
  "{{ (range|attr('implementation'))() }}",
  "{{ loop.recurse }}{{ self.context.surroundings }}",
  "{% macro m() %}{% endmacro %}{{ m.body }}{{ m.shape.name }}",
  "{{ '{0.constructor}'.format('') }}",
  "{{ '%(constructor)s' % {} }}",
  "{% set ns = namespace() %}{{ ns.names }}{{ ns.__proto__.x }}"
])("gives nothing of JavaScript to %s", (template) => {
  expect(outcome(template, variables)).toMatch(
    /^(\[?(Undefined|, )*\]?|UndefinedError: .*|TypeError: .*|AttributeError: .*|KeyError: .*)$/
  )
})

it("keeps own keys with names of JavaScript apart from its own", () => {
  expect(
    outcome("{{ d.constructor }}{{ d['__proto__'] }}{{ d.toString }}{{ d|length }}", {
      d: new Map([
        ["constructor", 1],
        ["__proto__", 2],
        ["toString", 3]
      ])
    })
  ).toBe("1233")
})

it("finds no file above the root or by an absolute path of the machine", () => {
  expect(failureOf("{% include '../a.j2' %}")).toBe("TemplateNotFound: template '../a.j2' was not found")
  expect(failureOf("{% include 'deep/a.j2' %}")).toBe("TemplateNotFound: template '../a.j2' was not found")
  expect(failureOf("{% include '/etc/passwd' %}")).toBe("TemplateNotFound: template '/etc/passwd' was not found")
})

it.each([
  ["a tight loop", "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"],
  [
    "a list that grows while a loop runs over it",
    "{% set l = [1] %}{% for x in l %}{% set _ = l.append(x) %}{% endfor %}"
  ],
  [
    "sorting again and again",
    "{% set l = range(50000)|list %}{% for i in range(1000) %}{% set _ = l|sort %}{% endfor %}"
  ],
  [
    "searching again and again",
    "{% set l = range(50000)|list %}{% for i in l %}{% if -1 in l %}{% endif %}{% endfor %}"
  ],
  [
    "printing what is nested a hundred times",
    "{% set ns = namespace(s=[1], t=[1]) %}{% for i in range(100) %}{% set ns.s = [ns.s, ns.s] %}{% set ns.t = [ns.t, ns.t] %}{% endfor %}{{ ns.s == ns.t }}"
  ]
])("stops %s at the deadline", (_name, template) => {
  expect(failureOf(template, { deadline: 100 })).toBe(
    "LimitExceeded: rendering needs more than its 0.1 seconds of processor time"
  )
})

it("bounds sizes, depths and numbers", () => {
  expect(failureOf("{{ range(100001) }}")).toBe("LimitExceeded: range of 100001 elements is longer than 100000")
  expect(failureOf("{% for i in range(100000) %}{{ 'x' * 1000 }}{% endfor %}")).toBe(
    "LimitExceeded: output is larger than 10485760 bytes"
  )
  expect(failureOf("{% include 'again.j2' %}")).toBe("LimitExceeded: files are nested deeper than 50")
  expect(failureOf("{{ 'x' * 1000000000 }}")).toMatch(/^LimitExceeded: text of/)
  expect(failureOf("{{ '%1000000000d' % 1 }}")).toMatch(/^LimitExceeded: text of/)
  expect(failureOf("{{ 2 ** 10000000 }}")).toMatch(/^LimitExceeded: integer of more/)
  expect(
    failureOf("{% set ns = namespace(s=[1]) %}{% for i in range(100) %}{% set ns.s = ns.s + ns.s %}{% endfor %}")
  ).toBe("LimitExceeded: rendering uses too much memory: more than its 128 MB")
  expect(failureOf("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}")).toBe(
    "RecursionError: maximum recursion depth exceeded"
  )
  expect(failureOf(`{{ ${"(".repeat(50_000)}${")".repeat(50_000)} }}`)).toBe(
    "RecursionError: maximum recursion depth exceeded"
  )
  expect(failureOf("{{ '(x+x+)+y'|regex_search('x' * 20000) }}")).toBe("rendered None")
})
