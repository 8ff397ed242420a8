/**
 * How many access configurations of about 5 KB the template engine renders a second on one core, with the templates of
 * the examples compiled once, and whether memory stays flat over many renderings. Run it alone with
 * `node bench/RenderBench.ts [renderings]`.
 */
import { fileURLToPath } from "node:url"
import { describe, Dict, directoryLoader, Environment, siteFilters, toValue } from "../src/jinja/Jinja.ts"
import type { Rendered, Result, Template } from "../src/jinja/Jinja.ts"
import { exampleTemplates, stored } from "../test/support/Lindhaven.ts"

/** What was measured. */
export interface RenderFigures {
  /** Characters of one configuration. */
  readonly size: number
  /** Renderings a second with variables that are values of the engine already. */
  readonly perSecond: number
  /** Renderings a second when plain data is converted for each of them. */
  readonly perSecondConverted: number
  /** Heap after the warm-up and at the end, in MB. */
  readonly heapBefore: number
  readonly heapAfter: number
}

const target = 5200

type PlainVariables = Record<string, unknown> & { readonly interfaces: ReadonlyArray<unknown> }

const isPlain = (value: unknown): value is PlainVariables =>
  typeof value === "object" && value !== null && "interfaces" in value && Array.isArray(value.interfaces)

const readVariables = (): PlainVariables => {
  const parsed: unknown = JSON.parse(stored("lhv-acc1.variables.json"))
  if (!isPlain(parsed)) throw new Error("the example variables hold no list of interfaces")
  return parsed
}

const must = <A>(result: Result<A>): A => {
  if (result.ok) return result.value
  throw new Error(describe(result.failure, () => undefined))
}

const engineValues = (variables: PlainVariables): Dict => {
  const value = must(toValue(variables))
  return value instanceof Dict ? value : new Dict()
}

// So many ports that the configuration is about 5 KB long.
const shorten = (render: (variables: PlainVariables) => Rendered, all: PlainVariables): PlainVariables => {
  let variables = all
  while (render(variables).text.length > target && variables.interfaces.length > 1) {
    variables = { ...variables, interfaces: variables.interfaces.slice(0, -1) }
  }
  return variables
}

const heap = (): number => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed / 1024 / 1024
}

const rate = (run: () => void, count: number): number => {
  const start = performance.now()
  for (let i = 0; i < count; i++) run()
  return Math.round((count / (performance.now() - start)) * 1000)
}

/** Renders an access configuration so many times, both ways, and reports the figures. */
export const measureRendering = (renderings = 20_000): RenderFigures => {
  const environment = new Environment({ loader: directoryLoader(exampleTemplates), filters: [siteFilters] })
  const template: Template = must(environment.compile("access.j2"))
  const plain = shorten((variables) => must(environment.render(template, variables)), readVariables())
  const values = engineValues(plain)
  const size = must(environment.render(template, values)).text.length
  rate(() => must(environment.render(template, values)), 3000)
  const heapBefore = heap()
  const perSecond = rate(() => must(environment.render(template, values)), renderings)
  const heapAfter = heap()
  const perSecondConverted = rate(() => must(environment.render(template, plain)), Math.min(renderings, 20_000))
  return { size, perSecond, perSecondConverted, heapBefore, heapAfter }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const count = Number(process.argv[2] ?? 20_000)
  process.stdout.write(`${JSON.stringify(measureRendering(count), null, 2)}\n`)
}
