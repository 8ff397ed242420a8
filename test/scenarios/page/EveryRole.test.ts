/**
 * Every screen with every ready role, whole and narrowed to a group: the page begins where the rights lead, asks for nothing that is refused,
 * shows no red box, and offers no action that is refused.
 */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page, Route } from "playwright-core"
import { readyRoles } from "../../../src/domain/access/PermissionFile.ts"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, steps, WITHOUT } from "../../support/Page.ts"
import { follow, listen, makeRecords, type Noted, screensOf, settled } from "../../support/Screens.ts"

const [OWN, OTHER] = ["lhv-acc1", "lhv-acc3"]
const GROUP = "WEST_WING"

const ROLES = `group_mappings: {}
roles:
${[...readyRoles.keys()].map((role) => `  west-${role}: { extends: ${role}, groups: [${GROUP}] }`).join("\n")}
`

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: [OWN, OTHER], roles: ROLES })
  const records = yield* makeRecords(campus, OWN)
  yield* ended(campus.boss, jobIn(yield* campus.boss("POST", "/device_read_tables", { all: true })))
  return { ...campus, records, browser: yield* makeBrowser }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/EveryRole") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

const boxes = (page: Page): Promise<ReadonlyArray<string>> => page.locator("main [role=alert]").allInnerTexts()

/** Answers what a screen sends by what the server says about it, so that nothing changes. */
const onlyAsked = (noted: Noted, token: string) => async (route: Route) => {
  const request = route.request()
  const path = new URL(request.url()).pathname.replace("/api/v1.0", "")
  if (request.method() === "GET" || path.startsWith("/auth/session")) return await route.fallback()
  const device = /^\/device\/([^/]+)\//.exec(path)?.[1] ?? OWN
  const question = new URLSearchParams({ method: request.method(), path, device })
  const answer = await fetch(`${new URL(request.url()).origin}/api/v1.0/auth/explain?${question}`, {
    headers: { authorization: `Bearer ${token}` }
  })
  const text = await answer.text()
  if (!/"allowed":true/.test(text)) noted.refused.push(`${request.method()} ${path}, offered: ${text}`)
  return await route.fulfill({ status: 400, json: { status: "error", message: "This was only tried" } })
}

/** Presses every button of a screen once; what it opens is closed again. */
const pressAll = async (page: Page, noted: Noted) => {
  const buttons = page.locator("main button:enabled:visible")
  const names = await buttons.evaluateAll((all) => all.map((one) => one.textContent?.trim() ?? ""))
  const own = [...new Set(names)].filter((name) => name !== "")
  for (const name of own) {
    const button = page.locator("main button:enabled:visible").filter({ hasText: name }).first()
    if ((await button.count()) === 0) continue
    await button.click({ timeout: 2000, noWaitAfter: true }).catch(() => {})
    const dialog = page.getByRole("dialog").locator("button:enabled:visible")
    for (const index of (await dialog.all()).keys())
      await dialog
        .nth(index)
        .click({ timeout: 500 })
        .catch(() => {})
    await page.keyboard.press("Escape")
    await settled(page, noted)
  }
}

const walk = Effect.fnUntraced(function* (role: string) {
  const { browser, records, tokenOf, url } = yield* Site
  const token = yield* tokenOf(role, `${role}-person`)
  const page = yield* openPage(browser, url, { token })
  const noted = listen(page)
  const found: Array<string> = []
  const look = async (where: string) => {
    await settled(page, noted)
    for (const text of await boxes(page)) found.push(`${where}: ${text.replaceAll("\n", " ")}`)
    found.push(...noted.refused.splice(0).map((call) => `${where}: refused ${call}`))
  }
  yield* steps(async () => {
    await page.goto("/ui/")
    await page.getByRole("navigation").first().waitFor()
    await look("landing")
    const isLed = async (where: string) => {
      if ((await page.getByText("You may not see this").count()) > 0) found.push(`${where}: leads to nothing`)
    }
    await isLed("landing")
    await page.route("**/api/v1.0/**", onlyAsked(noted, token))
    const linked = await page
      .locator(".nav-link[href]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""))
    const written = screensOf(records)
    for (const path of new Set([...linked, ...written])) {
      await follow(page, path)
      await look(path)
      if (linked.includes(path)) await isLed(path)
      for (const tab of await page.getByRole("main").getByRole("tab").all()) {
        await tab.click()
        await look(`${path} ${await tab.innerText()}`)
      }
      await pressAll(page, noted)
      found.push(...noted.refused.splice(0).map((call) => `${path}: refused ${call}`))
    }
  })
  return found
})

describe.skipIf(!hasChromium)(`Every screen of the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    for (const role of [...readyRoles.keys()].flatMap((name) => [name, `west-${name}`]))
      it.effect(`refuses nothing to a ${role}`, () =>
        Effect.gen(function* () {
          expect(yield* walk(role)).toEqual([])
        })
      )
  })
})
