/** `switchyard approvals`: requests and jobs that wait for another person (docs/security.md#four-eyes). Jobs are decided by `switchyard approve`. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { type Column, format, type Format, printJson, printRows, reported, say } from "./Terminal.ts"
import { riskWord } from "../../domain/words/ChangeWords.ts"
import { jobTitle } from "../../domain/words/JobWords.ts"
import { switches } from "../../domain/words/Units.ts"
import { printChecksAhead } from "./CheckResults.ts"
import { ask } from "./Server.ts"
import type { Data } from "../../api/Calls.ts"

const verdict = Flag.String("comment").pipe(Flag.withDescription("Why; it is kept with the decision"))

type Approval = Data<"GET /approvals">["approvals"][number]

const COLUMNS: ReadonlyArray<Column<Approval>> = [
  ["id", ({ id }) => id],
  ["what", ({ operation }) => operation],
  ["call", ({ method, path }) => `${method} ${path}`],
  ["content", ({ body }) => body],
  ["asked by", ({ asked_by }) => asked_by],
  ["until", ({ expires_at }) => expires_at],
  ["decision", ({ decision }) => decision ?? "waits"],
  ["decided by", ({ decided_by }) => decided_by]
]

type JobApproval = Data<"GET /approvals/jobs">["approvals"][number]

/** `High risk: spanning-tree mode mstp on 1 switch`. */
const riskText = ({ risk }: JobApproval): string => {
  if (risk === null) return ""
  const { text } = riskWord(risk)
  return risk.level === "low" ? text : `${text} on ${switches(risk.devices)}`
}

const JOB_COLUMNS: ReadonlyArray<Column<JobApproval>> = [
  ["job", ({ job_id }) => job_id],
  ["what", ({ function_name, title }) => title ?? jobTitle(function_name)],
  ["switches", ({ devices }) => devices],
  ["risk", riskText],
  ["asked by", ({ asked_by }) => asked_by],
  ["until", ({ expires_at }) => expires_at],
  ["who may decide", ({ approvers }) => approvers.join(", ")],
  ["decision", ({ decision }) => decision ?? "waits"],
  ["decided by", ({ decided_by }) => decided_by]
]

const all = Flag.Boolean("all").pipe(
  Flag.withDescription("Also those that were decided or have expired"),
  Flag.withDefault(false)
)

const listed = ({ all, ...wanted }: Format & { readonly all: boolean }) =>
  reported(
    Effect.flatMap(ask("GET /approvals"), ({ answer }) =>
      printRows(
        wanted,
        COLUMNS,
        answer.data.approvals.filter(({ decision }) => all || decision === null),
        "No request waits for another person."
      )
    )
  )

const list = Command.make("list", { all, ...format }, listed).pipe(
  Command.withDescription("List the requests that wait for another person.")
)

const jobs = Command.make("jobs", { all, ...format }, ({ all, ...wanted }) =>
  reported(
    Effect.gen(function* () {
      const { answer } = yield* ask("GET /approvals/jobs")
      const found = answer.data.approvals.filter(({ decision }) => all || decision === null)
      yield* printRows(wanted, JOB_COLUMNS, found, "No job waits for another person.")
      if (wanted.csv || wanted.json) return
      for (const approval of found.filter(({ decision }) => decision === null)) yield* printChecksAhead(approval)
    })
  )
).pipe(
  Command.withDescription(
    "List the jobs that wait for another person, with who may decide and the checks that each would make."
  )
)

const id = Argument.Int("id").pipe(Argument.withDescription("Number of a request, as `approvals list` shows it"))

const decision = (verb: "approve" | "reject", done: string, description: string) =>
  Command.make(verb, { id, comment: verdict, json: format.json }, ({ comment, id, json }) =>
    reported(
      Effect.gen(function* () {
        const call = { params: { id }, body: { comment } }
        const { answer } = yield* verb === "approve"
          ? ask("POST /approvals/:id/approve", call)
          : ask("POST /approvals/:id/reject", call)
        const { approval } = answer.data
        if (json) return yield* printJson(approval)
        yield* say(`${done}: request ${approval.id} of ${approval.asked_by} (${approval.operation})`)
      })
    )
  ).pipe(Command.withDescription(description))

/** The command. */
export const approvals = Command.make("approvals", format, (wanted) => listed({ ...wanted, all: false })).pipe(
  Command.withDescription(
    "Requests that wait for another person because they would undermine approvals. For jobs: `switchyard approve JOB`."
  ),
  Command.withSubcommands([
    list,
    jobs,
    decision(
      "approve",
      "Approved and carried out",
      "Approve a request of another person, which is carried out in their name."
    ),
    decision("reject", "Rejected", "End a request; the person who made it can withdraw it in this way.")
  ])
)
