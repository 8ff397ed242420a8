/** An open page when the server is killed and returns, when the stream is cut, and when its token ends. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Exit, Layer, Scope } from "effect"
import * as path from "node:path"
import * as fs from "node:fs/promises"
import { freePort } from "../../support/FreePort.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { dataFolder, start } from "../../support/Program.ts"
import { databaseUrl } from "../../support/TestDatabase.ts"
import { makeIssuer, sign } from "../../support/TokenKeys.ts"

const make = Effect.gen(function* () {
  const DATA_DIR = yield* dataFolder
  const issuer = makeIssuer("ES256")
  const JWT_CERT = path.join(DATA_DIR, "public.pem")
  yield* Effect.promise(() => fs.writeFile(JWT_CERT, issuer.publicPem))
  yield* Effect.promise(() =>
    fs.writeFile(path.join(DATA_DIR, "permissions.yml"), "config: { default_permissions: administrator }\nroles: {}\n")
  )
  const port = yield* freePort
  const env = {
    DATABASE_URL: yield* databaseUrl,
    DATA_DIR,
    PORT: String(port),
    JWT_ENABLED: "true",
    JWT_CERT,
    SECRET_KEY: "k".repeat(32)
  }
  /** A server of its own scope, so that a test can end it. */
  const serve = Effect.gen(function* () {
    const scope = yield* Scope.make()
    const server = yield* Scope.provide(start(env), scope)
    yield* server.url
    return { ...server, gone: Scope.close(scope, Exit.void) }
  })
  const tokenFor = (seconds: number) => sign(issuer, { sub: "ann", exp: Math.floor(Date.now() / 1000) + seconds })
  return { browser: yield* makeBrowser, serve, tokenFor, url: `http://127.0.0.1:${port}` }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Survival") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

const DEVICE = { state: "PRE_CONFIGURED", platform: "eos", device_type: "ACCESS" }

describe.skipIf(!hasChromium)(`An open page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect(
      "shows that it is not live while the server is unreachable, and the events since then when it returns",
      () =>
        Effect.gen(function* () {
          const { browser, serve, tokenFor, url } = yield* Site
          const token = yield* tokenFor(3600)
          const add = (hostname: string) =>
            Effect.promise(async () => {
              const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" }
              const body = JSON.stringify({ hostname, ...DEVICE })
              expect((await fetch(`${url}/api/v1.0/device`, { method: "POST", headers, body })).status).toBe(200)
            })
          const first = yield* serve
          const page = yield* openPage(browser, url, { token })
          yield* add("lhv-a1")
          yield* steps(async () => {
            await page.goto("/ui/devices?sort=-hostname")
            await page.getByRole("link", { name: "lhv-a1" }).waitFor()
            await page.getByText("Live", { exact: true }).waitFor()
          })
          first.kill("SIGKILL")
          yield* first.ended
          yield* steps(() => page.getByText(/^Not live since \d\d:\d\d\./).waitFor())
          yield* sound(page, "server-away")
          const second = yield* serve
          yield* add("lhv-a2")
          yield* steps(async () => {
            await page.getByText("Live", { exact: true }).waitFor()
            await page.getByRole("link", { name: "lhv-a2" }).waitFor()
            await page.getByRole("link", { name: "lhv-a1" }).waitFor()
          })
          expect(page.url()).toContain("sort=-hostname")
          yield* second.gone
        })
    )

    it.effect("keeps its shell and a form with what was typed, while the server restarts and the user clicks on", () =>
      Effect.gen(function* () {
        const { browser, serve, tokenFor, url } = yield* Site
        const first = yield* serve
        const page = yield* openPage(browser, url, { token: yield* tokenFor(3600) })
        const reason = page.getByRole("textbox", { name: "Reason" })
        const openForm = async () => {
          await page.getByRole("button", { name: "Silence…" }).click()
          await reason.waitFor()
        }
        yield* steps(async () => {
          await page.goto("/ui/alerts")
          await openForm()
          await reason.fill("new power supplies in the east")
          await page.keyboard.press("Escape")
          await reason.waitFor({ state: "hidden" })
        })
        first.kill("SIGKILL")
        yield* first.ended
        yield* steps(async () => {
          await page.getByRole("navigation").getByRole("link", { name: "Topology" }).click()
          await page.getByText("This screen cannot be loaded while the server does not answer.").waitFor()
          expect(await page.getByRole("navigation").getByRole("link", { name: "Devices" }).isVisible()).toBe(true)
          await page.getByText(/Trying again (in \d+ s|now)\./).waitFor()
          const attempt = page.waitForRequest("**/api/v1.0/events")
          await page.getByRole("button", { name: "Try now" }).click()
          await attempt
        })
        yield* sound(page, "screen-away")
        const second = yield* serve
        yield* steps(async () => {
          await page.getByRole("heading", { name: "Topology" }).waitFor()
          await page.getByText("Live", { exact: true }).waitFor()
          await page.goto("/ui/alerts")
          await openForm()
          expect(await reason.inputValue()).toBe("new power supplies in the east")
          await page.reload()
          await openForm()
          expect(await reason.inputValue()).toBe("new power supplies in the east")
        })
        yield* second.gone
      })
    )

    it.effect("restarts under an open form: it says that nothing was sent, and the same form is sent afterwards", () =>
      Effect.gen(function* () {
        const { browser, serve, tokenFor, url } = yield* Site
        const first = yield* serve
        const page = yield* openPage(browser, url, { token: yield* tokenFor(3600) })
        const dialog = page.getByRole("dialog", { name: "Silence alerts" })
        const send = dialog.getByRole("button", { name: "Silence", exact: true })
        yield* steps(async () => {
          await page.goto("/ui/alerts")
          await page.getByRole("button", { name: "Silence…" }).click()
          await dialog.getByLabel("Switches, such as lhv-*").fill("lhv-n*")
          await dialog.getByLabel("Reason").fill("work in the north hall")
        })
        first.kill("SIGKILL")
        yield* first.ended
        yield* steps(async () => {
          await send.click()
          await dialog.getByText("Not silenced").waitFor()
          await page.getByText(/^Not live since/).waitFor()
          expect(await dialog.getByLabel("Reason").inputValue()).toBe("work in the north hall")
        })
        yield* sound(page, "form-away")
        const second = yield* serve
        yield* steps(async () => {
          await page.getByText("Live", { exact: true }).waitFor()
          expect(await dialog.getByLabel("Switches, such as lhv-*").inputValue()).toBe("lhv-n*")
          await send.click()
          await dialog.waitFor({ state: "hidden" })
          await page.getByText("Alerts of lhv-n*").first().waitFor()
        })
        yield* second.gone
      })
    )

    it.effect("says which screen does not work, keeps the others, and reloads itself once for a lost script", () =>
      Effect.gen(function* () {
        const { browser, serve, tokenFor, url } = yield* Site
        const server = yield* serve
        const page = yield* openPage(browser, url, { token: yield* tokenFor(3600) })
        const links = page.getByRole("navigation").getByRole("link")
        const loaded: Array<string> = []
        page.on("request", (request) => {
          if (request.isNavigationRequest()) loaded.push(request.url())
        })
        yield* steps(async () => {
          await page.goto("/ui/devices")
          // an answer that the screen cannot show
          await page.route("**/api/v1.0/jobs?*", (route) => route.fulfill({ json: { status: "success", data: {} } }))
          await links.filter({ hasText: "Jobs" }).click()
          await page.getByText("Could not show the jobs").waitFor()
          await page.getByRole("button", { name: "Copy details" }).click()
          await page.getByText(/^Switchyard \d/).waitFor()
          await links.filter({ hasText: "Devices" }).click()
          await page.getByRole("heading", { name: "Devices" }).waitFor()
          await page.unroute("**/api/v1.0/jobs?*")
          await links.filter({ hasText: "Jobs" }).click()
          await page.getByRole("button", { name: "Try again" }).click()
          await page.getByText(/^No jobs match\./).waitFor()
          // a script that an update has taken away
          loaded.length = 0
          await page.route("**/assets/Firmware-*.js", (route) => route.fulfill({ status: 404 }))
          await links.filter({ hasText: "Firmware" }).click()
          await page.getByRole("heading", { name: "This screen cannot be loaded" }).waitFor()
        })
        expect(loaded.length, "reloads").toBe(1)
        yield* sound(page, "screen-lost")
        yield* steps(async () => {
          await page.unroute("**/assets/Firmware-*.js")
          await page.getByRole("button", { name: "Load it again" }).click()
          await page.getByRole("heading", { name: "Firmware", exact: true }).waitFor()
        })
        yield* server.gone
      })
    )

    it.effect(
      "asks for another sign-in when its token ends, keeps the screen below, and continues at the same place",
      () =>
        Effect.gen(function* () {
          const { browser, serve, tokenFor, url } = yield* Site
          const server = yield* serve
          const shown = Effect.fnUntraced(function* (seconds: number) {
            const page = yield* openPage(browser, url, { token: yield* tokenFor(seconds) })
            const list = page.getByText("No jobs match.")
            return yield* steps(async () => {
              await page.goto("/ui/jobs?show=failed")
              await list
                .or(page.getByRole("button", { name: "Sign in with the token" }))
                .first()
                .waitFor()
              return (await list.isVisible()) ? page : undefined
            })
          })
          // a slow machine needs a token of more seconds, so that the screen is there before it ends
          let page = yield* shown(4)
          for (let seconds = 8; page === undefined; seconds *= 2) page = yield* shown(seconds)
          const next = yield* tokenFor(3600)
          yield* steps(async () => {
            // stands for everything that is typed and chosen in a screen
            await page.evaluate("document.querySelector('h1').dataset.same = 'yes'")
            // the next action asks for a sign-in
            const signIn = page.getByRole("button", { name: "Sign in with the token" })
            for (let turn = 0; !(await signIn.isVisible()); turn++) {
              await page
                .getByText(turn % 2 === 0 ? "Partly failed" : "Failed", { exact: true })
                .click({ timeout: 1000 })
                .catch(() => undefined)
              await page.waitForTimeout(200)
            }
            await page.getByText("Your session has ended. Sign in again to go on where you were.").waitFor()
            expect(await page.locator("[inert] h1").textContent(), "covered").toBe("Jobs")
            await page.getByRole("textbox", { name: "API token" }).fill(next)
            await page.getByRole("button", { name: "Sign in with the token" }).click()
            await page.getByText("No jobs match.").waitFor()
            expect(await page.locator("h1[data-same=yes]").textContent(), "the same screen").toBe("Jobs")
          })
          expect(page.url()).toMatch(/\/ui\/jobs\?show=(failed|partial)/)
          yield* server.gone
        })
    )
  })
})
