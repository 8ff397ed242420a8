/** Settings and templates in the page: what was refused and why, where a variable comes from, and trying before committing. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(2)
const [FIRST = ""] = NAMES
const BASE = "access/base_system.yml"
const GLOBAL = "global/base_system.yml"

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)("git", ["-C", folder, ...args]))

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss")
  })
  return { ...campus, browser, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Repository") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`Repositories in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows the effects of a branch, grouped by equal lines, and brings nothing into force", () =>
      Effect.gen(function* () {
        const { boss, folders, page } = yield* Site
        const { commit, folder } = folders.settings
        yield* git(folder, "checkout", "-q", "-b", "new-servers")
        yield* commit({ "global/vxlans.yml": "vxlans: 5\n" })
        yield* git(folder, "tag", "broken")
        yield* git(folder, "reset", "-q", "--hard", "HEAD~1")
        yield* commit({ [BASE]: "---\nntp_servers:\n  - host: 10.20.0.99\n" }, "Ask another clock")
        yield* git(folder, "checkout", "-q", "main")
        const before = (yield* boss("GET", "/repository/settings")).text
        yield* steps(async () => {
          await page.goto("/ui/repository?tab=check")
          await page.getByRole("combobox", { name: "Branch, tag or commit" }).fill("new-servers")
          await page.getByRole("button", { name: "Check", exact: true }).click()
          await page.getByText("would come into force").waitFor()
          await page.getByText("2 switches of 2 that it concerns would change").waitFor()
          await page.getByText("+ntp server 10.20.0.99").or(page.getByText("ntp server 10.20.0.99")).first().waitFor()
        })
        yield* sound(page, "repository-check")
        yield* steps(async () => {
          await page.getByRole("combobox", { name: "Branch, tag or commit" }).fill("broken")
          await page.getByRole("button", { name: "Check", exact: true }).click()
          await page.getByText("would be refused").waitFor()
          await page.getByRole("list", { name: "Problems of the branch" }).getByText("global/vxlans.yml:1").waitFor()
          await page.getByRole("combobox", { name: "Branch, tag or commit" }).fill("nothing-like-this")
          await page.getByRole("button", { name: "Check", exact: true }).click()
          await page.getByText("the repository has no branch, tag or commit nothing-like-this").waitFor()
        })
        // a branch that was fetched needs not be typed
        yield* steps(async () => {
          await page.getByRole("combobox", { name: "Branch, tag or commit" }).fill("")
          await page.getByRole("option", { name: /^new-servers.*Ask another clock/ }).click()
          await page.getByRole("button", { name: "Check", exact: true }).click()
          await page.getByText("would come into force").waitFor()
        })
        expect((yield* boss("GET", "/repository/settings")).text).toBe(before)
      })
    )

    it.effect("leads from a variable of a device to the line that defines it", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/repository?tab=variables")
          await page.getByRole("combobox", { name: "Device" }).fill(FIRST)
          await page.getByRole("option", { name: FIRST }).click()
          await page.getByLabel("Search names and values").fill("ntp_servers")
          await page.getByRole("row").nth(1).getByText("ntp_servers").waitFor()
        })
        yield* sound(page, "repository-variables")
        yield* steps(async () => {
          await page
            .getByRole("row", { name: /^ntp_servers/ })
            .getByRole("link")
            .click()
          await page.locator("[data-found]").filter({ hasText: "ntp_servers:" }).waitFor()
        })
        yield* sound(page, "repository-file")
      })
    )

    it.effect(
      "leads from a line of a settings file to the lines on switches, and from a line on a switch to its file",
      () =>
        Effect.gen(function* () {
          const { boss, page } = yield* Site
          const sync = { hostname: FIRST, dry_run: false, force: true, resync: true }
          expect(yield* ended(boss, jobIn(yield* boss("POST", "/device_syncto", sync)))).toContain(
            '"outcome":"success"'
          )
          yield* steps(async () => {
            await page.goto(`/ui/repository?tab=files&name=settings&path=${GLOBAL}`)
            const line = page.locator(".source-line").filter({ hasText: "- host:" }).first()
            await line.getByRole("button", { name: /^Lines on switches from line/ }).click()
            const found = page.getByRole("region", { name: /^Lines from line/ })
            await found.getByText(/^\d+ lines on \d+ switches of \d+ come from line \d+\.$/).waitFor()
            await found.getByText("ntp server").first().waitFor()
          })
          yield* sound(page, "repository-lines")
          yield* steps(async () => {
            await page
              .getByRole("region", { name: /^Lines from line/ })
              .getByRole("link", { name: FIRST })
              .first()
              .click()
            await page.getByLabel("Configuration text").getByText("ntp server").first().waitFor()
            await page.goto(`/ui/device/${FIRST}?tab=configuration&view=lines`)
            await page
              .getByRole("button", { name: /^ntp server/ })
              .first()
              .click()
            const origin = page.getByRole("region", { name: /^Origin of line/ })
            await origin.getByRole("link", { name: new RegExp(`^${GLOBAL}, line`) }).click()
            await page.getByRole("region", { name: /^Lines from line/ }).waitFor()
          })
        })
    )

    it.effect("renders a template while it is written, with the line of a mistake, and shows no secret", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const text = page.getByLabel("Text", { exact: true })
        const rendered = page.getByLabel("Rendered text")
        yield* steps(async () => {
          await page.goto(`/ui/repository?tab=render&device=${FIRST}`)
          await rendered.getByText(`hostname ${FIRST}`).waitFor()
          await text.fill("one\n{{ nothing.more }}\n")
          await page.getByRole("list", { name: "Mistakes" }).getByText("your text:2").waitFor()
          await text.fill("key {{ TEMPLATE_SECRET_RADIUS | reverse }}{{ nothing }}\n")
          await page.getByRole("list", { name: "Undefined variables" }).getByText("your text:1").waitFor()
        })
        expect(yield* steps(() => rendered.textContent())).not.toContain("11C1B1D4942380")
        yield* sound(page, "repository-render")
        yield* steps(async () => {
          await page.getByRole("combobox", { name: "Template" }).fill("access")
          await page.getByRole("option", { name: "access.j2" }).click()
          await rendered.getByText(`hostname ${FIRST}`).waitFor()
        })
      })
    )

    it.effect("fits a phone in dark mode, and offers a reader nothing that brings a commit into force", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const token = yield* tokenOf("reader")
        const page = yield* openPage(browser, url, { token, scheme: "dark", width: 380, height: 750 })
        for (const [tab, shown] of [
          ["commits", "No findings"],
          ["files&path=eos/access.j2&name=templates", "hostname"],
          [`variables&device=${FIRST}`, "device_model"],
          [`render&device=${FIRST}`, `hostname ${FIRST}`]
        ]) {
          yield* steps(async () => {
            await page.goto(`/ui/repository?tab=${tab}`)
            await page
              .getByText(shown ?? "")
              .first()
              .waitFor()
          })
          const offered = page.getByRole("button", { name: "Fetch now" })
          expect(yield* steps(() => offered.count())).toBe(0)
          yield* sound(page, `repository-phone-${tab?.split("&")[0] ?? ""}`)
        }
      })
    )

    it.effect("finds a key of the settings by its description", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/repository?tab=model")
          await page.getByLabel("Search the model").fill("vxlans vlan_id 802.1Q")
          await page.getByRole("row").filter({ hasText: "vxlans->*->vlan_id" }).getByText("vxlans.yml").waitFor()
        })
        yield* sound(page, "repository-model")
      })
    )

    it.effect("finds a bad commit: the line itself, what may stand there, and who may mend it", () =>
      Effect.gen(function* () {
        const { folders, page } = yield* Site
        yield* folders.settings.commit({ [BASE]: "---\nntp_servers: 5\n" }, "Forget the clocks")
        yield* steps(async () => {
          await page.goto("/ui/repository")
          await page.getByText(/^In force: .* by /).waitFor()
          await page.getByRole("button", { name: "Fetch now" }).click()
          await page.getByText("The newest commit is not in force.").waitFor()
          await page.getByText(/refused because of 1 mistake; \w+ stays in force, no switch is affected/).waitFor()
          const commit = page.getByRole("region", { name: "Commits" }).getByRole("link", { name: /Forget the clocks/ })
          await commit.getByText("Refused").waitFor()
          const file = page.getByRole("region", { name: BASE })
          await file.getByText("ntp_servers: 5").waitFor()
          await file.getByText(/^Line 2: /).waitFor()
          await file.getByText(/What may stand there: /).waitFor()
          await file.getByText(/made this commit/).waitFor()
          await page.getByRole("region", { name: "Files with findings" }).getByText(BASE).waitFor()
        })
        yield* sound(page, "repository")
        yield* folders.settings.commit({ [BASE]: "---\nntp_servers:\n  - host: 10.20.0.7\n" }, "Remember a clock")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Fetch now" }).click()
          await page
            .getByText(/^In force: .*Remember a clock/)
            .first()
            .waitFor()
        })
      })
    )
  })
})
