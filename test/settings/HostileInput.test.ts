import { assert, describe, it } from "@effect/vitest"
import { Predicate, Result, Schema } from "effect"
import { compileGroupPattern } from "../../src/settings/GroupPattern.ts"
import { YamlFloat } from "../../src/settings/PythonText.ts"
import { fieldOf, type SettingField } from "../../src/settings/SettingRule.ts"
import { f_root } from "../../src/settings/SettingsModel.ts"
import { validationMessage } from "../../src/settings/SettingsProblem.ts"
import { validateSettings } from "../../src/settings/SettingValidator.ts"
import { readYaml, unreadableText } from "../../src/settings/YamlFile.ts"

/** A small deterministic generator (mulberry32), so that a failure can be repeated. */
const randomFrom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type Random = () => number

const ODD: ReadonlyArray<unknown> = [
  null,
  true,
  false,
  0,
  1,
  -1,
  4095,
  4096,
  1e300,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  10n,
  "",
  "a",
  "1",
  "-",
  "1-2",
  "4096-1",
  "10.0.0.1/24",
  "10.0.0.1",
  "::/0",
  "__proto__",
  "a".repeat(5000),
  "-".repeat(300),
  "\u0000",
  "💥".repeat(70),
  [],
  {},
  new Map(),
  new Set([1]),
  new Date(0),
  new Date(Number.NaN),
  new Uint8Array(3),
  new YamlFloat(1.5),
  new YamlFloat(Number.NaN),
  Symbol("s"),
  () => 1,
  new Map<unknown, unknown>([
    [1, 2],
    [null, 3],
    [[1], 4]
  ]),
  undefined,
  JSON.parse('{"__proto__": 1, "toString": 2, "constructor": {"prototype": 3}}')
]

const pick = <A>(random: Random, from: ReadonlyArray<A>): A | undefined => from[Math.floor(random() * from.length)]

/** A value that fits a rule more often than not, so that deep places are reached. */
const valueFor = (random: Random, { rule }: SettingField, depth: number): unknown => {
  if (random() < 0.15 || depth > 6) return pick(random, ODD)
  switch (rule.kind) {
    case "list":
      return Array.from({ length: Math.floor(random() * 4) }, () => valueFor(random, rule.item, depth + 1))
    case "mapping":
      return new Map(
        Array.from({ length: Math.floor(random() * 4) }, (_, index) => [
          random() < 0.1 ? pick(random, ODD) : `n${index}`,
          valueFor(random, rule.value, depth + 1)
        ])
      )
    case "model": {
      const entries = rule.fields
        .filter(() => random() < 0.7)
        .map((field) => [field.name, valueFor(random, field, depth + 1)] as const)
      return random() < 0.5 ? new Map<unknown, unknown>(entries) : Object.fromEntries(entries)
    }
    case "choice":
      return pick(random, rule.values)
    default:
      return pick(random, [...ODD, 5, 100, "eth1", "custom", "A", "10.0.0.1", "10.1.0.1/16"])
  }
}

describe("any text as settings", () => {
  it("is validated or refused with a message, and never breaks the server", () => {
    const random = randomFrom(4711)
    const counts = { accepted: 0, refused: 0 }
    for (let round = 0; round < 1_000; round += 1) {
      const outcome = validateSettings(valueFor(random, fieldOf(f_root), 0))
      if (Result.isSuccess(outcome)) {
        counts.accepted += 1
        assert.isTrue(Schema.is(f_root)(outcome.success), "a validated value fits its schema")
      } else {
        counts.refused += 1
        assert.match(
          validationMessage(outcome.failure, () => "API POST data"),
          /^Validation error for setting /
        )
      }
    }
    assert.isAbove(counts.refused, 500)
  })

  it("is validated field by field to values of the schema", () => {
    const random = randomFrom(42)
    const { rule } = fieldOf(f_root)
    assert.strictEqual(rule.kind, "model")
    if (rule.kind !== "model") return
    let accepted = 0
    for (let round = 0; round < 3_000; round += 1) {
      const field = pick(random, rule.fields)
      if (field === undefined) continue
      const outcome = validateSettings(new Map([[field.name, valueFor(random, field, 1)]]))
      if (Result.isFailure(outcome)) continue
      accepted += 1
      assert.isTrue(Schema.is(f_root)(outcome.success), field.name)
    }
    assert.isAbove(accepted, 300)
  })

  it("is shown shortened, so that a large bad value causes no large message", () => {
    const huge = Array.from({ length: 100_000 }, (_, index) => ({ key: index }))
    const outcome = validateSettings({ vxlans: huge, ntp_servers: huge })
    assert.isTrue(Result.isFailure(outcome))
    if (Result.isFailure(outcome)) assert.isBelow(validationMessage(outcome.failure, () => "x").length, 200_000)
  })

  it("never shows password hashes, at any place", () => {
    const secret = "$6$saltsalt$hash"
    for (const users of [
      { password_hash_arista: secret },
      [{ username: {}, password_hash_arista: [secret] }],
      [[{ auth_string: secret }]]
    ]) {
      const outcome = validateSettings({ users })
      assert.isTrue(Result.isFailure(outcome))
      if (Result.isFailure(outcome))
        assert.notInclude(
          validationMessage(outcome.failure, () => "x"),
          secret
        )
    }
  })
})

describe("a hostile regular expression", () => {
  const HOSTILE = [
    "(a+)+$",
    "(a|a)*$",
    "(a|aa)+$",
    "(.*)*x",
    "(.*.*.*.*.*.*)x",
    "(x+x+)+y",
    "([a-z]+)*1",
    "((a{100}){100}){100}",
    "a{1000}b{1000}",
    "(((((((((a*)*)*)*)*)*)*)*)*)*b",
    "(?:(?:(?:.?){50}){50}){50}",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "(".repeat(1000),
    "[".repeat(1000),
    "(?=".repeat(300),
    `(?!${"(?!".repeat(100)}`,
    "\\",
    "a".repeat(3000),
    "(a?){1000}a{1000}",
    "\\x{110000}",
    "[z-a]",
    "*",
    "(?P<a>x)(?P<a>y)"
  ]
  for (const source of HOSTILE) {
    it(`${source.slice(0, 40)} is refused or answers`, () => {
      const pattern = compileGroupPattern(source)
      if (Result.isSuccess(pattern)) assert.isBoolean(pattern.success(`${"a".repeat(252)}!`))
      else assert.isAbove(pattern.failure.length, 0)
    })
  }
})

describe("a file of random bytes", () => {
  it("is read or refused, never more", () => {
    const random = randomFrom(7)
    const alphabet = [..."ab: -[]{}&*!|>'\"%@`,#?\n\t 01."]
    for (let round = 0; round < 1_000; round += 1) {
      const text = Array.from({ length: Math.floor(random() * 80) }, () => pick(random, alphabet)).join("")
      const outcome = readYaml("x.yml", text)
      if (Result.isFailure(outcome)) assert.isTrue(Predicate.isString(unreadableText(outcome.failure)))
    }
  })
})
