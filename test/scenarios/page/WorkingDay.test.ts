/**
 * A whole day of an operator on a campus of 32 switches, once with the mouse and once with keys alone: a new switch, a port, a commit, its
 * differences, a colleague's approval, a rollout with a switch that fails, the way back, drift, firmware, and who did what.
 */
import { describe, expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Locator, Page } from "playwright-core"
import { booted } from "../../support/BlankSwitch.ts"
import * as Campus from "../../support/Campus.ts"
import { type Ask, confirmSettings, ended, jobIn, makeCampusWithRoles } from "../../support/CampusWithRoles.ts"
import { hasChromium, leap, makeBrowser, openPage, sound, steps, WITHOUT } from "../../support/Page.ts"
import * as Managed from "../chaos/ManagedCampus.ts"

// Two ways to use a page: with the mouse, and with keys alone.

interface Hand {
  /** Presses a button, a link, a tab or a box. */
  readonly press: (what: Locator) => Promise<void>
  /** Replaces the text of a field. */
  readonly write: (what: Locator, text: string) => Promise<void>
  /** Goes to a screen of the navigation by its name, or by its letter. */
  readonly go: (label: string, letter: string) => Promise<void>
  /** Chooses from a list by the word that is shown. */
  readonly choose: (what: Locator, label: string) => Promise<void>
}

const mouse = (page: Page): Hand => ({
  press: (what) => what.click(),
  write: (what, text) => what.fill(text),
  go: (label) =>
    page
      .getByRole("navigation")
      .getByRole("link", { name: new RegExp(`^${label}`) })
      .click(),
  choose: async (what, label) => {
    await what.selectOption({ label })
  }
})

/** Beyond so many presses of the key something cannot be reached by it. */
const MOST_TABS = 400

/** Presses Tab until the element has the focus; in a menu, the arrow. */
const reach = async (page: Page, what: Locator) => {
  await what.waitFor()
  const isInMenu = await what.evaluate((element) => element.getAttribute("role") === "menuitem")
  for (let count = 0; count < MOST_TABS; count++) {
    if (await what.evaluate((element) => element === element.ownerDocument.activeElement)) return
    await page.keyboard.press(isInMenu ? "ArrowDown" : "Tab")
  }
  throw new Error(`no key leads to ${String(what)}`)
}

const keys = (page: Page): Hand => ({
  press: async (what) => {
    await reach(page, what)
    const isBox = await what.evaluate((element) => element.matches("input[type=checkbox], input[type=radio]"))
    await page.keyboard.press(isBox ? "Space" : "Enter")
  },
  write: async (what, text) => {
    await reach(page, what)
    await page.keyboard.press("Control+a")
    await page.keyboard.type(text)
  },
  go: async (_, letter) => {
    await page.keyboard.press("Escape")
    await page.evaluate("document.activeElement instanceof HTMLElement && document.activeElement.blur()")
    await leap(page, letter)
  },
  choose: async (what, label) => {
    await reach(page, what)
    await page.keyboard.type(label)
  }
})

const NAMES = Managed.accessNames(28)
const BLANK = Campus.accessNames(2)

const ROLES = `group_mappings: {}
roles:
  junior: { extends: operator, approval: true }
`

const lab = Campus.makeSite(
  {
    ...Object.fromEntries(NAMES.map((name, index) => [name, Managed.managedNode(name, index)])),
    ...Object.fromEntries(BLANK.map((name) => [name, Campus.blankAccess]))
  },
  BLANK.flatMap((name, index) => Campus.uplinks(name, index + 1))
)

const make = Effect.gen(function* () {
  const campus = yield* makeCampusWithRoles({ names: NAMES, roles: ROLES, lab })
  const browser = yield* makeBrowser
  yield* ended(
    campus.boss,
    jobIn(yield* campus.boss("POST", "/device_syncto", { all: true, dry_run: false, force: true }))
  )
  const open = Effect.fnUntraced(function* (role: string, name: string) {
    return yield* openPage(browser, campus.url, { token: yield* campus.tokenOf(role, name) })
  })
  return { ...campus, ann: yield* open("junior", "ann"), bert: yield* open("administrator", "bert") }
})

class Site extends Context.Service<Site, Effect.Success<typeof make>>()("test/page/WorkingDay") {
  static readonly layer = Layer.effect(Site, make)
}

/** The rollout of a preview. */
const pushOf = Effect.fnUntraced(function* (boss: Ask, preview: number) {
  const { text } = yield* boss("GET", `/jobs?filter[dry_run_job]=${preview}&filter_jobresult=config,diff`)
  return Number(/"id":(\d+)/.exec(text)?.[1])
})

interface Day {
  readonly title: string
  readonly hand: (page: Page) => Hand
  /** The differences between the two days. */
  readonly blank: string
  readonly hostname: string
  readonly ported: string
  readonly silent: string
  readonly drifted: string
  readonly clock: string
}

const [, , , , FIRST = "", SECOND = "", THIRD = "", FOURTH = "", FIFTH = "", SIXTH = ""] = NAMES

const days: ReadonlyArray<Day> = [
  {
    title: "with the mouse",
    hand: mouse,
    blank: "acc1",
    hostname: "lhv-acc1",
    ported: FIRST,
    silent: SECOND,
    drifted: THIRD,
    clock: "10.255.0.81"
  },
  {
    title: "with keys alone",
    hand: keys,
    blank: "acc2",
    hostname: "lhv-acc2",
    ported: FOURTH,
    silent: FIFTH,
    drifted: SIXTH,
    clock: "10.255.0.82"
  }
]

const scene = layer(Site.layer, { excludeTestServices: true })

describe.skipIf(!hasChromium)(`A day${hasChromium ? "" : ` (${WITHOUT})`}`, () => {
  scene((it) => {
    for (const { blank, clock, drifted, hand, hostname, ported, silent, title } of days) {
      it.effect(`goes by ${title}`, () =>
        Effect.gen(function* () {
          const { ann, bert, boss, folders, lab, running } = yield* Site
          const [hers, his] = [hand(ann), hand(bert)]

          // a new switch is plugged in and gets its name
          const unit = yield* lab.get(blank)
          const {
            discovery: { dhcp_ip, ztp_mac }
          } = yield* Effect.provide(booted(unit), running)
          const card = bert.getByRole("region", { name: unit.hardware().serial })
          yield* ended(boss, jobIn(yield* boss("POST", "/discover_device", { dhcp_ip, ztp_mac })))
          yield* steps(async () => {
            await bert.goto("/")
            await bert.getByRole("link", { name: "1 found, not set up" }).waitFor()
            await his.go("New switches", "w")
            await his.press(card.getByRole("button", { name: "Set up…" }))
            await his.write(card.getByRole("textbox", { name: "Name" }), hostname)
            await card.getByText(`The name ${hostname} is free`).waitFor()
            await his.press(card.getByRole("button", { name: "Set it up" }))
            await bert.getByText("left this list").waitFor()
          })

          // a port gets another use; the switch is found by its name
          yield* steps(async () => {
            await his.go("Devices", "d")
            await his.write(bert.getByLabel("Search devices"), ported)
            await bert.getByText(/^1 of \d+ shown$/).waitFor()
            await his.press(bert.getByRole("link", { name: ported }))
            await bert.waitForURL(new RegExp(`/ui/device/${ported}`))
            await bert.goto(`/ui/device/${ported}?tab=ports`)
            await his.press(bert.getByRole("button", { name: "Ethernet3", exact: true }))
            await his.write(bert.getByRole("textbox", { name: "Description" }), "meeting room")
            await bert.getByText("description meeting room").first().waitFor()
            await his.press(bert.getByRole("button", { name: "Save only" }))
            await bert.getByRole("cell", { name: "meeting room" }).waitFor()
          })

          // a commit, its differences in groups, and a push that needs a colleague
          yield* folders.settings.commit(
            { "global/base_system.yml": `---\nntp_servers:\n  - host: ${clock}\n` },
            `Clock ${clock}`
          )
          yield* confirmSettings(boss)
          yield* steps(async () => {
            await ann.goto("/ui/change")
            await hers.press(ann.getByRole("button", { name: "Fetch settings" }))
            await ann.getByText(`Clock ${clock}`).waitFor()
            await hers.press(ann.getByRole("button", { name: "New change" }))
            await hers.press(ann.getByRole("button", { name: "Preview changes" }))
            await ann.getByText("lines in all").waitFor()
            await hers.press(ann.getByRole("button", { name: "Roll out…" }))
          })
          yield* (yield* lab.get(silent)).powerOff
          yield* steps(async () => {
            await hers.press(ann.getByRole("button", { name: "Roll out exactly this" }))
            await ann.getByText("Waiting for approval").first().waitFor()
          })
          const job = yield* pushOf(boss, Number(new URL(ann.url()).pathname.split("/").at(-1)))
          yield* steps(async () => {
            await bert.goto(`/ui/job/${job}`)
            await his.press(bert.getByRole("button", { name: "Approve…" }))
            await his.write(bert.getByRole("dialog").getByLabel("Comment"), "seen")
            await his.press(bert.getByRole("dialog").getByRole("button", { name: "Approve and begin" }))
            await bert
              .getByRole("region", { name: /^1 switch .* SSH/ })
              .getByRole("link", { name: silent })
              .waitFor()
            await bert.getByText("Partly failed", { exact: true }).waitFor()
          })
          yield* sound(bert, `day-rollout-${hostname}`)

          // the way back
          yield* steps(async () => {
            await his.press(bert.getByRole("button", { name: /^Undo all/ }))
            await his.write(bert.getByRole("dialog").getByLabel("Comment"), "wrong clock")
            await his.press(bert.getByRole("dialog").getByRole("button", { name: /^Undo \d+ switches$/ }))
            await bert.waitForURL(new RegExp(`/ui/job/(?!${job}$)\\d+`))
            await bert.getByText("Done", { exact: true }).waitFor()
          })
          yield* (yield* lab.get(silent)).boot

          // a switch is changed by hand
          ;(yield* lab.get(drifted)).configure("snmp-server location elsewhere\n")
          yield* steps(async () => {
            await bert.goto(`/ui/device/${drifted}`)
            await his.press(bert.getByRole("button", { name: "More actions" }))
            await his.press(bert.getByRole("menuitem", { name: "Compare now" }))
            await bert.getByText(/changed by hand, found by/).waitFor()
            await his.go("Overview", "o")
            await his.press(bert.getByRole("link", { name: /^[12] changed by hand$/ }))
            await bert.getByRole("link", { name: drifted }).waitFor()
          })

          // it is undone: shown first, then pushed
          yield* steps(async () => {
            await bert.goto(`/ui/device/${drifted}`)
            await his.press(bert.getByRole("button", { name: "Put back…" }))
            await his.press(bert.getByRole("dialog").getByRole("button", { name: "Preview it" }))
            await bert.waitForURL(/\/ui\/change\/\d+/)
            await bert.getByText("snmp-server location elsewhere").first().waitFor()
            await his.press(bert.getByRole("button", { name: "Roll out…" }))
            await his.press(bert.getByRole("button", { name: "Roll out exactly this" }))
            await bert.getByText("1 of 1 done").waitFor()
          })

          // versions, and who did what
          yield* steps(async () => {
            await his.go("Firmware", "i")
            await bert.getByText("4.31.4M").first().waitFor()
            await his.go("Audit", "a")
            await his.write(bert.getByLabel("Who", { exact: true }), "ann")
            await bert.getByRole("listitem").filter({ hasText: /ann / }).first().waitFor()
          })
          expect((yield* boss("GET", `/job/${job}`)).text).toContain('"outcome":"partial"')
        })
      )
    }
  })
})
