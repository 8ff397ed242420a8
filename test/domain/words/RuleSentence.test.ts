/** The rules of alerts.yml as sentences. */
import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import { readAlerts } from "../../../src/domain/events/alerts/AlertFile.ts"
import { alertLine, ruleSentence } from "../../../src/domain/words/RuleSentence.ts"

const receivers = {
  noc: { type: "webhook", url: "https://noc.example.org", secret: "NOC" },
  chat: { type: "slack", url_secret: "SLACK" }
}

const cases = [
  {
    file: { ready: { device_unreachable: ["noc", "chat"] } },
    sentence: "When a switch does not answer, and still so after 15\u00a0min, tell noc and chat: error."
  },
  {
    file: { ready: { drift: { to: "noc", groups: ["EAST"], quiet: "12h", wait: "0s" } } },
    sentence:
      "When a switch was changed by hand, only for switches of EAST, tell noc: warning. At most once in 12\u00a0h."
  },
  {
    file: {
      rules: {
        failures: { kind: "job", action: "device", where: { "data.failed": true }, group: "job", wait: "1m", to: "noc" }
      }
    },
    sentence:
      "When there is “device” about job, where data.failed is true, together with all others of 1\u00a0min, tell noc: warning."
  },
  {
    file: { rules: { hands: { kind: ["login", "call"], unless: { address: "192.0.2.*" }, level: "info", to: "noc" } } },
    sentence: "When something happens about sign-in or call, unless address is 192.0.2.*, tell noc: info."
  }
]

for (const { file, sentence } of cases)
  it(sentence, () => {
    const { rules } = Result.getOrThrow(readAlerts({ receivers, ...file }))
    assert.deepStrictEqual(rules.map(ruleSentence), [sentence])
  })

it("The line of an alert names a job as people do", () => {
  assert.strictEqual(alertLine("Job 26 (sync_devices) ended: failed; failed: a1"), "Rollout 26: failed; failed: a1")
  assert.strictEqual(alertLine("Job 27 (sync_devices (dry_run)) ended: partial"), "Preview 27: partial")
  assert.strictEqual(alertLine("a1 is unreachable: timeout"), "a1 is unreachable: timeout")
})
