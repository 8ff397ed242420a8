/**
 * Every screen and tab in dark on a phone: axe finds nothing, nothing scrolls sideways. By the keyboard on a desk: everything is reached in
 * reading order with a visible focus, and a dialog keeps the focus and gives it back.
 */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { accessFaults, hasChromium, makeBrowser, openPage, steps, WITHOUT } from "../../support/Page.ts"
import { follow, listen, makeRecords, type Noted, screensOf, settled } from "../../support/Screens.ts"

const NAMES = ["lhv-acc1", "lhv-acc3"]
const [OWN = "", OTHER = ""] = NAMES
const DESK = { width: 1440, height: 900 }

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const records = yield* makeRecords(campus, OWN)
  yield* campus.boss("PUT", `/device/${OTHER}/interfaces`, {
    interfaces: { Ethernet4: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "PRINTER" } } }
  })
  yield* ended(campus.boss, jobIn(yield* campus.boss("POST", "/device_read_tables", { all: true })))
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss"),
    ...DESK
  })
  return { ...campus, page, noted: listen(page), screens: screensOf(records) }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/EveryScreen") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

/** The other tests of the page look at it on a desk in light. */
const PHONE = { width: 390, height: 844 }

/** What axe finds, and whether the screen scrolls sideways. */
const faultsOf = async (page: Page, where: string): Promise<ReadonlyArray<string>> => {
  const isWide = await page.evaluate("document.documentElement.scrollWidth > window.innerWidth")
  return [
    ...(isWide === true ? [`${where}: scrolls sideways`] : []),
    ...(await accessFaults(page)).map((fault) => `${where}: ${fault}`)
  ]
}

interface Stop {
  /** Its place among everything that can be reached, in reading order; -1 outside of the screen. */
  readonly at: number
  readonly text: string
  readonly isVisible: boolean
}

/** Numbers everything on the screen that a person can use, and says what no key reaches. */
const NUMBER = `(() => {
  const isShown = (one) => {
    const { width, height } = one.getBoundingClientRect()
    return width > 0 && height > 0 && getComputedStyle(one).visibility !== "hidden" && !one.closest("[inert], [aria-hidden=true]")
  }
  // arrows move in these, which are one stop each
  const COMPOSITE = "[role=tablist], [role=radiogroup], [role=group], [role=listbox], [role=grid], [role=table], [role=tree], table, .react-flow"
  const all = [...document.querySelectorAll("main a[href], main button, main input, main select, main textarea, main summary")]
    .filter((one) => !one.disabled && one.type !== "hidden" && isShown(one))
  all.forEach((one, index) => { one.dataset.stop = String(index) })
  const isOneOfMany = (one) => one.type === "radio" || (one.tabIndex < 0 && one.closest(COMPOSITE) !== null)
  return all.map((one) => ({ text: (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 60) || one.outerHTML.slice(0, 120), needs: !isOneOfMany(one) }))
})()`

const FOCUSED = `(() => {
  const one = document.activeElement
  const has = (each) => {
    if (!each) return false
    const style = getComputedStyle(each)
    return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none"
  }
  return {
    at: one?.closest("main") === null || one?.dataset.stop === undefined ? -1 : Number(one.dataset.stop),
    text: (one?.getAttribute("aria-label") ?? one?.textContent ?? "").trim().slice(0, 60),
    isInside: one?.closest("main") !== null && one?.closest("main") !== undefined,
    isVisible: has(one) || has(one?.nextElementSibling) || has(one?.parentElement)
  }
})()`

/** More stops than any screen of so small a network has; long lists are left there. */
const MOST = 200

const SKIP = "Skip to content"

/** Goes through a screen with the tab key, from the link that skips to it. */
const faultsByTab = async (page: Page, where: string): Promise<ReadonlyArray<string>> => {
  await page.getByRole("link", { name: SKIP }).focus()
  await page.keyboard.press("Enter")
  const all = await page.evaluate<ReadonlyArray<{ readonly text: string; readonly needs: boolean }>>(NUMBER)
  const stops: Array<Stop> = []
  for (let turn = 0; turn < MOST; turn++) {
    await page.keyboard.press("Tab")
    const stop = await page.evaluate<Stop & { readonly isInside: boolean }>(FOCUSED)
    if (!stop.isInside) break
    stops.push(stop)
  }
  const reached = stops.flatMap(({ at }) => (at < 0 ? [] : [at]))
  const last = stops.length === MOST ? Math.max(...reached) : all.length
  const backwards = reached.find((at, index) => at < (reached[index - 1] ?? 0))
  return [
    ...all.flatMap(({ needs, text }, at) =>
      needs && at < last && !reached.includes(at) ? [`${where}: no key reaches “${text}”`] : []
    ),
    ...stops.flatMap(({ isVisible, text }) => (isVisible ? [] : [`${where}: no focus is seen at “${text}”`])),
    ...(backwards === undefined ? [] : [`${where}: “${all[backwards]?.text}” comes out of order`])
  ]
}

const DIALOG = "[role=dialog]:visible"

/** Opens each dialog of a screen by its button, goes round in it, and closes it. */
const faultsOfDialogs = async (page: Page, where: string, noted: Noted): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  const buttons = page.locator("main button:enabled:visible").filter({ hasText: /…$/ })
  const labels = [...new Set(await buttons.allInnerTexts())]
  for (const label of labels) {
    const button = buttons.filter({ hasText: label }).first()
    await button.focus()
    await page.keyboard.press("Enter")
    const dialog = page.locator(DIALOG).first()
    await settled(page, noted)
    if ((await dialog.count()) === 0) continue
    const isInside = () => page.evaluate(`document.activeElement?.closest("[role=dialog]") !== null`)
    await page.waitForFunction(`document.activeElement?.closest("[role=dialog]") !== null`)
    for (let turn = 0; turn < 12; turn++) {
      await page.keyboard.press("Tab")
      if ((await isInside()) !== true) found.push(`${where} ${label}: the focus leaves the dialog`)
    }
    await page.keyboard.press("Escape")
    await dialog.waitFor({ state: "hidden" })
    const isBack = await page
      .waitForFunction(`document.activeElement?.textContent?.trim() === ${JSON.stringify(label.trim())}`)
      .then(() => true)
      .catch(() => false)
    if (!isBack) found.push(`${where} ${label}: the focus does not come back`)
  }
  return found
}

const TAB = "[role=tab]:visible"

describe.skipIf(!hasChromium)(`Every screen of the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("can be used by everybody, in dark on a phone", () =>
      Effect.gen(function* () {
        const { noted, page, screens } = yield* Site
        const found: Array<string> = []
        yield* steps(async () => {
          await page.setViewportSize(PHONE)
          await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" })
          await page.goto("/ui/")
          for (const path of [...screens, `/ui/device/${OTHER}?tab=ports`]) {
            await follow(page, path)
            await settled(page, noted)
            found.push(...(await faultsOf(page, path)))
            const others = page.getByRole("main").locator(`${TAB}[aria-selected=false]`)
            for (const name of await others.allInnerTexts()) {
              await page.getByRole("main").locator(TAB).filter({ hasText: name }).first().click()
              await settled(page, noted)
              found.push(...(await faultsOf(page, `${path} ${name}`)))
            }
          }
          await page.setViewportSize(DESK)
        })
        expect([...new Set(found)]).toEqual([])
        expect(noted.refused).toEqual([])
      })
    )

    it.effect("can be used by keys alone, with a focus that is seen, in reading order", () =>
      Effect.gen(function* () {
        const { noted, page, screens } = yield* Site
        const found: Array<string> = []
        yield* steps(async () => {
          await page.goto("/ui/")
          await settled(page, noted)
          await page.keyboard.press("Tab")
          expect((await page.evaluate<Stop>(FOCUSED)).text).toBe(SKIP)
          for (const path of screens) {
            await follow(page, path)
            await settled(page, noted)
            found.push(...(await faultsByTab(page, path)), ...(await faultsOfDialogs(page, path, noted)))
          }
        })
        expect(found).toEqual([])
      })
    )

    it.effect("edits a port by its key, and leaves letters alone while a person types", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto(`/ui/device/${OTHER}?tab=ports`)
          await page.getByRole("button", { name: "Ethernet4", exact: true }).focus()
          await page.keyboard.press("e")
          const form = page.getByRole("form", { name: "Change ports" })
          await form.getByLabel("VLAN").waitFor()
          await page.waitForFunction(`document.activeElement?.closest("form") !== null`)
          await form.getByLabel("Description").fill("")
          await form.getByLabel("Description").pressSequentially("g a e v")
          expect(await form.getByLabel("Description").inputValue()).toBe("g a e v")
          expect(new URL(page.url()).searchParams.get("port")).toBe("Ethernet4")
        })
      })
    )
  })
})
