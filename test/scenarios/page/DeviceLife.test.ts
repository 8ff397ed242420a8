/** The life of a device in the page: two times compared, drift undone and adopted, and a broken switch replaced, beginning at it. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { serve } from "../../support/ServedCampus.ts"

const NAME = "lhv-acc1"
const BY_HAND = "snmp-server location elsewhere"
const BASE = "eos/base.j2"

const make = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeCampusLab(2, () => Effect.void)
  const { api, running, url } = yield* serve(Campus.environment(lab, folders, folders.folder))
  yield* Effect.provide(Campus.seedSite, running)
  for (const name of ["settings", "templates"]) yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  const discover = Effect.fnUntraced(function* (name: string) {
    const { discovery, row } = yield* Effect.provide(Effect.flatMap(lab.get(name), booted), running)
    yield* api.run("/discover_device", { ztp_mac: discovery.ztp_mac, dhcp_ip: discovery.dhcp_ip })
    return { id: row.id, mac: discovery.ztp_mac }
  })
  const managed = Effect.fnUntraced(function* (serialOrMac: string) {
    const query = `filter[hostname]=${NAME}&filter[state]=MANAGED&filter[ztp_mac]=${serialOrMac}`
    while ((yield* api.devices(query)).length === 0) yield* Effect.sleep("200 millis")
  })
  const { id, mac } = yield* discover("acc1")
  yield* api.run(`/device_init/${id}`, { hostname: NAME, device_type: "ACCESS" })
  yield* managed(mac)
  const sync = (more: object = {}) =>
    api.run("/device_syncto", { hostname: NAME, dry_run: false, force: true, resync: true, ...more })
  yield* sync()
  return { api, discover, folders, lab, managed, sync, page: yield* openPage(yield* makeBrowser, url) }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/DeviceLife") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A device over time in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("says who changed which ports, how many lines differ, and shows the difference of two times", () =>
      Effect.gen(function* () {
        const { api, page, sync } = yield* Site
        yield* api.send("PUT", `/device/${NAME}/interfaces`, {
          interfaces: { Ethernet2: { data: { description: "printers" } } }
        })
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          const reason = page.getByRole("region", { name: "Why it is out of sync" })
          await reason.getByText(/changed Ethernet2 /).waitFor()
          await page.getByRole("list", { name: "Its life" }).getByText("Managed").waitFor()
          await page.getByRole("region", { name: "Uplinks" }).getByText("lhv-dist1").waitFor()
          await page
            .getByRole("region", { name: "Health" })
            .getByText(/^of \d+$/)
            .waitFor()
          await reason.getByRole("link", { name: /lines? differs?$/ }).click()
          await page
            .getByRole("region", { name: "What it runs against what it should run" })
            .filter({ hasText: "description printers" })
            .waitFor()
        })
        yield* sound(page, "device-difference")
        yield* sync({ comment: "printers" })
        const { body } = yield* api.send("GET", `/device/${NAME}/configs`)
        const jobs = (body.data["configs"] as ReadonlyArray<{ readonly job_id: number }>).map(({ job_id }) => job_id)
        const [now = 0, before = 0] = jobs
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}?tab=configuration&view=compare`)
          await page.getByLabel(`First: ${NAME}`).selectOption(String(before))
          await page.getByLabel(`Second: ${NAME}`).selectOption(String(now))
          const difference = page.getByRole("region", { name: "Difference of the two" })
          await difference.filter({ hasText: "description printers" }).waitFor()
          await page.getByLabel("Second: name of the switch").fill("lhv-dist1")
          await page.getByLabel("Second: lhv-dist1").selectOption("generated")
          await difference.filter({ hasText: "hostname lhv-dist1" }).waitFor()
        })
        yield* sound(page, "device-compare")
        yield* steps(async () => {
          await page.getByText("Search", { exact: true }).last().click()
          await page.getByLabel("Part of a line").fill("description printers")
          const found = page.getByRole("list", { name: "Configurations with this text" })
          await found.getByText("interface Ethernet2 › description printers").waitFor()
          await page.getByText(`${NAME} over time`).click()
          await found.getByRole("link", { name: `Job ${now}` }).waitFor()
          await page.getByText(/^1 of \d+ stored configurations$/).waitFor()
        })
        yield* sound(page, "device-search")
      })
    )

    it.effect("has a change by hand put back, which is offered only while there is one", () =>
      Effect.gen(function* () {
        const { lab, page, sync } = yield* Site
        const unit = yield* lab.get("acc1")
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByText("In sync", { exact: true }).waitFor()
        })
        expect(yield* steps(() => page.getByRole("button", { name: "Put back…" }).count())).toBe(0)
        unit.configure(`${BY_HAND}\n`)
        yield* steps(async () => {
          await page.getByRole("button", { name: "More actions" }).click()
          await page.getByRole("menuitem", { name: "Compare now" }).click()
          await page.getByText(/changed by hand, found by/).waitFor()
          await page.getByRole("link", { name: "1 line differs" }).waitFor()
        })
        yield* sound(page, "device-drift")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Put back…" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Preview it" }).click()
          await page.waitForURL(/\/ui\/change\/\d+/)
          await page.getByText(BY_HAND).first().waitFor()
        })
        yield* sync()
        expect(unit.running()).not.toContain(BY_HAND)
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByText("In sync", { exact: true }).waitFor()
        })
      })
    )

    it.effect("has a change by hand kept, by the lines that the page says", () =>
      Effect.gen(function* () {
        const { api, folders, lab, page, sync } = yield* Site
        const unit = yield* lab.get("acc1")
        unit.configure(`${BY_HAND}\n`)
        yield* api.run("/device_drift", { hostname: NAME })
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByRole("button", { name: "Keep (write to git)" }).click()
          await page.getByRole("region", { name: "What to keep" }).filter({ hasText: BY_HAND }).waitFor()
        })
        yield* sound(page, "device-keep")
        const template = yield* Effect.promise(() => fs.readFile(path.join(folders.templates.folder, BASE), "utf8"))
        yield* folders.templates.commit({
          [BASE]: template.replace(/^(snmp-server community .*)$/m, `$1\n${BY_HAND}`)
        })
        yield* api.send("PUT", "/repository/templates", { action: "REFRESH" })
        yield* sync()
        expect(unit.running()).toContain(BY_HAND)
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByText("In sync", { exact: true }).waitFor()
        })
      })
    )

    it.effect("is replaced when it is broken, beginning at the broken one", () =>
      Effect.gen(function* () {
        const { api, discover, lab, managed, page } = yield* Site
        yield* (yield* lab.get("acc1")).powerOff
        yield* steps(async () => {
          await page.goto(`/ui/device/${NAME}`)
          await page.getByRole("button", { name: "More actions" }).click()
          await page.getByRole("menuitem", { name: "Replace this switch…" }).click()
          await page.getByText("No new unit has been found yet").waitFor()
        })
        const { mac } = yield* discover("acc2")
        const dialog = page.getByRole("dialog")
        yield* steps(async () => {
          await dialog.getByRole("radio").first().check()
          await dialog.getByRole("button", { name: "Take it out of management and check" }).click()
          await dialog.getByText("This unit can take its place").waitFor()
        })
        yield* sound(page, "device-replace")
        yield* steps(async () => {
          await dialog.getByLabel(`Type ${NAME} to go on`).fill(NAME)
          await dialog.getByRole("button", { name: `Replace ${NAME}` }).click()
          await dialog.getByRole("list", { name: "Steps" }).waitFor()
        })
        yield* managed(mac)
        expect((yield* api.devices(`filter[hostname]=${NAME}`)).length).toBe(1)
      })
    )
  })
})
