/** What a switch says it will run decides a change, in each dialect; switches that state or run something else are found out. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Proof } from "../../../machines/change/ChangeRow.ts"
import { refresh } from "../../../src/jobs/repositories/RefreshRepository.ts"
import type { Fault } from "../../../src/lab/Faults.ts"
import type { Quirks } from "../../../src/lab/eos/Quirks.ts"
import { timer } from "../../support/Patience.ts"
import * as Lab from "./SyncLab.ts"

const BASE = `aaa authorization exec default local
!
username switchyard privilege 15 role network-admin secret sha512 {{ TEMPLATE_SECRET_SWITCHYARD_HASH }}
`

const environment: Parameters<typeof Lab.withLab>[2] = ({ templates }) =>
  Effect.as(templates.commit({ "eos/users.j2": BASE }), { COMMIT_CONFIRMED_TIMEOUT: timer(120) })

/** Adds these lines to the end of the template with the users, and brings them to the switch. */
const pushLines = Effect.fnUntraced(function* (lab: Lab.SyncLab, ...lines: ReadonlyArray<string>) {
  yield* lab.repositories.templates.commit({ "eos/users.j2": `${BASE}${lines.map((line) => `${line}\n`).join("")}` })
  yield* refresh("templates", "tester")
  return yield* Lab.sync({ hostnames: lab.names })
})

const LIST = ["ip access-list MGMT-IN", "   10 permit ip 10.0.0.0/24 any", "   20 deny ip any any log"]

const DIALECTS: ReadonlyArray<{ readonly name: string; readonly quirks: Quirks; readonly proof: Proof }> = [
  { name: "headings of sections", quirks: { diffs: "sections", saltsSecrets: true }, proof: "promised-text" },
  { name: "no statement", quirks: { withoutNamedConfig: true, saltsSecrets: true }, proof: "loaded-again" },
  {
    name: "headings of sections and no statement",
    quirks: { diffs: "sections", withoutNamedConfig: true, saltsSecrets: true },
    proof: "loaded-again"
  }
]

describe("a secret that the switch salts, and a list at the end, on a release", () => {
  for (const { name, proof, quirks } of DIALECTS) {
    it.live(`with ${name}`, () =>
      Lab.withLab(
        1,
        (lab) =>
          Effect.gen(function* () {
            const device = Lab.switchAt(lab, 0)
            const secret = "username probe privilege 1 role network-operator secret first-password"
            const job = yield* pushLines(lab, secret, ...LIST)
            assert.deepStrictEqual(Lab.outcomes(job), { [device.name]: "ok" })
            assert.deepInclude(Lab.syncTask(job), { failed: false, proof })
            assert.match(device.running(), /^username probe .* secret sha512 /m)
            const again = yield* Lab.sync({ dry_run: true, hostnames: lab.names })
            assert.deepStrictEqual(Lab.outcomes(again), { [device.name]: "ok" })
            assert.deepInclude(Lab.syncTask(again), { diff: "" })
            const changed = yield* Lab.syncWanted(lab, "other", { hostnames: lab.names })
            assert.deepInclude(Lab.syncTask(changed), { failed: false, proof }, JSON.stringify(changed.result))
          }),
        environment,
        { quirks }
      )
    )
  }
})

const FAULTS: ReadonlyArray<{ readonly name: string; readonly fault: Fault; readonly says: RegExp }> = [
  {
    name: "states what runs now",
    fault: { kind: "misstates", how: "old" },
    says: /UnexpectedAnswer: the switch states a configuration without any change, but shows a difference/
  },
  { name: "states a line too few", fault: { kind: "misstates", how: "lacksLine" }, says: /ReplaceConfigException: / },
  { name: "states a line that it loses", fault: { kind: "misstates", how: "showsDropped" }, says: /CommitError: / },
  { name: "runs a line too few", fault: { kind: "runsOther", how: "lacksLastLine" }, says: /CommitError: / },
  { name: "keeps a line", fault: { kind: "runsOther", how: "keepsRemovedLine" }, says: /CommitError: / },
  {
    name: "does not empty its candidate",
    fault: { kind: "lie", step: "clean" },
    says: /ReplaceConfigException: the switch would keep lines which the configuration does not have: .*"alias old show clock"/
  },
  {
    name: "does not empty its candidate once",
    fault: { kind: "lie", step: "clean", times: 1 },
    says: /ReplaceConfigException: the switch would keep lines which the configuration does not have: "alias old show clock"/
  },
  {
    name: "loses lines that it runs",
    fault: { kind: "truncate", step: "load", lines: 60 },
    says: /ReplaceConfigException: the switch has shown this line before, and would not run it any more, at line \d+/
  }
]

describe("a change does not count as done on a switch that", () => {
  for (const { fault, name, says } of FAULTS) {
    it.live(name, () =>
      Lab.withLab(
        1,
        (lab) =>
          Effect.gen(function* () {
            const device = Lab.switchAt(lab, 0)
            assert.deepStrictEqual(Lab.outcomes(yield* pushLines(lab, "alias old show clock")), { [device.name]: "ok" })
            const before = device.running()
            device.setFault(fault)
            const job = yield* pushLines(lab, "alias first show version", "alias last show uptime")
            device.clearFaults()
            assert.match(Lab.outcomes(job)[device.name] ?? "", says)
            assert.strictEqual(device.running(), before)
            assert.deepStrictEqual(yield* Lab.synchronized(lab), [])
            yield* Lab.nothingLeft(lab)
          }),
        environment
      )
    )
  }
})
