/** Finding a person's port in the page, and changing it there: at a desk, and by the helpdesk of one building on a phone. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"

const NAMES = ["lhv-acc1", "lhv-acc2", "lhv-acc3"]
const [FIRST = "", SECOND = "", ELSEWHERE = ""] = NAMES
const MACHINE = "00:50:56:AA:12:07"
const TWICE = "00:50:56:AA:12:08"

const files = (name: string, base: string) => ({
  [`devices/${name}/base_system.yml`]: base,
  [`devices/${name}/interfaces.yml`]: "---\n{}\n",
  [`devices/${name}/routing.yml`]: "---\n{}\n"
})

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: NAMES,
    roles: "group_mappings: {}\nroles:\n  helpdesk: { extends: port-editor, groups: [WEST_WING] }\n",
    peculiar: [
      { hosts: { Ethernet3: [{ mac: MACHINE }], Ethernet4: [{ mac: TWICE }] } },
      { hosts: { Ethernet2: [{ mac: TWICE }] } },
      {}
    ],
    prepare: ({ settings }) =>
      settings.commit(files(FIRST, "location: { building: East wing, room: E-2, rack: '2' }\n"))
  })
  yield* ended(
    campus.boss,
    jobIn(yield* campus.boss("POST", "/device_syncto", { all: true, dry_run: false, force: true }))
  )
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
    it.effect("leads from a MAC address to the port, once tables were read, and says when they were", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const field = page.getByRole("searchbox", { name: /^Room, name, MAC/ })
        yield* steps(async () => {
          await page.goto("/ui/find")
          await page.getByRole("region", { name: "My switches" }).getByRole("link", { name: FIRST }).waitFor()
        })
        yield* sound(page, "find-home")
        yield* steps(async () => {
          await field.fill("0050.56aa.1207")
          await page.getByText("No switch was asked yet which machines it knows").waitFor()
          await page.getByRole("button", { name: "Read now" }).click()
          await page.getByText(/It is plugged into port Ethernet3 of lhv-acc1, East wing, room E-2, rack 2/).waitFor()
          await page.getByText("Addresses from 3 of 5 switches").waitFor()
          await page.getByText("This machine came here").waitFor()
        })
        expect(page.url()).toContain("/ui/find?q=0050.56aa.1207")
        yield* sound(page, "find-machine")
        yield* steps(async () => {
          await page.getByRole("link", { name: "See switch" }).click()
          await page.getByRole("region", { name: "Ethernet3" }).getByText(MACHINE.toLowerCase()).waitFor()
          await page.goBack()
          await field.fill("10.0.0.300")
          await page.getByText("q is no IP address").waitFor()
          await field.fill("00:50:56:ff:ff:ff")
          await page.getByText(/No switch has heard it, and no name has it. Tables were read/).waitFor()
        })
      })
    )

    it.effect("finds by room, by switch and port, and by name, and lists several places instead of a guess", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const field = page.getByRole("searchbox", { name: /^Room, name, MAC/ })
        yield* steps(async () => {
          await page.goto("/ui/find")
          await field.fill("room e-2")
          await page.getByRole("table", { name: "Devices" }).getByRole("link", { name: FIRST }).waitFor()
          await field.fill("acc1 eth3")
          await page.getByText(/It is port Ethernet3 of lhv-acc1/).waitFor()
          await field.fill(TWICE)
          await page.getByText("2 places; the newest first").waitFor()
          expect(await page.getByText("It is plugged into").count()).toBe(0)
        })
        yield* sound(page, "find-several")
        yield* steps(async () => {
          await page.getByRole("button", { name: /lhv-acc2, Ethernet2/ }).click()
          await page.getByText(/It is plugged into port Ethernet2 of lhv-acc2/).waitFor()
        })
      })
    )

    it.effect(
      "lets the helpdesk of one building change a port on the phone, with the difference, up to the switch",
      () =>
        Effect.gen(function* () {
          const { boss, browser, tokenOf, url } = yield* Site
          const token = yield* tokenOf("helpdesk", "nora")
          const page = yield* openPage(browser, url, { token, scheme: "dark", width: 390, height: 844 })
          const refused: Array<string> = []
          page.on("response", (response) => {
            if (response.status() === 403) refused.push(response.url())
          })
          yield* steps(async () => {
            // who may not see the overview begins here
            await page.goto("/ui/")
            await page.waitForURL(/\/ui\/find/)
            await page.getByRole("searchbox").fill(MACHINE)
            await page.getByText(/It is plugged into port Ethernet3/).waitFor()
            expect(await page.getByRole("button", { name: "Read now" }).count()).toBe(0)
            await page.getByRole("button", { name: "Change VLAN or name" }).click()
            await page.getByRole("combobox", { name: "VLAN" }).selectOption("PRINTER")
            await page.getByRole("textbox", { name: "Description" }).fill("Room 12 printer")
            await page.getByRole("region", { name: "What changes on the switch" }).waitFor()
          })
          yield* sound(page, "find-phone")
          expect(yield* steps(() => page.evaluate<number>("document.documentElement.scrollWidth"))).toBeLessThanOrEqual(
            390
          )
          yield* steps(async () => {
            await page.getByRole("button", { name: "Save and push" }).click()
            await page.getByText(`${FIRST} runs the change of Ethernet3`).waitFor()
            await page.getByText("Moved to PRINTER").waitFor()
            await page.getByRole("button", { name: "Restart port…" }).click()
            await page.getByText("loses its connection").waitFor()
            await page.getByRole("dialog").getByRole("button", { name: "Restart port" }).click()
            await page.getByText("Ethernet3 was restarted").waitFor()
            await page.getByRole("searchbox").fill("acc3")
            await page.getByText("Nothing is known of acc3").waitFor()
          })
          expect((yield* boss("GET", `/device/${FIRST}/running_config`)).text).toContain("description Room 12 printer")
          expect(refused, `what ${ELSEWHERE} has is neither asked for nor shown`).toEqual([])
          expect(SECOND).not.toBe("")
        })
    )
  })
})
