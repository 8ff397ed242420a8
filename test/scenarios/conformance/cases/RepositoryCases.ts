/** What authors of settings and templates ask: commits and what became of them (docs/settings-repository.md#commits). */
import type { Case } from "../Case.ts"

const get = (name: string, path: string, body: Case["reply"]["body"], status = 200): Case => ({
  name,
  request: { method: "GET", path },
  reply: { status, ...(body === undefined ? {} : { body }) }
})
const refused = (name: string, path: string, message: string, status = 400) =>
  get(name, path, { status: "error", message }, status)

const HASH = /^[0-9a-f]{40}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/
const inForce = {
  commit: HASH,
  committer: "Jane Doe",
  at: TIME,
  state: "in_force",
  refusal: null
}

/** The newest commit of the scene's settings, as a refresh that refused it remembers it. */
const REFUSED = [
  `insert into job (id, function_name, status, scheduled_by, finish_time, memo) select 4, 'refresh_repo', 'EXCEPTION', 'sam',
    '2026-01-05 12:00:00+00', jsonb_build_object('repository', 'settings', 'refused', jsonb_build_object('status', 400,
      'message', 'no', 'commit', commit)) from repository where name = 'settings' and ref = ''`,
  "update repository set commit = repeat('b', 40) where name = 'settings'"
]

const commits: ReadonlyArray<Case> = [
  get("the commits of a repository, the one in force first", "/repository/settings/commits", {
    status: "success",
    data: { in_force: HASH, commits: [inForce, { state: "replaced", subject: "First settings" }] }
  }),
  get("as many commits as are asked for", "/repository/Templates/commits?limit=1", {
    data: { in_force: HASH, commits: [inForce] }
  }),
  {
    ...get("which commit was refused, by whose refresh, and why", "/repository/settings/commits", {
      data: {
        in_force: "b".repeat(40),
        commits: [
          {
            state: "refused",
            refusal: {
              job_id: 4,
              at: "2026-01-05T12:00:00",
              by: "sam",
              message: "no",
              problems: [{ file: null, line: null, message: "no" }]
            }
          },
          { state: "not_applied" }
        ]
      }
    }),
    given: REFUSED
  },
  refused("which repositories have commits", "/repository/etc/commits", "Invalid repository type"),
  ...["0", "101", "x"].map((limit) =>
    refused(
      "how many commits may be asked for",
      `/repository/settings/commits?limit=${limit}`,
      "limit must be an integer from 1 to 100"
    )
  )
]

export const repositoryCases: ReadonlyArray<Case> = commits
