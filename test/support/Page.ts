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
import { seconds } from "./Patience.ts"

export const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium"
export const hasChromium = existsSync(CHROMIUM)

/** Milliseconds for one step in a page: less than a test may take, so that a red one names what it has waited for. */
const PATIENCE = Number(process.env["PAGE_PATIENCE"] ?? seconds(120))

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

/** The rules of WCAG, and one more: the name that a screen reader says contains the words on the screen. */
const RULES: Parameters<AxeBuilder["options"]>[0] = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  rules: { "label-content-name-mismatch": { enabled: true } }
}

/** The rules that the page breaks as it is shown now, each with the elements that break it. */
export const accessFaults = async (page: Page): Promise<ReadonlyArray<string>> => {
  // the page has no frames of others; without the legacy mode each look opens another page
  const { violations } = await new AxeBuilder({ page }).options(RULES).setLegacyMode().analyze()
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join("\n")}`
  )
}

/** Expects that nothing broke, nothing was forbidden, and everybody can use what is shown. Keeps a picture under the name. */
export const sound = (page: Page, name: string) =>
  Effect.promise(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: path.join(SCREENSHOTS, `${name}.png`) })
    expect(await accessFaults(page), name).toEqual([])
    expect(faults.get(page), name).toEqual([])
  })

/** Runs steps in the page. */
export const steps = <A>(run: () => Promise<A>) => Effect.promise(run)

/** Opens a screen by `g` and its letter, again while a page that has just begun does not listen yet. */
export const leap = async (page: Page, letter: string): Promise<void> => {
  const before = page.url()
  while (page.url() === before) {
    await page.keyboard.press("g")
    await page.keyboard.press(letter)
    await page.waitForTimeout(100)
  }
}

/** Signs the user out, by the menu at their name. */
export const signOut = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: /your menu$/ }).click()
  await page.getByRole("menuitem", { name: "Sign out" }).click()
}
