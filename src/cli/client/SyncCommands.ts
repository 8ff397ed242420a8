/** `switchyard sync`, `diff` and `undo`: changes, from their preview to their undo. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { format, oneOf, printJson, reported, say } from "./Terminal.ts"
import { ask, askAll, Mistyped, Refused } from "./Server.ts"
import { yes } from "./Questions.ts"
import { preview, printDiffs, pushAgreed, readDiffs, startedDry } from "./Preview.ts"

const flag = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDescription(description), Flag.withDefault(false))
const text = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)
const number = (name: string, description: string) =>
  Flag.Int(name).pipe(Flag.withDescription(description), Flag.optional)

const watching = flag("watch", "Follow the job to its end; exit code 1 when it is no success")
const job = Argument.Int("job").pipe(Argument.withDescription("Number of a job"))
const comment = text("comment", "Kept in the record of the job")

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
    : Effect.fail(
        new Mistyped({ message: "Say which devices: names, --group, --type or --all, and only one of these" })
      )
}

/** Up to here a question for each name is less work than reading all devices. */
const FEW = 25

/** Fails unless all of these are managed devices: nothing is compared for others, so they would pass for devices in sync. */
const requireManaged = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const named = (hostname: string) =>
    askAll("GET /devices", { query: { "filter[hostname]": hostname } }, ({ data }) => data.devices)
  const found =
    names.length > FEW
      ? yield* askAll("GET /devices", {}, ({ data }) => data.devices)
      : (yield* Effect.forEach(names, named, { concurrency: 5 })).flat()
  const states = new Map(found.map(({ hostname, state }) => [hostname, state]))
  const others = names.flatMap((name) => {
    const state = states.get(name)
    if (state === undefined) return [`No device is called ${name}`]
    return state === "MANAGED" ? [] : [`${name} is ${state}: only managed devices are synchronized`]
  })
  if (others.length > 0) return yield* new Refused({ message: others.join("\n") })
})

/** Fails for a group or type without a managed device: it would pass for one that is in sync. */
const requireAny = Effect.fnUntraced(function* ({ group, type }: Chosen) {
  if (Option.isNone(group) && Option.isNone(type)) return
  const { answer } = yield* ask("GET /devices", {
    query: {
      "filter[state]": "MANAGED",
      "filter[group]": Option.getOrUndefined(group),
      "filter[device_type]": Option.getOrUndefined(type),
      per_page: 1
    }
  })
  if (answer.data.devices.length > 0) return
  const which = Option.match(group, {
    onSome: (name) => `of the group ${name}`,
    onNone: () => `of the type ${Option.getOrElse(type, () => "")}`
  })
  yield* new Refused({ message: `No device matches: there is no managed device ${which}` })
})

const selection = {
  names: Argument.String("name").pipe(Argument.withDescription("Names of devices"), Argument.atLeast(0)),
  group: text("group", "All devices of a group"),
  type: oneOf("type", ["ACCESS", "DIST", "CORE"], "All devices of a type").pipe(Flag.optional),
  all: flag("all", "All devices that are not synchronized")
}

/** How a push follows the windows of its devices. */
export const windowFlags = {
  waitForWindow: flag("wait-for-window", "Wait for the windows of the devices"),
  emergency: text("emergency", "Outside of windows, for this reason")
}

/** Their fields of a request, of a push only. */
export const windowOptions = ({ emergency, waitForWindow }: Command.Command.Config.Infer<typeof windowFlags>) => ({
  emergency: Option.getOrUndefined(emergency),
  ...(waitForWindow ? { wait_for_window: true } : {})
})

/** A push without the checks of its devices. */
export const skipFlag = { skipChecks: text("skip-checks", "Push without the checks of the devices, for this reason") }

/** Its field of a request, of a push only. */
export const skipOption = ({ skipChecks }: Command.Command.Config.Infer<typeof skipFlag>) => ({
  skip_checks: Option.getOrUndefined(Option.map(skipChecks, (reason) => ({ reason })))
})

/** Options of a synchronization, whatever selects its devices. */
export const syncFlags = {
  dryRun: flag("dry-run", "Only show what would change"),
  force: flag("force", "Also devices that were changed outside Switchyard"),
  resync: flag("resync", "Also devices that are synchronized"),
  confirmOlder: flag(
    "confirm-older",
    "With --force: also commits that came with a restored backup and were not refreshed"
  ),
  canary: text("canary", "These devices go first (acc1,acc2), or so many access switches"),
  batch: number("batch", "So many devices at a time"),
  maxFailures: number("max-failures", "Stop after so many failed devices"),
  abortOnFailure: flag("abort-on-failure", "Push nothing if one device is silent or was changed outside Switchyard"),
  revertOnFailure: flag("revert-on-failure", "When the rollout stops, take back what is not confirmed"),
  missingLines: Flag.Literals("on-missing-lines", ["warn", "fail"]).pipe(
    Flag.withDescription("For lines that a device does not show: only name them, or fail the device"),
    Flag.optional
  ),
  ...skipFlag,
  urgent: flag("urgent", "Beside a running push, for named devices"),
  startAt: text("start-at", 'Begin the push at "YYYY-MM-DD HH:MM:SS" in UTC, or at a time with a zone (ISO 8601)'),
  confirmMode: number("confirm-mode", "0 without timers, 1 each device on its own, 2 all or none"),
  dryRunJob: number("dry-run-job", "Push what this dry run has shown, and nothing else"),
  ...windowFlags,
  ticket: text("ticket", "Ticket, kept in the record of the job"),
  comment,
  yes,
  watch: watching,
  json: format.json
}
type Asked = Command.Command.Config.Infer<typeof selection & typeof syncFlags>

/** Options of a dry run and of the push of what it has shown. */
const options = ({ comment, confirmOlder, force, resync, ticket }: Asked) => ({
  force,
  resync,
  ...(confirmOlder ? { confirm_older: true } : {}),
  ticket_ref: Option.getOrUndefined(ticket),
  comment: Option.getOrUndefined(comment)
})

/** Names, or a number of devices that the server chooses. */
const canaryOf = (words: string): number | ReadonlyArray<string> =>
  /^\d+$/.test(words) ? Number(words) : words.split(",").map((name) => name.trim())

/** Options that only a push needs. */
const pushOptions = (asked: Asked) => ({
  canary: Option.getOrUndefined(Option.map(asked.canary, canaryOf)),
  batch_size: Option.getOrUndefined(asked.batch),
  max_failures: Option.getOrUndefined(asked.maxFailures),
  confirm_mode: Option.getOrUndefined(asked.confirmMode),
  ...windowOptions(asked),
  ...skipOption(asked),
  on_missing_lines: Option.getOrUndefined(asked.missingLines),
  start_at: Option.getOrUndefined(asked.startAt),
  ...(asked.abortOnFailure ? { abort_on_failure: true } : {}),
  ...(asked.revertOnFailure ? { revert_on_failure: true } : {}),
  ...(asked.urgent ? { urgent: true } : {})
})

const nothingToDo = ({ all, dryRunJob, names, resync }: Asked): string => {
  if (Option.isSome(dryRunJob)) return `Nothing to do: dry run ${dryRunJob.value} has found no change.`
  if (names.length > 0 || resync) return "Nothing to do: the devices run what the settings say."
  return all
    ? "Nothing to do: every managed device is in sync."
    : "Nothing to do: all of them are in sync. --resync looks at them all the same."
}

type Selector = Effect.Success<ReturnType<typeof selectorOf>>

/** Pushes what a dry run has shown and the user has agreed to: a new dry run, or the named one. */
const push = Effect.fnUntraced(function* (asked: Asked, chosen: Selector) {
  const shown = Option.isSome(asked.dryRunJob)
    ? asked.dryRunJob.value
    : yield* preview(ask("POST /device_syncto", { body: { ...chosen, ...options(asked), dry_run: true } }))
  yield* pushAgreed(
    {
      shown,
      only: asked.names,
      question: "Push exactly this to",
      nothing: nothingToDo(asked),
      exactly: `--dry-run-job ${shown} --yes`,
      yes: asked.yes,
      watch: asked.watch,
      json: asked.json
    },
    ask("POST /device_syncto", {
      body: { ...chosen, ...options(asked), ...pushOptions(asked), dry_run: false, dry_run_job: shown }
    })
  )
})

/** Synchronizes what the user has asked for: with `dryRun` it only shows what would change, else it asks before the push. */
const synchronize = Effect.fnUntraced(function* (asked: Asked) {
  const chosen = yield* selectorOf(asked)
  yield* requireManaged(asked.names)
  yield* requireAny(asked)
  if (!asked.dryRun) return yield* push(asked, chosen)
  const dry_run_job = Option.getOrUndefined(asked.dryRunJob)
  const body = {
    ...chosen,
    ...options(asked),
    ...pushOptions(asked),
    dry_run: true,
    dry_run_job
  }
  const { answer } = yield* ask("POST /device_syncto", { body })
  yield* startedDry(answer.job_id, answer.data, asked)
})

/** Synchronizes devices that a command has found itself; `nothing` is the sentence if it has found none. */
export const synchronizeNamed = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  asked: Omit<Asked, keyof Chosen>,
  nothing: string
) {
  if (names.length > 0)
    return yield* synchronize({ ...asked, names, group: Option.none(), type: Option.none(), all: false })
  yield* asked.json ? printJson({ job_id: null, dry_run_job: null, changed: 0, unchanged: 0, failed: 0 }) : say(nothing)
})

/** The command. */
export const sync = Command.make("sync", { ...selection, ...syncFlags }, (asked) => reported(synchronize(asked))).pipe(
  Command.withDescription(
    "Bring devices to what the settings say. Shows first what would change, and asks; --dry-run only shows it."
  )
)

/** The command. */
export const diff = Command.make(
  "diff",
  { job, search: text("search", "Only groups with these words"), json: format.json },
  ({ job, json, search }) =>
    reported(
      Effect.gen(function* () {
        const diffs = yield* readDiffs(
          job,
          Option.getOrElse(search, () => "")
        )
        yield* json ? printJson(diffs) : printDiffs(diffs)
      })
    )
).pipe(Command.withDescription("Show what a job changes, devices with the same change together, the riskiest first."))

/** The command. */
export const undo = Command.make(
  "undo",
  {
    job,
    comment,
    ticket: syncFlags.ticket,
    dryRun: flag("dry-run", "Only show what would change"),
    ...skipFlag,
    ...windowFlags,
    yes,
    watch: watching,
    json: format.json
  },
  ({ comment, dryRun, job, ticket, yes, ...wanted }) =>
    reported(
      Effect.gen(function* () {
        const notes = { comment: Option.getOrUndefined(comment), ticket_ref: Option.getOrUndefined(ticket) }
        const revert = (dry_run: boolean) =>
          ask("POST /job/:id/revert", {
            params: { id: job },
            body: { ...notes, dry_run, ...(dry_run ? {} : { ...skipOption(wanted), ...windowOptions(wanted) }) }
          })
        if (dryRun) {
          const { answer } = yield* revert(true)
          return yield* startedDry(answer.job_id, answer.data, wanted)
        }
        yield* pushAgreed(
          {
            shown: yield* preview(revert(true)),
            only: [],
            question: `Undo job ${job} on`,
            nothing: `Nothing to do: no device would change by undoing job ${job}.`,
            exactly: "--yes",
            yes,
            ...wanted
          },
          revert(false)
        )
      })
    )
).pipe(
  Command.withDescription(
    "Give every device that a job has changed the configuration that it ran before. Shows first what would change, and asks."
  )
)
