/** A change as a review: a VLAN for every switch is previewed, viewed, asked for, approved by another person on a phone, and rolled out. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { execFile } from "node:child_process"
import { createHash } from "node:crypto"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { confirmSettings, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(4)
const run = promisify(execFile)

const ROLES = `group_mappings: {}
roles:
  junior: { extends: operator, approval: true }
`

const GUEST = `  guest160:
    description: "Guests"
    vni: 100160
    vrf: CAMPUS
    vlan_id: 160
    vlan_name: GUEST160
    ipv4_gw: 10.160.0.1/22
    groups:
      - ACCESS_ALL
`

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: ROLES })
  const { as, boss } = campus
  yield* ended(boss, jobIn(yield* boss("POST", "/device_syncto", { all: true, dry_run: false, force: true })))
  const browser = yield* makeBrowser
  // people are known to the server after their first request
  yield* (yield* as("operator", "maria"))("GET", "/jobs")
  const open = Effect.fnUntraced(function* (role: string, name: string, more: object = {}) {
    return yield* openPage(browser, campus.url, { token: yield* campus.tokenOf(role, name), ...more })
  })
  return {
    ...campus,
    open,
    otto: yield* open("junior", "otto", { width: 1440 }),
    maria: yield* open("operator", "maria", { scheme: "dark", width: 390, height: 844 })
  }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Review") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A review in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("adds a VLAN everywhere: previewed, viewed, asked for, approved on the phone, rolled out", () =>
      Effect.gen(function* () {
        const { boss, folders, maria, otto } = yield* Site
        const file = path.join(folders.settings.folder, "global/vxlans.yml")
        const before = yield* Effect.promise(() => fs.readFile(file, "utf8"))
        yield* folders.settings.commit({ "global/vxlans.yml": before.trimEnd() + `\n${GUEST}` }, "Guest VLAN 160")
        yield* confirmSettings(boss)

        // the author looks at what would change
        yield* steps(async () => {
          await otto.goto("/ui/change")
          await otto.getByText("No change is open").waitFor()
          await otto.getByRole("button", { name: "New change" }).click()
          await otto.getByLabel("What is this for?").fill("Guest VLAN everywhere")
          await otto.getByRole("button", { name: "Preview changes" }).click()
          await otto.getByRole("heading", { name: "Guest VLAN everywhere" }).waitFor()
          const group = otto.getByRole("region", { name: /^4 switches: \+\d+ −0$/ })
          await group.getByText("vlan 160").first().waitFor()
          await group.getByText("Low risk").waitFor()
          await otto.getByRole("region", { name: "Scope" }).getByText("4 access").waitFor()
          await otto.getByRole("list", { name: "What was checked" }).getByText("Every switch was compared").waitFor()
          await otto.getByText("0 of 1 viewed").waitFor()
        })
        yield* sound(otto, "change-review")
        yield* steps(async () => {
          // by the key, there and back, and by the mouse
          await otto.keyboard.press("v")
          await otto.getByText("1 of 1 viewed").waitFor()
          await otto.keyboard.press("v")
          await otto.getByText("0 of 1 viewed").waitFor()
          const kept = otto.waitForResponse(/\/viewed$/)
          await otto.getByLabel(/^Viewed: 4 switches/).check()
          await kept
          await otto.getByText("1 of 1 viewed").waitFor()
          await otto.reload()
          await otto.getByText("1 of 1 viewed").waitFor()
        })
        const address = new URL(otto.url()).pathname

        // and asks for it; nobody approves their own
        yield* steps(async () => {
          await otto.getByRole("button", { name: "Roll out…" }).click()
          await otto.getByLabel("First switches").fill("1")
          await otto.getByLabel("Stop at failures").fill("2")
        })
        yield* sound(otto, "change-plan")
        yield* steps(async () => {
          await otto.getByRole("button", { name: "Roll out exactly this" }).click()
          await otto.getByText("You asked for this; boss or maria decides.").waitFor()
          await otto.getByText("Waiting for approval").first().waitFor()
          expect(await otto.getByRole("button", { name: /^Approve/ }).count()).toBe(0)
          await otto.goto("/ui/approvals?view=yours")
          await otto.getByText("Somebody else decides this: boss or maria.").waitFor()
        })
        yield* sound(otto, "approvals-own")

        // another person gets it on a phone
        yield* steps(async () => {
          await maria.goto("/ui/approvals")
          await maria.getByRole("link", { name: /Guest VLAN everywhere/ }).click()
          const look = maria.getByRole("region", { name: "In one look" })
          await look.getByText("4 switches").waitFor()
          await look.getByText("Goes back by itself", { exact: true }).waitFor()
          await look.getByText("No uplink is touched.").waitFor()
          await maria.getByRole("region", { name: "Differences" }).getByText("0 of 1 viewed").waitFor()
          const sideways = await maria.evaluate("document.documentElement.scrollWidth > window.innerWidth")
          expect(sideways).toBe(false)
        })
        yield* sound(maria, "approvals-phone")
        yield* steps(async () => {
          await maria.keyboard.press("a")
          const dialog = maria.getByRole("dialog", { name: /^Approve 4 switches in / })
          await dialog.getByText("Highest risk").waitFor()
          await dialog.getByText("Low risk").waitFor()
          await dialog.getByRole("button", { name: "Approve and begin" }).click()
          await maria.getByRole("region", { name: "Request" }).getByText("Approved", { exact: true }).waitFor()
        })

        // it is live at the one address, to its end
        yield* steps(async () => {
          await otto.goto(address)
          await otto.getByText("4 of 4 done").waitFor()
          await otto.getByText("4 of 4 run it").waitFor()
          await otto
            .getByText(/Approved/)
            .first()
            .waitFor()
          await otto.goto("/ui/change?view=done")
          await otto.getByRole("link", { name: /Guest VLAN everywhere/ }).waitFor()
        })
        yield* sound(otto, "changes-done")
        for (const [shown, name, said] of [
          [address, "change-phone", "4 of 4 run it"],
          ["/ui/change?view=done&new=1", "changes-phone", "A preview changes no switch."],
          ["/ui/repository", "repository-author-phone", "No findings"]
        ] as const) {
          yield* steps(async () => {
            await maria.goto(shown)
            await maria.getByText(said).first().waitFor()
            expect(await maria.evaluate("document.documentElement.scrollWidth > window.innerWidth"), name).toBe(false)
          })
          yield* sound(maria, name)
        }
      })
    )

    it.effect("proposes a branch in one click, and keeps the report of a change that the audit seals", () =>
      Effect.gen(function* () {
        const { boss, folders, open } = yield* Site
        const page = yield* open("operator", "kim", { width: 1440 })
        const phone = yield* open("operator", "maria", { scheme: "dark", width: 390, height: 844 })
        const file = path.join(folders.settings.folder, "global/base_system.yml")
        yield* Effect.promise(async () => {
          const git = (...args: ReadonlyArray<string>) =>
            run("git", [
              "-C",
              folders.settings.folder,
              "-c",
              "user.name=Sam",
              "-c",
              "user.email=sam@example.org",
              ...args
            ])
          await git("checkout", "-q", "-b", "new-time")
          const text = await fs.readFile(file, "utf8")
          await fs.writeFile(file, text.replace(/host: [\d.]+\n/, "host: 10.20.0.230\n"))
          await git("commit", "-q", "-am", "Another time server")
          await git("checkout", "-q", "main")
        })
        yield* steps(async () => {
          await page.goto("/ui/repository?tab=proposals")
          await page.getByText("No proposals here").waitFor()
          await page.getByRole("combobox", { name: "Branch to propose" }).fill("new-time")
          await page.getByRole("button", { name: "Propose" }).click()
          await page.getByRole("heading", { name: "Proposal of new-time" }).waitFor()
          await page.getByText("Valid", { exact: true }).waitFor()
          const group = page.getByRole("region", { name: /^4 switches: \+\d+ −\d+$/ })
          await group.getByText("10.20.0.230").first().waitFor()
          await page
            .getByRole("region", { name: "Effects" })
            .getByText(/devices? get/)
            .waitFor()
          const kept = page.waitForResponse(/\/viewed$/)
          await page.getByLabel(/^Viewed: 4 switches/).check()
          await kept
          await page.getByText(/^1 of \d viewed$/).waitFor()
        })
        yield* sound(page, "proposal")
        const address = new URL(page.url()).pathname
        yield* steps(async () => {
          await phone.goto(address)
          await phone.getByText(/^0 of \d viewed$/).waitFor()
          expect(await phone.evaluate("document.documentElement.scrollWidth > window.innerWidth")).toBe(false)
        })
        yield* sound(phone, "proposal-phone")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Close" }).click()
          await page.getByText(/^Closed by kim/).waitFor()
        })

        const preview = jobIn(
          yield* boss("POST", "/device_syncto", { hostname: NAMES[0], dry_run: true, comment: "to be kept" })
        )
        yield* ended(boss, preview)
        const text = yield* Effect.promise(async () => {
          await page.goto(`/ui/change/${preview}`)
          await page.getByRole("button", { name: "More actions" }).click()
          const saved = page.waitForEvent("download")
          await page.getByRole("menuitem", { name: "Report for auditors" }).click()
          return fs.readFile(await (await saved).path(), "utf8")
        })
        expect(text).toContain(`Change ${preview}: to be kept`)
        const sha256 = createHash("sha256").update(text).digest("hex")
        const verified = yield* boss("GET", `/changes/reports/${sha256}`)
        expect(verified.text).toContain(`"change":${preview}`)
      })
    )

    it.effect("says when a switch changed since the preview, and when nothing differs", () =>
      Effect.gen(function* () {
        const { boss, open } = yield* Site
        const page = yield* open("administrator", "boss")
        const [name = ""] = NAMES
        yield* ended(boss, jobIn(yield* boss("POST", "/device_syncto", { all: true, dry_run: false })))
        const preview = jobIn(
          yield* boss("POST", "/device_syncto", { hostname: name, dry_run: true, comment: "nothing to do" })
        )
        yield* ended(boss, preview)
        yield* steps(async () => {
          await page.goto(`/ui/change/${preview}`)
          await page.getByText("All 1 already run this").waitFor()
        })
        const ports = {
          interfaces: {
            Ethernet3: { configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "STAFF", description: "desk 1" } }
          }
        }
        yield* boss("PUT", `/device/${name}/interfaces`, ports)
        const next = jobIn(yield* boss("POST", "/device_syncto", { hostname: name, dry_run: true, comment: "a desk" }))
        yield* ended(boss, next)
        yield* steps(async () => {
          await page.goto(`/ui/change/${next}`)
          await page.getByText("Previewed", { exact: true }).waitFor()
        })
        yield* boss("PUT", `/device/${name}/interfaces`, {
          interfaces: { Ethernet3: { data: { description: "desk 2" } } }
        })
        yield* steps(async () => {
          await page.getByText(`${name} changed since the preview.`).waitFor()
          await page.getByRole("button", { name: "Preview again" }).click()
          await page.waitForURL((url) => !url.pathname.endsWith(`/${next}`))
          await page.getByText("description desk 2").first().waitFor()
        })
        yield* sound(page, "change-again")
      })
    )
  })
})
