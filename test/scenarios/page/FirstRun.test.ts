/** A new server that knows no repository and no network: the page leads an administrator to both, and the server starts anew with them. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { dataFolder, start } from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { makeIssuer, sign } from "../../support/TokenKeys.ts"

const make = Effect.gen(function* () {
  const DATA_DIR = yield* dataFolder
  const repositories = yield* Campus.makeFolders
  const issuer = makeIssuer("ES256")
  const JWT_CERT = path.join(DATA_DIR, "public.pem")
  yield* Effect.promise(() => fs.writeFile(JWT_CERT, issuer.publicPem))
  yield* Effect.promise(() =>
    fs.writeFile(path.join(DATA_DIR, "permissions.yml"), "config: { default_permissions: reader }\nroles: {}\n")
  )
  const server = yield* start({
    DATABASE_URL: yield* databaseUrl,
    DATA_DIR,
    PORT: String(yield* freePort),
    JWT_ENABLED: "true",
    JWT_CERT,
    ROLES_CLAIM: "roles",
    SECRET_KEY: "k".repeat(32),
    SITE_NAME: "Lindhaven campus",
    MANAGEMENT_NETWORKS: ""
  })
  const tokenOf = (role: string) =>
    sign(issuer, { sub: role, roles: [role], exp: Math.floor(Date.now() / 1000) + 3600 })
  return { browser: yield* makeBrowser, repositories, tokenOf, url: yield* server.url }
})

describe.skipIf(!hasChromium)(`A new server${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  it.live("is set up in the page, each value tried before it is set, left and taken up again", () =>
    Effect.gen(function* () {
      const { browser, repositories, tokenOf, url } = yield* make
      const page = yield* openPage(browser, url, { token: yield* tokenOf("administrator") })
      const field = (name: string) => page.getByRole("textbox", { name, exact: true })
      const go = page.getByRole("button", { name: "Set and continue" })
      const found = page.getByRole("region", { name: "What we found" })
      yield* steps(async () => {
        await page.goto("/ui/")
        await page.getByRole("region", { name: "Set up Switchyard" }).getByText("1 of 6 done").waitFor()
        await page.getByText("No repository is configured.").first().waitFor()
        expect(await page.getByRole("button", { name: "Fetch" }).count(), "nothing to fetch").toBe(0)
        await page.getByRole("link", { name: "Git repositories" }).click()
        await field("Settings").fill(repositories.settings.folder)
        await field("Templates").fill(`${repositories.templates.folder}#nowhere`)
        await found.getByText("Settings can be used").waitFor()
        await found.getByText("Templates: this does not work yet").waitFor()
        await found.getByText(/has no branch or tag nowhere/).waitFor()
        expect(await go.isDisabled(), "what does not work is not set").toBe(true)
      })
      yield* sound(page, "first-run-repositories")
      yield* steps(async () => {
        await page.reload()
        expect(await field("Settings").inputValue(), "what was typed is kept").toBe(repositories.settings.folder)
        await field("Templates").fill(repositories.templates.folder)
        await found.getByText("Templates can be used").waitFor()
        await go.click()
        await page.getByRole("heading", { name: "Where are your switches?" }).waitFor()
        await field("Networks of the switches").fill("10.0.0.0/8, nonsense")
        await found.getByText("Networks: this does not work yet").waitFor()
        await field("Networks of the switches").fill("10.0.0.0/8")
        await found.getByText("Networks can be used").waitFor()
        await go.click()
        await page.getByRole("heading", { name: "Which switch comes first?" }).waitFor()
      })
      yield* sound(page, "first-run-switches")
      yield* steps(async () => {
        // taken up again at the first step that is not done
        await page.goto("/ui/first-run?step=2")
        await page.getByText("In force").nth(1).waitFor()
        await page.goto("/ui/first-run")
        await page.getByRole("heading", { name: "Which switch comes first?" }).waitFor()
        await page.goto("/ui/")
        await page.getByRole("region", { name: "Set up Switchyard" }).getByText("3 of 6 done").waitFor()
      })
      const phone = yield* openPage(browser, url, {
        token: yield* tokenOf("administrator"),
        width: 390,
        height: 844,
        scheme: "dark"
      })
      yield* steps(async () => {
        await phone.goto("/ui/first-run?step=3")
        await phone.getByText("10.0.0.0/8").waitFor()
        expect(await phone.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
      })
      yield* sound(phone, "first-run-phone-dark")
      // what is set is not set again, and nobody else sets anything
      const put = (token: string, body: unknown) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
          return (await fetch(`${url}/api/v1.0/setup`, { method: "PUT", headers, body: JSON.stringify(body) })).status
        })
      const other = { settings: repositories.templates.folder }
      expect(yield* put(yield* tokenOf("administrator"), other)).toBe(409)
      expect(yield* put(yield* tokenOf("operator"), other)).toBe(403)
      const operator = yield* openPage(browser, url, { token: yield* tokenOf("operator") })
      yield* steps(async () => {
        await operator.goto("/ui/")
        await operator.getByRole("heading", { name: "Overview" }).waitFor()
        expect(await operator.getByRole("region", { name: "Set up Switchyard" }).count()).toBe(0)
      })
    }).pipe(Effect.scoped)
  )
})
