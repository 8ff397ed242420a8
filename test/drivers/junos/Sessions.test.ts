/** Who works on a device with Junos and whose commit waits, by its answers; answers of releases that break their XML. */
import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import { hasTwoEngines } from "../../../src/drivers/junos/Commit.ts"
import { mend, readsMarked } from "../../../src/drivers/junos/Dialect.ts"
import { comparisonOf, historyOf, timerOf } from "../../../src/drivers/junos/Sessions.ts"
import { findAll, parse } from "../../../src/drivers/netconf/Xml.ts"
import { reply, several } from "./Answers.ts"

const entry = (user: string, more: string) =>
  `<commit-history><sequence-number>0</sequence-number><user>${user}</user><client>netconf</client><date-time junos:seconds="1000">then</date-time>${more}</commit-history>`
const CONFIRMED = "<comment>commit confirmed, rollback in 5mins</comment>"
const MARK = "<commit-confirmed>rollback pending</commit-confirmed>"
const OURS = `${CONFIRMED}<log>job7</log>`

const timer = (wasSeen: boolean, now: number | null, ...entries: ReadonlyArray<string>) =>
  timerOf(
    historyOf(reply(`<commit-information>${entries.join("")}</commit-information>`)) ?? [],
    { name: "job7", wasSeen },
    now
  )

describe("the timer of a commit", () => {
  it.each([
    ["runs while it has its mark", timer(false, null, entry("switch", OURS + MARK)), { _tag: "running", name: "job7" }],
    [
      "is confirmed when the mark is gone that was seen",
      timer(true, null, entry("switch", OURS)),
      { _tag: "none", omitted: true }
    ],
    [
      "is unknown without a mark on a release that may have none",
      timer(false, 1100, entry("switch", OURS)),
      { _tag: "unknown" }
    ],
    ["is unknown without the time of the device", timer(false, null, entry("switch", OURS)), { _tag: "unknown" }],
    [
      "is over when its time is over, although the sentence stays",
      timer(false, 1336, entry("switch", OURS)),
      { _tag: "none" }
    ],
    [
      "is over when a later commit is there",
      timer(false, null, entry("root", ""), entry("switch", OURS)),
      { _tag: "none" }
    ],
    ["is over when the history is empty", timer(false, null), { _tag: "none" }],
    [
      "is another user's by the name of its commit",
      timer(true, null, entry("alice", `${CONFIRMED}<log>uplink</log>${MARK}`), entry("switch", OURS)),
      { _tag: "running", name: "confirmed commit of alice (uplink)" }
    ],
    [
      "of another user may run on a release without marks",
      timer(true, 1100, entry("alice", CONFIRMED)),
      { _tag: "unknown" }
    ]
  ] as const)("%s", (_, found, expected) => {
    expect(found).toEqual(expected)
  })

  it("is read from any of several comments", () => {
    const two = `<comment>commit synchronize</comment>${CONFIRMED}`
    const [newest] = historyOf(reply(`<commit-information>${entry("switch", two)}</commit-information>`)) ?? []
    expect(newest?.minutes).toBe(5)
  })

  it("cannot be read from an answer without a history", () => {
    expect(historyOf(reply("<output/>"))).toBeNull()
  })
})

describe("a comparison", () => {
  const shown = (text: string) =>
    comparisonOf(
      reply(
        `<configuration-information><configuration-output>${text}</configuration-output></configuration-information>`
      )
    )

  it("is empty where the device shows a line break or the heading of the whole alone, and not where it shows nothing", () => {
    expect([shown("\n"), shown("\n[edit]\n"), shown("\n[edit system]\n-  a;\n")]).toEqual([
      "",
      "",
      "[edit system]\n-  a;"
    ])
    expect(comparisonOf(reply("<configuration-information/>"))).toBeNull()
  })
})

describe("broken answers to a commit", () => {
  const whole = (results: string) => `<rpc-reply message-id="1">${results}</rpc-reply>`

  it.each([
    ["<commit-results><routing-engine><name>re0</name><ok/></commit-results>", 1],
    [
      "<commit-results><routing-engine><name>re0</name><commit-success/><routing-engine><name>re1</name><commit-success/></commit-results>",
      2
    ],
    ["<commit-results><routing-engine><name>re0</name><ok/>", 1],
    ["<routing-engine>\n<name>re0</name>\n<commit-success/>\n<ok/>\n", 1],
    [
      '<routing-engine style="show-name">\n<name>node0</name>\n<commit-check-success/>\n<routing-engine style="show-name">\n<name>node1</name>\n<commit-check-success/>\n<ok/>\n',
      2
    ]
  ])("are closed: %s", (results, engines) => {
    expect(Result.isFailure(parse(whole(results)))).toBe(true)
    const mended = Result.getOrThrow(parse(mend(whole(results))))
    expect(findAll(mended, "routing-engine").length).toBe(engines)
  })

  it("keep their errors", () => {
    const mended = parse(
      mend(
        whole(
          '<commit-results><routing-engine style="normal"><name>fpc0</name><rpc-error><error-severity>error</error-severity><error-message>check-out failed</error-message></rpc-error></commit-results>'
        )
      )
    )
    expect(findAll(Result.getOrThrow(mended), "error-message").map(({ text }) => text)).toEqual(["check-out failed"])
  })

  it("show characters that XML does not have by a mark, but not in a configuration", () => {
    const shown = mend(whole("<serial-number>A\u0007\u0001B\tC</serial-number>"))
    expect(findAll(Result.getOrThrow(parse(shown)), "serial-number")[0]?.text).toBe("A\uFFFD\uFFFDB\tC")
    const configuration = whole("<configuration-text>message A\u0007;</configuration-text>")
    expect(mend(configuration)).toBe(configuration)
  })

  it("are read with marks for bytes that are no characters, but not with a configuration", () => {
    expect(readsMarked(whole("<lldp-remote-system-name>caf\uFFFD</lldp-remote-system-name>"))).toBe(true)
    expect(readsMarked(whole("<configuration-text>message caf\uFFFD;</configuration-text>"))).toBe(false)
  })

  it("have the namespace of their attributes, which some replies do not name", () => {
    const mended = parse(mend(whole('<interface-flapped junos:seconds="12">then</interface-flapped>')))
    expect(findAll(Result.getOrThrow(mended), "interface-flapped")[0]?.attributes.get("seconds")).toBe("12")
  })

  it("stay broken where the end of the reply is missing", () => {
    const cut = "<rpc-reply><commit-results><routing-engine><name>re0</name><commit-success/>"
    expect(Result.isFailure(parse(mend(cut)))).toBe(true)
  })

  it("stay as they are where they are closed, with ok beside them", () => {
    const closed = whole(
      "<commit-results><routing-engine><name>re0</name><commit-check-success/></routing-engine></commit-results><ok/>"
    )
    expect(mend(closed)).toBe(closed)
  })
})

describe("two routing engines", () => {
  const one = (slot: number) => `<route-engine><slot>${slot}</slot></route-engine>`
  const list = (inside: string) => `<route-engine-information>${inside}</route-engine-information>`

  it("are told from the members of a virtual chassis", () => {
    expect(hasTwoEngines(reply(list(one(0) + one(1))))).toBe(true)
    expect(hasTwoEngines(reply(list(one(0))))).toBe(false)
    expect(hasTwoEngines(reply(several({ fpc0: list(one(0)), fpc1: list(one(1)) })))).toBe(false)
    expect(hasTwoEngines(reply(several({ localre: list(one(0) + one(1)) })))).toBe(false)
    expect(hasTwoEngines(reply(several({ re0: list(one(0)), re1: list(one(1)) })))).toBe(true)
  })
})
