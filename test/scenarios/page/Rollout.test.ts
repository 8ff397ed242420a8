/** A change on its way: what it would do, its rollout with a switch that fails, and the way back. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(4)
const [, , SILENT = ""] = NAMES

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const page = yield* openPage(yield* makeBrowser, campus.url, {
    token: yield* campus.tokenOf("administrator", "boss")
  })
  return { ...campus, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Rollout") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A change in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows a rollout with the switch that failed at the top, in its own words, and undoes the others", () =>
      Effect.gen(function* () {
        const { boss, lab, page } = yield* Site
        yield* (yield* lab.get(SILENT)).powerOff
        const job = jobIn(
          yield* boss("POST", "/device_syncto", { all: true, dry_run: false, force: true, comment: "new ports" })
        )
        yield* steps(async () => {
          await page.goto(`/ui/job/${job}`)
          await page.getByRole("region", { name: "confirmed: 3" }).waitFor()
          await page.getByText("1 device has failed").waitFor()
          await page.getByRole("button", { name: new RegExp(SILENT) }).click()
          await page.getByText("The switch did not answer.").waitFor()
          await page.getByText("partly failed").waitFor()
        })
        yield* sound(page, "rollout")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Undo" }).click()
          await page.getByLabel("Comment").fill("only trying")
          await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click()
          await page.waitForURL(new RegExp(`/ui/job/(?!${job}$)`))
          await page.getByRole("region", { name: "confirmed: 3" }).waitFor()
        })
        const undo = Number(page.url().split("/").at(-1))
        expect(yield* ended(boss, undo)).toMatch(/"outcome":"success"/)
      })
    )

    it.effect("lists jobs by how they ended, and leads to each", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/jobs")
          await page.getByRole("link", { name: "1", exact: true }).waitFor()
          await page.getByText("Partly failed", { exact: true }).click()
          await page.getByRole("cell", { name: "partly failed" }).waitFor()
        })
        yield* sound(page, "jobs")
      })
    )
  })
})
