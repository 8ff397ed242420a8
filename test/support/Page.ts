/**
 * A real Chromium that looks at the page of a server. Tests are skipped where there is none (Debian's package `chromium`, or CHROMIUM),
 * and say so. Every page notes what its policy forbids and what breaks in its scripts; `sound` expects nothing of both, and that axe
 * finds no violation.
 */
import { AxeBuilder } from "@axe-core/playwright"
import { Effect } from "effect"
import { existsSync, mkdirSync } from "node:fs"
import * as path from "node:path"
import { type BrowserContext, chromium, type Page } from "playwright-core"
import { expect } from "vitest"
import { TEST } from "./Patience.ts"

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium"
export const hasChromium = existsSync(CHROMIUM)

/** Milliseconds for one step in a page; fewer while one writes tests. */
const PATIENCE = Number(process.env["PAGE_PATIENCE"] ?? TEST)

/** Why tests of the page are skipped. */
export const WITHOUT = "skipped: there is no Chromium (apt-get install chromium, or CHROMIUM=/path/to/it)"

const SCREENSHOTS = path.resolve(import.meta.dirname, "../../screenshots")

/** A browser that ends with the scope. */
export const makeBrowser = Effect.acquireRelease(
  Effect.promise(() =>
    chromium.launch({
      executablePath: CHROMIUM,
      args: ["--disable-dev-shm-usage", ...(process.getuid?.() === 0 ? ["--no-sandbox"] : [])]
    })
  ),
  (browser) => Effect.promise(() => browser.close())
)

export interface PageOptions {
  readonly token?: string
  readonly scheme?: "dark" | "light"
  readonly width?: number
  readonly height?: number
}

/** Scripts that run in the page before its own. */
const TELLING = `document.addEventListener("securitypolicyviolation", (event) =>
  console.error("policy: " + event.effectiveDirective + " " + event.blockedURI))`

/** Errors inside a page. */
const faults = new WeakMap<Page, Array<string>>()

/** A page of its own browser profile; `url` is the server's. */
export const openPage = Effect.fnUntraced(function* (
  browser: Effect.Success<typeof makeBrowser>,
  url: string,
  { height = 900, scheme = "light", token, width = 1280 }: PageOptions = {}
) {
  const context: BrowserContext = yield* Effect.acquireRelease(
    Effect.promise(() =>
      browser.newContext({ baseURL: url, colorScheme: scheme, viewport: { width, height }, reducedMotion: "reduce" })
    ),
    (made) => Effect.promise(() => made.close())
  )
  return yield* Effect.promise(async () => {
    if (token !== undefined) {
      // the profile gets the cookie of a session, as the page does when a user enters a token
      const begun = await context.request.post("/api/v1.0/auth/session", {
        headers: { authorization: `Bearer ${token}` }
      })
      expect(begun.status(), await begun.text()).toBe(200)
    }
    await context.addInitScript({ content: TELLING })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE)
    const noted: Array<string> = []
    faults.set(page, noted)
    page.on("pageerror", (error) => noted.push(`error: ${error.message}`))
    page.on("console", (message) => {
      if (message.type() === "error" && message.text().startsWith("policy:")) noted.push(message.text())
    })
    return page
  })
})

/** Expects that nothing broke, nothing was forbidden, and everybody can use what is shown. Keeps a picture under the name. */
export const sound = (page: Page, name: string) =>
  Effect.promise(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) })
    const { violations } = await new AxeBuilder({ page })
      .withTags(["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"])
      .analyze()
    const told = violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`
    )
    expect(told, name).toEqual([])
    expect(faults.get(page), name).toEqual([])
  })

/** Runs steps in the page. */
export const steps = <A>(run: () => Promise<A>) => Effect.promise(run)

/** Signs the user out, by the menu at their name. */
export const signOut = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: /your menu$/ }).click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
}
