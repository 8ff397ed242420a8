/** Many ports by a list: 48 of two switches, with a mistake in a line, one difference, and a push. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { readFile } from "node:fs/promises"
import { DeviceStore } from "../../../src/store/DeviceStore.ts"
import { InterfaceStore } from "../../../src/store/InterfaceStore.ts"
import { ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"

const NAMES = ["lhv-acc1", "lhv-acc2"]

/** Twenty-four ports for desks on each switch. */
const desks = Effect.gen(function* () {
  const interfaces = yield* InterfaceStore
  for (const { id } of yield* (yield* DeviceStore).all)
    for (let port = 1; port <= 24; port += 1) yield* interfaces.put(id, `Ethernet${port}`, "ACCESS_AUTO", null)
})

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({
    names: NAMES,
    roles: "group_mappings: {}\nroles:\n  helpdesk: { extends: port-editor, groups: [WEST_WING] }\n"
  })
  yield* Effect.provide(desks, campus.running)
  yield* ended(
    campus.boss,
    jobIn(yield* campus.boss("POST", "/device_syncto", { all: true, dry_run: false, force: true }))
  )
  const page = yield* openPage(yield* makeBrowser, campus.url, { token: yield* campus.tokenOf("helpdesk", "nora") })
  return { ...campus, page }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/PortList") {
  static readonly layer = Layer.effect(Site, make)
}

const scene = layer(Site.layer, { excludeTestServices: true })

const WRONG = `port;switch;profile;vlan;description
Ethernet1-12;lhv-acc1 lhv-acc2;printer;;
Ethernet13-24;lhv-acc[1-2];;STUDENTT;desks
Ethernet99;lhv-acc1;;STAFF;
`
const RIGHT = WRONG.replace("STUDENTT", "STUDENT").replace(/^Ethernet99.*\n/m, "")

describe.skipIf(!hasChromium)(`Ports by a list in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("changes 48 ports of two switches, after every mistake was shown with its line", () =>
      Effect.gen(function* () {
        const { boss, page } = yield* Site
        const list = page.getByRole("textbox", { name: "List" })
        yield* steps(async () => {
          await page.goto("/ui/ports?switches=lhv-acc1,lhv-acc2")
          await page.getByText("Printer in a corridor: one VLAN").waitFor()
          await list.fill(WRONG)
          const mistakes = page.getByRole("table", { name: "Mistakes" })
          await mistakes.getByText("STUDENTT").first().waitFor()
          await mistakes.getByText("has no port Ethernet99").waitFor()
          expect(await page.getByRole("button", { name: "Save only" }).isDisabled()).toBe(true)
          await mistakes.getByRole("button", { name: "Line 4" }).click()
        })
        const marked = yield* steps(() =>
          page.evaluate<string>(
            "document.activeElement.value.slice(document.activeElement.selectionStart, document.activeElement.selectionEnd)"
          )
        )
        expect(marked).toBe("Ethernet99;lhv-acc1;;STAFF;")
        yield* sound(page, "ports-mistakes")
        expect((yield* boss("GET", "/device/lhv-acc1/interfaces")).text).not.toContain("PRINTER")
        yield* steps(async () => {
          await list.fill(RIGHT)
          await page.getByText("48 ports of 2 switches change").waitFor()
          await page.getByRole("region", { name: /^Lines of lhv-acc1/ }).waitFor()
        })
        yield* sound(page, "ports-list")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Save and push" }).click()
          await page.getByText("2 switches run the change of the list").waitFor()
        })
        for (const name of NAMES)
          expect((yield* boss("GET", `/device/${name}/running_config`)).text.match(/description desks/g)).toHaveLength(
            12
          )
      })
    )

    it.effect("gives the ports in the form that it takes, into the list and as a file", () =>
      Effect.gen(function* () {
        const { page } = yield* Site
        yield* steps(async () => {
          await page.goto("/ui/ports?switches=lhv-acc1")
          await page.getByRole("button", { name: "Fill in" }).click()
          await page.getByText("Nothing changes: the ports are so already.").waitFor()
        })
        const file = yield* steps(async () => {
          const begun = page.waitForEvent("download")
          await page.getByRole("button", { name: "Download CSV" }).click()
          return await readFile(await (await begun).path(), "utf8")
        })
        expect(file).toMatch(/^switch,port,use,vlan,/)
        expect(file).toContain("lhv-acc1,Ethernet13,ACCESS_UNTAGGED,STUDENT,,desks")
      })
    )
  })
})
