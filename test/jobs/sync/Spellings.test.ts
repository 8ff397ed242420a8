/** What a switch shows for the lines that it was given, and what is learnt from it (docs/changes.md#spellings). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Job } from "../../../src/domain/Job.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { ConfigStore } from "../../../src/store/ConfigStore.ts"
import * as Managed from "../../scenarios/chaos/ManagedCampus.ts"
import * as Lab from "./SyncLab.ts"

const [HOST = ""] = Managed.accessNames(1)

const withQuirks = <A, E>(quirks: Quirks, body: (lab: Lab.SyncLab) => Lab.Serving<A, E>) =>
  Lab.withLab(1, body, {}, { quirks })

/** Gives the switch these lines in addition to what it runs, before the lines of its port 27. */
const apply = (lab: Lab.SyncLab, lines: ReadonlyArray<string>, dry_run = false) => {
  const text = lines.map((line) => `${line}\n`).join("")
  const config = Lab.switchAt(lab, 0)
    .running()
    .replace(/^interface Ethernet27$/m, `${text}interface Ethernet27`)
  return Lab.run("apply_config", { hostname: HOST, config, dry_run })
}

const onPort = (...lines: ReadonlyArray<string>) => ["interface Ethernet21", ...lines.map((line) => `   ${line}`)]

const outcome = (job: Job) => Lab.outcomes(job)[HOST] ?? ""

const remarks = (job: Job) => Managed.devicesOf(job)[HOST]?.job_tasks.flatMap(({ remarks = [] }) => remarks) ?? []

const stored = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ shape: string; shown: string | null }>`select shape, shown from learned_line order by shape`
)

describe("a switch that takes a line as another one", () => {
  it.live.each([
    ["another number", onPort("mtu 9500"), { "^mtu 9500": "mtu 9214" }, '"mtu 9214" for "mtu 9500"'],
    [
      "another next hop",
      ["ip route 10.77.0.0/16 10.0.0.1"],
      { "^(ip route 10.77.0.0/16) .*": "$1 10.0.0.2" },
      '"ip route 10.77.0.0/16 10.0.0.2" for "ip route 10.77.0.0/16 10.0.0.1"'
    ],
    [
      "a login without a password",
      ["username bob privilege 15 secret hunter2"],
      { "^username bob .*": "username bob privilege 15 nopassword" },
      '"username bob privilege 15 nopassword" for "username bob privilege 15 secret ********"'
    ]
  ] as const)("is not changed, and both lines are named: %s", ([, lines, rewrites, words]) =>
    withQuirks({ rewrites }, (lab) =>
      Effect.gen(function* () {
        const device = Lab.switchAt(lab, 0)
        const before = device.running()
        for (const dry of [true, false]) {
          const text = outcome(yield* apply(lab, lines, dry))
          assert.include(text, `the switch shows ${words} at line `)
          assert.match(text, /with on_missing_lines "warn" the change is pushed, and the switch runs what it shows\n$/)
          assert.notInclude(text, "hunter2")
        }
        assert.strictEqual(device.running(), before)
        assert.deepStrictEqual(yield* stored, [])
        yield* Lab.nothingLeft(lab)
      })
    )
  )

  it.live("is changed if the job permits it, and the record says what the switch runs", () =>
    withQuirks({ rewrites: { "^description wanted other": "description wanted another" } }, (lab) =>
      Effect.gen(function* () {
        yield* Lab.want(lab, "other")
        const job = yield* Lab.sync({ on_missing_lines: "warn" })
        assert.strictEqual(outcome(job), "ok")
        assert.strictEqual(Lab.described(Lab.switchAt(lab, 0)), "wanted another")
        assert.match(
          remarks(job).join("\n"),
          /^the switch shows "description wanted another" for "description wanted other" at line \d+; the change is pushed, and the switch runs what it shows$/
        )
      })
    )
  )
})

describe("a spelling that was not known", () => {
  it.live("is a remark once, and serves all lines of its kind of section", () =>
    withQuirks(
      { rewrites: { "^storm level (.*)": "storm-control all level $1", "^vrf definition ": "vrf instance " } },
      (lab) =>
        Effect.gen(function* () {
          const first = yield* apply(lab, onPort("storm level 5"))
          assert.strictEqual(outcome(first), "ok")
          assert.match(
            remarks(first).join("\n"),
            /^Line \d+ "storm level 5" is shown as "storm-control all level 5"; learnt for EOS$/
          )
          assert.deepStrictEqual(yield* stored, [
            { shape: "interface Ethernet#\nstorm level #", shown: "storm-control all level #" }
          ])
          const again = yield* apply(lab, ["interface Ethernet22", "   storm level 7"])
          assert.strictEqual(outcome(again), "ok")
          assert.deepStrictEqual(remarks(again), [])
          // another kind of section is looked at on its own
          const other = yield* apply(lab, ["interface Port-Channel5", "   storm level 7"])
          assert.strictEqual(outcome(other), "ok")
          assert.lengthOf(remarks(other), 1)
          // a heading brings its lines along
          const heading = yield* apply(lab, ["vrf definition MGMT", "   rd 10.0.0.1:1"])
          assert.strictEqual(outcome(heading), "ok")
          assert.include(Lab.switchAt(lab, 0).running(), "vrf instance MGMT\n   rd 10.0.0.1:1\n")
          assert.deepStrictEqual(
            (yield* stored).map(({ shape }) => shape),
            ["interface Ethernet#\nstorm level #", "interface Port-Channel#\nstorm level #", "vrf definition MGMT"]
          )
          yield* Lab.nothingLeft(lab)
        })
    )
  )

  it.live("is that of a line in an access list, whatever its number and its neighbours", () =>
    withQuirks({ rewrites: { "eq 22$": "eq ssh" } }, (lab) =>
      Effect.gen(function* () {
        const list = (name: string, ...lines: ReadonlyArray<string>) => [
          `ip access-list ${name}`,
          ...lines.map((line) => `   ${line}`)
        ]
        const ssh = "permit tcp 10.0.0.0/8 any eq 22"
        const first = yield* apply(lab, list("MGMT1", "permit icmp any any", ssh, "deny ip any any"))
        assert.strictEqual(outcome(first), "ok")
        assert.match(
          remarks(first).join("\n"),
          /^Line \d+ "permit tcp 10.* eq 22" is shown as "permit tcp 10.* eq ssh"; /
        )
        assert.include(
          Lab.switchAt(lab, 0).running(),
          "   20 permit tcp 10.0.0.0/8 any eq ssh\n   30 deny ip any any\n"
        )
        const again = yield* apply(lab, list("MGMT2", ssh, "deny ip any any"))
        assert.strictEqual(outcome(again), "ok")
        assert.deepStrictEqual(remarks(again), [])
        yield* Lab.nothingLeft(lab)
      })
    )
  )

  it.live("belongs to the section that a line without indentation is in", () =>
    withQuirks({ rewrites: { "^storm level (.*)": "storm-control all level $1" } }, (lab) =>
      Effect.gen(function* () {
        const flat = Lab.switchAt(lab, 0)
          .running()
          .split("\n")
          .map((line) => line.trimStart())
        const config = flat
          .join("\n")
          .replace(/^interface Ethernet27$/m, "interface Ethernet21\nstorm level 5\ninterface Ethernet27")
        assert.strictEqual(outcome(yield* Lab.run("apply_config", { hostname: HOST, config, dry_run: false })), "ok")
        assert.deepStrictEqual(
          (yield* stored).map(({ shape }) => shape),
          ["interface Ethernet#\nstorm level #"]
        )
      })
    )
  )

  it.live("that was stored with another meaning is not used, and replaced by what the switch shows", () =>
    withQuirks({ rewrites: { "^storm level (.*)": "storm-control all level $1", "^mtu 9500": "mtu 9214" } }, (lab) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into learned_line (platform, release, shape, shown)
          values ('eos', '', ${"interface Ethernet#\nstorm level 5"}, 'storm-control all level 6'),
            ('eos', '', ${"interface Ethernet#\nmtu 9500"}, 'mtu 9214')`
        assert.strictEqual(outcome(yield* apply(lab, onPort("storm level 5"))), "ok")
        assert.include(outcome(yield* apply(lab, onPort("mtu 9500"))), 'the switch shows "mtu 9214" for "mtu 9500"')
        assert.deepInclude(yield* stored, {
          shape: "interface Ethernet#\nstorm level #",
          shown: "storm-control all level #"
        })
      })
    )
  )

  it.live("is looked at again after it was withdrawn", () =>
    withQuirks({ rewrites: { "^storm level (.*)": "storm-control all level $1" } }, (lab) =>
      Effect.gen(function* () {
        const { learned } = yield* ConfigStore
        assert.lengthOf(remarks(yield* apply(lab, onPort("storm level 5"))), 1)
        const [line] = yield* learned.list({ platform: "eos" })
        assert.deepInclude(line, { section: ["interface Ethernet#"], line: "storm level #" })
        yield* learned.withdraw(line?.id ?? 0)
        assert.deepStrictEqual(yield* learned.list({}), [])
        assert.lengthOf(remarks(yield* apply(lab, ["interface Ethernet22", "   storm level 5"])), 1)
      })
    )
  )
})

it.live("a switch that states nothing of its own is proved although lines are spelled otherwise or replaced", () =>
  withQuirks({ rewrites: { "^storm level (.*)": "storm-control all level $1" }, withoutNamedConfig: true }, (lab) =>
    Effect.gen(function* () {
      const job = yield* apply(lab, [
        ...onPort("storm level 5", "mtu 9000", "mtu 9100"),
        "ntp authentication-key 4 md5 0 hunter2"
      ])
      assert.strictEqual(outcome(job), "ok")
      assert.include(Lab.switchAt(lab, 0).running(), "storm-control all level 5")
      yield* Lab.nothingLeft(lab)
    })
  )
)

it.live("a switch with one session at a time says that the line could not be looked at, and does not blame it", () =>
  withQuirks({ rewrites: { "^storm level (.*)": "storm-control all level $1" }, maxPending: 1 }, (lab) =>
    Effect.gen(function* () {
      const device = Lab.switchAt(lab, 0)
      const before = device.running()
      const text = outcome(yield* apply(lab, onPort("storm level 5")))
      assert.match(
        text,
        /not show this line as it is at line \d+, and it could not be looked at how .* \(.*pending sessions/
      )
      assert.notInclude(text, "has not refused")
      assert.strictEqual(device.running(), before)
      assert.deepStrictEqual(yield* stored, [])
      yield* Lab.nothingLeft(lab)
    })
  )
)
