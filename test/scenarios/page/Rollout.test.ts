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
  const campus = yield* makeCampusWithRoles({
    names: NAMES,
    roles: ROLES,
    variables: { COMMIT_CONFIRMED_TIMEOUT: "120" }
  })
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
          await page.getByText("3 confirmed, 1 failed").waitFor()
          await page.getByText("1 of 4 switches, 1 reason").waitFor()
          const failed = page.getByRole("region", { name: /^1 switch .* SSH/ })
          await failed.getByRole("link", { name: SILENT }).waitFor()
          await failed.getByText("Nothing was changed on it.").waitFor()
          await failed.getByText(/^Try this:/).waitFor()
          await failed.getByText("What the switch said").click()
          await failed.getByText(/ConnectionException/).waitFor()
          await page.getByRole("gridcell", { name: `${SILENT}: failed` }).waitFor()
        })
        yield* sound(page, "rollout")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Undo all 3…" }).click()
          await page.getByLabel("Comment").fill("only trying")
          await page.getByRole("dialog").getByRole("button", { name: "Undo 3 switches" }).click()
          await page.waitForURL(new RegExp(`/ui/job/(?!${job}$)`))
        })
        const undo = Number(page.url().split("/").at(-1))
        expect(yield* ended(boss, undo)).toMatch(/"outcome":"success"/)
        // the undone job says so, and neither it nor its undo can be undone again
        yield* steps(async () => {
          await page.getByText("3 confirmed", { exact: true }).first().waitFor()
          await page.getByRole("link", { name: `job ${job}` }).click()
          await page.getByText(`Undone by job ${undo}.`).waitFor()
          await page.getByRole("button", { name: "Retry 1" }).first().waitFor()
          expect(await page.getByRole("button", { name: /^Undo/ }).count()).toBe(0)
        })
      })
    )

    it.effect("is rejected, and stopped before it begins, with a reason", () =>
      Effect.gen(function* () {
        const { as, boss, page } = yield* Site
        const ann = yield* as("junior", "ann")
        const [one = ""] = NAMES
        const waiting = function* () {
          const dry = jobIn(yield* ann("POST", "/device_syncto", { hostname: one, dry_run: true }))
          yield* ended(boss, dry)
          return jobIn(yield* ann("POST", "/device_syncto", { hostname: one, dry_run: false, dry_run_job: dry }))
        }
        for (const [label, verb, said] of [
          ["Reject", "Reject", "not today"],
          ["Stop…", "Stop rollout", "wrong switch"]
        ] as const) {
          const job = yield* Effect.gen(waiting)
          yield* steps(async () => {
            await page.goto(`/ui/job/${job}`)
            await page.getByRole("button", { name: label }).click()
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
          await page.getByText("Partly failed", { exact: true }).waitFor()
          await page
            .getByRole("button", { name: /^Retry (all )?\d/ })
            .first()
            .click()
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

    it.effect("is stopped on its way: what was not begun is neither failed nor red, and can be gone on with", () =>
      Effect.gen(function* () {
        const { boss, lab, page } = yield* Site
        const [first = "", ...others] = NAMES.filter((name) => name !== SILENT)
        const devices = yield* Effect.forEach([first, ...others], (name) => lab.get(name))
        for (const device of devices) device.setFault({ kind: "slow", bytesPerSecond: 1000 })
        const hostnames = [first, ...others]
        const job = jobIn(
          yield* boss("POST", "/device_syncto", {
            hostnames,
            dry_run: false,
            resync: true,
            confirm_mode: 1,
            batch_size: 1
          })
        )
        yield* steps(async () => {
          await page.goto(`/ui/job/${job}`)
          await page.getByRole("list", { name: "Stages" }).getByText("waits").first().waitFor()
          await page.getByRole("button", { name: "Stop…" }).click()
          await page.getByText(/^2 switches are not begun and stay as they are/).waitFor()
          await page.getByRole("dialog").getByLabel("Reason").fill("wrong day")
          await page.getByRole("dialog").getByRole("button", { name: "Stop rollout" }).click()
        })
        for (const device of devices) device.clearFaults()
        yield* steps(async () => {
          await page
            .getByText(/2 not begun/)
            .first()
            .waitFor()
          expect(await page.getByText("What failed").count()).toBe(0)
          await page.getByRole("gridcell", { name: `${others.at(-1)}: not begun` }).waitFor()
        })
        yield* sound(page, "stopped")
        yield* steps(async () => {
          await page.goto("/ui/jobs")
          await page
            .getByText(/2 not begun/)
            .first()
            .waitFor()
          await page.goto(`/ui/job/${job}`)
          await page.getByRole("button", { name: "Go on with the 2 not begun" }).click()
          await page.waitForURL(/\/ui\/change\?hostnames=/)
        })
      })
    )

    it.effect(
      "loses a switch after its commit: says since when, and when its end is certain; another is urgent beside it",
      () =>
        Effect.gen(function* () {
          const { boss, lab, page } = yield* Site
          const [lost = "", urgent = ""] = NAMES.filter((name) => name !== SILENT)
          const device = yield* lab.get(lost)
          const forget = device.onCommit(({ kind }) => {
            if (kind !== "commitTimer") return
            device.setFault({ kind: "cut", step: "connect" })
            device.setFault({ kind: "silent", step: "confirm" })
            forget()
          })
          device.configure("ntp server 10.255.0.99\n")
          const job = jobIn(
            yield* boss("POST", "/device_syncto", { hostname: lost, dry_run: false, force: true, comment: "risky" })
          )
          yield* steps(async () => {
            await page.goto(`/ui/job/${job}`)
            const silent = page.getByRole("region", { name: "Not answering" })
            await silent.getByText(/does not answer: its last answer was .* it has certainly gone back in /).waitFor()
            await page.getByRole("gridcell", { name: `${lost}: not answering` }).waitFor()
            await page.getByText("Waiting for safety timers to end").first().waitFor()
          })
          yield* sound(page, "not-answering")
          const beside = jobIn(
            yield* boss("POST", "/device_syncto", { hostnames: [urgent], dry_run: false, force: true, urgent: true })
          )
          expect(yield* ended(boss, beside)).toMatch(/"outcome":"success"/)
          yield* steps(async () => {
            await page.goto(`/ui/job/${beside}`)
            await page.getByText("beside other rollouts").waitFor()
          })
          device.clearFaults()
          yield* ended(boss, job)
          yield* steps(async () => {
            await page.goto(`/ui/job/${job}`)
            await page
              .getByText(/^1 (confirmed|went back)$/)
              .first()
              .waitFor()
            expect(await page.getByRole("region", { name: "Not answering" }).count()).toBe(0)
          })
        })
    )

    it.effect("begins with the first switches, and then goes stage by stage", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        const hostnames = NAMES.filter((name) => name !== SILENT)
        const job = jobIn(
          yield* boss("POST", "/device_syncto", { hostnames, dry_run: false, force: true, canary: 1, batch_size: 1 })
        )
        yield* ended(boss, job)
        yield* steps(async () => {
          await page.goto(`/ui/job/${job}`)
          const stages = page.getByRole("list", { name: "Stages" })
          await stages.getByText("First switch", { exact: true }).waitFor()
          await stages.getByText("Stage 2", { exact: true }).waitFor()
          expect(await stages.getByText("1 of 1").count()).toBe(3)
          await page.getByRole("radiogroup", { name: "How the switches are shown" }).getByText("List").click()
          await page.waitForURL(/view=list/)
          await page
            .getByRole("table", { name: "Every switch" })
            .getByRole("link", { name: hostnames[0] ?? "" })
            .waitFor()
        })
        yield* sound(page, "rollout-list")
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
          await page.getByRole("radiogroup").getByText("Mine", { exact: true }).click()
          await page.waitForURL(/show=mine/)
          await page.getByRole("cell", { name: "boss" }).first().waitFor()
        })
        yield* sound(page, "jobs")
      })
    )
  })
})
