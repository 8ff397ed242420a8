/**
 * `switchyard sync`, `diff`, `approve`, `reject`, `undo` and `abort`: changes, from their preview to their undo; and `approvals`: requests
 * that wait for another person.
 */
import { Console, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { colored, type Column, format, type Format, harmless, printJson, printRows, reported, say } from "./Terminal.ts"
import { ask, Refused } from "./Server.ts"
import { watch } from "./JobCommands.ts"
import type { Data } from "../../api/Calls.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

const watching = flag("watch", "Follow the job to its end; exit code 1 when it is no success")
const job = Argument.Int("job").pipe(Argument.withDescription("Number of a job"))
const comment = text("comment", "Kept in the record of the job")

/** Prints which job was started, and follows it if requested. */
const started = Effect.fnUntraced(function* (
  id: number,
  sentence: string,
  wanted: { readonly json: boolean; readonly watch: boolean }
) {
  yield* wanted.json ? Console.log(JSON.stringify({ job_id: id })) : say(`${sentence}: job ${id}`)
  if (wanted.watch) yield* watch(id)
})

interface Chosen {
  readonly names: ReadonlyArray<string>
  readonly group: Option.Option<string>
  readonly type: Option.Option<string>
  readonly all: boolean
}

const selectorOf = ({ all, group, names, type }: Chosen) => {
  const ways = [
    ...(names.length > 0 ? [{ hostnames: names }] : []),
    ...(Option.isSome(group) ? [{ group: group.value }] : []),
    ...(Option.isSome(type) ? [{ device_type: type.value }] : []),
    ...(all ? [{ all: true }] : [])
  ]
  const [only] = ways
  return only !== undefined && ways.length === 1
    ? Effect.succeed(only)
    : Effect.fail(new Refused({ message: "Say which devices: names, --group, --type or --all, and only one of these" }))
}

/** The command. */
export const sync = Command.make(
  "sync",
  {
    names: Argument.String("name").pipe(Argument.withDescription("Names of devices"), Argument.atLeast(0)),
    group: text("group", "All devices of a group"),
    type: text("type", "All devices of a type: ACCESS, DIST, CORE"),
    all: flag("all", "All devices that are not synchronized"),
    dryRun: flag("dry-run", "Only show what would change"),
    force: flag("force", "Also devices that were changed outside Switchyard"),
    resync: flag("resync", "Also devices that are synchronized"),
    confirmOlder: flag(
      "confirm-older",
      "With --force: also commits that came with a restored backup and were not refreshed"
    ),
    canary: number("canary", "So many devices go first"),
    batch: number("batch", "So many devices at a time"),
    maxFailures: number("max-failures", "Stop after so many failed devices"),
    confirmMode: number("confirm-mode", "0 without timers, 1 each device on its own, 2 all or none"),
    dryRunJob: number("dry-run-job", "Push what this dry run has shown, and nothing else"),
    waitForWindow: flag("wait-for-window", "Wait for the windows of the devices"),
    emergency: text("emergency", "Outside of windows, for this reason"),
    ticket: text("ticket", "Ticket, kept in the record of the job"),
    comment,
    watch: watching,
    json: format.json
  },
  (asked) =>
    reported(
      Effect.gen(function* () {
        const given = {
          canary: Option.getOrUndefined(asked.canary),
          batch_size: Option.getOrUndefined(asked.batch),
          max_failures: Option.getOrUndefined(asked.maxFailures),
          confirm_mode: Option.getOrUndefined(asked.confirmMode),
          dry_run_job: Option.getOrUndefined(asked.dryRunJob),
          emergency: Option.getOrUndefined(asked.emergency),
          ticket_ref: Option.getOrUndefined(asked.ticket),
          comment: Option.getOrUndefined(asked.comment)
        }
        const body = {
          ...(yield* selectorOf(asked)),
          ...given,
          dry_run: asked.dryRun,
          force: asked.force,
          resync: asked.resync,
          ...(asked.confirmOlder ? { confirm_older: true } : {}),
          ...(asked.waitForWindow ? { wait_for_window: true } : {})
        }
        const { answer } = yield* ask("POST /device_syncto", { body })
        yield* started(answer.job_id, answer.data, asked)
        if (asked.dryRun && asked.watch && !asked.json) yield* show(answer.job_id, "")
      })
    )
).pipe(Command.withDescription("Bring devices to what the settings say, or show what that would change (--dry-run)."))

type Group = Data<"GET /job/:id/diffs">["groups"][number]

const colorOf = (line: string): string => {
  if (line.startsWith("+")) return colored("good", line)
  return line.startsWith("-") ? colored("bad", line) : line
}

const printGroup = Effect.fnUntraced(function* ({ added, count, diff, hostnames, removed, risks, score }: Group) {
  const names = `${hostnames.slice(0, 5).join(", ")}${count > 5 ? `, and ${count - 5} more` : ""}`
  yield* Console.log(
    colored(
      "bold",
      `${count} ${count === 1 ? "device" : "devices"}: +${added} -${removed}, score ${score === null ? "none" : Math.round(score)}`
    )
  )
  yield* say(`  ${names}`)
  for (const { line, weight } of risks)
    yield* Console.log(`  ${colored("warn", "risky")}: ${harmless(line.trim())} (${weight})`)
  for (const line of diff.trimEnd().split("\n")) yield* Console.log(`  ${colorOf(harmless(line))}`)
})

const show = Effect.fnUntraced(function* (id: number, search: string) {
  const { answer } = yield* ask("GET /job/:id/diffs", { params: { id }, query: search === "" ? {} : { search } })
  const { changed, failed, groups, unchanged } = answer.data
  for (const group of groups) yield* printGroup(group)
  yield* Console.log(`${changed} devices change in ${groups.length} ways, ${unchanged} are unchanged, ${failed} failed`)
})

/** The command. */
export const diff = Command.make(
  "diff",
  { job, search: text("search", "Only groups with these words"), json: format.json },
  ({ job, json, search }) =>
    reported(
      Effect.gen(function* () {
        const words = Option.getOrElse(search, () => "")
        if (!json) return yield* show(job, words)
        const query = words === "" ? {} : { search: words }
        const { answer } = yield* ask("GET /job/:id/diffs", { params: { id: job }, query })
        return yield* printJson(answer.data)
      })
    )
).pipe(Command.withDescription("Show what a job changes, devices with the same change together, the riskiest first."))

const withComment = (sent: Option.Option<string>) =>
  Option.match(sent, { onNone: () => ({}), onSome: (comment) => ({ comment }) })

const verdict = Flag.String("comment").pipe(Flag.withDescription("Why; it is kept with the decision"))

/** The command. */
export const approve = Command.make(
  "approve",
  { job, comment: verdict, watch: watching, json: format.json },
  ({ comment, job, json, watch }) =>
    reported(
      Effect.gen(function* () {
        yield* ask("POST /job/:id/approve", { params: { id: job }, body: { comment } })
        yield* started(job, "Approved", { json, watch })
      })
    )
).pipe(Command.withDescription("Approve a job of another person that waits for an approval."))

/** The command. */
export const reject = Command.make("reject", { job, comment: verdict }, ({ comment, job }) =>
  reported(
    Effect.andThen(ask("POST /job/:id/reject", { params: { id: job }, body: { comment } }), say(`Rejected: job ${job}`))
  )
).pipe(Command.withDescription("Reject a job that waits for an approval."))

/** The command. */
export const undo = Command.make(
  "undo",
  { job, comment, dryRun: flag("dry-run", "Only show what would change"), watch: watching, json: format.json },
  ({ comment, dryRun, job, json, watch }) =>
    reported(
      Effect.gen(function* () {
        const body = { ...withComment(comment), dry_run: dryRun }
        const { answer } = yield* ask("POST /job/:id/revert", { params: { id: job }, body })
        yield* started(answer.job_id, answer.data, { json, watch })
      })
    )
).pipe(Command.withDescription("Give every device that a job has changed the configuration that it ran before."))

/** The command. */
export const abort = Command.make("abort", { job, reason: text("reason", "Why") }, ({ job, reason }) =>
  reported(
    Effect.gen(function* () {
      const abort_reason = Option.getOrUndefined(reason)
      const body = { action: "ABORT", ...(abort_reason === undefined ? {} : { abort_reason }) }
      yield* ask("PUT /job/:id", { params: { id: job }, body })
      yield* say(`Job ${job} is being aborted`)
    })
  )
).pipe(Command.withDescription("Abort a job; what is under way on a switch is brought to its end."))

// `switchyard approvals`: requests that wait for another person (docs/security.md#four-eyes). Jobs are approved by `switchyard approve`.

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
        "No request waits for another person"
      )
    )
  )

const list = Command.make("list", { all, ...format }, listed).pipe(
  Command.withDescription("List the requests that wait for another person.")
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
export const approvals = Command.make("approvals", {}, () => listed({ all: false, csv: false, json: false })).pipe(
  Command.withDescription(
    "Requests that wait for another person because they would undermine approvals. For jobs: `switchyard approve JOB`."
  ),
  Command.withSubcommands([
    list,
    decision(
      "approve",
      "Approved and carried out",
      "Approve a request of another person, which is carried out in their name."
    ),
    decision("reject", "Rejected", "End a request; the person who made it can withdraw it in this way.")
  ])
)
