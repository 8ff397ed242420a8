/** The checks of a change: listed before it, failed with before and now, taken back, and left out with a reason by who may. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import { execFile } from "node:child_process"
import * as fs from "node:fs/promises"
import * as path from "node:path"
import { promisify } from "node:util"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import { makeLab } from "../../../src/lab/Lab.ts"
import * as Campus from "../../support/Campus.ts"
import { accessNames, managedNode } from "../chaos/ManagedCampus.ts"

const NAMES = accessNames(2)
const [FIRST = "", SECOND = ""] = NAMES

const ROLES = `group_mappings: {}
roles:
  plain:
    permissions:
      - methods: [GET, POST]
        endpoints: ["*"]
        pages: ["*"]
        rights: [read, write]
  first:
    permissions:
      - methods: [GET]
        endpoints: ["*"]
        interfaces: ["${FIRST}:*"]
        rights: [read]
`

const CHECKS = `checks:
  neighbours-stay:
    for: { device_types: [ACCESS] }
    when_diff: lldp
    reads: neighbours
    must: no_lost
    settle: 1 s
    try_again: 2 s
  one-neighbour:
    description: somebody is there
    for: { device_types: [ACCESS] }
    when_diff: ^router bgp
    reads: neighbours
    must: { at_least: 1 }
  two-neighbours:
    for: { device_types: [ACCESS] }
    when_diff: ^router bgp
    reads: neighbours
    must: { at_least: 2 }
  of-others:
    for: { device_types: [CORE] }
    reads: neighbours
    must: no_lost
`

const git = (folder: string, ...args: ReadonlyArray<string>) =>
  Effect.promise(() => promisify(execFile)("git", ["-C", folder, ...args]))

const inForce = Schema.decodeUnknownSync(
  Schema.Struct({
    data: Schema.Struct({
      checks: Schema.Array(Schema.Struct({ name: Schema.String, devices: Schema.Array(Schema.String) }))
    })
  })
)

/** Two switches that see each other. */
const makeNeighbours = () =>
  makeLab({
    name: "neighbours",
    topology: {
      defaults: { kind: "eos", passwords: { switchyard: Campus.PASSWORD }, version: "4.31.4M" },
      nodes: Object.fromEntries(NAMES.map((name, index) => [name, managedNode(name, index)])),
      links: [{ endpoints: [`${FIRST}:Ethernet27`, `${SECOND}:Ethernet27`] }]
    }
  })

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    lab: makeNeighbours(),
    names: NAMES,
    roles: ROLES,
    prepare: ({ templates }) => templates.commit({ "checks.yml": CHECKS }, "Neighbours stay")
  })
  const { boss, folders } = campus
  yield* ended(boss, jobIn(yield* boss("POST", "/device_syncto", { all: true, dry_run: false, force: true })))
  // the next change cuts the switches off from the protocol by which they see each other
  const file = "eos/access.j2"
  const before = yield* Effect.promise(() => fs.readFile(path.join(folders.templates.folder, file), "utf8"))
  yield* folders.templates.commit({ [file]: before.replace(/^lldp run$/m, "no lldp run") }, "No LLDP")
  yield* boss("PUT", "/repository/templates", { action: "refresh" })
  const browser = yield* makeBrowser
  const open = Effect.fnUntraced(function* (role: string, name: string, more: object = {}) {
    return yield* openPage(browser, campus.url, { token: yield* campus.tokenOf(role, name), ...more })
  })
  return { ...campus, open }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/Checks") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`Checks in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("are listed with their lines, and say of a switch what they find now", () =>
      Effect.gen(function* () {
        const { open } = yield* Site
        const page = yield* open("administrator", "boss", { width: 390, height: 844 })
        yield* steps(async () => {
          await page.goto(`/ui/repository?tab=checks&device=${FIRST}`)
          const check = page.getByRole("region", { name: "one-neighbour: for 2 switches" })
          await check.getByText("somebody is there").waitFor()
          await check.getByRole("link", { name: "checks.yml:9" }).waitFor()
          const tried = page.getByRole("table", { name: `What the checks say of ${FIRST}` })
          await tried.getByRole("row", { name: /^one-neighbour Holds 1 neighbour/ }).waitFor()
          await tried.getByRole("row", { name: /^two-neighbours Would fail 1 neighbour/ }).waitFor()
          await tried.getByRole("row", { name: /^neighbours-stay Needs a change 1 neighbour/ }).waitFor()
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390)
        })
        yield* sound(page, "checks-in-force")
      })
    )

    it.effect("are named by the check of a branch before its merge, with their switches", () =>
      Effect.gen(function* () {
        const { folders, open } = yield* Site
        const { commit, folder } = folders.templates
        const file = "eos/access.j2"
        yield* git(folder, "checkout", "-q", "-b", "quiet-ports")
        const text = yield* Effect.promise(() => fs.readFile(path.join(folder, file), "utf8"))
        yield* commit({ [file]: `${text}lldp timer 60\n` }, "LLDP every minute")
        yield* git(folder, "checkout", "-q", "main")
        const page = yield* open("administrator", "boss", { width: 390, height: 844 })
        yield* steps(async () => {
          await page.goto("/ui/repository?tab=check&name=templates&branch=quiet-ports")
          await page.getByRole("button", { name: "Check", exact: true }).click()
          await page.getByText("would come into force").waitFor()
          const planned = page.getByRole("region", { name: "Checks that a rollout would make" })
          const check = planned.getByRole("region", { name: "neighbours-stay: would be made on 2 switches" })
          await check.getByText(/^It reads neighbours 1 s after the commit, .*: none may be gone\.$/).waitFor()
          await check.getByRole("link", { name: FIRST }).waitFor()
          expect(await planned.getByText("one-neighbour").count()).toBe(0)
        })
        yield* sound(page, "checks-of-a-branch")
      })
    )

    it.effect("are those of their switches to a caller of some, and nothing of others", () =>
      Effect.gen(function* () {
        const { as, boss } = yield* Site
        const first = yield* as("first")
        const devicesIn = ({ text }: { readonly text: string }) =>
          inForce(JSON.parse(text)).data.checks.map(({ devices, name }) => [name, devices])
        expect(devicesIn(yield* boss("GET", "/checks"))).toEqual([
          ["neighbours-stay", NAMES],
          ["one-neighbour", NAMES],
          ["two-neighbours", NAMES],
          ["of-others", []]
        ])
        expect(devicesIn(yield* first("GET", "/checks"))).toEqual([
          ["neighbours-stay", [FIRST]],
          ["one-neighbour", [FIRST]],
          ["two-neighbours", [FIRST]]
        ])
        expect((yield* first("GET", `/device/${FIRST}/checks`)).status).toBe(200)
        expect((yield* first("GET", `/device/${SECOND}/checks`)).status).toBe(403)
      })
    )

    it.effect(
      "are listed by a preview, take a change back and say why, and are left out by who may, with a reason",
      () =>
        Effect.gen(function* () {
          const { boss, open } = yield* Site
          const page = yield* open("administrator", "boss")
          const plain = yield* open("plain", "otto", { scheme: "dark", width: 390, height: 844 })
          const dry = jobIn(yield* boss("POST", "/device_syncto", { hostname: FIRST, dry_run: true }))
          yield* ended(boss, dry)
          yield* steps(async () => {
            await page.goto(`/ui/change/${dry}?tab=checks`)
            const planned = page.getByRole("region", { name: "neighbours-stay: would be made on 1 switch" })
            await planned.getByText(/^It reads neighbours 1 s after the commit, .*: none may be gone\.$/).waitFor()
            await planned.getByRole("link", { name: FIRST }).waitFor()
          })
          yield* sound(page, "checks-planned")

          // skipping is not offered to who may not
          yield* steps(async () => {
            await plain.goto(`/ui/change/${dry}?tab=plan`)
            await plain.getByRole("button", { name: "Roll out exactly this" }).waitFor()
            expect(await plain.getByLabel("Roll out without checks (reason)").count()).toBe(0)
          })

          const job = jobIn(
            yield* boss("POST", "/device_syncto", { hostname: FIRST, dry_run: false, dry_run_job: dry })
          )
          expect(yield* ended(boss, job)).toMatch(/"outcome":"failed"/)
          for (const shown of [page, plain]) {
            yield* steps(async () => {
              await shown.goto(`/ui/job/${job}`)
              await shown.getByRole("status").getByText("1 went back", { exact: true }).waitFor()
              await shown.getByRole("heading", { name: /^1 switch failed a check after the change/ }).waitFor()
              const check = shown.getByRole("region", { name: "neighbours-stay: failed on 1 switch" })
              // its head says the end once
              await check.getByText("Failed on 1 switch", { exact: true }).waitFor()
              expect(await check.getByText(/failed on/i).count()).toBe(1)
              const row = check.getByRole("row", { name: new RegExp(`^${FIRST} Failed`) })
              await row.getByText("1 neighbour", { exact: true }).waitFor()
              await row.getByText(/^0 neighbours \(gone: /).waitFor()
            })
            yield* sound(shown, shown === page ? "checks-failed" : "checks-failed-phone-dark")
          }

          // the same without checks, by who may, and everybody sees who wanted it and why
          yield* steps(async () => {
            await page.goto(`/ui/change/${dry}?tab=plan`)
            await page.getByLabel("Roll out without checks (reason)").fill("LLDP is not wanted here")
            await page.getByRole("button", { name: "Roll out exactly this" }).click()
            await page.getByRole("alert").getByText("boss wanted it without checks: LLDP is not wanted here").waitFor()
          })
          yield* sound(page, "checks-skipped")
          yield* steps(async () => {
            await page.getByText("1 of 1 run it").first().waitFor()
            // none would be made any more
            await page.getByRole("tab", { name: /^Checks/ }).click()
            expect(await page.getByText("neighbours-stay").count()).toBe(0)
          })
        })
    )
  })
})
