/** Screens of administrators: audit, permissions, health of the server, and the manual. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, leap, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { until } from "../../support/Program.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const [DEVICE = ""] = accessNames(1)
const PASSWORD = "seven green bicycles"

const usersIn = (page: Page) => page.getByRole("table", { name: "Users with passwords" })

/** A message that was given up after three days, as stored in the database. */
const givenUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`with made as (
      insert into alert (rule, key, level, title, receivers, events, count, subjects, send_at, sent_at)
      values ('job_not_success', 'job 1', 'error', 'Job 1 ended: failed', '{noc}', '[]', 1, '{}', now(), now()) returning id
    ) insert into alert_delivery (alert_id, receiver, action, state, attempts, ended_at, answer)
      select id, 'noc', 'trigger', 'dead', 76, now(), 'ECONNREFUSED' from made`
})

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: [DEVICE],
    roles: "group_mappings: {}\nroles:\n  closet: { extends: port-editor, groups: [closet-3] }\n",
    variables: { LOCAL_USERS: "true" }
  })
  yield* Effect.provide(givenUp, campus.running)
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, { token: yield* campus.tokenOf("administrator", "boss") })
  return { ...campus, browser, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Administration") {
  static readonly layer = Layer.effect(Site, make)
}

const secured = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: [DEVICE],
    roles: "roles: {}\napproval: { security: true }\n",
    variables: { LOCAL_USERS: "true" }
  })
  const browser = yield* makeBrowser
  const pageOf = (sub: string) =>
    Effect.flatMap(campus.tokenOf("administrator", sub), (token) => openPage(browser, campus.url, { token }))
  return { boss: campus.boss, ann: yield* pageOf("ann"), bob: yield* pageOf("bob") }
})

class SecuredSite extends Context.Service<SecuredSite, Effect.Success<typeof secured>>()("test/page/Secured") {
  static readonly layer = Layer.effect(SecuredSite, secured)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`Administration in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("adds a user, who signs on with a password, gives other roles, and removes the user", () =>
      Effect.gen(function* () {
        const { browser, page, url } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/access")
          await page.getByRole("button", { name: "Add a user" }).click()
          const form = page.getByRole("dialog", { name: "Add a user" })
          await form.getByLabel("Name").fill("maria")
          await form.getByLabel(/^Password/).fill("short")
          await form.getByRole("checkbox", { name: "reader" }).click()
          await form.getByRole("button", { name: "Save" }).click()
          await form.getByText("password: expected 12 to 256 characters").waitFor()
          await form.getByLabel(/^Password/).fill(PASSWORD)
          await form.getByRole("button", { name: "Save" }).click()
          await usersIn(page)
            .getByRole("row", { name: /maria reader/ })
            .waitFor()
        })
        yield* sound(page, "access-users")
        const hers = yield* openPage(browser, url)
        yield* steps(async () => {
          await hers.goto("/ui/access")
          await hers.getByRole("textbox", { name: "User name" }).fill("maria")
          await hers.getByLabel(/^Password/).fill(PASSWORD)
          await hers.getByRole("button", { name: "Sign in", exact: true }).click()
          await hers.getByRole("tab", { name: "Tokens" }).waitFor()
          expect(await hers.getByRole("tab", { name: "People" }).count()).toBe(0)
          await page.getByRole("button", { name: "Change maria" }).click()
          const form = page.getByRole("dialog", { name: "Change maria" })
          await form.getByRole("checkbox", { name: "operator" }).click()
          await form.getByRole("button", { name: "Save" }).click()
          await usersIn(page)
            .getByRole("row", { name: /maria reader, operator/ })
            .waitFor()
          await page.getByText("maria is saved").waitFor()
          await page.getByRole("button", { name: "Remove maria" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Remove maria" }).click()
          await page.getByText("maria is removed").waitFor()
          await page.getByText("No users have a password here").waitFor()
        })
      })
    )

    it.effect("creates a token that is shown once and valid until it is revoked", () =>
      Effect.gen(function* () {
        const { page, url } = yield* Site
        const answer = (token: string) =>
          fetch(`${url}/api/v1.0/devices`, { headers: { authorization: `Bearer ${token}` } })
        const token = yield* steps(async () => {
          await page.goto("/ui/access?tab=tokens")
          await page.getByRole("button", { name: "Make a token" }).click()
          const form = page.getByRole("dialog", { name: "Make a token" })
          await form.getByLabel("Name of the program").fill("dhcp")
          await form.getByRole("checkbox", { name: "dhcp-hook" }).click()
          await form.getByRole("button", { name: "Make the token" }).click()
          return (await page.getByLabel("The token", { exact: true }).textContent()) ?? ""
        })
        yield* sound(page, "access-tokens")
        expect(token).toMatch(/^swy_/)
        expect((yield* steps(() => answer(token))).status).toBe(200)
        yield* steps(async () => {
          await page.getByRole("button", { name: "I have it" }).click()
          await page.getByRole("button", { name: "Revoke dhcp" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Revoke dhcp" }).click()
          await page.getByRole("row", { name: /dhcp .*revoked/ }).waitFor()
          expect(await page.getByText(token).count()).toBe(0)
        })
        yield* until(
          Effect.map(
            steps(() => answer(token)),
            ({ status }) => status === 401
          )
        )
      })
    )

    it.effect("shows the roles, and the reason why a user may not do something", () =>
      Effect.gen(function* () {
        const { browser, page, tokenOf, url } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/access?tab=roles")
          const closet = page.getByRole("listitem", { name: "closet permissions.yml:3" })
          await closet.getByText("May change ports and restart ports, only for switches of closet-3.").waitFor()
          await closet.getByText(/May push to switches, .*at most 10 switches at a time/).waitFor()
          await closet.getByText(/May not approve/).waitFor()
        })
        yield* sound(page, "access-roles")
        const looking = yield* openPage(browser, url, { token: yield* tokenOf("reader"), scheme: "dark", width: 380 })
        yield* steps(async () => {
          await looking.goto("/ui/access?tab=explain")
          await looking.getByLabel("What", { exact: true }).selectOption("push to switches")
          await looking.getByRole("button", { name: "Ask" }).click()
          await looking.getByText("May not", { exact: true }).waitFor()
          await looking.getByText(/Roles that allow it: .*operator/).waitFor()
        })
        yield* sound(looking, "access-explain-phone-dark")
      })
    )

    it.effect("finds in the audit who changed what, shows it before and after, and verifies the chain", () =>
      Effect.gen(function* () {
        const { boss, browser, page, tokenOf, url } = yield* Site
        const { text } = yield* boss("GET", `/device/${DEVICE}`)
        const id = /"id":(\d+)/.exec(text)?.[1] ?? ""
        yield* boss("PUT", `/device/${id}`, { description: "room 5" })
        yield* steps(async () => {
          await page.goto("/ui/audit")
          await page.getByText("The audit is complete and unaltered.").waitFor()
          await page.getByLabel("Kind").selectOption("device")
          await page.getByLabel("Who", { exact: true }).fill("bos")
          const changed = page.getByRole("listitem").filter({ hasText: `boss changed the record of ${DEVICE}` })
          await changed.getByText("room 5").waitFor()
        })
        yield* sound(page, "audit")
        yield* steps(async () => {
          await page
            .getByRole("button", { name: `Show data: boss changed the record of ${DEVICE}` })
            .first()
            .click()
          await page.getByText(/"description": "room 5"/).waitFor()
          expect(page.url()).toMatch(/event=\d+/)
        })
        yield* sound(page, "audit-event")
        const phone = yield* openPage(browser, url, {
          token: yield* tokenOf("administrator", "boss"),
          scheme: "dark",
          width: 390
        })
        yield* steps(async () => {
          await phone.goto("/ui/audit?kind=device&actor=bos")
          await phone.getByText("room 5").first().waitFor()
          expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
        })
        yield* sound(phone, "audit-phone-dark")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Check now" }).click()
          await page.getByText("The audit is complete and unaltered.").waitFor()
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Export CSV" }).click()
          ])
          const lines = readFileSync(await file.path(), "utf8").split("\r\n")
          expect(lines[0]).toBe("id,at,kind,action,actor,way,address,hostname,job_id,data")
          expect(lines.find((line) => line.includes("room 5"))).toMatch(/,device,updated,boss,/)
          await page.getByLabel("Who", { exact: true }).fill("nobody at all")
          await page.getByText("Nothing matches").waitFor()
          await page.getByRole("button", { name: "Who is nobody at all, take this filter away" }).click()
          await page.getByRole("button", { name: "Clear filters" }).click()
          await page
            .getByText(/made the user maria/)
            .first()
            .waitFor()
        })
      })
    )

    it.effect("shows the health of the server and its settings, and no secret", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/")
          await page.getByRole("navigation").waitFor()
          await leap(page, "s")
          const parts = page.getByRole("region", { name: "Parts" })
          await parts
            .getByRole("listitem")
            .filter({ hasText: /^Database.*works$/ })
            .waitFor()
          await parts.getByText(/PostgreSQL \d+/).waitFor()
          await page.getByText("This server works alone").waitFor()
          await parts
            .getByRole("listitem")
            .filter({ hasText: /^Templates[0-9a-f]{7} .*, by / })
            .waitFor()
        })
        yield* sound(page, "server")
        yield* steps(async () => {
          await page.getByRole("tab", { name: "Settings in force" }).click()
          await page.getByRole("row", { name: /COMMIT_CONFIRMED_MODE/ }).waitFor()
          await page.getByRole("tab", { name: "Plugins" }).click()
          await page.getByRole("row", { name: /filewriter.* loaded/ }).waitFor()
          await page.getByRole("button", { name: "Test the plugins" }).click()
          await page.getByText("1 of 1 plugins report that they work").waitFor()
        })
      })
    )

    it.effect("has the manual of this release: contents, chapters, links between them, and a search", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const token = yield* tokenOf("closet")
        const page = yield* openPage(browser, url, { token, scheme: "dark", width: 380 })
        yield* steps(async () => {
          await page.goto("/ui/manual")
          await page.getByRole("heading", { name: "The manual" }).waitFor()
          await page.getByLabel("Search the manual").fill("winter time")
          await page.getByText("No heading contains these words").waitFor()
          await page.getByLabel("Search the manual").fill("time summer")
          await page.getByRole("link", { name: "Windows: Summer time" }).click()
          await page.waitForURL("**/ui/manual/windows#summer-time")
          await page.locator("#at-summer-time:focus").waitFor()
        })
        yield* sound(page, "manual-phone-dark")
        const wide = yield* openPage(browser, url, { token })
        yield* steps(async () => {
          await wide.goto("/ui/manual/nothing")
          await wide.getByRole("link", { name: "The contents" }).click()
          await wide.getByRole("heading", { name: "The manual" }).waitFor()
        })
        yield* sound(wide, "manual")
        yield* steps(async () => {
          await wide.getByRole("link", { name: "operations" }).first().click()
          await wide.getByRole("heading", { name: "Operations" }).waitFor()
          await wide.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: "Replicas" }).click()
          await wide.locator("#at-replicas:focus").waitFor()
        })
      })
    )

    it.effect(
      "returns to the previous address after the site's provider, renews a token unnoticed, and trusts none in an address",
      () =>
        Effect.gen(function* () {
          const { browser, tokenOf, url } = yield* Site
          const ended = yield* tokenOf("administrator", "ended", -60)
          const fresh = yield* tokenOf("administrator", "alice")
          const page = yield* openPage(browser, url)
          const answers = [401, 200, 200]
          yield* steps(async () => {
            // where the provider would be: the server sends browsers on, and exchanges the cookie
            const provider = { name: "id.example.org", path: "/api/v1.0/auth/login" }
            await page.route("**/api/v1.0/auth/ways", (route) =>
              route.fulfill({
                json: { status: "success", data: { needed: true, password: true, provider, token: true } }
              })
            )
            await page.route("**/api/v1.0/auth/login", (route) =>
              route.fulfill({ status: 302, headers: { location: "/ui/signed-on" } })
            )
            // no user is signed on, then one with an expired token, then one with another token
            await page.route("**/api/v1.0/auth/session", (route) => {
              const status = answers.shift() ?? 200
              const access_token = answers.length === 1 ? ended : fresh
              return route.fulfill({ status, json: { status: "success", data: { access_token } } })
            })
            await page.goto("/ui/jobs")
            await page.getByRole("button", { name: "Continue with id.example.org" }).click()
            await page.getByRole("heading", { name: "Jobs" }).waitFor()
            await page.getByText("alice").waitFor()
            expect(page.url()).toBe(`${url}/ui/jobs`)
          })
          const other = yield* openPage(browser, url)
          yield* steps(async () => {
            await other.goto(`/ui/signed-on?token=${fresh}`)
            await other.getByRole("button", { name: "Use an API token" }).click()
            await other.getByRole("form", { name: "Sign in with a token" }).waitFor()
            expect(other.url()).toBe(`${url}/ui/`)
          })
        })
    )

    it.effect("says that another version of the server runs than the one that the page came from", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, { token: yield* tokenOf("administrator", "boss") })
        yield* steps(async () => {
          await page.goto("/ui/server?tab=plugins")
          await page.getByRole("tab", { name: "Plugins" }).waitFor()
          expect(await page.getByRole("region", { name: "New version" }).count()).toBe(0)
          await page.route("**/api/v1.0/system/version", (route) =>
            route.fulfill({ json: { status: "success", data: { version: "9.9.9", git_version: "" } } })
          )
          await page.reload()
          await page.getByRole("region", { name: "New version" }).getByText("Switchyard 9.9.9 runs now.").waitFor()
        })
        yield* sound(page, "new-version")
      })
    )

    it.effect("silences alerts before work on a switch, sends a message again, and looks after an alert", () =>
      Effect.gen(function* () {
        const { browser, page, tokenOf, url } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/")
          await page.getByRole("navigation").first().waitFor()
          await leap(page, "l")
          await page.getByText("Nobody is told yet").waitFor()
          const letters = page.getByRole("region", { name: "Not delivered" })
          await letters.getByText(/noc was not told: job not success.*ECONNREFUSED/).waitFor()
          await page.getByRole("button", { name: "Silence…" }).click()
          const form = page.getByRole("dialog", { name: "Silence alerts" })
          await form.getByLabel("Switches, such as lhv-*").fill(DEVICE)
          await form.getByLabel("Reason").fill("CHG-77: new power supply")
          await form.getByRole("button", { name: "Silence" }).click()
          await page.getByRole("region", { name: "Silenced" }).getByText(`Alerts of ${DEVICE}`).waitFor()
        })
        yield* sound(page, "alerts")
        const phone = yield* openPage(browser, url, {
          token: yield* tokenOf("administrator", "boss"),
          scheme: "dark",
          width: 390
        })
        yield* steps(async () => {
          await phone.goto("/ui/alerts")
          await phone.getByRole("region", { name: "Silenced" }).waitFor()
          expect(await phone.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
        })
        yield* sound(phone, "alerts-phone-dark")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Send again…" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Send again" }).click()
          await page.getByText("1 message on the way again").waitFor()
          await page.getByRole("region", { name: "Silenced" }).getByRole("button", { name: "End now…" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "End the silence" }).click()
          await page.getByRole("region", { name: "Silenced" }).waitFor({ state: "detached" })
          const open = page.getByRole("region", { name: "Jobs that did not succeed" })
          await open.getByRole("button", { name: "Acknowledge…" }).click()
          const dialog = page.getByRole("dialog", { name: "Look after this alert?" })
          await dialog.getByLabel("What are you doing about it?").fill("power is back at noon")
          await dialog.getByRole("button", { name: "Acknowledge" }).click()
          // its rule knew no end when it was made, so nothing is left to look at
          await page
            .getByRole("region", { name: "Over" })
            .getByText(/looked after by boss/)
            .waitFor()
          await page.getByText("No alert is open.").waitFor()
        })
      })
    )
  })
})

describe.skipIf(!hasChromium)("Four eyes in the page", () => {
  layer(SecuredSite.layer, { excludeTestServices: true })((it) => {
    it.effect("shows requests that wait for another person, who approves or rejects them, with a comment", () =>
      Effect.gen(function* () {
        const { ann, bob } = yield* SecuredSite
        yield* steps(async () => {
          await ann.goto("/ui/access")
          await ann.getByRole("button", { name: "Add a user" }).click()
          const form = ann.getByRole("dialog", { name: "Add a user" })
          await form.getByLabel("Name").fill("maria")
          await form.getByLabel(/^Password/).fill(PASSWORD)
          await form.getByRole("checkbox", { name: "reader" }).click()
          await form.getByRole("button", { name: "Save" }).click()
          await form.getByText("This waits for another person").waitFor()
          await form.getByText(/Nothing has changed yet.*request 1 \(a new user\)/).waitFor()
          expect(await form.getByRole("button", { name: "Save" }).isDisabled()).toBe(true)
          await form.getByRole("link", { name: "What waits" }).click()
        })
        yield* steps(async () => {
          await ann.getByRole("link", { name: /A new user #1.*You/ }).waitFor()
          await ann.getByText("Somebody else decides this").waitFor()
          expect(await ann.getByRole("button", { name: /^Approve/ }).count()).toBe(0)
          await bob.goto("/ui/approvals")
          await bob.getByRole("link", { name: /A new user #1.*ann.*Waiting/ }).waitFor()
          await bob.getByText("Show data").click()
        })
        yield* sound(bob, "approvals-request")
        yield* steps(async () => {
          expect(await bob.getByText(PASSWORD).count()).toBe(0)
          await bob.getByLabel("Comment").fill("as agreed")
          await bob.getByRole("button", { name: "Approve and carry out" }).click()
          const dialog = bob.getByRole("dialog", { name: "Approve request 1?" })
          await dialog.getByRole("button", { name: "Approve and carry out" }).click()
          await bob.getByText("Nothing waits for you").waitFor()
          await bob.getByText("Decided", { exact: true }).click()
          await bob.getByRole("link", { name: /A new user #1.*Approved.*bob.*as agreed/ }).waitFor()
          await ann.goto("/ui/access?tab=people")
          await usersIn(ann)
            .getByRole("row", { name: /maria reader yes/ })
            .waitFor()
          await ann.getByRole("button", { name: "Remove maria" }).click()
          const remove = ann.getByRole("dialog", { name: "Remove maria" })
          await remove.getByRole("button", { name: "Remove maria" }).click()
          await remove.getByText("This waits for another person").waitFor()
          await remove.getByRole("button", { name: "Close the dialog" }).click()
          await ann.goto("/ui/approvals?view=yours")
          await ann.getByRole("button", { name: "Take back…" }).click()
          const back = ann.getByRole("dialog", { name: "Take back request 2?" })
          await back.getByRole("button", { name: "Take back" }).click()
          await ann.getByText("You have asked for nothing").waitFor()
          await ann.goto("/ui/approvals?view=decided")
          await ann.getByRole("link", { name: /A user is removed #2.*Rejected.*ann/ }).waitFor()
        })
      })
    )

    it.effect("lists persons, and lets another administrator approve a withdrawal", () =>
      Effect.gen(function* () {
        const { ann, bob } = yield* SecuredSite
        yield* steps(async () => {
          await ann.goto("/ui/access?tab=people")
          await ann.getByRole("row", { name: /local:maria/ }).waitFor()
        })
        yield* sound(ann, "access-persons")
        yield* steps(async () => {
          await ann.getByRole("button", { name: "Withdraw maria" }).click()
          const dialog = ann.getByRole("dialog", { name: "Withdraw maria" })
          await dialog.getByRole("button", { name: "Withdraw maria" }).click()
          await dialog.getByText("This waits for another person").waitFor()
          await bob.goto("/ui/approvals")
          await bob.getByLabel("Comment").fill("has left")
          await bob.getByRole("button", { name: "Approve and carry out" }).click()
          const approve = bob.getByRole("dialog", { name: "Approve request 3?" })
          await approve.getByRole("button", { name: "Approve and carry out" }).click()
          // a page that is left before it has sent the request sends none
          await approve.waitFor({ state: "hidden" })
          await bob.goto("/ui/access?tab=people")
          await bob.getByRole("row", { name: /local:maria .*withdrawn by ann/ }).waitFor()
          await bob.getByRole("button", { name: "Let maria in again" }).waitFor()
          await bob.goto("/ui/access?tab=people")
          await usersIn(bob)
            .getByRole("row", { name: /maria reader disabled/ })
            .waitFor()
        })
      })
    )
  })
})
