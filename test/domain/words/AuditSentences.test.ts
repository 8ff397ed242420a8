/** Events of the audit as sentences: who did what, who made a change and who found it, and neighbours that say the same. */
import { assert, describe, it } from "@effect/vitest"
import { SIGNED } from "../../../src/domain/CommitSignature.ts"
import { type AuditEvent, auditKinds, publicKinds } from "../../../src/domain/events/Event.ts"
import { plainSentence, sentencesOf } from "../../../src/domain/words/AuditSentences.ts"

let id = 0
const event = (kind: string, action: string, more: Partial<AuditEvent> = {}): AuditEvent => ({
  id: (id += 1),
  at: "2026-11-25T14:16:05.000000",
  kind,
  action,
  actor: "anna",
  way: "oidc",
  address: "10.4.1.17",
  device_id: null,
  hostname: null,
  job_id: null,
  data: {},
  ...more
})

const UNSIGNED = { state: "unsigned", signer: null, key: null, why: null }

const told = (...events: ReadonlyArray<AuditEvent>) => sentencesOf(events).map(plainSentence)

const cases: ReadonlyArray<readonly [sentence: string, event: AuditEvent]> = [
  [
    "a1 lost a certificate that was revoked by anna: key leaked",
    event("certificate", "revoked", { hostname: "a1", data: { reason: "keyCompromise" } })
  ],
  [
    "anna approved change 26, asked for by otto: “Fine, go before 18:00.”",
    event("approval", "approved", { job_id: 26, data: { comment: "Fine, go before 18:00.", started_by: "otto" } })
  ],
  [
    "anna started rollout 26: “Guest network”",
    event("job", "started", { job_id: 26, data: { function: "sync_devices", comment: "Guest network" } })
  ],
  [
    "Rollout 26 failed in part; 7 switches failed",
    event("job", "ended", { job_id: 26, data: { function: "sync_devices", outcome: "partial", counts: { failed: 7 } } })
  ],
  [
    "otto stopped rollout 26: “wrong VLAN”",
    event("job", "aborted", {
      job_id: 26,
      data: { function: "sync_devices", reason: "wrong VLAN", aborted_by: "otto" }
    })
  ],
  [
    "a1 was changed by hand, nobody knows by whom; Switchyard found it, in job 9",
    event("sync", "needed", {
      actor: "scheduler",
      hostname: "a1",
      job_id: 9,
      data: { cause: "drift", by: "scheduler", found_by: "scheduler", made_by: null }
    })
  ],
  [
    "a1 was changed by hand, nobody knows by whom; found by otto",
    event("sync", "needed", { hostname: "a1", data: { cause: "drift", by: "otto", found_by: "otto", made_by: null } })
  ],
  [
    "carl changed a1 by hand; Switchyard found it",
    event("sync", "needed", {
      hostname: "a1",
      data: { cause: "oob", by: "carl", found_by: "scheduler", made_by: "carl" }
    })
  ],
  [
    "a1 went out of sync: a link was added, by otto",
    event("sync", "needed", {
      hostname: "a1",
      data: { cause: "linknet_created", by: "otto", found_by: "otto", made_by: "otto" }
    })
  ],
  ["anna withdrew the access of Nora", event("person", "withdrawn", { data: { name: "Nora" } })],
  [
    "anna made the token dhcp with 1 role dhcp-hook",
    event("token", "created", { data: { name: "dhcp", after: { roles: ["dhcp-hook"] } } })
  ],
  [
    "anna gave maria the roles operator",
    event("user", "updated", { data: { name: "maria", after: { roles: ["operator"] } } })
  ],
  [
    "The settings commit 1c0d4e2 was refused: line 7",
    event("repository", "refused", {
      data: { repository: "settings", commit: "1c0d4e2f00", message: "line 7" }
    })
  ],
  [
    "anna brought the settings commit 1c0d4e2, signed by sam@example.org, into force",
    event("repository", "in force", {
      data: { repository: "settings", after: "1c0d4e2f00", signature: { ...SIGNED, signer: "sam@example.org" } }
    })
  ],
  [
    "The settings commit 1c0d4e2 came into force and is not signed",
    event("repository", "unsigned", {
      data: { repository: "settings", commit: "1c0d4e2f00", phrase: "is not signed", signature: UNSIGNED }
    })
  ],
  [
    "a1 went out of sync because of the settings commit 1c0d4e2, not signed, fetched by otto",
    event("sync", "needed", {
      hostname: "a1",
      data: { cause: "refresh_settings", commit: "1c0d4e2f00", made_by: "otto", by: "otto", signature: UNSIGNED }
    })
  ],
  [
    "A sign-in as nora was refused: wrong password",
    event("login", "refused", { actor: "unknown", data: { name: "nora", reason: "wrong password" } })
  ],
  [
    "carl changed switches outside of their windows with rollout 26: “loop in N-3”",
    event("window", "emergency", {
      actor: "carl",
      job_id: 26,
      data: { function: "sync_devices", reason: "loop in N-3", overrides: "closed until 22:00" }
    })
  ],
  [
    "anna renamed a1 to b1",
    event("device", "updated", { hostname: "b1", data: { before: { hostname: "a1" }, after: { hostname: "b1" } } })
  ],
  [
    "anna took a1 out of management",
    event("device", "updated", {
      hostname: "a1",
      data: { before: { state: "MANAGED" }, after: { state: "UNMANAGED" } }
    })
  ]
]

describe("An event of the audit", () => {
  for (const [sentence, one] of cases) it(sentence, () => assert.deepStrictEqual(told(one), [sentence]))

  it("has a sentence for each kind, whatever its action and with nothing else known", () => {
    for (const kind of [...publicKinds, ...auditKinds, "of_a_newer_server"]) {
      const [sentence = ""] = told(event(kind, "seen"))
      assert.match(sentence, /^\S.{5,}$/, kind)
      assert.notMatch(sentence, /undefined|null|\[object|[a-z]_[a-z]/, kind)
    }
  })

  it("shows the fields that it changed, those of a port's data too, in words", () => {
    const [one] = sentencesOf([
      event("device", "updated", {
        hostname: "a1",
        data: {
          before: { description: "", configtype: "ACCESS_AUTO", data: null },
          after: { description: "room 5", configtype: "ACCESS_UNTAGGED", data: { untagged_vlan: "PRINTER", tags: [1] } }
        }
      })
    ])
    assert.deepStrictEqual(one?.changed, [
      { field: "description", before: "", after: "room 5" },
      { field: "use", before: "Sign-in decides", after: "One VLAN" },
      { field: "VLAN", before: "", after: "PRINTER" },
      { field: "tags", before: "", after: "[1]" }
    ])
  })
})

describe("Neighbours that say the same", () => {
  const needed = (hostname: string, more: Partial<AuditEvent> = {}, cause = "refresh_settings") =>
    event("sync", "needed", {
      hostname,
      job_id: 4,
      data: { cause, commit: "903a6fe1234", by: "otto", found_by: "otto", made_by: "otto" },
      ...more
    })

  it("are one sentence with their number, or their names if they are few", () => {
    assert.deepStrictEqual(told(...Array.from({ length: 102 }, (_, n) => needed(`a${n}`))), [
      "102 switches went out of sync because of the settings commit 903a6fe, fetched by otto"
    ])
    assert.deepStrictEqual(
      told(
        event("reachability", "unreachable", { hostname: "a10", actor: "server" }),
        event("reachability", "unreachable", { hostname: "a2", actor: "server" })
      ),
      ["a2 and a10 stopped answering"]
    )
    assert.deepStrictEqual(
      told(
        event("interface", "updated", { hostname: "a1", data: { after: { name: "Ethernet31" } } }),
        event("interface", "updated", { hostname: "a1", data: { after: { name: "Ethernet22" } } })
      ),
      ["anna changed Ethernet22 and Ethernet31 of a1"]
    )
  })

  it("stay apart if the job, the cause or minutes are between them", () => {
    assert.lengthOf(told(needed("a1"), needed("a2", { job_id: 5 })), 2)
    assert.lengthOf(told(needed("a1"), needed("a2", {}, "drift")), 2)
    assert.lengthOf(told(needed("a1"), needed("a2", { at: "2026-11-25T14:20:05.000000" })), 2)
    assert.lengthOf(told(needed("a1", { job_id: null }), event("login", "accepted"), needed("a2", { job_id: null })), 3)
  })

  it("name the checks that took a switch back, apart from switches that went back with it", () => {
    const reverted = (hostname: string, data: object) =>
      event("change", "reverted", { hostname, job_id: 4, data: { function: "sync_devices", ...data } })
    assert.deepStrictEqual(
      told(reverted("a3", {}), reverted("a2", { failed_checks: ["bgp"] }), reverted("a1", { failed_checks: ["bgp"] })),
      [
        "a3 went back to what it ran before by rollout 4 of anna",
        "a1 and a2 went back to what they ran before by rollout 4 of anna: the check bgp did not hold"
      ]
    )
  })

  it("are one although a job says other things in between, because it works on many switches at once", () => {
    const confirmed = (hostname: string) =>
      event("change", "confirmed", { hostname, job_id: 4, data: { function: "sync_devices" } })
    const synced = (hostname: string) =>
      event("device", "updated", {
        hostname,
        job_id: 4,
        data: { before: { synchronized: false }, after: { synchronized: true } }
      })
    assert.deepStrictEqual(told(synced("a2"), confirmed("a2"), synced("a1"), confirmed("a1")), [
      "a1 and a2 are in sync again, in job 4",
      "a1 and a2 were changed and confirmed by rollout 4 of anna"
    ])
  })
})
