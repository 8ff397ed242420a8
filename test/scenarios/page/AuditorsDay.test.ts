/**
 * The day of an auditor, who has the ready role: begins at the audit, finds who approved what, who made a change and who found it, exports,
 * checks the seals, explains the access of a person, sees which secrets are missing; and is offered nothing that changes something.
 */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFileSync } from "node:fs"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, signOut, steps, WITHOUT } from "../../support/Page.ts"
import { accessNames } from "../chaos/ManagedCampus.ts"

const [DEVICE = ""] = accessNames(1)

const ROLES = `group_mappings: {}
roles:
  junior: { extends: operator, approval: true }
`

/** What happened before the auditor comes: an approved rollout, a record changed by otto, a change by hand that a check found, and a withdrawal. */
const happened = Effect.fnUntraced(function* (campus: Effect.Success<ReturnType<typeof makeCampusWithRoles>>) {
  const otto = yield* campus.as("junior", "otto")
  const anna = yield* campus.as("administrator", "anna")
  const change = { hostname: DEVICE, resync: true, comment: "Guest network" }
  const dryRun = jobIn(yield* otto("POST", "/device_syncto", { ...change, dry_run: true }))
  yield* ended(campus.boss, dryRun)
  const job = jobIn(yield* otto("POST", "/device_syncto", { ...change, dry_run: false, dry_run_job: dryRun }))
  const approved = yield* anna("POST", `/job/${job}/approve`, { comment: "Fine, go before 18:00." })
  expect(approved.status, approved.text).toBe(200)
  yield* ended(campus.boss, job)
  const { text } = yield* campus.boss("GET", `/device/${DEVICE}`)
  yield* otto("PUT", `/device/${/"id":(\d+)/.exec(text)?.[1] ?? ""}`, { description: "room 5" })
  ;(yield* campus.lab.get(DEVICE)).configure("snmp-server location elsewhere\n")
  yield* ended(campus.boss, jobIn(yield* campus.boss("POST", "/device_drift", { hostname: DEVICE })))
  yield* (yield* campus.as("operator", "eve"))("GET", "/devices")
  const withdrawn = yield* anna("POST", "/auth/persons/withdraw", { person: "jwt: eve" })
  expect(withdrawn.status, withdrawn.text).toBe(200)
  return job
})

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: [DEVICE],
    roles: ROLES,
    variables: { DEVICE_SECRET_OLD: "never shown" }
  })
  const job = yield* happened(campus)
  const browser = yield* makeBrowser
  const page = yield* openPage(browser, campus.url, { token: yield* campus.tokenOf("auditor", "ada"), width: 1440 })
  return { ...campus, job, browser, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/AuditorsDay") {
  static readonly layer = Layer.effect(Site, make)
}

describe.skipIf(!hasChromium)(`The day of an auditor${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  layer(Site.layer, { excludeTestServices: true })((it) => {
    it.effect("begins at the audit, whose seals are compared, and says who approved what and who found what", () =>
      Effect.gen(function* () {
        const { job, page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/")
          await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor()
          expect(new URL(page.url()).pathname).toBe("/ui/audit")
          await page.getByText("The audit is complete and unaltered.").waitFor()
          const sentences = page.getByRole("listitem")
          const said = (text: string) => sentences.filter({ hasText: text }).first().waitFor()
          await said(`anna approved change ${job}, asked for by otto: “Fine, go before 18:00.”`)
          await said(`otto changed the record of ${DEVICE}`)
          await said(`${DEVICE} was changed by hand, nobody knows by whom; found by boss`)
        })
        yield* sound(page, "auditor-audit")
      })
    )

    it.effect("exports what the filters show, and checks the seals again", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        const lines = yield* steps(async () => {
          await page.getByLabel("Kind").selectOption("approval")
          await page.getByRole("listitem").filter({ hasText: "anna approved" }).waitFor()
          const [file] = await Promise.all([
            page.waitForEvent("download"),
            page.getByRole("button", { name: "Export CSV" }).click()
          ])
          await page.getByText(/events are in audit\.csv/).waitFor()
          return readFileSync(await file.path(), "utf8").split("\r\n")
        })
        expect(lines.some((line) => /,approval,approved,anna,/.test(line))).toBe(true)
        expect(lines.slice(1).every((line) => line === "" || /,approval,/.test(line))).toBe(true)
        yield* steps(async () => {
          await page.getByRole("button", { name: "Check now" }).click()
          await page.getByText("The audit is complete and unaltered.").waitFor()
        })
      })
    )

    it.effect("explains what a person may do, and who may do something, with the line that says so", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/access")
          await page.getByRole("link", { name: "What may they do? otto" }).click()
          const role = page.getByRole("listitem", { name: /^junior/ })
          await role
            .getByText(
              /May change ports, .* another person must approve\.|May push to switches.*another person must approve/
            )
            .first()
            .waitFor()
          await role.getByText("permissions.yml:3").first().waitFor()
          await page.getByLabel("What", { exact: true }).selectOption("approve what others ask for")
          await page.getByRole("button", { name: "Ask" }).click()
          const table = page.getByRole("table", { name: "Who may do this" })
          await table.getByRole("row", { name: /^anna May the role administrator allows it/ }).waitFor()
          await table.getByRole("row", { name: /^ada May not the role auditor lets people only look here/ }).waitFor()
          await table.getByRole("row", { name: /^eve May not .*withdrawn/ }).waitFor()
        })
        yield* sound(page, "access-explain")
        yield* steps(async () => {
          await page.getByLabel("Person", { exact: true }).selectOption({ label: "eve (jwt: eve)" })
          await page.getByText("Withdrawn: they may do nothing until somebody lets them in again.").waitFor()
        })
      })
    )

    it.effect("sees which secrets are set and not used, and no value of any", () =>
      Effect.gen(function* () {
        const { browser, page, tokenOf, url } = yield* Site
        yield* steps(async () => {
          await page.getByRole("tab", { name: "Secrets" }).click()
          await page.getByRole("row", { name: /DEVICE_SECRET_OLD.*Set, not used.*Environment/ }).waitFor()
          await page.getByRole("row", { name: /PASSWORD_MANAGED.*Set and used.*Environment.*\d switch/ }).waitFor()
          expect(await page.content()).not.toContain("never shown")
        })
        yield* sound(page, "access-secrets")
        const phone = yield* openPage(browser, url, {
          token: yield* tokenOf("auditor", "ada"),
          scheme: "dark",
          width: 390
        })
        yield* steps(async () => {
          for (const tab of ["people", "tokens", "roles", "explain", "secrets"]) {
            await phone.goto(`/ui/access?tab=${tab}`)
            await phone.getByRole("tabpanel").filter({ hasText: /\w/ }).waitFor()
            expect(await phone.evaluate("document.documentElement.scrollWidth"), tab).toBeLessThanOrEqual(390)
          }
        })
        yield* sound(phone, "access-secrets-phone-dark")
      })
    )

    it.effect("is offered nothing that changes users, persons or switches", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/access?tab=people")
          await page.getByRole("row", { name: /otto/ }).waitFor()
          expect(await page.getByRole("button", { name: /Add a user|Withdraw|Change|Remove/ }).count()).toBe(0)
          await page.goto(`/ui/device/${DEVICE}`)
          await page.getByRole("heading", { name: DEVICE }).waitFor()
          expect(await page.getByRole("button", { name: /Preview|Push|Erase|Delete|Replace/ }).count()).toBe(0)
          const links = await page.getByRole("navigation").first().getByRole("link").allInnerTexts()
          expect(links.join(" ")).not.toMatch(/New switches|Firmware|Server|Repository|Overview/)
        })
      })
    )

    it.effect("is told that the session has ended after signing out", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await signOut(page)
          await page.getByText("You have signed out. This session has ended.").waitFor()
        })
        yield* sound(page, "signed-out")
      })
    )
  })
})
