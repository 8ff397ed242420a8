/** Reading `alerts.yml`: its permitted contents, and the places of mistakes. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readFileSync } from "node:fs"
import * as path from "node:path"
import { remarkText } from "../../src/domain/Repository.ts"
import { readAlertsText } from "../../src/settings/SettingsFile.ts"

const GOOD = `
receivers:
  noc: { type: webhook, url: "https://noc.example.org/hook", secret: NOC }
  chat: { type: slack, url_secret: SLACK, level: error }
ready:
  job_not_success: [noc, chat]
  device_unreachable: { to: noc, wait: 5m, groups: [EAST_WING] }
rules:
  night:
    kind: [device, host_key]
    action: "*"
    where: { actor: [admin, "s*"], data.after.port: 22 }
    group: rule
    quiet: 1h
    to: chat
`

const read = (text: string) => readAlertsText("alerts.yml", text)
const problem = (text: string) => {
  const found = read(text)
  return Result.isFailure(found) ? remarkText(found.failure) : ""
}

describe("alerts.yml", () => {
  it("contains receivers, ready rules and rules of its own", () => {
    const found = Result.getOrThrow(read(GOOD))
    assert.deepStrictEqual(
      found.rules.map(({ groupBy, level, name, quiet, to, wait }) => ({ groupBy, level, name, quiet, to, wait })),
      [
        { groupBy: "event", level: "error", name: "job_not_success", quiet: 0, to: ["noc", "chat"], wait: 0 },
        { groupBy: "rule", level: "error", name: "device_unreachable", quiet: 0, to: ["noc"], wait: 300_000 },
        { groupBy: "rule", level: "warning", name: "night", quiet: 3_600_000, to: ["chat"], wait: 0 }
      ]
    )
    assert.deepStrictEqual(found.rules[2]?.where, [
      { path: "actor", values: ["admin", "s*"] },
      { path: "data.after.port", values: ["22"] }
    ])
    assert.deepStrictEqual(Result.getOrThrow(read("")), { receivers: [], rules: [] })
  })

  it("is wrong at a named line", () => {
    const wrong: ReadonlyArray<readonly [from: string, to: string, expected: string]> = [
      ["type: slack", "type: irc", "alerts.yml, line 4, column 17: receivers->chat->type"],
      ["to: chat", "to: nobody", "alerts.yml, line 15, column 9: rules->night->to: there is no receiver nobody"],
      ["quiet: 1h", "quiet: 1 hour", "alerts.yml, line 14, column 12: rules->night->quiet: 1 hour is no time"],
      ["group: rule", "group: event", "each event is a message of its own"],
      ["job_not_success", "job_success", "alerts.yml, line 6, column 3: ready->job_success: there is no ready rule"],
      ["  night:", "  drift:", "drift is a ready rule"],
      ["secret: NOC", "secret: whsec_abc", "is the name of a secret"],
      ['url: "https://noc', 'url: "https://a:b@noc', "is no URL that begins with https:// or http://"],
      ["secret: NOC", "level: info", "a receiver of type webhook needs secret"],
      ["url_secret: SLACK", "url_secret: SLACK, host: a", "a receiver of type slack has no host"],
      ["kind: [", "kinds: [", "alerts.yml, line 10"],
      ["rules:", "rules: [", "alerts.yml, line"]
    ]
    for (const [from, to, expected] of wrong) {
      const text = problem(GOOD.replace(from, to))
      assert.include(text, expected, `${from} → ${to}`)
      assert.notInclude(text, "whsec_abc")
    }
  })

  it("is valid in the examples of the manual", () => {
    const manual = readFileSync(path.resolve(import.meta.dirname, "../../docs/alerts.md"), "utf8")
    const examples = [...manual.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = ""]) => text)
    assert.isAbove(examples.length, 1)
    for (const example of examples) assert.strictEqual(problem(example), "", example)
  })
})
