/** The tokens of the page: the only colours there are, and readable in both schemes (WCAG 2.2 AA). */
import { describe, expect, it } from "vitest"
import { readdirSync, readFileSync } from "node:fs"
import * as path from "node:path"
import type { Tone } from "../../../src/domain/words/Word.ts"
import { shared, tokens } from "../../../web/app/tokens.ts"

const web = path.resolve(import.meta.dirname, "../../../web")
const TOKENS = path.join("app", "tokens.ts")

/** A colour in digits, but not the anchor of an address such as `changes.md#fab`. */
const HEXADECIMAL = /(?<![\w/.)&])#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b/i

it("only the tokens have colours in hexadecimal digits", () => {
  const files = readdirSync(web, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.(css|tsx?)$/.test(file) && !file.startsWith("build") && file !== TOKENS
  )
  expect(files.length).toBeGreaterThan(100)
  const coloured = files.flatMap((file) =>
    readFileSync(path.join(web, file), "utf8")
      .split("\n")
      .flatMap((line, index) => (HEXADECIMAL.test(line) ? [`${file}:${index + 1} ${line.trim()}`] : []))
  )
  expect(coloured).toEqual([])
})

it("no style asks for a variable that is no token", () => {
  const known = new Set([...Object.keys(tokens.light), ...Object.keys(shared)])
  const asked = readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(css|tsx?)$/.test(file) && !file.startsWith("build") && file !== TOKENS)
    .flatMap((file) => [...readFileSync(path.join(web, file), "utf8").matchAll(/--sy-([\w-]+)/g)])
    .map(([, name = ""]) => name)
  expect(asked.length).toBeGreaterThan(50)
  expect(asked.filter((name) => !known.has(name))).toEqual([])
})

/** Complete by type: a new tone without its colours does not compile, or fails below. */
const TONE: Readonly<Record<Tone, true>> = { good: true, warn: true, bad: true, info: true, wait: true, quiet: true }
const COLOUR = /^(?:color|background|border[\w-]*|fill|stroke|--tone[\w-]*):/

it("every tone has its colours, and they are written once", () => {
  const rules = readdirSync(web, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".css") && !file.startsWith("build"))
    .flatMap((file) => [...readFileSync(path.join(web, file), "utf8").matchAll(/([^{}]*)\{([^{}]*)\}/g)])
    .map(([, selector = "", body = ""]) => ({
      selector: selector.replaceAll(/\/\*.*?\*\//gs, "").trim(),
      sets: body.split(";").flatMap((line) => (COLOUR.test(line.trim()) && line.includes("--sy-") ? [line.trim()] : []))
    }))
  for (const tone of Object.keys(TONE))
    expect(rules.find(({ selector }) => selector === `[data-tone="${tone}"]`)?.sets).toEqual([
      `--tone: var(--sy-${tone})`,
      `--tone-soft: var(--sy-${tone}-soft)`,
      `--tone-fill: var(--sy-fill-${tone})`
    ])
  // "good" may be quiet in a table; nothing else gives a single tone a colour of its own
  const own = rules.filter(({ selector, sets }) => /\[data-tone="\w+"\]/.test(selector) && sets.length > 0)
  expect(own.map(({ selector }) => selector).filter((selector) => !selector.startsWith("[data-tone="))).toEqual([
    '.grid .tone[data-tone="good"] span,\ntd .tone[data-tone="good"] span'
  ])
})

const channel = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)

const luminance = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(colour.slice(at, at + 2), 16) / 255)
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrast = (one: string, other: string): number => {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const TONES = ["good", "warn", "bad", "info", "wait", "quiet"] as const

describe.each(["light", "dark"] as const)("the %s scheme", (scheme) => {
  const of = tokens[scheme]
  it.each([
    ...(["text", "text2", "text3", "accent-text", ...TONES] as const).flatMap((word) =>
      (["canvas", "surface", "hover"] as const).map((ground) => [word, ground] as const)
    ),
    ...TONES.map((tone) => [tone, `${tone}-soft`] as const),
    ["accent-text", "accent-soft"] as const,
    ["on-accent", "accent"] as const,
    ["on-accent", "danger"] as const,
    ...(["line-add", "line-add-w", "line-del", "line-del-w"] as const).map((ground) => ["text", ground] as const)
  ])("%s can be read on %s", (word, ground) => {
    expect(contrast(of[word], of[ground])).toBeGreaterThanOrEqual(4.5)
  })
  it("edges of fields can be seen", () => {
    expect(contrast(of.control, of.surface)).toBeGreaterThanOrEqual(3)
  })
})
