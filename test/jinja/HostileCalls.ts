/**
 * Calls of everything that templates can call or compute with, each with arguments chosen to use up the memory or the time of the server.
 * The calls depend only on the number of rounds.
 */
import { Environment, memoryLoader } from "../../src/jinja/Jinja.ts"
import { siteLibrary } from "./Cases.ts"
import { builtinFilters } from "../../src/jinja/Environment.ts"
import { globals } from "../../src/jinja/library/Globals.ts"
import { tests } from "../../src/jinja/library/Tests.ts"
import { methodNames } from "../../src/jinja/values/Access.ts"
import { Dict, Float, Markup, Tuple, Undefined, type Value } from "../../src/jinja/values/Value.ts"
import { randomFrom } from "./RandomTemplates.ts"

/** One thing that templates can do, as a template over `s` (what it is applied to) and `args`. */
export interface Deed {
  readonly name: string
  readonly template: string
  readonly subjects: ReadonlyArray<string>
}

/** One call: what is done to which value with which arguments, the values by their names. */
export interface Call {
  readonly deed: Deed
  readonly subject: string
  readonly args: ReadonlyArray<string>
}

const SIZE = 300_000

const filled = <A>(count: number, item: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => item(index))

const nested = (depth: number): Value => {
  let value: Value = [1]
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

const loopInItself = (): Value => {
  const value: Array<Value> = [1]
  value.push(value)
  return value
}

const texts: Readonly<Record<string, () => Value>> = {
  "'x' * n": () => "x".repeat(SIZE),
  "'- ' * n": () => "- ".repeat(SIZE / 2),
  "'ab-cd' * n": () => "ab-cd".repeat(SIZE / 5),
  tabs: () => "\t".repeat(SIZE),
  "line ends": () => "\n".repeat(SIZE),
  digits: () => "9".repeat(SIZE),
  entities: () => "&<>'\"".repeat(SIZE / 5),
  escaped: () => new Markup("<&amp;'".repeat(SIZE / 7)),
  astral: () => "\u{1f600}".repeat(SIZE / 2),
  ports: () => "Ethernet[1-9999]".repeat(20),
  vlans: () => "1-4094,".repeat(SIZE / 7),
  braces: () => "{".repeat(SIZE),
  "a template": () => "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
  "'{:>9e8}'": () => "{:>999999999}{:<999999}",
  "'{:0=9e4,}'": () => "{:0=90000,}",
  "'%9e8d'": () => "%999999999d%.999999999d",
  "'%*.*f'": () => "%*.*f",
  "'a*?b|a'": () => "a*?b|a|x",
  "'(a{9}){99}'": () => "((a{9}b?){99}c?)".repeat(60),
  "'\\g<0>'": () => "\\g<0>".repeat(2000),
  "''": () => "",
  "' '": () => " ",
  "'x'": () => "x",
  "'batch'": () => "batch",
  "'center'": () => "center",
  "'upper'": () => "upper",
  "'2001:db8::/32'": () => "2001:db8::/32"
}

const numbers: Readonly<Record<string, () => Value>> = {
  "10**9": () => 1_000_000_000,
  "-10**9": () => -1_000_000_000,
  "2**53": () => Number.MAX_SAFE_INTEGER,
  "10**6": () => 1_000_000,
  "10**78000": () => 10n ** 78_000n,
  "1e308": () => new Float(1e308),
  "-1": () => -1,
  "1": () => 1,
  "3": () => 3,
  true: () => true
}

const containers: Readonly<Record<string, () => Value>> = {
  numbers: () => filled(SIZE / 3, (index) => index),
  "long texts": () => {
    const text = "y".repeat(100_000)
    return filled(10_000, () => text)
  },
  pairs: () => filled(SIZE / 10, (index) => new Tuple([index, `v${index}`])),
  dicts: () => filled(SIZE / 30, (index) => Dict.of([["k", index % 3]])),
  dict: () => Dict.of(filled(SIZE / 6, (index) => [`key${index}`, index] as const)),
  tuple: () => new Tuple(filled(SIZE / 3, (index) => index)),
  deep: () => nested(3000),
  "in itself": loopInItself,
  "[]": () => []
}

const others: Readonly<Record<string, () => Value>> = {
  none: () => null,
  undefined: () => new Undefined("'u' is undefined")
}

/** Every value by its name; made anew for each call, because a call may change it. */
export const values: Readonly<Record<string, () => Value>> = { ...texts, ...numbers, ...containers, ...others }

const [anyText = [], anyNumber = [], anyContainer = []] = [texts, numbers, containers].map((kind) => Object.keys(kind))
const anything = Object.keys(values)

// Applied, then gone through, and then printed: what a filter gives may be made only when it is asked for.
const uses = (expression: string): ReadonlyArray<string> => [
  `{% for x in ${expression} %}{% endfor %}`,
  `{{ ${expression} }}`
]

const deeds = (
  kind: string,
  names: Iterable<string>,
  expression: (name: string) => string,
  subjects: ReadonlyArray<string> = anything
): ReadonlyArray<Deed> =>
  [...names].flatMap((name) =>
    uses(expression(name)).map((template) => ({ name: `${kind} ${name}`, template, subjects }))
  )

const methodsOf = (kind: string, subjects: ReadonlyArray<string> = []): ReadonlyArray<Deed> => {
  const [subject = ""] = subjects
  const names = methodNames(values[subject]?.() ?? null)
  return deeds("method", names, (name) => `s.${name}(*args)`, subjects).map((deed) => ({
    ...deed,
    name: `${deed.name} of ${kind}`
  }))
}

const operators = ["+", "-", "*", "/", "//", "%", "**", "~", "==", "<", "in", "and"]

const constructs: ReadonlyArray<readonly [string, string]> = [
  ["slice", "s[args[0]:args[1]:args[2]]"],
  ["item", "s[args[0]]"],
  ["negation", "-s"],
  ["call", "s(*args)"],
  ["list", "[s, args, s]"],
  ["dict", "{s: args}"],
  ["tuple", "(s, args, s)"],
  ["conversion", "s ~ args"]
]

/** Everything that templates can do. */
export const allDeeds: ReadonlyArray<Deed> = [
  ...deeds(
    "filter",
    [...builtinFilters.keys(), ...siteLibrary.flatMap((library) => [...library.keys()])],
    (name) => `s|${name}(*args)`
  ),
  ...deeds("test", tests.keys(), (name) => `s is ${name}(*args)`),
  ...deeds("global", globals.keys(), (name) => `${name}(s, *args)`),
  ...deeds("operator", operators, (operator) => `s ${operator} args[0]`),
  ...constructs.flatMap(([name, expression]) => deeds("construct", [name], () => expression)),
  ...methodsOf("text", anyText),
  ...methodsOf(
    "list",
    anyContainer.filter((name) => Array.isArray(values[name]?.()))
  ),
  ...methodsOf("dict", ["dict"]),
  ...methodsOf("tuple", ["tuple"]),
  ...methodsOf("number", anyNumber),
  ...methodsOf("float", ["1e308"])
]

const large = ["10**9", "10**9", "10**9", "2**53", "-10**9", "10**78000"]
const small = ["'x'", "''", "1", "3", "true", "none", "[]", "' '"]

// The sources of the arguments of a call, place by place: sizes with fillings, fillings with sizes, anything.
const manners: ReadonlyArray<ReadonlyArray<ReadonlyArray<string>>> = [
  [large, small, small, small],
  [small, large, small, large],
  [large, large, large],
  [small, small, small, small],
  [anyText, anyText, anyText],
  [anyText, anyNumber, small],
  [anything, anything, anything],
  [anyContainer, small, small]
]

/** Templates that once took gigabytes or minutes. */
const known = [
  "{% for row in [1]|batch(10**9, 'x') %}{% endfor %}",
  "{{ ('9' * 300000 ~ 'x')|float }}",
  "{{ ('9' * 300000 ~ 'x')|split_interface }}",
  "{{ ['9' * 300000 ~ 'x']|interface_range_compress }}",
  "{{ ('[' ~ '1-9999,' * 9000 ~ '1]')|interface_range_expansion|length }}",
  "{{ '{:0=90000,}'.format(1)|length }}",
  "{{ '{:,}'.format(2 ** 200000)|length }}",
  "{{ 1|bits_to_name(10**9) }}",
  "{{ ('a{1000}' * 140)|regex_search('a' * 50000) }}",
  "{{ '(x+)+y|x'|regex_findall('x' * 100000)|length }}",
  "{{ ('%(a)s' * 60000) % {'a': 'x' * 300000} }}",
  "{{ 'x'|regex_sub('\\\\g<0>' * 2000, 'x' * 300000)|length }}",
  "{% set l = [] %}{% for i in range(100000) %}{% set x %}{% for j in range(1000) %}a{% endfor %}{% endset %}{% set _ = l.append(x) %}{% endfor %}",
  "{% set l = [] %}{% set t = 'x' * 300000 %}{% for i in range(100000) %}{% set _ = l.append(t|upper) %}{% endfor %}",
  "{% set ns = namespace(l=[]) %}{% for i in range(100000) %}{% for j in range(1000) %}{% set ns.l = [ns.l] %}{% endfor %}{% endfor %}"
]

/** So many calls of each deed Every subject comes about as often as every other. */
export const hostileCalls = (rounds: number, seed = 1): ReadonlyArray<Call> => {
  const random = randomFrom(seed)
  const pick = (from: ReadonlyArray<string>): string => from[Math.floor(random() * from.length)] ?? "none"
  const chosen = allDeeds.flatMap((deed, place) =>
    filled(rounds, (round): Call => {
      const subject = deed.subjects[(place + round) % deed.subjects.length] ?? "none"
      const manner = manners[round % manners.length] ?? []
      return { deed, subject, args: manner.slice(0, Math.floor(random() * 4) + 1).map(pick) }
    })
  )
  const subjects = ["none"]
  return [
    ...known.map((template) => ({ deed: { name: "known", template, subjects }, subject: "none", args: [] })),
    ...chosen
  ]
}

/** Memory in cells and time in milliseconds that each call may use. */
export const bounds = { cells: 1024 * 1024, deadline: 200, output: 1024 * 1024 }

const environment = new Environment({ loader: memoryLoader({}), filters: siteLibrary, limits: bounds })

/** Does it; the answer says how it ended. */
export const run = ({ args, deed, subject }: Call): string => {
  const make = (name: string): Value => values[name]?.() ?? null
  const compiled = environment.compileText("main.j2", deed.template)
  if (!compiled.ok) return `${compiled.failure.kind}: ${compiled.failure.message}`
  const variables = Dict.of([
    ["s", make(subject)],
    ["args", args.map(make)]
  ])
  const result = environment.render(compiled.value, variables)
  return result.ok ? "rendered" : `${result.failure.kind}: ${result.failure.message}`
}

/** A call for people. */
export const callText = ({ args, deed, subject }: Call): string =>
  `${deed.name}: ${deed.template} with s = ${subject}, args = ${args.join(" | ")}`
