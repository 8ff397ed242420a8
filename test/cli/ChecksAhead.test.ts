/** The checks that a rollout would make, at the command line: before a job is approved, and before a branch is merged. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { answer, makeExampleServer } from "../support/ExampleServer.ts"
import { command } from "../support/Program.ts"

const PLANNED = {
  name: "bgp-sessions",
  sentence: "would be made on 2 switches",
  held: 0,
  failed: 0,
  unread: 0,
  undecided: 0,
  planned: ["lhv-a1", "lhv-a2"],
  rule: "reads BGP sessions 10 s after the commit, and for 60 s more: none may be gone",
  results: [],
  left_out: 0
}

const approval = {
  job_id: 26,
  function_name: "sync_devices",
  title: null,
  ticket_ref: null,
  status: "SCHEDULED",
  outcome: null,
  reason: "role junior may start live jobs with an approval only",
  dry_run_job: 19,
  asked_by: "otto",
  asked_at: "2026-03-02T09:12:07.512",
  expires_at: "2026-03-03T09:12:07.512",
  decision: null,
  decided_by: null,
  decided_at: null,
  comment: null,
  is_yours: false,
  may_decide: true,
  why_not: null,
  approvers: ["anna"],
  devices: 2,
  risk: null
}

/** The output of a command against a server with these answers. */
const run = Effect.fnUntraced(function* (line: string, answers = new Map<string, unknown>()) {
  const { url } = yield* makeExampleServer(answers)
  const env = { SWITCHYARD_URL: url, SWITCHYARD_TOKEN: "swy_token", XDG_CONFIG_HOME: "/nonexistent" }
  const { code, err, out } = yield* command(env, line.split(" "))
  assert.strictEqual(code, 0, err)
  return out + err
})

it.live("names the checks of each job that waits for approval, by its dry run, or why they are left out", () =>
  Effect.gen(function* () {
    const checksOf = ({ path }: { readonly path: string }) =>
      answer(
        path === "/job/19/checks"
          ? { checks: [PLANNED], skipped: null }
          : { checks: [], skipped: path === "/job/27/checks" ? { reason: "the peer is down", by: "otto" } : null }
      )
    const approvals = answer({ approvals: [approval, { ...approval, job_id: 27 }] })
    const answers = new Map<string, unknown>([
      ["GET /approvals/jobs", approvals],
      ["GET /job/:id/checks", checksOf]
    ])
    const text = yield* run("approvals jobs", answers)
    assert.include(
      text,
      "Job 26: Check bgp-sessions would be made on 2 switches: it reads BGP sessions 10 s after the commit, and for 60 s more: none may be gone.\n"
    )
    assert.include(text, "Job 27: Checks are left out, as otto wanted: the peer is down\n")
    assert.notInclude(text, "Job 27: Check bgp-sessions")
    assert.notInclude(yield* run("approvals jobs --json", answers), "Job 26:")
  }).pipe(Effect.scoped)
)

it.live("names the checks that a branch calls for, with the number of their switches", () =>
  Effect.gen(function* () {
    assert.match(
      yield* run("repo check settings new-servers"),
      /^Check \S+ would be made on \d+ switch(?:es)?: it reads /m
    )
  }).pipe(Effect.scoped)
)
