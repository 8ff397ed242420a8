/** A server without its repositories says so on the first screen, and why. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { dataFolder, start } from "../../support/Program.ts"

describe.skipIf(!hasChromium)(`A page without repositories in force${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  it.live("names each one with the reason, and leads to its problems", () =>
    Effect.gen(function* () {
      const folder = yield* dataFolder
      const nowhere = `${folder}/nowhere`
      const server = yield* start({ DATA_DIR: `${folder}/data`, GITREPO_TEMPLATES: nowhere })
      const page = yield* openPage(yield* makeBrowser, yield* server.url)
      yield* steps(async () => {
        await page.goto("/")
        await page.getByText("The settings are not in force").waitFor()
        await page.getByText("GITREPO_SETTINGS is not set").waitFor()
        await page.getByText("The templates are not in force").waitFor()
        await page.getByText(new RegExp(`the last refresh failed: .*${nowhere}`)).waitFor()
      })
      yield* sound(page, "not-in-force")
      yield* steps(async () => {
        await page.getByRole("link", { name: "Commits and problems" }).last().click()
        await page.waitForURL(/\/ui\/repository\?name=templates/)
        await page.getByText("Nothing was fetched yet").waitFor()
        await page.getByText("An administrator sets the address as GITREPO_TEMPLATES").waitFor()
      })
      expect(page.url()).toContain("name=templates")
    }).pipe(Effect.scoped)
  )
})
