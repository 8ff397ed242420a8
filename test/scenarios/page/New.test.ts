/** New switches in the page, from DHCP to MANAGED: ten of them, alone and from a list; one fails and is tried again, one is ignored, one replaces another. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { LabSwitch } from "../../../src/lab/LabSwitch.ts"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"

/** So many blank switches hang below two distribution switches. */
const COUNT = 10

/** A port for each of them at both distribution switches. */
const DOWNLINKS = `---
interfaces:
  - name: Ethernet[1-${COUNT}]
    ifclass: downlink
`

interface Found {
  readonly blank: LabSwitch
  readonly mac: string
  readonly serial: string
}

const make = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  yield* folders.settings.commit({
    "devices/lhv-dist1/interfaces.yml": DOWNLINKS,
    "devices/lhv-dist2/interfaces.yml": DOWNLINKS
  })
  const lab = yield* Campus.makeCampusLab(COUNT, () => Effect.void)
  const { api, running, url } = yield* serve(Campus.environment(lab, folders, folders.folder))
  yield* Effect.provide(Campus.seedSite, running)
  for (const name of ["settings", "templates"]) yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  const found: Array<Found> = []
  for (const name of Campus.accessNames(COUNT)) {
    const blank = yield* lab.get(name)
    const { discovery } = yield* Effect.provide(booted(blank), running)
    const { dhcp_ip, ztp_mac } = discovery
    // the report of the DHCP server's hook
    yield* api.run("/discover_device", { ztp_mac, dhcp_ip })
    found.push({ blank, mac: ztp_mac, serial: blank.hardware().serial })
  }
  return { api, found, running, page: yield* openPage(yield* makeBrowser, url) }
})

const at = (found: ReadonlyArray<Found>, index: number): Found => {
  const one = found[index]
  if (one === undefined) throw new Error(`switch ${index} was not found`)
  return one
}

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/New") {
  static readonly layer = Layer.effect(Site, make)
}

const managed = Effect.fnUntraced(function* (api: Context.Service.Shape<typeof Site>["api"], name: string) {
  while ((yield* api.devices(`filter[hostname]=${name}&filter[state]=MANAGED`)).length === 0) {
    yield* Effect.sleep("200 millis")
  }
})

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A new switch in the page${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    it.effect("whose host key waits is approved with others, after its key was shown", () =>
      Effect.gen(function* () {
        const { api, page, running } = yield* Site
        const keys = ["lhv-dist1", "lhv-dist2"].map(
          (name, index) => [name, `SHA256:${String(index).repeat(43)}`] as const
        )
        yield* Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          for (const [name, key] of keys)
            yield* sql`insert into host_key (device_id, refused_fingerprint, refused_at)
              select id, ${key}, now() from device where hostname = ${name}
              on conflict (device_id) do update set fingerprint = null, refused_fingerprint = excluded.refused_fingerprint`
        }).pipe(Effect.provide(running))
        yield* steps(async () => {
          await page.goto("/ui/new?tab=keys")
          await page.getByText(keys[1]?.[1] ?? "").waitFor()
          await page.getByRole("checkbox", { name: "Mark all 2" }).check()
          await page.getByRole("button", { name: "Approve 2 keys" }).click()
          await page.getByRole("dialog").getByRole("button", { name: "Approve 2 keys" }).click()
          await page.getByText("No host keys wait for approval").waitFor()
        })
        for (const [name, key] of keys) {
          const { body } = yield* api.send("GET", `/device/${name}/host_key`)
          expect(body.data["host_key"]).toMatchObject({ fingerprint: key, refused_fingerprint: null })
        }
        // the switches' own keys are others: what was made up goes again
        for (const [name] of keys) yield* api.send("PUT", `/device/${name}/host_key`, { action: "FORGET" })
        yield* sound(page, "host-keys")
      })
    )

    it.effect("whose lease was refused is listed with the reason", () =>
      Effect.gen(function* () {
        const { api, page } = yield* Site
        const lease = {
          ztp_mac: "00:1c:73:00:0d:09",
          dhcp_ip: "10.90.0.9",
          platform: "toaster",
          host: "dhcp1",
          waiting: 12
        }
        yield* api.send("POST", "/dhcp_leases", lease)
        yield* steps(async () => {
          await page.goto("/ui/new?tab=leases")
          const row = page.getByRole("row", { name: /001C73000D09/ })
          await row.getByText("refused").waitFor()
          await row.getByText(/Device platform not specified or not known/).waitFor()
          await page.getByText(/dhcp1 had 12 more to report/).waitFor()
        })
        yield* sound(page, "leases")
      })
    )

    it.effect(
      "says what it is and where it hangs, is checked while its name is typed, and followed until it is managed",
      () =>
        Effect.gen(function* () {
          const { api, found, page } = yield* Site
          const card = page.getByRole("region", { name: at(found, 0).serial })
          yield* steps(async () => {
            await page.goto("/ui/new")
            await page.getByRole("heading", { name: "Waiting to be set up 10" }).waitFor()
            await page.getByRole("link", { name: /^New switches\s?, 10 waiting/ }).waitFor()
            await card
              .getByText(
                "Hangs at lhv-dist1 Ethernet1 (by its Ethernet27) and lhv-dist2 Ethernet1 (by its Ethernet28)."
              )
              .waitFor()
            await card.getByText("CCS-720XP-24ZY4-F").first().waitFor()
          })
          yield* sound(page, "new")
          yield* steps(async () => {
            await card.getByRole("button", { name: "Set up…" }).click()
            const name = card.getByRole("textbox", { name: "Name" })
            const start = card.getByRole("button", { name: "Set it up" })
            await name.fill("bad name")
            await card.getByText("A name has letters, digits, hyphens and dots").waitFor()
            await name.fill("lhv-dist1")
            await card.getByText("There is already a device with hostname lhv-dist1").waitFor()
            expect(await start.isDisabled()).toBe(true)
            await name.fill("lhv-acc1")
            await card.getByText("The name lhv-acc1 is free").waitFor()
            await card.getByText("Its neighbours are as expected: lhv-dist1, lhv-dist2").waitFor()
          })
          yield* sound(page, "new-checked")
          yield* steps(async () => {
            await card.getByRole("button", { name: "Set it up" }).click()
            await page.getByRole("list", { name: "Steps" }).first().waitFor()
            await page.getByText("left this list").waitFor()
          })
          yield* managed(api, "lhv-acc1")
        })
    )

    it.effect("that fails says why, goes on as before, and is set up when it is tried again", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const { blank, serial } = at(found, 1)
        blank.setFault({ kind: "reject", pattern: "^hostname lhv-acc2", message: "% Invalid input", times: 1 })
        const card = page.getByRole("region", { name: serial })
        yield* steps(async () => {
          await page.goto("/ui/new")
          await card.getByRole("button", { name: "Set up…" }).click()
          await card.getByRole("textbox", { name: "Name" }).fill("lhv-acc2")
          await card.getByText("The name lhv-acc2 is free").waitFor()
          await card.getByRole("button", { name: "Set it up" }).click()
          await page.getByRole("heading", { name: "Failed 1" }).waitFor()
          await card.getByText("1 switch did not move to the new address").waitFor()
          await card.getByText("Moved to its address failed").waitFor()
          await card.getByText("What the switch said").click()
          await card.getByText("Invalid input").first().waitFor()
          await card.getByText("Try this:").waitFor()
        })
        yield* sound(page, "new-failed")
        expect((yield* api.devices("filter[hostname]=lhv-acc2")).length).toBe(0)
        yield* steps(async () => {
          await card.getByRole("button", { name: "Try again…" }).click()
          await card.getByRole("textbox", { name: "Name" }).fill("lhv-acc2")
          await card.getByText("The name lhv-acc2 is free").waitFor()
          await card.getByRole("button", { name: "Set it up" }).click()
        })
        yield* managed(api, "lhv-acc2")
      })
    )

    it.effect("that is ignored counts no more, says by whom and why, and comes back", () =>
      Effect.gen(function* () {
        const { found, page } = yield* Site
        const { serial } = at(found, 2)
        yield* steps(async () => {
          await page.goto("/ui/new")
          await page.getByRole("link", { name: /^New switches\s?, 8 waiting/ }).waitFor()
          await page.getByRole("region", { name: serial }).getByRole("button", { name: "Ignore…" }).click()
          await page.getByRole("dialog").getByRole("textbox", { name: "Why" }).fill("spare unit")
          await page.getByRole("dialog").getByRole("button", { name: "Ignore it" }).click()
          await page.getByRole("heading", { name: "Ignored 1" }).waitFor()
          await page.getByRole("link", { name: /^New switches\s?, 7 waiting/ }).waitFor()
          await page.getByText(/ignored by .*: spare unit/).waitFor()
        })
        yield* sound(page, "new-ignored")
        yield* steps(async () => {
          await page.getByRole("button", { name: `Stop ignoring ${serial}` }).click()
          await page.getByRole("link", { name: /^New switches\s?, 8 waiting/ }).waitFor()
        })
      })
    )

    it.effect("can be one of a list, of which every wrong line is named before anything is started", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const rest = found.slice(2, 9)
        const list = rest.map(({ serial }, index) => `lhv-acc${index + 3};ACCESS;${serial}`)
        yield* steps(async () => {
          await page.goto("/ui/new?tab=several")
          await page
            .getByRole("textbox", { name: "List" })
            .fill(
              `serial,name,type\n${at(found, 2).mac},lhv-acc3\n${at(found, 3).mac},lhv-acc3,ACCESS\n0000,lhv-acc9,PHONE`
            )
          await page.getByText("the name lhv-acc3 stands twice in the list").waitFor()
          await page.getByText("PHONE is no type").waitFor()
          await page.getByRole("textbox", { name: "List" }).fill(`name;type;serial\n${list.join("\n")}`)
          await page.getByRole("button", { name: "Check all" }).click()
          await page.getByText("can be set up").nth(6).waitFor()
        })
        // another user takes a name between the check and the start
        const other = { hostname: "lhv-acc4", platform: "eos", state: "UNMANAGED", device_type: "ACCESS" }
        yield* api.send("POST", "/device", other)
        yield* steps(async () => {
          await page.getByRole("button", { name: "Set up all" }).click()
          await page.getByText("None was set up").waitFor()
          await page.getByText(/line 2: hostname/).waitFor()
        })
        expect((yield* api.devices("filter[state]=DISCOVERED")).length).toBe(8)
        yield* sound(page, "new-several")
        yield* steps(async () => {
          await page
            .getByRole("textbox", { name: "List" })
            .fill(`name;type;serial\n${list.filter((line) => !line.startsWith("lhv-acc4;")).join("\n")}`)
          await page.getByRole("button", { name: "Check all" }).click()
          await page.getByText("can be set up").nth(5).waitFor()
          await page.getByRole("button", { name: "Set up all" }).click()
          await page.getByRole("list", { name: "Steps" }).nth(5).waitFor()
        })
        for (const number of [3, 5, 6, 7, 8, 9]) yield* managed(api, `lhv-acc${number}`)
        expect((yield* api.devices("filter[state]=DISCOVERED")).length).toBe(2)
      })
    )

    it.effect("replaces one that is UNMANAGED, with its name", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const card = page.getByRole("region", { name: at(found, 3).serial })
        yield* steps(async () => {
          await page.goto("/ui/new")
          await card.getByRole("button", { name: "Set up…" }).click()
          await card.getByRole("textbox", { name: "Name" }).fill("lhv-acc4")
          await card.getByText("There is already a device with hostname lhv-acc4").waitFor()
          await card.getByLabel("Replace an existing switch of that name").check()
          await card.getByText("It takes the name lhv-acc4").waitFor()
          await card.getByRole("button", { name: "Replace lhv-acc4" }).click()
        })
        yield* managed(api, "lhv-acc4")
        const last = page.getByRole("region", { name: at(found, 9).serial })
        yield* steps(async () => {
          await page.goto("/ui/new")
          await last.getByRole("button", { name: "Set up…" }).click()
          await last.getByRole("textbox", { name: "Name" }).fill("lhv-acc10")
          await last.getByText("The name lhv-acc10 is free").waitFor()
          await last.getByRole("button", { name: "Set it up" }).click()
          await page.getByText("No switches yet. They appear here when they start up.").waitFor()
        })
        expect((yield* api.devices("filter[hostname]=lhv-acc4")).length).toBe(1)
        for (let number = 1; number <= COUNT; number++) yield* managed(api, `lhv-acc${number}`)
      })
    )
  })
})
