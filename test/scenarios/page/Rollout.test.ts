/** A change on its way: what it would do, its rollout with a switch that fails, and the way back. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(4)
const [, , SILENT = ""] = NAMES

const ROLES = `group_mappings: {}
roles:
  junior: { extends: operator, approval: true }
`

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: ROLES })
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, { token: yield* campus.tokenOf("administrator", "boss") })
  return { ...campus, browser, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Rollout") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A change in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows a rollout with the failed switch at the top, in its own words, and undoes the others", () =>
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

    it.effect("is rejected, and aborted, with a reason", () =>
      Effect.gen(function* () {
        const { as, boss, page } = yield* Site
        const ann = yield* as("junior", "ann")
        const [one = ""] = NAMES
        const waiting = function* () {
          const dry = jobIn(yield* ann("POST", "/device_syncto", { hostname: one, dry_run: true }))
          yield* ended(boss, dry)
          return jobIn(yield* ann("POST", "/device_syncto", { hostname: one, dry_run: false, dry_run_job: dry }))
        }
        for (const [verb, said] of [
          ["Reject", "not today"],
          ["Abort", "wrong switch"]
        ] as const) {
          const job = yield* Effect.gen(waiting)
          yield* steps(async () => {
            await page.goto(`/ui/job/${job}`)
            await page.getByRole("button", { name: verb }).click()
            await page.getByRole("dialog").getByRole("textbox").fill(said)
            await page.getByRole("dialog").getByRole("button", { name: verb }).click()
            await page.getByText(said).first().waitFor()
            await page.getByText("Stopped").first().waitFor()
          })
        }
      })
    )

    it.effect("is paused and resumed, if the server can pause it, and failed devices are retried", () =>
      Effect.gen(function* () {
        const { boss, lab, page } = yield* Site
        // slow, so that there is time to pause
        const slow = yield* Effect.forEach(
          NAMES.filter((name) => name !== SILENT),
          (name) => lab.get(name)
        )
        for (const device of slow) device.setFault({ kind: "slow", bytesPerSecond: 1000 })
        yield* (yield* lab.get(SILENT)).powerOff
        const job = jobIn(
          yield* boss("POST", "/device_syncto", {
            all: true,
            dry_run: false,
            resync: true,
            confirm_mode: 1,
            batch_size: 1
          })
        )
        yield* steps(async () => {
          await page.goto(`/ui/job/${job}`)
          await page.getByRole("button", { name: "Pause" }).click()
          await page.getByLabel("Reason").fill("a call came in")
          await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click()
          await page
            .getByText(/^Paused by /)
            .first()
            .waitFor()
          await page
            .getByText(/a call came in/)
            .first()
            .waitFor()
        })
        yield* sound(page, "paused")
        for (const device of slow) device.clearFaults()
        yield* steps(async () => {
          await page.getByRole("button", { name: "Resume" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Resume" }).click()
          await page.getByText("partly failed").waitFor()
          await page.getByRole("link", { name: "Retry the failed ones" }).click()
          await page.waitForURL(new RegExp(`/ui/change\\?.*${SILENT}`))
        })
        for (const device of slow) device.setFault({ kind: "slow", bytesPerSecond: 1000 })
        const together = jobIn(
          yield* boss("POST", "/device_syncto", { all: true, dry_run: false, resync: true, confirm_mode: 2 })
        )
        yield* steps(async () => {
          await page.goto(`/ui/job/${together}`)
          await page.getByText(/It cannot be paused: in confirm mode 2/).waitFor()
          expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0)
        })
        for (const device of slow) device.clearFaults()
        yield* ended(boss, together)
      })
    )

    it.effect("lists jobs by their results, with links", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/jobs")
          await page.getByRole("link", { name: "1", exact: true }).waitFor()
          await page.getByRole("radiogroup").getByText("Partly failed", { exact: true }).click()
          await page.getByRole("cell", { name: "partly failed" }).first().waitFor()
        })
        yield* sound(page, "jobs")
      })
    )
  })
})
