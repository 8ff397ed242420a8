/** Days on which something else is in the way: a lock that was left behind, and an emergency beside a rollout that runs. */
import { PgClient } from "@effect/sql-pg"
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(3)
const [FIRST = "", SECOND = "", DARK = ""] = NAMES

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: "group_mappings: {}\nroles: {}\n" })
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, { token: yield* campus.tokenOf("administrator", "boss") })
  const sql = yield* Effect.provideContext(PgClient.PgClient, campus.running)
  return { ...campus, page, sql }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/HardDays") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A hard day${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect(
      "has an emergency beside a rollout that runs, with its reason; its lock is not offered to be released",
      () =>
        Effect.gen(function* () {
          const { boss, lab, page } = yield* Site
          const first = yield* lab.get(FIRST)
          // slow, so that there is time to pause it: a paused rollout keeps its lock for as long as the test needs
          first.setFault({ kind: "slow", bytesPerSecond: 1000 })
          const running = jobIn(
            yield* boss("POST", "/device_syncto", {
              hostnames: [FIRST, SECOND],
              dry_run: false,
              force: true,
              resync: true,
              confirm_mode: 1,
              batch_size: 1,
              comment: "ordinary"
            })
          )
          yield* steps(async () => {
            await page.goto(`/ui/job/${running}`)
            await page.getByRole("button", { name: "Pause" }).click()
            await page.getByLabel("Reason").fill("lunch")
            await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click()
            await page
              .getByText(/^Paused by /)
              .first()
              .waitFor()
          })
          first.clearFaults()
          for (const screen of ["/ui/server", "/ui/jobs"])
            yield* steps(async () => {
              await page.goto(screen)
              await page
                .getByRole("link", { name: new RegExp(`(^| )${running}$`) })
                .first()
                .waitFor()
              expect(await page.getByText("A lock was left behind").count(), screen).toBe(0)
              expect(await page.getByRole("button", { name: /Release/ }).count(), screen).toBe(0)
            })
          const dark = yield* lab.get(DARK)
          dark.configure("ntp server 10.255.0.99\n")
          const preview = jobIn(
            yield* boss("POST", "/device_syncto", { hostnames: [DARK], dry_run: true, force: true, comment: "clocks" })
          )
          yield* ended(boss, preview)
          yield* steps(async () => {
            await page.goto(`/ui/change/${preview}?tab=plan`)
            await page.getByLabel("Urgent: beside a rollout that is running").check()
            await page.getByLabel("Roll out now, as an emergency (reason)").fill("the north hall is dark")
            await page.getByRole("button", { name: "Roll out exactly this" }).click()
            await page
              .getByRole("link", { name: /^(Rollout \d+|Open the rollout)$/ })
              .first()
              .click()
            await page.getByText("beside other rollouts").waitFor()
            await page.getByText("the north hall is dark").first().waitFor()
            await page.getByText("Done", { exact: true }).first().waitFor()
          })
          yield* sound(page, "emergency")
          expect((yield* boss("GET", `/job/${running}`)).text).toContain('"finish_time":null')
          yield* boss("PUT", `/job/${running}`, { action: "RESUME" })
          expect(yield* ended(boss, running)).toMatch(/"outcome":"success"/)
        })
    )

    it.effect("has a lock that was left behind: by which job, what a release means, and why it is refused", () =>
      Effect.gen(function* () {
        const { boss, page, sql } = yield* Site
        const job = jobIn(yield* boss("POST", "/device_syncto", { hostname: DARK, dry_run: true }))
        yield* ended(boss, job)
        // its process still writes that it is alive, so the server does not remove the lock on its own
        yield* sql`update job set finish_time = now() - interval '5 minutes', alive_at = now() + interval '1 day'
          where id = ${job}`
        yield* sql`insert into joblock (job_id, name) values (${job}, 'devices')`
        yield* steps(async () => {
          await page.goto("/ui/jobs")
          await page.getByText(`A lock was left behind by job ${job}`).waitFor()
          await page.getByRole("button", { name: "Release the lock…" }).click()
          const dialog = page.getByRole("dialog", { name: `Release the lock of job ${job}?` })
          await dialog.getByText(/Waiting rollouts begin then.*No switch is changed by the release itself/).waitFor()
          await dialog.getByRole("button", { name: "Release the lock" }).click()
          await dialog.getByRole("alert").waitFor()
        })
        yield* sound(page, "lock-left-behind")
        yield* steps(async () => {
          await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
          await page.goto("/ui/server")
          await page.getByText("A lock was left behind by").first().waitFor()
        })
        yield* sql`update job set alive_at = null where id = ${job}`
        yield* steps(() => page.getByText("A lock was left behind by").first().waitFor({ state: "hidden" }))
      })
    )
  })
})
