/** Two switches that run already, in the page: from a pasted list to MANAGED, and nothing is sent to them but reads. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { bring, changesOn, listOf, make as makeSite, rowsOf } from "../../support/OnboardingSite.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"

const make = Effect.gen(function* () {
  const [one, other] = accessNames(2)
  const site = yield* makeSite(2, { HOST_KEY_POLICY: "approve" }, [
    { endpoints: [`${one}:Ethernet26`, `${other}:Ethernet26`] }
  ])
  return { site, page: yield* openPage(yield* makeBrowser, site.url) }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Onboarding") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

/** A server that the settings do not have. */
const CLOCK = "ntp server 10.20.0.9"

describe.skipIf(!hasChromium)(`A network that exists, in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("is checked as a pasted list, with each mistake by line and field, and added", () =>
      Effect.gen(function* () {
        const { page, site } = yield* Site
        const [one = ""] = site.names
        yield* steps(async () => {
          await page.goto("/ui/first-run?step=4")
          await page.getByRole("link", { name: "Bring a network that exists" }).click()
          await page.getByRole("textbox", { name: "List" }).fill(`${listOf([one])}\nbad name,10.0.0.1,ACCESS,eos`)
          await page.getByRole("button", { name: "Check only" }).click()
          const row = page.getByRole("table", { name: "Mistakes" }).getByRole("row").nth(1)
          await row.waitFor()
          expect(await row.getByRole("cell").allInnerTexts()).toEqual([
            "list.csv",
            "3",
            "hostname",
            "Invalid hostname received"
          ])
          await page.getByRole("button", { name: "Add", exact: true }).click()
          await page.getByText("Nothing is added until all mistakes are mended").waitFor()
        })
        yield* sound(page, "onboarding-mistakes")
        expect(yield* rowsOf(site)).toEqual([])
        yield* steps(async () => {
          await page.getByRole("textbox", { name: "List" }).fill(listOf(site.names))
          await page.getByRole("button", { name: "Add", exact: true }).click()
          await page.getByText("2 switches added").waitFor()
          await page.getByRole("link", { name: "Where each is on its way" }).click()
        })
      })
    )

    it.effect("is read when a person has compared and approved its host keys", () =>
      Effect.gen(function* () {
        const { page, site } = yield* Site
        yield* steps(async () => {
          await page.getByRole("region", { name: "Host key to approve", exact: true }).waitFor()
        })
        const keys = (yield* rowsOf(site)).map((row) => String(row["refused_fingerprint"]))
        yield* sound(page, "onboarding-keys")
        yield* steps(async () => {
          for (const key of keys) await page.getByText(key, { exact: true }).waitFor()
          await page.getByRole("checkbox", { name: "Mark all 2" }).check()
          await page.getByRole("button", { name: "Approve 2 keys" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Approve 2 keys" }).click()
          await page.getByRole("region", { name: "Differs", exact: true }).waitFor()
        })
        yield* sound(page, "onboarding")
      })
    )

    it.effect("shows its distance in groups, and settings from what runs as a patch to download", () =>
      Effect.gen(function* () {
        const { page, site } = yield* Site
        for (const name of site.names) yield* bring(site, name, (text) => `${text}\n${CLOCK}\n`)
        const file = yield* steps(async () => {
          await page.getByRole("button", { name: "Read 2 switches again" }).click()
          await page.getByRole("tab", { name: "Distance" }).click()
          const group = page.getByRole("region", { name: `2 switches: -${CLOCK}`, exact: true })
          await group.getByText(CLOCK).first().waitFor()
          await page.getByRole("table", { name: "Distance by commit" }).waitFor()
          await page.getByRole("tab", { name: "Settings and ports" }).click()
          await page.getByRole("button", { name: "Propose from what runs" }).click()
          const download = page.waitForEvent("download")
          await page.getByRole("button", { name: "Download the patch" }).click()
          return await (await download).path()
        })
        yield* sound(page, "onboarding-settings")
        expect(readFileSync(file, "utf8")).toMatch(/^\+.*10\.20\.0\.9/m)
      })
    )

    it.effect("becomes managed without a push when nothing differs", () =>
      Effect.gen(function* () {
        const { page, site } = yield* Site
        for (const name of site.names) yield* bring(site, name)
        yield* steps(async () => {
          await page.getByRole("tab", { name: "Switches" }).click()
          await page.getByRole("button", { name: "Read 2 switches again" }).click()
          const ready = page.getByRole("region", { name: "Ready to be managed", exact: true })
          await ready.getByRole("button", { name: "Manage 2 switches…" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Manage 2 switches" }).click()
          const managed = page.getByRole("region", { name: "Managed", exact: true })
          for (const name of site.names) await managed.getByRole("link", { name }).first().waitFor()
        })
        yield* sound(page, "onboarding-managed")
        for (const name of site.names) {
          const [device] = yield* site.api.devices(`filter[hostname]=${name}`)
          expect([device?.["state"], device?.["synchronized"]]).toEqual(["MANAGED", true])
        }
        for (const device of site.switches) expect(changesOn(device), device.name).toEqual([])
      })
    )

    it.effect("proposes the cables that its switches report, and stores what a person accepts", () =>
      Effect.gen(function* () {
        const { page, site } = yield* Site
        yield* steps(async () => {
          await page.getByRole("tab", { name: "Links" }).click()
          await page.getByRole("row", { name: /Both ends report it/ }).waitFor()
          await page.getByRole("checkbox", { name: "Mark all 1 that both ends report" }).check()
        })
        yield* sound(page, "onboarding-links")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Accept 1 link…" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Accept 1 link" }).click()
          await page.getByText("1 link stored").waitFor()
        })
        const { body } = yield* site.api.send("GET", "/linknets")
        expect(body.data["linknets"]).toContainEqual(
          expect.objectContaining({ device_a_port: "Ethernet26", device_b_port: "Ethernet26" })
        )
      })
    )
  })
})
