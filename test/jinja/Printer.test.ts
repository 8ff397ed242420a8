import { expect, it } from "vitest"
import { attempt, Position } from "../../src/jinja/Failure.ts"
import { parseTemplate } from "../../src/jinja/syntax/Parser.ts"
import { printTemplate } from "./TemplatePrinter.ts"
import type { Template } from "../../src/jinja/syntax/Tree.ts"
import { generatedCases, referenceCases } from "./Cases.ts"
import { randomFrom, randomTemplate } from "./RandomTemplates.ts"

const parse = (source: string): Template | undefined => {
  const parsed = attempt(
    () => parseTemplate("t", source),
    () => new Position("t", 1, 1)
  )
  return parsed.ok ? parsed.value : undefined
}

// The tree without the places of its nodes.
const shape = (template: Template | undefined): string =>
  JSON.stringify(template, (key, value: unknown) =>
    key === "at" ? undefined : typeof value === "bigint" ? `${value}n` : value
  )

const unstable = (sources: Iterable<string>): { readonly parsed: number; readonly wrong: ReadonlyArray<unknown> } => {
  const wrong: Array<unknown> = []
  let parsed = 0
  for (const source of sources) {
    const template = parse(source)
    if (template === undefined) continue
    parsed++
    const printed = printTemplate(template)
    const again = parse(printed)
    if (shape(again) !== shape(template) || again === undefined || printTemplate(again) !== printed)
      wrong.push({ source, printed })
  }
  return { parsed, wrong }
}

it("prints every conformance template so that it parses to the same tree", () => {
  const cases = [...referenceCases(), ...generatedCases()]
  const { parsed, wrong } = unstable(cases.flatMap((entry) => [entry.template, ...Object.values(entry.files ?? {})]))
  expect(wrong).toEqual([])
  expect(parsed).toBeGreaterThan(1000)
})

it("prints random templates so that they parse to the same tree", () => {
  const random = randomFrom(20_261_121)
  const { parsed, wrong } = unstable(Array.from({ length: 20_000 }, () => randomTemplate(random, 12)))
  expect(wrong).toEqual([])
  expect(parsed).toBeGreaterThan(1000)
})

it("keeps white space and text that looks like a tag", () => {
  const sources = [
    "a\n  {% if x %}\n  b\n{% endif %}\n",
    "{% raw %}{{ x }} {% if %}{% endraw %}",
    "{{ '{' }}{",
    "{{ 'it\\'s\\n' }}",
    "{{ -(-1) ** 2 }}{{ (1, ) }}{{ () }}"
  ]
  expect(unstable(sources)).toEqual({ parsed: sources.length, wrong: [] })
})
