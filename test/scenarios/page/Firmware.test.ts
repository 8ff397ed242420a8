/** Firmware in the page: an image comes in, the order of an upgrade is looked at, and the upgrade is followed to its end. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { randomBytes } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { IMAGE, NEW_VERSION } from "../../firmware/FirmwareSite.ts"
import { makeImageHost, sha1Of } from "../../firmware/ImageHost.ts"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { timer } from "../../support/Patience.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"
import { NetworkStore } from "../../../src/store/NetworkStore.ts"

/** An image whose checksum was mistyped. */
const OTHER = "EOS-4.99.1F.swi"
const NAMES = accessNames(3)
const [FIRST = "", , SILENT = ""] = NAMES
const GROUPS = `---
groups:
  - group: { name: LABS, regex: 'lhv-acc1', group_priority: 50 }
`

/** Each switch hangs on a distribution switch. */
const cables = Effect.gen(function* () {
  const devices = yield* DeviceStore
  const { links } = yield* NetworkStore
  const above = yield* devices.getByHostname("lhv-dist1")
  for (const [index, name] of NAMES.entries()) {
    const below = yield* devices.getByHostname(name)
    yield* links.insert({
      ipv4_network: null,
      device_a_id: below.id,
      device_a_ip: null,
      device_a_port: "Ethernet27",
      device_b_id: above.id,
      device_b_ip: null,
      device_b_port: `Ethernet${index + 1}`,
      site_id: null,
      description: null
    })
  }
})

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: NAMES,
    roles: "group_mappings: {}\nroles: {}\n",
    variables: {
      FIRMWARE_ALLOW_LOCAL: "true",
      FIRMWARE_RETURN_TIMEOUT: timer(10),
      FIRMWARE_RETURN_INTERVAL: "1"
    },
    prepare: ({ settings }) => settings.commit({ "global/groups.yml": GROUPS })
  })
  yield* Effect.provide(cables, campus.running)
  const page = yield* openPage(yield* makeBrowser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss")
  })
  return { ...campus, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Firmware") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`Firmware in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows the progress of an image, and then the image", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const image = randomBytes(12_000_000)
        const host = yield* makeImageHost(
          new Map([
            [IMAGE, image],
            [OTHER, image]
          ])
        )
        let release = () => {}
        host.hold = new Promise((resolve) => {
          release = resolve
        })
        yield* steps(async () => {
          await page.goto("/ui/firmware?tab=images")
          await page.getByText("There is no image.").waitFor()
          await page.getByLabel("URL of the image").fill(`${host.url}/${IMAGE}`)
          await page.getByLabel("SHA-1").fill(sha1Of(image))
          await page.getByRole("button", { name: "Download" }).click()
          const coming = page.getByRole("region", { name: "Downloads under way" })
          await coming.getByText("of 12 MB").waitFor()
          await coming.getByRole("progressbar").waitFor({ state: "attached" })
        })
        yield* sound(page, "firmware-coming")
        release()
        yield* steps(async () => {
          await page.getByRole("row").filter({ hasText: IMAGE }).getByText("12 MB").waitFor()
          await page.getByRole("button", { name: "Make default" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Make default" }).click()
          await page.getByText("EOS-stable.swi").waitFor()
        })
        yield* sound(page, "firmware-images")
        yield* steps(async () => {
          await page.getByText("The image is here, and its checksum is right.").waitFor()
          await page.getByLabel("URL of the image").fill(`${host.url}/${OTHER}`)
          await page.getByLabel("SHA-1").fill("0".repeat(40))
          await page.getByRole("button", { name: "Download" }).click()
          const said = page.getByRole("alert").filter({ hasText: "The image is not here" })
          await said.waitFor()
          expect(await said.textContent()).toMatch(/checksum|SHA/i)
        })
        yield* sound(page, "firmware-wrong-checksum")
      }).pipe(Effect.scoped)
    )

    it.effect(
      "shows the order before an upgrade, each switch while it is under way, and the failed one with the reason",
      () =>
        Effect.gen(function* () {
          const { folders, lab, page, url } = yield* Site
          yield* Effect.promise(() => fs.access(path.join(folders.folder, "firmware", IMAGE)))
          yield* (yield* lab.get(SILENT)).powerOff
          yield* steps(async () => {
            await page.goto("/ui/firmware")
            await page.getByRole("row").filter({ hasText: "LABS" }).getByText("3", { exact: true }).first().waitFor()
          })
          yield* sound(page, "firmware-versions")
          yield* steps(async () => {
            await page.getByRole("link", { name: "Upgrade LABS" }).click()
            await page.getByRole("list", { name: "Steps" }).getByText(FIRST).waitFor()
            await page.getByText("Choose an image").waitFor()
            await page.getByRole("combobox", { name: "Image" }).fill(IMAGE)
            await page.getByLabel("Fetched from").fill(`${url}/firmware`)
            await page.getByText(/^3 switches restart/).waitFor()
          })
          yield* sound(page, "firmware-upgrade")
          yield* steps(async () => {
            await page.getByRole("checkbox", { name: /^Restart so that/ }).uncheck()
            await page.getByRole("button", { name: "Start the upgrade" }).click()
            await page.getByRole("dialog").getByText("The switches restart").waitFor()
            await page.getByRole("dialog").getByRole("button", { name: "Start the upgrade" }).click()
            await page
              .getByRole("status", { name: "How far the upgrade is" })
              .getByText("of 3 switches done, 1 failed")
              .waitFor()
            await page.getByRole("row").filter({ hasText: SILENT }).getByText("Failed", { exact: true }).waitFor()
            await page.getByRole("row").filter({ hasText: FIRST }).getByText("5 of 5").waitFor()
            await page.getByRole("button", { name: "Try 1 again" }).waitFor()
            await page
              .getByRole("heading", { name: /^1 switch (refused the SSH connection|did not answer SSH)/ })
              .waitFor()
          })
          yield* sound(page, "firmware-campaign")
          expect((yield* lab.get(FIRST)).version()).toBe(NEW_VERSION)
          yield* (yield* lab.get(SILENT)).powerOn
          yield* steps(async () => {
            await page.getByRole("button", { name: "Try 1 again" }).click()
            await page.getByText("Choose a group").waitFor({ state: "detached" })
            expect(await page.getByLabel("Or switches").inputValue()).toBe(SILENT)
            expect(await page.getByRole("combobox", { name: "Image" }).inputValue()).toBe(IMAGE)
            await page.getByLabel("Fetched from").fill(`${url}/firmware`)
            await page.getByRole("button", { name: "Start the upgrade" }).click()
            await page.getByRole("dialog").getByText(SILENT).waitFor()
            await page.getByRole("dialog").getByRole("button", { name: "Start the upgrade" }).click()
            await page.getByRole("status", { name: "How far the upgrade is" }).getByText("1 of 1 switch done").waitFor()
          })
          expect((yield* lab.get(SILENT)).version()).toBe(NEW_VERSION)
        })
    )
  })
})
