/** Windows by the clocks of their zones: over changes of summer time, over midnight, several together, and freezes. */
import { describe, expect, it } from "@effect/vitest"
import { DateTime, Result, Schema } from "effect"
import { type JudgedDevice, judgeWindows, openings, spanAt } from "../../../src/domain/access/Windows.ts"
import { instantOf, readWindows, shownAt, type Window } from "../../../src/domain/access/WindowFile.ts"

const ZONES = ["Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia", "UTC"]
const MINUTE = 60_000
const DAY = 86_400_000

const rules = (data: unknown) => Result.getOrThrow(readWindows(data))
const windowOf = (data: object): Window => {
  const [window] = rules({ windows: { w: { all: true, ...data } } }).windows
  if (window === undefined) throw new Error("no window")
  return window
}
const at = (text: string) => Date.parse(text)
const spans = (window: Window, from: string, to: string) =>
  openings(window, { from: at(from), to: at(to) }).map((span) => [
    new Date(span.from).toISOString().slice(0, 16),
    new Date(span.to).toISOString().slice(0, 16)
  ])

const device = (hostname: string, ...groups: ReadonlyArray<string>): JudgedDevice => ({
  hostname,
  groups,
  deviceType: "ACCESS"
})

/** The zone's own clock, by another way than the code under test. */
const clockOf = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "short" })
  return (instant: number) => format.format(instant)
}

/** Days on which clocks change, in one of the zones, and any others. */
const CHANGES = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"]
const Moment = Schema.Struct({
  zone: Schema.Literals(ZONES),
  day: Schema.Union([
    Schema.Literals(CHANGES.map((date) => Date.parse(date) / DAY)),
    Schema.Int.check(Schema.isBetween({ minimum: 18_000, maximum: 22_000 }))
  ]),
  minute: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1439 }))
})

describe("The clocks of a zone", () => {
  it.prop("show a time first at its instant, or skip it there", { moment: Moment }, ({ moment }) => {
    const zone = DateTime.zoneMakeNamedUnsafe(moment.zone)
    const clock = clockOf(moment.zone)
    const wanted = new Date(moment.day * DAY + moment.minute * MINUTE).toISOString().slice(0, 16).replace("T", " ")
    const instant = instantOf(zone, moment)
    expect(shownAt(zone, instant)).toBe(clock(instant))
    expect(clock(instant) >= wanted).toBe(true)
    // never shown, nor passed, within the three hours before
    for (let before = 1; before <= 180; before++) expect(clock(instant - before * MINUTE) < wanted).toBe(true)
  })

  it.each([
    ["Europe/Stockholm", "2026-03-29", 150, "2026-03-29T01:00:00Z"],
    ["Europe/Stockholm", "2026-10-25", 150, "2026-10-25T00:30:00Z"],
    ["America/New_York", "2026-03-08", 150, "2026-03-08T07:00:00Z"],
    ["America/New_York", "2026-11-01", 90, "2026-11-01T05:30:00Z"],
    ["Australia/Lord_Howe", "2026-10-04", 135, "2026-10-03T15:30:00Z"],
    ["Australia/Lord_Howe", "2026-04-05", 105, "2026-04-04T14:45:00Z"],
    ["Asia/Kolkata", "2026-03-29", 150, "2026-03-28T21:00:00Z"],
    ["Pacific/Apia", "2011-12-30", 720, "2011-12-30T10:00:00Z"]
  ])("%s %s, minute %i", (name, date, minute, instant) => {
    const zone = DateTime.zoneMakeNamedUnsafe(name)
    expect(new Date(instantOf(zone, { day: at(`${date}T00:00:00Z`) / DAY, minute })).toISOString()).toBe(
      instant.replace("Z", ".000Z")
    )
  })
})

describe("A weekly window", () => {
  const nightly = (timezone: string, from: string, to: string, days?: ReadonlyArray<string>) =>
    windowOf({ timezone, weekly: [{ from, to, ...(days === undefined ? {} : { days }) }] })

  it("opens on its days, and closes on the next day if it crosses midnight", () => {
    expect(spans(nightly("Asia/Kolkata", "22:00", "04:00", ["sun"]), "2026-11-20T00:00Z", "2026-11-30T00:00Z")).toEqual(
      [
        ["2026-11-22T16:30", "2026-11-22T22:30"],
        ["2026-11-29T16:30", "2026-11-29T22:30"]
      ]
    )
  })

  it("across midnight is an hour shorter or longer when the clocks change in it", () => {
    const window = nightly("Europe/Stockholm", "22:00", "04:00", ["sat"])
    expect(spans(window, "2026-03-28T12:00Z", "2026-03-29T12:00Z")).toEqual([["2026-03-28T21:00", "2026-03-29T02:00"]])
    expect(spans(window, "2026-10-24T12:00Z", "2026-10-25T12:00Z")).toEqual([["2026-10-24T20:00", "2026-10-25T03:00"]])
  })

  it("closes and opens when the clocks skip its time, and is closed in the skipped time", () => {
    const of = (from: string, to: string) =>
      spans(nightly("Europe/Stockholm", from, to, ["sun"]), "2026-03-29T00:00Z", "2026-03-29T12:00Z")
    expect(of("01:30", "02:30")).toEqual([["2026-03-29T00:30", "2026-03-29T01:00"]])
    expect(of("02:30", "04:00")).toEqual([["2026-03-29T01:00", "2026-03-29T02:00"]])
    expect(of("02:10", "02:50")).toEqual([])
  })

  it("opens and closes at the first occurrence of a time that the clocks show twice", () => {
    const of = (from: string, to: string) =>
      spans(nightly("Europe/Stockholm", from, to, ["sun"]), "2026-10-24T23:00Z", "2026-10-25T12:00Z")
    expect(of("02:10", "02:50")).toEqual([["2026-10-25T00:10", "2026-10-25T00:50"]])
    expect(of("02:30", "03:30")).toEqual([["2026-10-25T00:30", "2026-10-25T02:30"]])
  })

  it.prop(
    "is open exactly when the clocks show a time between, except for times that they show twice",
    { moment: Moment, length: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1439 })) },
    ({ length, moment }) => {
      const time = (minute: number) =>
        `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`
      const [from, to] = [time(moment.minute), time((moment.minute + length) % 1440)]
      const clock = clockOf(moment.zone)
      const found = openings(nightly(moment.zone, from, to), {
        from: (moment.day - 3) * DAY,
        to: (moment.day + 3) * DAY
      })
      for (let instant = (moment.day - 2) * DAY; instant < (moment.day + 2) * DAY; instant += 15 * MINUTE) {
        const shown = clock(instant)
        if ([30, 60].some((minutes) => [-1, 1].some((sign) => clock(instant + sign * minutes * MINUTE) === shown)))
          continue
        const now = shown.slice(11)
        const isBetween = from < to ? from <= now && now < to : from <= now || now < to
        expect([shown, spanAt(found, instant) !== undefined]).toEqual([shown, isBetween])
      }
    }
  )
})

describe("Devices", () => {
  const found = rules({
    windows: {
      closets: { groups: ["EAST", "WEST"], timezone: "Europe/Stockholm", weekly: [{ from: "22:00", to: "04:00" }] },
      once: { groups: ["EAST"], timezone: "UTC", dates: [{ from: "2026-11-24 12:00", to: "2026-11-24 13:00" }] },
      core: { groups: ["CORE"], timezone: "UTC", weekly: [{ days: ["sun"], from: "02:00", to: "05:00" }] },
      never: { groups: ["GONE"], timezone: "UTC", dates: [{ from: "2020-01-01", to: "2020-01-01" }] }
    },
    freezes: {
      christmas: {
        groups: ["EAST"],
        timezone: "Europe/Stockholm",
        reason: "holidays",
        dates: [{ from: "2026-12-20", to: "2027-01-06" }]
      }
    }
  })
  const judge = (when: string, ...devices: ReadonlyArray<JudgedDevice>) => judgeWindows(found, devices, at(when))

  it("without a window may be changed at any time, others while one of theirs is open", () => {
    expect(judge("2026-11-24T12:30Z", device("a1", "NORTH"))).toEqual({ isOpen: true, until: null })
    expect(judge("2026-11-24T12:30Z", device("a1", "EAST"))).toEqual({ isOpen: true, until: at("2026-11-24T13:00Z") })
    expect(judge("2026-11-24T12:30Z", device("a1", "EAST"), device("a2", "WEST"))).toEqual({
      isOpen: false,
      hostname: "a2",
      closed: 1,
      why: "window closets is closed",
      next: at("2026-11-24T21:00Z"),
      nextShown: "2026-11-24 22:00 Europe/Stockholm"
    })
    expect(judge("2026-11-24T13:00Z", device("a1", "EAST"))).toMatchObject({ why: "windows closets, once are closed" })
  })

  it("together may be changed when all windows are open", () => {
    const both = [device("a1", "WEST"), device("c1", "CORE")]
    expect(judge("2026-11-24T22:00Z", ...both)).toMatchObject({ hostname: "c1", next: at("2026-11-29T02:00Z") })
    expect(judge("2026-11-29T02:30Z", ...both)).toEqual({ isOpen: true, until: at("2026-11-29T03:00Z") })
    expect(judge("2026-11-24T22:00Z", device("g", "GONE"))).toMatchObject({ next: null, nextShown: null })
  })

  it("may not be changed during a freeze, including its last day, in spite of windows", () => {
    expect(judge("2026-12-24T22:00Z", device("a1", "EAST"))).toMatchObject({
      why: "freeze christmas (holidays) is in force until 2027-01-07 00:00 Europe/Stockholm",
      next: at("2027-01-06T23:00Z")
    })
    expect(judge("2026-12-24T22:00Z", device("a2", "WEST"))).toMatchObject({ isOpen: true })
    expect(judge("2026-12-19T22:30Z", device("a1", "EAST"))).toEqual({ isOpen: true, until: at("2026-12-19T23:00Z") })
  })
})

const weekly = [{ from: "22:00", to: "04:00" }]
const utc = { all: true, timezone: "UTC" }
const one = (window: object) => ({ windows: { w: window } })

describe("windows.yml", () => {
  it.each([
    ["no record", 5, "Expected"],
    ["an unknown key", { window: {} }, "window"],
    ["an unknown key of a window", one({ ...utc, weekly, week: 1 }), "week"],
    ["no zone", one({ all: true, weekly }), "timezone"],
    [
      "a zone that is none",
      one({ ...utc, timezone: "Mars/Base", weekly }),
      "windows.w.timezone: Mars/Base is no time zone"
    ],
    ["no devices", one({ timezone: "UTC", weekly }), "windows.w: is for which devices?"],
    ["all and some", one({ ...utc, groups: ["A"], weekly }), "windows.w: is for which devices?"],
    ["no group", one({ timezone: "UTC", groups: [], weekly }), "windows.w: an empty list"],
    [
      "an unknown type",
      one({ timezone: "UTC", device_types: ["access"], weekly }),
      "windows.w.device_types: access is not"
    ],
    ["no times", one(utc), "windows.w: never opens"],
    [
      "an hour that is none",
      one({ ...utc, weekly: [{ from: "25:00", to: "04:00" }] }),
      "windows.w.weekly[0].from: 25:00"
    ],
    [
      "a time beyond midnight",
      one({ ...utc, weekly: [{ from: "22:00", to: "24:01" }] }),
      "windows.w.weekly[0].to: 24:01"
    ],
    ["no length", one({ ...utc, weekly: [{ from: "22:00", to: "22:00" }] }), "windows.w.weekly[0].to: is 22:00 too"],
    [
      "an unknown day",
      one({ ...utc, weekly: [{ days: ["Monday"], from: "22:00", to: "23:00" }] }),
      "windows.w.weekly[0].days"
    ],
    [
      "no day",
      one({ ...utc, weekly: [{ days: [], from: "22:00", to: "23:00" }] }),
      "windows.w.weekly[0].days: names no day"
    ],
    [
      "a day that is none",
      one({ ...utc, dates: [{ from: "2026-02-30", to: "2026-03-01" }] }),
      "windows.w.dates[0].from"
    ],
    [
      "an end before its begin",
      one({ ...utc, dates: [{ from: "2026-02-02", to: "2026-02-01" }] }),
      "windows.w.dates[0].to"
    ],
    ["a freeze without dates", { freezes: { f: { ...utc, dates: [] } } }, "freezes.f.dates"]
  ])("with %s is refused with its field", (_, data, rule) => {
    const read = readWindows(data)
    expect(Result.isFailure(read) && read.failure).toContain(rule)
  })
})
