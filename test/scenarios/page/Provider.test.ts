/** People sign on to the page at the site's own identity provider, a real one, in a real browser. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import * as Campus from "../../support/Campus.ts"
import { freePort } from "../../support/FreePort.ts"
import { IdentityProvider } from "../../support/IdentityProvider.ts"
import { hasChromium, makeBrowser, openPage, signOut, sound, steps, WITHOUT } from "../../support/Page.ts"
import { serve } from "../../support/ServedCampus.ts"
import { variablesFor } from "../../support/SignOnSite.ts"

const ROLES = `group_mappings:
  email: { alice@example.org: [administrator], rita@example.org: [reader] }
roles: {}
`

const make = Effect.gen(function* () {
  const port = yield* freePort
  const at = `http://127.0.0.1:${port}`
  const { issuer } = yield* IdentityProvider.make(`${at}/api/v1.0/auth/auth`)
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeCampusLab(1, () => Effect.void)
  yield* Effect.promise(() => fs.writeFile(path.join(folders.folder, "permissions.yml"), ROLES))
  const { url } = yield* serve({
    ...Campus.environment(lab, folders, folders.folder),
    ...variablesFor(issuer),
    PORT: String(port),
    OIDC_REDIRECT_URL: `${at}/api/v1.0/auth/auth`,
    FRONTEND_CALLBACK_URL: `${at}/ui/signed-on`
  })
  return { browser: yield* makeBrowser, url }
})

type Opened = Effect.Success<ReturnType<typeof openPage>>

/** Through the provider's own pages: who one is, and that the site may know it. */
const signOnAs = async (page: Opened, login: string) => {
  await page.getByRole("button", { name: /^Continue with/ }).click()
  await page.locator('input[name="login"]').fill(login)
  await page.locator('input[name="password"]').fill("of no interest")
  await page.locator('button[type="submit"]').click()
  await page.locator('form button[type="submit"]').click()
}

describe.skipIf(!hasChromium)(`Signing on at the site's provider${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  it.live(
    "returns to the previous address, with the offers of the role and no token in the address, and signs off again",
    () =>
      Effect.gen(function* () {
        const { browser, url } = yield* make
        const alice = yield* openPage(browser, url)
        yield* steps(async () => {
          await alice.goto("/ui/devices?search=lhv")
          await signOnAs(alice, "alice")
          await alice.waitForURL(/\/ui\/devices\?search=lhv$/)
          await alice.getByText("alice@example.org").waitFor()
          await alice.getByRole("link", { name: "Access" }).waitFor()
        })
        yield* sound(alice, "provider")
        const rita = yield* openPage(browser, url)
        yield* steps(async () => {
          await rita.goto("/ui/")
          await signOnAs(rita, "rita")
          await rita.getByText("rita@example.org").waitFor()
          await rita.goto("/ui/new?tab=several")
          await rita.getByText("You may look, not set up.").waitFor()
        })
        // nothing that a script could take is stored, and a reload or another tab signs on by the cookie alone
        const stored = () =>
          alice.evaluate<ReadonlyArray<string>>(
            "[...Object.entries(localStorage), ...Object.entries(sessionStorage)].flat()"
          )
        expect((yield* steps(stored)).filter((text) => /eyJ|token/i.test(text))).toEqual([])
        yield* steps(async () => {
          await alice.reload()
          await alice.getByText("alice@example.org").waitFor()
          const tab = await alice.context().newPage()
          await tab.goto("/ui/jobs")
          await tab.getByText("alice@example.org").waitFor()
          await alice.getByText("alice@example.org").waitFor()
          await tab.goto("/ui/")
          await signOut(tab)
          // the other tab is signed off as well
          await alice.getByRole("button", { name: /^Continue with/ }).waitFor()
          await tab.close()
          // the provider knows her still, and asks whether the site may know it
          await alice.getByRole("button", { name: /^Continue with/ }).click()
          await alice.locator('form button[type="submit"]').click()
          await alice.getByText("alice@example.org").waitFor()
        })
        yield* steps(async () => {
          await signOut(alice)
          await alice.getByRole("button", { name: /^Continue with/ }).waitFor()
          await alice.reload()
          await alice.getByRole("button", { name: /^Continue with/ }).waitFor()
        })
        expect((yield* steps(stored)).filter((text) => /eyJ|token/i.test(text))).toEqual([])
      }).pipe(Effect.scoped)
  )
})
