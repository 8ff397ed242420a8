/** The first view in an emergency: numbers that lead to their lists, and the list of devices with its actions. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(5)
const [ONE = "", OTHER = "", SILENT = ""] = NAMES

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const page = yield* openPage(yield* makeBrowser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss")
  })
  yield* (yield* campus.lab.get(SILENT)).powerOff
  const job = jobIn(
    yield* campus.boss("POST", "/device_syncto", { hostnames: [ONE, SILENT], dry_run: false, force: true })
  )
  yield* ended(campus.boss, job)
  return { ...campus, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Now") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`The network in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("is counted, and each number leads to a list of as many", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/")
          await page.getByRole("link", { name: "1 not answering" }).waitFor()
          await page.getByText("First settings").first().waitFor()
        })
        yield* sound(page, "now")
        const links = yield* steps(() =>
          page
            .locator("a.count")
            .evaluateAll((all) =>
              all.map((one) => ({ label: one.getAttribute("aria-label") ?? "", to: one.getAttribute("href") ?? "" }))
            )
        )
        expect(links.length).toBeGreaterThan(6)
        for (const { label, to } of links.filter((link) => link.to.startsWith("/ui/devices"))) {
          const number = Number.parseInt(label, 10)
          yield* steps(async () => {
            await page.goto(to)
            await page.getByText(new RegExp(`^${number} devices?$`)).waitFor()
          })
        }
        yield* steps(async () => {
          await page.goto("/")
          await page.getByRole("link", { name: "1 failed today" }).click()
          await page.getByRole("cell", { name: "partly failed" }).waitFor()
        })
      })
    )

    it.effect("has one search for everything, explains unsynchronized devices, and takes marked ones to a change", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const saved = yield* steps(async () => {
          await page.goto("/ui/devices")
          await page.getByLabel("Search devices").fill("10.196.16.11")
          await page.getByText("1 device", { exact: true }).waitFor()
          await page.getByLabel("Search devices").fill("CCS-720XP")
          await page.getByText(`${NAMES.length} devices`, { exact: true }).waitFor()
          await page.getByRole("button", { name: "Not answering" }).click()
          await page.getByRole("link", { name: SILENT }).waitFor()
          await page.getByText("1 device", { exact: true }).waitFor()
          await page.getByRole("button", { name: /^Show all/ }).click()
          await page.getByText(`${NAMES.length} devices`, { exact: true }).waitFor()
          const download = page.waitForEvent("download")
          await page.getByRole("button", { name: "Save as CSV" }).click()
          return (await download).path()
        })
        const lines = readFileSync(saved, "utf8").trim().split("\r\n")
        expect(lines).toHaveLength(NAMES.length + 1)
        expect(lines[1]).toMatch(new RegExp(`^${ONE},MANAGED,true,ACCESS,`))
        yield* steps(async () => {
          await page.getByLabel(`Mark ${OTHER}`).check()
          await page.getByRole("table", { name: "Devices" }).focus()
          await page.keyboard.press("j")
          await page.keyboard.press("j")
          await page.keyboard.press("x")
          await page.getByText("2 marked").waitFor()
        })
        yield* sound(page, "devices-marked")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Dry run and sync" }).click()
          await page.waitForURL(/\/ui\/change\?hostnames=/)
          await page.getByRole("button", { name: "Preview changes" }).waitFor()
        })
      })
    )
  })
})
