/** The page as shipped: small at first, and without a trace of the machine that built it. */
import { expect, it } from "vitest"
import { readdirSync, readFileSync, statSync } from "node:fs"
import * as path from "node:path"

const root = path.resolve(import.meta.dirname, "../..")
const build = path.join(root, "web", "build")

/** Bytes, compressed. */
const FIRST_LOAD = 250_000

it("the page loads at most 250 KB at first", () => {
  const html = readFileSync(path.join(build, "index.html"), "utf8")
  const files = [...html.matchAll(/(?:src|href)="[^"]*\/(assets\/[^"]+)"/g)].map(([, file = ""]) => file)
  expect(files.length).toBeGreaterThan(1)
  const bytes = files.reduce((sum, file) => sum + statSync(path.join(build, `${file}.br`)).size, 0)
  expect(bytes).toBeGreaterThan(10_000)
  expect(bytes).toBeLessThanOrEqual(FIRST_LOAD)
})

it("the page is built for users, also when a test has built it, and contains no path of this machine", () => {
  const scripts = readdirSync(path.join(build, "assets")).filter((file) => file.endsWith(".js"))
  expect(scripts.length).toBeGreaterThan(10)
  for (const file of scripts) {
    const text = readFileSync(path.join(build, "assets", file), "utf8")
    expect(text.includes(root) || text.includes("jsxDEV("), file).toBe(false)
  }
})
