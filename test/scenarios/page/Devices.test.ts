/** The list of devices: its columns, views, marks, and what it does while it changes. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(4)
const [ONE = ""] = NAMES

const ROLES = `group_mappings: {}
roles:
  looker:
    permissions:
      - { methods: [GET], endpoints: ["*"] }
`

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: ROLES })
  return { ...campus, browser: yield* makeBrowser }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Devices") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`The list of devices${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("has the columns that a person chooses, also after a reload, and shares a view with others", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, { token: yield* tokenOf("administrator", "ann"), width: 1440 })
        const heads = () => page.getByRole("columnheader").allTextContents()
        yield* steps(async () => {
          await page.goto("/ui/devices")
          await page.getByRole("link", { name: ONE }).waitFor()
          expect((await heads()).map((head) => head.trim()).filter(Boolean)).toEqual([
            "Name ↑",
            "Answers",
            "Sync",
            "Why",
            "Type",
            "Group",
            "Model",
            "Version",
            "Address",
            "Seen"
          ])
        })
        yield* sound(page, "devices")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Columns" }).click()
          const columns = page.getByRole("group", { name: "Columns" })
          await columns.getByRole("checkbox", { name: "Why" }).uncheck()
          await columns.getByRole("checkbox", { name: "Serial" }).check()
          await columns.getByRole("button", { name: "Serial: earlier" }).click()
          await page.getByRole("columnheader", { name: "Serial" }).waitFor()
        })
        yield* sound(page, "devices-columns")
        yield* steps(async () => {
          await page.keyboard.press("Escape")
          await page.goto("/ui/devices")
          await page.getByRole("columnheader", { name: "Serial" }).waitFor()
          expect((await heads()).map((head) => head.trim()).slice(-2)).toEqual(["Serial", "Seen"])
          await page.getByRole("button", { name: "Filter" }).click()
          await page.getByLabel("Type").selectOption("ACCESS")
          await page.keyboard.press("Escape")
          await page.getByText("Type is Access").waitFor()
          await page.getByRole("button", { name: "Save view" }).click()
          await page.getByLabel("Name of the view").fill("Closets")
          await page.getByLabel("For everybody").check()
          await page.getByRole("button", { name: "Save view" }).last().click()
          await page.getByRole("button", { name: "Closets", exact: true }).waitFor()
        })
        const other = yield* openPage(browser, url, { token: yield* tokenOf("looker", "otto") })
        yield* steps(async () => {
          await other.goto("/ui/devices")
          await other.getByRole("button", { name: "Closets", exact: true }).click()
          await other.getByText("Type is Access").waitFor()
          await other.getByRole("button", { name: "Save view" }).click()
          await other.getByLabel("Name of the view").fill("My own")
          expect(await other.getByLabel("For everybody").count(), "may not share").toBe(0)
          await other.getByRole("button", { name: "Save view" }).last().click()
          await other.getByRole("button", { name: "My own", exact: true }).waitFor()
          await page.getByRole("button", { name: "Remove the view Closets" }).click()
          await page.getByRole("button", { name: "Closets", exact: true }).waitFor({ state: "detached" })
          await other.reload()
          await other.getByRole("button", { name: "My own", exact: true }).waitFor()
          expect(await other.getByRole("button", { name: "Closets", exact: true }).count()).toBe(0)
        })
      })
    )

    it.effect("marks a range and all, keeps its rows in place while somebody is in it, and is open by the row", () =>
      Effect.gen(function* () {
        const { boss, browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, { token: yield* tokenOf("administrator", "ann") })
        const chosen = page.getByRole("group", { name: "Chosen switches" })
        yield* steps(async () => {
          await page.goto("/ui/devices")
          await page.getByLabel(`Mark ${ONE}`).click()
          await page.getByLabel(`Mark ${NAMES[2]}`).click({ modifiers: ["Shift"] })
          await chosen.getByText("3 chosen").waitFor()
          await chosen.getByRole("button", { name: "Clear selection" }).click()
          await page.getByRole("checkbox", { name: "Mark all" }).check()
          await chosen.getByText(/^\d+ chosen$/).waitFor()
          await chosen.getByRole("button", { name: "Clear selection" }).click()
          await page.getByRole("table", { name: "Devices" }).hover()
        })
        yield* boss("POST", "/device", {
          hostname: "aaa-first",
          device_type: "ACCESS",
          state: "UNMANAGED",
          platform: "eos",
          management_ip: "10.196.255.250"
        })
        yield* steps(async () => {
          await page.getByRole("button", { name: "1 new, show" }).waitFor()
          expect(await page.getByRole("link", { name: "aaa-first" }).count()).toBe(0)
        })
        yield* sound(page, "devices-new")
        yield* steps(async () => {
          await page.getByRole("button", { name: "1 new, show" }).click()
          await page.getByRole("link", { name: "aaa-first" }).waitFor()
          // the row is the link, not only the name in it
          await page.getByRole("row", { name: new RegExp(ONE) }).click({ position: { x: 700, y: 12 } })
          await page.waitForURL(`**/ui/device/${ONE}`)
        })
      })
    )

    it.effect("is cards of two lines on the phone", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, {
          token: yield* tokenOf("administrator", "ann"),
          width: 390,
          height: 844,
          scheme: "dark"
        })
        yield* steps(async () => {
          await page.goto("/ui/devices")
          await page.getByRole("row", { name: new RegExp(`${ONE}.*Access`) }).waitFor()
          expect(Number(await page.evaluate("document.documentElement.scrollWidth"))).toBeLessThanOrEqual(390)
        })
        yield* sound(page, "devices-phone")
      })
    )
  })
})
