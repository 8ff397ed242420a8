/** Finding a machine in the page: from a page that knows nothing to the port it is plugged to. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(2)
const [FIRST = "", SECOND = ""] = NAMES
const MACHINE = "00:50:56:AA:12:07"

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: NAMES,
    roles: "group_mappings: {}\nroles: {}\n",
    peculiar: [{ hosts: { Ethernet3: [{ mac: MACHINE }] } }, {}]
  })
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, { token: yield* campus.tokenOf("administrator", "boss") })
  return { ...campus, browser, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Find") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`Finding in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("leads from a MAC address to the port, once tables were read, and shows it as soon as they are", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const field = page.getByRole("searchbox", { name: /^MAC or IP address/ })
        yield* steps(async () => {
          await page.goto("/ui/find")
          await page.getByText("Type what you have at hand").waitFor()
        })
        yield* sound(page, "find-nothing-asked")
        yield* steps(async () => {
          await field.fill("0050.56aa.1207")
          await field.press("Enter")
          await page.getByText("A machine is found once tables were read").waitFor()
          await page.getByRole("button", { name: "Read tables now" }).click()
          await page.getByText(`${MACHINE} is on ${FIRST} Ethernet3`).waitFor()
          await page.getByRole("region", { name: "Machines" }).first().getByText("edge port").waitFor()
        })
        expect(page.url()).toContain("/ui/find?q=0050.56aa.1207")
        yield* sound(page, "find-machine")
        yield* steps(async () => {
          await page.getByRole("region", { name: "Machines" }).first().getByRole("link", { name: FIRST }).click()
          await page.getByRole("heading", { name: FIRST }).waitFor()
          await page.goBack()
          await field.fill(SECOND)
          await field.press("Enter")
          await page.getByRole("table", { name: "Devices" }).getByRole("link", { name: SECOND }).waitFor()
          await field.fill("10.0.0.300")
          await field.press("Enter")
          await page.getByText("q is no IP address").waitFor()
        })
      })
    )

    it.effect("fits a phone in dark mode, and offers a reader no reading of tables", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const token = yield* tokenOf("reader", "rita")
        const page = yield* openPage(browser, url, { token, scheme: "dark", width: 380, height: 750 })
        yield* steps(async () => {
          await page.goto("/ui/find?q=lhv")
          await page.getByRole("table", { name: "Devices" }).getByRole("link", { name: FIRST }).waitFor()
        })
        expect(yield* steps(() => page.getByRole("button", { name: "Read tables now" }).count())).toBe(0)
        yield* sound(page, "find-phone")
      })
    )
  })
})
