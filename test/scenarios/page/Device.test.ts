/** One device: its ports and the effects of a change, its data, and another user at the same port. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(1)
const [NAME = ""] = NAMES

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const page = yield* openPage(yield* makeBrowser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss")
  })
  yield* ended(
    campus.boss,
    jobIn(yield* campus.boss("POST", "/device_syncto", { hostname: NAME, dry_run: false, force: true }))
  )
  return { ...campus, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Device") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A device in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows the effect of a port change on the configuration while it is typed, saves it, and pushes it", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}?tab=ports`)
          await page.getByText(/ports? (?:is|are) up/).waitFor()
          await page.getByRole("button", { name: /^Ethernet 2:/ }).click()
          // on the front arrows move, and space marks one more
          await page.keyboard.press("ArrowRight")
          await page.keyboard.press("ArrowUp")
          await page.keyboard.press("Space")
          await page.getByRole("region", { name: "2 ports" }).getByText("Ethernet2, Ethernet3").waitFor()
          await page.getByRole("textbox", { name: "Description" }).fill("printers")
          await page.getByRole("switch", { name: /^Port is on/ }).uncheck()
          await page
            .getByRole("region", { name: "What changes on the switch" })
            .getByText("description printers")
            .first()
            .waitFor()
        })
        yield* sound(page, "device-ports")
        const stored = yield* boss("GET", `/device/${NAME}/interfaces`)
        expect(stored.text).not.toContain("printers")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Save and push" }).click()
          await page.getByText(new RegExp(`${NAME} runs the change of 2 ports`)).waitFor()
        })
        expect((yield* boss("GET", `/device/${NAME}/interfaces`)).text).toContain("printers")
      })
    )

    it.effect("does not overwrite another user's changes under an open form, and keeps the typed values", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}?tab=ports`)
          await page.getByRole("button", { name: /^Ethernet 4:/ }).click()
          await page.getByRole("textbox", { name: "Description" }).fill("mine")
          await page.getByRole("region", { name: "What changes on the switch" }).waitFor()
        })
        yield* boss("PUT", `/device/${NAME}/interfaces`, {
          interfaces: { Ethernet4: { data: { description: "theirs" } } }
        })
        yield* steps(async () => {
          await page.getByRole("cell", { name: "theirs" }).waitFor()
          await page.getByText("Somebody else changed these ports").waitFor()
          await page.getByRole("button", { name: "Save only" }).click()
          await page.getByText(/by boss at/).waitFor()
        })
        expect((yield* boss("GET", `/device/${NAME}/interfaces`)).text).toContain("theirs")
        yield* sound(page, "device-conflict")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Reviewed: keep my edits" }).click()
          await page.getByRole("button", { name: "Save only" }).click()
          await page.getByRole("cell", { name: "mine" }).waitFor()
        })
      })
    )

    it.effect("asks before it pushes more than the change that was made here", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        yield* boss("PUT", `/device/${NAME}/interfaces`, {
          interfaces: { Ethernet4: { data: { description: "old" } } }
        })
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}?tab=ports&port=Ethernet1`)
          await page.getByRole("textbox", { name: "Description" }).fill("new")
          await page.getByRole("button", { name: "Save and push" }).click()
          await page
            .getByRole("region", { name: `All that would change on ${NAME}` })
            .getByText("description old")
            .waitFor()
        })
        yield* sound(page, "device-more")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Push all of it" }).click()
          await page.getByText(`${NAME} runs the change of Ethernet1`).waitFor()
        })
        expect((yield* boss("GET", `/device/${NAME}/running_config`)).text).toMatch(/description old/)
      })
    )

    it.effect("draws the statecharts that its actor runs, with the present state highlighted", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByRole("region", { name: "What it is doing" }).getByText("Nothing is being done").waitFor()
          await page.getByRole("button", { name: "More actions" }).click()
          await page.getByRole("menuitem", { name: "Show the machine" }).click()
          await page.getByRole("img", { name: "Its life: now MANAGED" }).waitFor()
          await page.getByRole("img", { name: "What it does: now idle" }).waitFor()
          await page.getByText("RESTORED_OLD_CONFIG leads to UNMANAGED").waitFor()
        })
        yield* sound(page, "device-statecharts")
      })
    )

    it.effect("shows the origin of its settings, its configuration, neighbours, trust and history", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        const tab = (name: string) => page.getByRole("tab", { name }).click()
        // so that it should run something else
        yield* boss("PUT", `/device/${NAME}/interfaces`, {
          interfaces: { Ethernet4: { data: { description: "later" } } }
        })
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}?tab=settings`)
          await page
            .getByRole("cell", { name: /^global\/.*\.yml:\d+/ })
            .first()
            .waitFor()
        })
        yield* sound(page, "device-settings")
        yield* steps(async () => {
          await tab("Configuration")
          await page.getByLabel("Configuration text").waitFor()
          await page.getByText("Should run", { exact: true }).click()
          await page.getByLabel("Configuration text").getByText(`hostname ${NAME}`).waitFor()
          await page.getByText("Difference", { exact: true }).click()
          await page.getByRole("region", { name: "What it runs against what it should run" }).waitFor()
          await page.getByText("Compare", { exact: true }).click()
          await page.getByRole("region", { name: "Difference of the two" }).waitFor()
          await page.getByLabel(`First: ${NAME}`).selectOption({ index: 3 })
          await page.getByRole("button", { name: "Restore it…", exact: true }).waitFor()
        })
        yield* sound(page, "device-configuration")
        yield* steps(async () => {
          await page.getByText("Who wrote each line", { exact: true }).click()
          await page.getByRole("table", { name: "Who brought each line" }).getByText("boss").first().waitFor()
        })
        yield* sound(page, "device-lines")
        yield* steps(async () => {
          await tab("History")
          const first = (text: string | RegExp) => page.getByRole("tabpanel").getByText(text).first()
          await first("Change: confirmed").waitFor()
          await first(/^Out of sync: /).waitFor()
          await first(/^Rollout, done/).waitFor()
        })
        yield* sound(page, "device-history")
        yield* steps(async () => {
          await page.getByRole("radiogroup", { name: "Kinds" }).getByText("Jobs").click()
          await page.getByText("Change: confirmed").waitFor({ state: "detached" })
          await page.getByLabel("Person").selectOption("boss")
          await page
            .getByRole("tabpanel")
            .getByText(/^Rollout, done/)
            .first()
            .waitFor()
          await tab("Neighbours")
          await page.getByText("No neighbour is seen on any port").waitFor()
          await tab("Trust")
          await page.getByText(/SHA256:/).waitFor()
        })
        yield* sound(page, "device-trust")
      })
    )
  })
})
