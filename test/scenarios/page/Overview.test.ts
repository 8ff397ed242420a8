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

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Overview") {
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
          await page.getByRole("listitem", { name: "1 switch has stopped answering" }).getByText(SILENT).waitFor()
          await page.getByRole("listitem", { name: /^1 switch of 2 failed in a rollout/ }).waitFor()
          await page.getByText("Nothing is running.").waitFor()
          await page.getByRole("button", { name: "Show as table" }).click()
          await page.getByRole("columnheader", { name: "not answering" }).waitFor()
          await page.getByRole("button", { name: "Show as chart" }).click()
          // while a job runs its lock is normal, and after it nothing is left
          expect(await page.getByText(/lock was left behind/).count()).toBe(0)
        })
        yield* sound(page, "overview")
        const links = yield* steps(() =>
          page
            .getByRole("region", { name: "Fleet" })
            .getByRole("link")
            .evaluateAll((all) =>
              all.map((one) => ({ label: (one.textContent ?? "").trim(), to: one.getAttribute("href") ?? "" }))
            )
        )
        expect(links.length).toBeGreaterThan(3)
        for (const { label, to } of links.filter((link) => link.to.startsWith("/ui/devices"))) {
          const number = Number.parseInt(label, 10)
          yield* steps(async () => {
            await page.goto(to)
            await page.getByText(new RegExp(`^${number} (devices?|of \\d+ shown)$`)).waitFor()
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
          await page.getByText(/^1 of \d+ shown$/).waitFor()
          await page.getByLabel("Search devices").fill("CCS-720XP")
          await page.getByText(new RegExp(`^${NAMES.length} of \\d+ shown$`)).waitFor()
          await page.getByRole("button", { name: /^Not answering/ }).click()
          await page.getByRole("link", { name: SILENT }).waitFor()
          await page.getByText(/^1 of \d+ shown$/).waitFor()
          await page.getByRole("button", { name: "Remove the filter: Not answering" }).click()
          await page.getByText(/^\d+ devices$/).waitFor()
          await page.getByLabel("Search devices").fill("CCS-720XP")
          await page.getByText(new RegExp(`^${NAMES.length} of \\d+ shown$`)).waitFor()
          const download = page.waitForEvent("download")
          await page.getByRole("button", { name: "CSV" }).click()
          return (await download).path()
        })
        const lines = readFileSync(saved, "utf8").trim().split("\r\n")
        expect(lines).toHaveLength(NAMES.length + 1)
        expect(lines[0]).toBe("Name,Answers,Sync,Why,Type,Group,Model,Version,Address,Seen")
        expect(lines[1]).toMatch(new RegExp(`^${ONE},Answering,In sync,,Access,`))
        yield* steps(async () => {
          await page.getByLabel(`Mark ${OTHER}`).check()
          await page.getByRole("table", { name: "Devices" }).focus()
          await page.keyboard.press("j")
          await page.keyboard.press("j")
          await page.keyboard.press("Space")
          await page.getByText("2 chosen").waitFor()
        })
        yield* sound(page, "devices-marked")
        yield* steps(async () => {
          await page
            .getByRole("group", { name: "Chosen switches" })
            .getByRole("button", { name: "Preview changes" })
            .click()
          await page.waitForURL(/\/ui\/change\?hostnames=/)
          await page
            .getByRole("form", { name: "Switches of the change" })
            .getByRole("button", { name: "Preview changes" })
            .waitFor()
        })
      })
    )
  })
})
