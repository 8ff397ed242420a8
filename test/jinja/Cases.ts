/**
 * Conformance cases as data: templates with what real Jinja2 makes of them.
 */
import { Schema } from "effect"
import { readFileSync } from "node:fs"
import { Dict, Environment, memoryLoader, parseJson, sectionFilters, siteFilters } from "../../src/jinja/Jinja.ts"
import type { Rendered, Result } from "../../src/jinja/Jinja.ts"

/** All filters beyond Jinja2's own, with two notations of configurations. */
export const siteLibrary = [
  siteFilters,
  sectionFilters(
    new Map([
      ["eos", { sections: "indentation", comment: "!" }],
      ["junos", { sections: "braces", comment: "#" }]
    ])
  )
]

/** A case: its result is either a text or an error. */
export interface Case {
  readonly n: number
  readonly category: string
  readonly template: string
  readonly variables?: unknown
  readonly files?: Readonly<Record<string, string>>
  readonly expected?: string
  /** The class of the exception. */
  readonly error?: string
  readonly message?: string
}

/** A file in the same folder. */
export const readData = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8")

interface CaseFile {
  readonly cases: ReadonlyArray<Case>
}

const isCaseFile = (value: unknown): value is CaseFile =>
  typeof value === "object" && value !== null && "cases" in value && Array.isArray(value.cases)

/** The cases of the reference. */
export const referenceCases = (): ReadonlyArray<Case> => {
  const parsed: unknown = JSON.parse(readData("conformance/reference.json"))
  if (!isCaseFile(parsed)) throw new Error("reference.json holds no cases")
  return parsed.cases
}

type Given = Pick<Case, "variables" | "files">

interface SharedFile {
  readonly shared: ReadonlyArray<Given>
}

const isSharedFile = (value: unknown): value is SharedFile =>
  typeof value === "object" && value !== null && "shared" in value && Array.isArray(value.shared)

const isCase = (value: unknown): value is Case & { readonly given: number } =>
  typeof value === "object" && value !== null && "template" in value && "given" in value

/** The cases that scripts/jinja-cases.py has made. */
export const generatedCases = (): ReadonlyArray<Case> => {
  const [head, ...lines] = readData("conformance/generated.jsonl")
    .trim()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
  if (!isSharedFile(head)) throw new Error("generated.jsonl has no head")
  return lines.filter(isCase).map((entry) => ({ ...entry, ...head.shared[entry.given] }))
}

/** A text `t` and what a template of conversions makes of it. */
export interface NumberCase {
  readonly template: string
  readonly t: string
  readonly expected: string
}

const NumberTemplates = Schema.fromJsonString(Schema.Struct({ short: Schema.String, long: Schema.String }))
const NumberLine = Schema.fromJsonString(
  Schema.Struct({ size: Schema.Literals(["short", "long"]), t: Schema.String, expected: Schema.String })
)

/** The cases that scripts/jinja-numbers.py has made. */
export const numberCases = (): ReadonlyArray<NumberCase> => {
  const [head = "", ...lines] = readData("conformance/numbers.jsonl").trim().split("\n")
  const templates = Schema.decodeSync(NumberTemplates)(head)
  return lines.map((line) => {
    const { size, ...rest } = Schema.decodeSync(NumberLine)(line)
    return { ...rest, template: templates[size] }
  })
}

/** Variables from a JSON text, with integers and floats apart. */
export const variablesFrom = (text: string): Dict => {
  const parsed = parseJson("variables.json", text)
  if (!parsed.ok) throw new Error(parsed.failure.message)
  return parsed.value instanceof Dict ? parsed.value : new Dict()
}

/** Renders a text with the filters of sites and these additional files. */
export const render = (
  template: string,
  variables: Dict | Readonly<Record<string, unknown>> = {},
  files: Readonly<Record<string, string>> = {}
): Result<Rendered> => {
  const environment = new Environment({ loader: memoryLoader(files), filters: siteLibrary })
  const compiled = environment.compileText("main.j2", template)
  return compiled.ok ? environment.render(compiled.value, variables) : compiled
}

/** The output of a template, or the class and sentence of its error. */
export const outcome = (...args: Parameters<typeof render>): string => {
  const result = render(...args)
  return result.ok ? result.value.text : `${result.failure.kind}: ${result.failure.message}`
}
