import { expect, it } from "vitest"
import { directoryLoader, Environment } from "../../src/jinja/Jinja.ts"
import { exampleTemplates, stored } from "../support/Lindhaven.ts"
import { generatedCases, numberCases, referenceCases, render, siteLibrary, variablesFrom } from "./Cases.ts"
import type { Case } from "./Cases.ts"

const run = (entry: Case): ReturnType<typeof render> =>
  // JSON.stringify keeps what the cases need: none of them hangs on a float without fraction as variable.
  render(entry.template, variablesFrom(JSON.stringify(entry.variables ?? {})), entry.files)

const differences = (
  cases: ReadonlyArray<Case>,
  same: (entry: Case, result: ReturnType<typeof run>) => boolean
): unknown =>
  cases.flatMap((entry) => {
    const result = run(entry)
    return same(entry, result) ? [] : [{ ...entry, got: result.ok ? result.value.text : result.failure }]
  })

// Python has one class for a list of templates of which none was found.
const kinds: Readonly<Record<string, string>> = { TemplatesNotFound: "TemplateNotFound" }

// Errors that say the same in other words: file names become sentences, and Python's words for its own internals (adding to a text in
// place, calling C functions) would help no reader.
const ownWords = [/^TemplateNotFound$/, /\+=: /, /takes no keyword arguments$/, /has no len\(\)$/, /\\u200b/]

const sameWords = (entry: Case, message: string): boolean =>
  message === entry.message ||
  ownWords.some((pattern) => pattern.test(entry.error ?? "") || pattern.test(entry.message ?? ""))

it("renders every case of the reference byte for byte, and fails where it fails", () => {
  const cases = referenceCases()
  expect(cases.length).toBe(203)
  expect(
    differences(cases, (entry, result) =>
      entry.error === undefined ? result.ok && result.value.text === entry.expected : !result.ok
    )
  ).toEqual([])
})

const sameOutcome = (entry: Case, result: ReturnType<typeof run>): boolean => {
  if (result.ok) return result.value.text === entry.expected
  const { kind, message } = result.failure
  return kind === (kinds[entry.error ?? ""] ?? entry.error) && sameWords(entry, message)
}

it("renders what Jinja2 renders, and fails with its class of error and its words", () => {
  const cases = generatedCases()
  expect(cases.length).toBeGreaterThan(1000)
  expect(differences(cases, sameOutcome)).toEqual([])
})

it("reads numbers from the texts that Python accepts, and from no others", () => {
  const cases = numberCases()
  expect(cases.length).toBeGreaterThan(700)
  const wrong = cases.flatMap(({ expected, t, template }) => {
    const result = render(template, variablesFrom(JSON.stringify({ t })))
    const got = result.ok ? result.value.text : result.failure.message
    return got === expected ? [] : [{ t, expected, got }]
  })
  expect(wrong).toEqual([])
})

it("reads long texts in time that grows with their length only", () => {
  const digits = "1".repeat(400_000)
  for (const t of [`${digits}x`, `x${" ".repeat(400_000)}x`, `${digits}_`, `0${"_0".repeat(200_000)}x`]) {
    const result = render(
      "{{ t|int(-7) }} {{ t|float(-7.5) }} {{ t|int(-7, 0) }}",
      variablesFrom(JSON.stringify({ t }))
    )
    expect(result.ok && result.value.text).toBe("-7 -7.5 -7")
  }
})

it.each([
  ["access", "lhv-acc1"],
  ["dist", "lhv-dist1"],
  ["core", "lhv-core1"]
])("renders the example configuration of an %s switch byte for byte", (type, host) => {
  const environment = new Environment({ loader: directoryLoader(exampleTemplates), filters: siteLibrary })
  const result = environment.renderFile(`${type}.j2`, variablesFrom(stored(`${host}.variables.json`)))
  expect(result.ok ? result.value.text : result.failure).toBe(stored(`${host}.cfg`))
})
