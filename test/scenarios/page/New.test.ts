/** New switches in the page: where they hang, checked and initialised, one by one and from a list. */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { serve } from "../../support/ServedCampus.ts"
import { hasChromium, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"

const make = Effect.gen(function* () {
  const folders = yield* Campus.makeFolders
  const lab = yield* Campus.makeCampusLab(3, () => Effect.void)
  const { api, running, url } = yield* serve(Campus.environment(lab, folders, folders.folder))
  yield* Effect.provide(Campus.seedSite, running)
  for (const name of ["settings", "templates"]) yield* api.send("PUT", `/repository/${name}`, { action: "REFRESH" })
  const found: Array<string> = []
  for (const name of Campus.accessNames(3)) {
    const { discovery } = yield* Effect.provide(Effect.flatMap(lab.get(name), booted), running)
    yield* api.run("/discover_device", { ztp_mac: discovery.ztp_mac, dhcp_ip: discovery.dhcp_ip })
    found.push(discovery.ztp_mac)
  }
  return { api, found, running, page: yield* openPage(yield* makeBrowser, url) }
})

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

    it.effect("is shown with its place, checked, and initialised step by step until it is managed", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const [first = ""] = found
        yield* steps(async () => {
          await page.goto("/ui/new")
          await page.getByRole("button", { name: new RegExp(first) }).click()
          await page.getByText("Ethernet1 (by its Ethernet27)").waitFor()
          await page.getByRole("textbox", { name: "Name" }).fill("bad name")
          await page.getByRole("button", { name: "Check" }).click()
          await page.getByText("Provided hostname is not valid").waitFor()
          await page.getByRole("textbox", { name: "Name" }).fill("lhv-acc1")
          await page.getByRole("button", { name: "Check" }).click()
          await page.getByText("it can be initialised").waitFor()
        })
        yield* sound(page, "new")
        yield* steps(async () => {
          await page.getByRole("button", { name: "Initialise" }).click()
          await page.getByRole("link", { name: "Set up, part 1" }).first().waitFor()
          await page.getByRole("link", { name: "Set up, part 2" }).first().waitFor()
          await page
            .getByRole("region", { name: "Initialisation of lhv-acc1" })
            .getByText("Done", { exact: true })
            .nth(1)
            .waitFor()
        })
        yield* managed(api, "lhv-acc1")
      })
    )

    it.effect("can be one of a list, of which every wrong line is named before anything is started", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const [, second = "", third = ""] = found
        yield* steps(async () => {
          await page.goto("/ui/new?tab=several")
          await page
            .getByRole("textbox", { name: "List" })
            .fill(`serial,name,type\n${second},lhv-acc2\n${third},lhv-acc2,ACCESS\n0000,lhv-acc9,PHONE`)
          await page.getByText("the name lhv-acc2 stands twice in the list").waitFor()
          await page.getByText("PHONE is no type").waitFor()
          await page.getByRole("textbox", { name: "List" }).fill(`${second},lhv-acc2\n${third};lhv-acc3;ACCESS`)
          await page.getByRole("button", { name: "Check all" }).click()
          await page.getByText("can be initialised").nth(1).waitFor()
        })
        // another user takes a name between the check and the start
        yield* api.send("POST", "/device", {
          hostname: "lhv-acc3",
          platform: "eos",
          state: "UNMANAGED",
          device_type: "ACCESS"
        })
        yield* steps(async () => {
          await page.getByRole("button", { name: "Initialise all" }).click()
          await page.getByText("None was initialised").waitFor()
          await page.getByText(/line 2: hostname/).waitFor()
        })
        expect((yield* api.devices("filter[state]=DISCOVERED")).length).toBe(2)
        yield* sound(page, "new-several")
        yield* steps(async () => {
          await page.getByRole("textbox", { name: "List" }).fill(`${second},lhv-acc2`)
          await page.getByRole("button", { name: "Check all" }).click()
          await page.getByText("can be initialised").waitFor()
          await page.getByRole("button", { name: "Initialise all" }).click()
        })
        yield* managed(api, "lhv-acc2")
        expect((yield* api.devices("filter[state]=DISCOVERED")).length).toBe(1)
      })
    )

    it.effect("replaces one that is UNMANAGED, with its name", () =>
      Effect.gen(function* () {
        const { api, found, page } = yield* Site
        const [, , third = ""] = found
        yield* steps(async () => {
          await page.goto("/ui/new")
          await page.getByRole("button", { name: new RegExp(third) }).click()
          await page.getByRole("textbox", { name: "Name" }).fill("lhv-acc3")
          await page.getByRole("button", { name: "Check" }).click()
          await page.getByText("it cannot be initialised").first().waitFor()
          await page.getByLabel("It replaces the switch of that name").check()
          await page.getByRole("button", { name: "Check" }).click()
          await page.getByText("it can be initialised").waitFor()
          await page.getByRole("button", { name: "Replace" }).click()
        })
        yield* managed(api, "lhv-acc3")
        yield* steps(async () => {
          await page.goto("/ui/new")
          await page.getByText("There are no new switches.").waitFor()
        })
        const named = yield* api.devices("filter[hostname]=lhv-acc3")
        expect(named.length).toBe(1)
      })
    )
  })
})
