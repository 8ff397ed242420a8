/** Proposals, the webhook of the forge, and reports of changes (docs/reviewing.md). Nothing checks the proposals of this scene. */
import type { Case } from "../Case.ts"

const COMMIT = "51b0d8eb0e0e2f8ee29e6e7bf1c9cdc9b7e6a4a1"

const GIVEN = [
  "truncate proposal restart identity cascade",
  `insert into proposal (repository, branch, opened_by, commit, committer, check_state, forge_number, forge_url, title)
    values ('settings', 'guest-network', 'sam', '${COMMIT}', 'Sam Berg', 'accepted', 12, 'https://git.example.org/12', 'Guests')`,
  `insert into proposal (repository, branch, opened_by, state, ended_at, ended_by, why)
    values ('templates', 'uplinks', 'maria', 'closed', now(), 'maria', 'closed here')`
]
const FULL = [
  ...GIVEN,
  "insert into proposal (repository, branch, opened_by) select 'settings', 'branch-' || n, 'sam' from generate_series(1, 49) n"
]

const guests = {
  id: 1,
  repository: "settings",
  branch: "guest-network",
  state: "open",
  commit: COMMIT,
  title: "Guests"
}
const uplinks = { id: 2, repository: "templates", branch: "uplinks", state: "closed", why: "closed here" }

const ask = (
  name: string,
  method: "GET" | "POST" | "DELETE",
  path: string,
  status: number,
  body: NonNullable<Case["reply"]["body"]>,
  more: { readonly given?: ReadonlyArray<string>; readonly json?: unknown } = {}
): Case => ({
  name,
  given: more.given ?? GIVEN,
  request: { method, path, ...(more.json === undefined ? {} : { json: more.json }) },
  reply: { status, body }
})

export const proposalCases: ReadonlyArray<Case> = [
  ask("all proposals, the newest first", "GET", "/proposals", 200, { data: { proposals: [uplinks, guests] } }),
  ask("the open ones of a repository", "GET", "/proposals?state=open&repository=settings", 200, {
    data: { proposals: [guests] }
  }),
  ask("that there is no such state", "GET", "/proposals?state=lost", 400, {
    message: "state must be open, merged, closed, superseded"
  }),
  ask("one proposal", "GET", "/proposals/1", 200, {
    data: { proposal: { ...guests, groups: [], approvals: [], forge: { number: 12, told: null, given_up: false } } }
  }),
  ask("an error for an unknown one", "GET", "/proposals/99", 404, { message: "Proposal not found" }),
  ask(
    "the new proposal",
    "POST",
    "/proposals",
    201,
    {
      data: {
        proposal: { id: 3, branch: "new-time", state: "open", check: "waiting", opened_by: "admin", commit: null }
      }
    },
    { json: { repository: "settings", branch: " new-time " } }
  ),
  ask(
    "the one that is open already, which is checked again",
    "POST",
    "/proposals",
    201,
    { data: { proposal: { id: 1, check: "waiting" } } },
    { json: { repository: "settings", branch: "guest-network" } }
  ),
  ask(
    "that a branch is named",
    "POST",
    "/proposals",
    400,
    { message: /^branch should be the name of a branch/ },
    {
      json: { repository: "settings" }
    }
  ),
  ask(
    "that the repository is known",
    "POST",
    "/proposals",
    400,
    { message: "repository must be settings or templates" },
    {
      json: { repository: "site", branch: "x" }
    }
  ),
  ask(
    "that too many are open",
    "POST",
    "/proposals",
    409,
    { message: /^50 proposals are open/ },
    {
      given: FULL,
      json: { repository: "settings", branch: "one-more" }
    }
  ),
  ask("the closed proposal", "DELETE", "/proposals/1", 200, {
    data: { proposal: { id: 1, state: "closed", ended_by: "admin", why: "closed here" } }
  }),
  ask("one that has ended, as it was", "DELETE", "/proposals/2", 200, {
    data: { proposal: { id: 2, state: "closed", ended_by: "maria" } }
  }),
  ask("an error for an unknown one to close", "DELETE", "/proposals/99", 404, { message: "Proposal not found" }),
  ask(
    "the marks of the caller",
    "POST",
    "/proposals/1/viewed",
    200,
    { data: { groups: ["6f1d2c3b4a596877"] } },
    { json: { groups: ["6f1d2c3b4a596877"], viewed: true } }
  ),
  ask("that groups have keys", "POST", "/proposals/1/viewed", 400, { status: "error" }, { json: { groups: ["all"] } }),
  ask(
    "an error for marks of an unknown one",
    "POST",
    "/proposals/99/viewed",
    404,
    { message: "Proposal not found" },
    {
      json: { groups: [] }
    }
  ),
  ask(
    "that no webhook is set up",
    "POST",
    "/forge/events",
    404,
    { message: /^No webhook is set up here/ },
    { json: {} }
  ),
  ask("the report of a job as a change", "GET", "/changes/1/report", 200, {
    data: { report: { change: 1, proposals: [], approvals: [] } }
  }),
  ask("that a report is json or html", "GET", "/changes/1/report?format=pdf", 400, {
    message: "format must be json or html"
  }),
  ask("an error for the report of an unknown change", "GET", "/changes/4711/report", 404, {
    message: /4711/
  }),
  ask("that a digest has 64 digits", "GET", "/changes/reports/abc", 400, {
    message: "sha256 must have 64 hexadecimal digits"
  }),
  ask("that no such report was given", "GET", `/changes/reports/${"0".repeat(64)}`, 404, {
    message: /^No report with this digest was given here/
  })
]
