/** Coming in, finding one's way, and what the page does when the server or the token goes away. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, leap, makeBrowser, openPage, signOut, sound, steps, WITHOUT } from "../../support/Page.ts"

const ROLES = `group_mappings: {}
roles:
  looker:
    permissions:
      - { methods: [GET], endpoints: ["/devices", "/events"] }
`

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: ["lhv-acc1", "lhv-acc2"],
    roles: ROLES,
    variables: { SITE_NAME: "Lindhaven campus" }
  })
  return { ...campus, browser: yield* makeBrowser }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Shell") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`The page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("is served at / with its files compressed and a policy, and nothing else below it", () =>
      Effect.gen(function* () {
        const { url } = yield* Site
        const page = yield* Effect.promise(() => fetch(url))
        expect(page.url).toBe(`${url}/ui/`)
        expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'.*nonce-/)
        const html = yield* Effect.promise(() => page.text())
        const [, script = ""] = /src="([^"]+\.js)"/.exec(html) ?? []
        const file = yield* Effect.promise(() => fetch(url + script, { headers: { "accept-encoding": "br" } }))
        expect(file.headers.get("content-encoding")).toBe("br")
        expect(file.headers.get("cache-control")).toContain("immutable")
        for (const path of ["/ui/assets/nothing.js", "/ui/assets/..%2f..%2fpackage.json", "/nothing"])
          expect((yield* Effect.promise(() => fetch(url + path))).status, path).toBe(404)
      })
    )

    it.effect("lets a user sign in with a token, and explains an invalid one", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url)
        const token = yield* tokenOf("administrator")
        yield* steps(async () => {
          await page.goto("/")
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
          await page.getByText("to Lindhaven campus").waitFor()
          await page.getByRole("button", { name: "Sign in with the token" }).waitFor()
          expect(await page.getByRole("button", { name: "Sign in", exact: true }).count(), "no local users").toBe(0)
        })
        yield* sound(page, "sign-in")
        yield* steps(async () => {
          await page.getByRole("textbox", { name: "API token" }).fill("nonsense")
          await page.getByRole("button", { name: "Sign in with the token" }).click()
          await page.getByRole("alert").waitFor()
          await page.getByRole("textbox", { name: "API token" }).fill(token)
          await page.getByRole("button", { name: "Sign in with the token" }).click()
          await page.getByRole("navigation").getByText("Devices").click()
          await page.getByRole("link", { name: "lhv-acc1" }).waitFor()
        })
        yield* sound(page, "devices")
        yield* steps(async () => {
          await signOut(page)
          await page.getByRole("heading", { name: "Sign in" }).waitFor()
        })
      })
    )

    it.effect("keeps typed text while the page asks again for the identity and the ways to sign in", () =>
      Effect.gen(function* () {
        const { browser, url } = yield* Site
        const page = yield* openPage(browser, url)
        const field = page.getByRole("textbox", { name: "API token" })
        const written = async () => ((await field.count()) === 0 ? "no field" : await field.inputValue())
        const streams: Array<string> = []
        page.on("request", (request) => {
          if (request.url().includes("/api/v1.0/events")) streams.push(request.url())
        })
        yield* steps(async () => {
          await page.clock.install()
          // a server that cannot say how one signs in
          await page.route("**/auth/ways", (route) => route.fulfill({ status: 500, json: { message: "no" } }))
          await page.goto("/")
          await field.fill("half a tok")
        })
        for (const question of ["**/auth/identity", "**/auth/ways"]) {
          const asked = Promise.withResolvers<void>()
          const answer = Promise.withResolvers<void>()
          yield* steps(async () => {
            await page.route(question, async (route) => {
              asked.resolve()
              await answer.promise
              await route.fallback()
            })
            // as when a user returns to this tab after a while
            await page.clock.fastForward("01:00")
            await page.evaluate(`window.dispatchEvent(new Event("visibilitychange"))`)
            await asked.promise
            expect(await written(), `${question} under way`).toBe("half a tok")
            const answered = page.waitForResponse(question)
            answer.resolve()
            await answered
            expect(await written(), `${question} answered`).toBe("half a tok")
          })
        }
        expect(streams, "nobody is told of events").toEqual([])
      })
    )

    it.effect("can be used by keys only: a shortcut, the palette, the rows of a list", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, { token: yield* tokenOf("administrator"), scheme: "dark" })
        yield* steps(async () => {
          await page.goto("/ui/")
          await page.getByRole("navigation").waitFor()
          await leap(page, "d")
          await page.getByRole("link", { name: "lhv-acc1" }).waitFor()
          await page.keyboard.press("Control+k")
          await page.getByRole("combobox", { name: "Search or jump to" }).fill("acc2")
          await page.getByRole("option", { name: /lhv-acc2/ }).waitFor()
        })
        yield* sound(page, "palette-dark")
        yield* steps(async () => {
          const chosen = page.getByRole("listbox", { name: "What was found" }).getByRole("option", { selected: true })
          expect(await chosen.textContent(), "the first hit is selected").toContain("lhv-acc2")
          await page.keyboard.press("Enter")
          await page.waitForURL("**/ui/device/lhv-acc2")
          await page.keyboard.press("Control+k")
          await page.getByRole("group", { name: "Recent" }).getByRole("option", { name: "Devices" }).waitFor()
          await page.keyboard.type("new chan")
          await page.getByRole("option", { name: /^New change/, selected: true }).waitFor()
          await page.keyboard.press("Enter")
          await page.getByRole("button", { name: "Preview changes" }).waitFor()
          // the search of a screen
          await page.goto("/ui/repository?tab=model")
          await page.getByLabel("Search the model").waitFor()
          await page.keyboard.press("/")
          await page.waitForFunction(`document.activeElement?.type === "search"`)
          await page.keyboard.press("Escape")
          await page.evaluate("document.activeElement.blur()")
          await page.keyboard.press("?")
          await page.getByRole("dialog", { name: "Keys" }).getByText("Overview").waitFor()
          await page.keyboard.press("Escape")
          await page.getByRole("dialog", { name: "Keys" }).waitFor({ state: "hidden" })
        })
      })
    )

    it.effect("offers no screen that the role may not read", () =>
      Effect.gen(function* () {
        const { browser, tokenOf, url } = yield* Site
        const page = yield* openPage(browser, url, { token: yield* tokenOf("looker"), width: 380, height: 700 })
        yield* steps(async () => {
          // who may not see the overview begins where they may see something
          await page.goto("/ui/")
          await page.waitForURL("**/ui/devices")
          await page.getByRole("link", { name: "lhv-acc1" }).waitFor()
          await page.getByRole("button", { name: "More" }).click()
        })
        const offered = yield* steps(() => page.getByRole("navigation").getByRole("link").allTextContents())
        expect(offered.join(" ")).toMatch(/Devices.*Manual/)
        expect(offered.join(" ")).not.toMatch(/Overview|Jobs|Changes|Repository|Firmware|Audit|Access|Server/)
        yield* sound(page, "phone")
      })
    )
  })
})
