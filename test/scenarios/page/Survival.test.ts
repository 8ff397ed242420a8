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
            await page.getByText("live", { exact: true }).waitFor()
          })
          first.kill("SIGKILL")
          yield* first.ended
          yield* steps(() => page.getByText("not live: connecting …").waitFor())
          yield* sound(page, "server-away")
          const second = yield* serve
          yield* add("lhv-a2")
          yield* steps(async () => {
            await page.getByText("live", { exact: true }).waitFor()
            await page.getByRole("link", { name: "lhv-a2" }).waitFor()
            await page.getByRole("link", { name: "lhv-a1" }).waitFor()
          })
          expect(page.url()).toContain("sort=-hostname")
          yield* second.gone
        })
    )

    it.effect("asks for another sign-on when its token ends, and continues at the same place", () =>
      Effect.gen(function* () {
        const { browser, serve, tokenFor, url } = yield* Site
        const server = yield* serve
        const page = yield* openPage(browser, url, { token: yield* tokenFor(4) })
        const next = yield* tokenFor(3600)
        yield* steps(async () => {
          await page.goto("/ui/jobs?show=failed")
          await page.getByText("No jobs match.").waitFor()
          // the next action asks for a sign-on
          const signOn = page.getByRole("button", { name: "Sign on with the token" })
          for (let turn = 0; !(await signOn.isVisible()); turn++) {
            await page
              .getByText(turn % 2 === 0 ? "Partly failed" : "Failed", { exact: true })
              .click({ timeout: 1000 })
              .catch(() => undefined)
            await page.waitForTimeout(200)
          }
          await page.getByRole("textbox", { name: "Token" }).fill(next)
          await page.getByRole("button", { name: "Sign on with the token" }).click()
          await page.getByText("No jobs match.").waitFor()
        })
        expect(page.url()).toMatch(/\/ui\/jobs\?show=(failed|partial)/)
        yield* server.gone
      })
    )
  })
})
