/** Two ways to use a page: with the mouse, and with keys alone. */
import type { Locator, Page } from "playwright-core"

export interface Hand {
  /** Presses a button, a link, a tab or a box. */
  readonly press: (what: Locator) => Promise<void>
  /** Writes into a field in the place of what is there. */
  readonly write: (what: Locator, text: string) => Promise<void>
  /** Goes to a screen of the navigation by its name, or by its letter. */
  readonly go: (label: string, letter: string) => Promise<void>
  /** Chooses from a list by the word that is shown. */
  readonly choose: (what: Locator, label: string) => Promise<void>
}

export const mouse = (page: Page): Hand => ({
  press: (what) => what.click(),
  write: (what, text) => what.fill(text),
  go: (label) =>
    page
      .getByRole("navigation")
      .getByRole("link", { name: new RegExp(`^${label}`) })
      .click(),
  choose: async (what, label) => {
    await what.selectOption({ label })
  }
})

/** Beyond so many presses of the key something cannot be reached by it. */
const MOST_TABS = 400

/** Goes on with Tab until the thing has the focus. */
const reach = async (page: Page, what: Locator) => {
  await what.waitFor()
  for (let count = 0; count < MOST_TABS; count++) {
    if (await what.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`no key leads to ${String(what)}`)
}

export const keys = (page: Page): Hand => ({
  press: async (what) => {
    await reach(page, what)
    const isBox = await what.evaluate((element) => element.matches("input[type=checkbox], input[type=radio]"))
    await page.keyboard.press(isBox ? "Space" : "Enter")
  },
  write: async (what, text) => {
    await reach(page, what)
    await page.keyboard.press("Control+a")
    await page.keyboard.type(text)
  },
  go: async (_, letter) => {
    await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement instanceof HTMLElement && document.activeElement.blur()")
    await page.keyboard.press("g")
    await page.keyboard.press(letter)
  },
  choose: async (what, label) => {
    await reach(page, what)
    await page.keyboard.type(label)
  }
})
