/**
 * 10,000 devices in the database, below forty distribution switches: the list shows its first rows before anything else, sorts, filters,
 * scrolls and marks all of them; overview, drawing and search hold.
 */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { answeringWithin } from "../../../src/store/AnswerTime.ts"
import * as Campus from "../../support/Campus.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { serve } from "../../support/ServedCampus.ts"

const ACCESS = 10_000
const DISTS = 40
const ALL = ACCESS + DISTS + 2
/** Every thousandth access switch is out of sync. */
const OUT = 10

const inTransaction = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(work))

/** Two cores above the distribution switches, and 500 access switches below each pair of these. No switch answers at their addresses. */
const seed = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // without what a server does for each new row: events, and the search for rows of the same port
  yield* sql`set local session_replication_role = replica`
  yield* sql`insert into device (hostname, state, device_type, platform, synchronized)
    select 'lhv-core' || n, 'MANAGED', 'CORE', 'eos', true from generate_series(1, 2) n`
  yield* sql`insert into device (hostname, state, device_type, platform, synchronized)
    select 'lhv-dist' || n, 'MANAGED', 'DIST', 'eos', true from generate_series(1, ${DISTS}::int) n`
  yield* sql`insert into device (hostname, state, device_type, platform, model, management_ip, synchronized)
    select 'lhv-acc' || n, 'MANAGED', 'ACCESS', 'eos', 'CCS-720XP-48Y6-F',
      host('10.33.0.0'::inet + n), n % 1000 <> 0
    from generate_series(1, ${ACCESS}::int) n`
  yield* sql`insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port)
    select core.id, 'Ethernet' || substr(dist.hostname, 9), dist.id, 'Ethernet' || 600 + substr(core.hostname, 9)::int
    from device core, device dist where core.device_type = 'CORE' and dist.device_type = 'DIST'`
  yield* sql`with
      access as (select id, row_number() over (order by id) - 1 as n from device where device_type = 'ACCESS'),
      dist as (select id, row_number() over (order by id) - 1 as n from device where device_type = 'DIST')
    insert into linknet (device_a_id, device_a_port, device_b_id, device_b_port)
    select dist.id, 'Ethernet' || 1 + access.n / 20, access.id, 'Ethernet' || 47 + dist.n % 2
    from access, dist where dist.n / 2 = access.n % 20`
  yield* sql`analyze`
}).pipe(inTransaction, answeringWithin("10 minutes"))

const make = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeCampusLab(0, () => Effect.void)
  const { api, running, url } = yield* serve(Campus.environment(lab, folders, folders.folder))
  while ((yield* api.send("GET", "/settings")).status !== 200) yield* Effect.sleep("50 millis")
  yield* Effect.provide(seed, running)
  const browser = yield* makeBrowser
  return { browser, url, page: yield* openPage(browser, url, { width: 1440, height: 900 }) }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/TenThousand") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

/** The names in the first column, as far as the rows are drawn. */
const names = async (page: Page): Promise<ReadonlyArray<string>> =>
  (await page.getByRole("table", { name: "Devices" }).getByRole("link").allInnerTexts()).filter((name) =>
    name.startsWith("lhv-")
  )

const linkTo = (page: Page, name: string) => page.getByRole("link", { name, exact: true }).first()

describe.skipIf(!hasChromium)(`A network of 10,000 switches${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("shows its first rows before it asks for anything else about devices", () =>
      Effect.gen(function* () {
        const { browser, url } = yield* Site
        const page = yield* openPage(browser, url, { width: 1440, height: 900 })
        const { promise: areShown, resolve: shown } = Promise.withResolvers<void>()
        const early: Array<string> = []
        let isEarly = true
        yield* steps(async () => {
          await page.route("**/api/v1.0/**", async (route) => {
            const { pathname, searchParams } = new URL(route.request().url())
            const isOfRows = pathname.endsWith("/devices") && searchParams.get("per_page") === "200"
            const isOfDevices = /\/(devices|device_synchistory|overview|groups)$/.test(pathname)
            if (isEarly && isOfDevices && !isOfRows) {
              early.push(pathname)
              await areShown
            }
            await route.continue()
          })
          await page.goto("/ui/devices")
          await linkTo(page, "lhv-acc1").waitFor()
          isEarly = false
          shown()
          await page.getByText(/^10,?042 switches: 2 core, 40 distribution, 10,?000 access$/).waitFor()
        })
      })
    )

    it.effect("lists them in natural order both ways, down to the last one, with few rows in the page", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const table = page.getByRole("table", { name: "Devices" })
        yield* steps(async () => {
          await page.goto("/ui/devices")
          await linkTo(page, "lhv-acc1").waitFor()
          expect((await names(page)).slice(0, 12)).toEqual(
            Array.from({ length: 12 }, (_, index) => `lhv-acc${index + 1}`)
          )
          expect(await table.getAttribute("aria-rowcount")).toBe(String(ALL + 1))
          await table.focus()
          await page.keyboard.press("End")
          await linkTo(page, "lhv-dist40").waitFor()
          await linkTo(page, "lhv-dist39").waitFor()
          expect(await table.getByRole("row").count()).toBeLessThan(100)
          // by the wheel, back over places that were never loaded
          await table.hover()
          await page.mouse.wheel(0, -150_000)
          await table
            .getByRole("link", { name: /^lhv-acc[3-7]\d{3}$/ })
            .first()
            .waitFor()
          await page.getByRole("button", { name: /^Name/ }).click()
          await linkTo(page, "lhv-dist40").waitFor()
          await linkTo(page, "lhv-dist39").waitFor()
        })
      })
    )

    it.effect("filters and searches them by the server, and marks all that match", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const chosen = page.getByRole("group", { name: "Chosen switches" })
        yield* steps(async () => {
          await page.goto("/ui/devices")
          await page.getByRole("searchbox", { name: "Search devices" }).fill("acc99")
          // lhv-acc99, ten of three digits, a hundred of four
          await page.getByText(/^111 of 10,?042 shown$/).waitFor()
          await linkTo(page, "lhv-acc990").waitFor()
          expect((await names(page)).slice(0, 3)).toEqual(["lhv-acc99", "lhv-acc990", "lhv-acc991"])
          await page.getByRole("checkbox", { name: "Mark all" }).click()
          await chosen.getByText("111 chosen").waitFor()
          await chosen.getByRole("button", { name: "Clear selection" }).click()
          await page.getByRole("searchbox", { name: "Search devices" }).fill("")
          await page.getByRole("button", { name: /^Out of sync/ }).click()
          await page.getByText(new RegExp(`^${OUT} of 10,?042 shown$`)).waitFor()
          await linkTo(page, "lhv-acc10000").waitFor()
          expect((await names(page)).slice(0, 2)).toEqual(["lhv-acc1000", "lhv-acc2000"])
          await page.getByRole("button", { name: /^All/ }).click()
          await linkTo(page, "lhv-acc1").waitFor()
          await page.getByRole("checkbox", { name: "Mark all" }).click()
          await chosen.getByText(/^10,?042 chosen$/).waitFor()
        })
        yield* sound(page, "devices-10000")
        yield* steps(async () => {
          await chosen.getByRole("button", { name: "Preview changes" }).click()
          const form = page.getByRole("form", { name: "Switches of the change" })
          const chosenNames = async () => (await form.getByLabel("Names").inputValue()).split(",").length
          expect(await chosenNames()).toBe(ALL)
          // so many names do not fit an address, and are not lost by a reload
          await page.reload()
          await form.waitFor()
          expect(await chosenNames()).toBe(ALL)
        })
      })
    )

    it.effect("counts them in the overview, finds one of them, and opens it", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/overview")
          await page
            .getByRole("region", { name: "Fleet" })
            .getByRole("link", { name: /^10,?032\s*of 10,?042 in sync$/ })
            .waitFor()
        })
        yield* sound(page, "overview-10000")
        yield* steps(async () => {
          await page.keyboard.press("Control+k")
          await page.getByRole("combobox", { name: "Search or jump to" }).fill("lhv-acc7777")
          await page
            .getByRole("option", { name: /lhv-acc7777/ })
            .first()
            .waitFor()
          await page.goto("/ui/find?q=lhv-acc7777")
          await page.getByText("lhv-acc7777").first().waitFor()
          await page.goto("/ui/device/lhv-acc7777")
          await page.getByRole("heading", { name: "lhv-acc7777" }).waitFor()
        })
      })
    )

    it.effect("draws them as a block below each pair of distribution switches, and opens one", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/topology")
          await page
            .getByRole("button", { name: /500 switches$/ })
            .first()
            .waitFor()
          await page.getByLabel("Find on the map").fill("lhv-acc7777")
          await page.getByLabel("Find on the map").press("Enter")
          await page.getByRole("complementary", { name: "About lhv-acc7777" }).waitFor()
          await page
            .getByRole("button", { name: /^lhv-acc7777/ })
            .first()
            .waitFor()
        })
        yield* sound(page, "topology-10000")
        yield* steps(async () => {
          await page.goto("/ui/topology?list=yes")
          await page.getByRole("table", { name: "Devices and their links" }).getByText("lhv-acc1").first().waitFor()
        })
      })
    )
  })
})
