/** `switchyard audit`: verifies the chain of the audit, and writes the audit as JSON lines. */
import { plainly, textOf } from "../domain/words/Word.ts"
import { eventWords } from "../domain/words/ServerWords.ts"
import { Console, Effect, Layer, Option, References, Runtime, Schema, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type Column,
  failWithSentence,
  format,
  jsonAlways,
  printJson,
  printRows,
  reported,
  Said
} from "./client/Terminal.ts"
import { askAll, requireKnown } from "./client/Server.ts"
import { loadDatabase } from "./AtDatabase.ts"
import { auditKinds, publicKinds } from "../domain/events/Event.ts"

/** A row does not fit the chain; it has been printed. Exit code 1. */
export class ChainBroken extends Schema.TaggedError<ChainBroken>()("ChainBroken", {}) {
  override readonly [Runtime.errorReported] = false
  override readonly [Runtime.errorExitCode] = 1
}

/** The database and the key, as the server uses them. Nothing is logged: only the command prints. */
const services = Effect.fnUntraced(function* (command: "audit verify" | "audit export") {
  const database = yield* loadDatabase(command)
  const { SecretKey } = yield* Effect.promise(() => import("../runtime/SecretKey.ts"))
  return SecretKey.layerOfCommand.pipe(
    Layer.provideMerge(database.layer),
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "None")),
    Layer.provide(database.settings)
  )
})

const verify = Command.make("verify", { json: format.json }, ({ json }) =>
  Effect.gen(function* () {
    const { AuditChain } = yield* Effect.promise(() => import("../access/AuditChain.ts"))
    const work = Effect.flatMap(Effect.service(AuditChain), (chain) => chain.verify)
    const { checked, problem, removed, since } = yield* Effect.flatMap(services("audit verify"), (database) =>
      Effect.provide(work, AuditChain.layer.pipe(Layer.provide(database)))
    ).pipe(Effect.catch(failWithSentence))
    if (json) yield* printJson({ whole: problem === null, checked, problem, removed, since })
    const begun = removed === 0 ? "" : ` It begins at ${since}; ${removed} older events were removed by AUDIT_DAYS.`
    if (problem === null)
      return json ? undefined : yield* Console.log(`The audit is whole: ${checked} events fit their seals.${begun}`)
    if (!json)
      yield* Console.log(`The audit was tampered with: ${problem}; ${checked} events before it fit their seals.`)
    return yield* new ChainBroken({})
  })
).pipe(
  Command.withDescription(
    "Compare every event of the audit with its seal. Names the first that was changed, removed or inserted; exit code 1 then. Needs the server's own key (SECRET_KEY, or DATA_DIR)."
  )
)

const since = Flag.String("since").pipe(
  Flag.withDescription("Only events from this time on: 2026-03-02 or 2026-03-02T09:11:26, UTC"),
  Flag.optional
)

const exported = Command.make("export", { since, json: jsonAlways }, ({ since }) =>
  Effect.gen(function* () {
    const { makeExport } = yield* Effect.promise(() => import("../access/AuditExport.ts"))
    const work = Effect.flatMap(makeExport, (read) =>
      Stream.runForEach(read(Option.getOrElse(since, () => "")), ({ event, hash, number }) =>
        Console.log(JSON.stringify({ ...event, number: Number(number), hash }))
      )
    )
    yield* Effect.flatMap(services("audit export"), (database) => Effect.provide(work, database)).pipe(
      Effect.catch(failWithSentence)
    )
  })
).pipe(Command.withDescription("Print the sealed events of the audit as JSON, one a line, in the order of the chain."))

interface AuditRow {
  readonly at: string
  readonly actor: string
  readonly kind: string
  readonly action: string
  readonly hostname: string | null
  readonly job_id: number | null
  readonly data: Readonly<Record<string, unknown>>
}

const AUDIT_COLUMNS: ReadonlyArray<Column<AuditRow>> = [
  ["at", ({ at }) => at],
  ["who", ({ actor }) => actor],
  ["what", ({ action, kind }) => new Said(`${kind} ${action}`, `${textOf(eventWords, kind)} ${plainly(action)}`)],
  ["device", ({ hostname }) => hostname],
  ["job", ({ job_id }) => job_id],
  ["details", ({ data }) => data]
]

const optional = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.optional)

const list = Command.make(
  "list",
  {
    kind: optional("kind", "Only events of this kind"),
    who: optional("who", "Only what this person or program did"),
    device: optional("device", "Only about this device"),
    most: Flag.Int("limit").pipe(Flag.withDescription("How many of the newest"), Flag.withDefault(50)),
    ...format
  },
  ({ csv, device, json, kind, most, who }) =>
    reported(
      Effect.gen(function* () {
        yield* requireKnown(Option.toArray(kind), [...publicKinds, ...auditKinds], "no event is of this kind")
        const query = {
          sort: "-id",
          "filter[kind]": Option.getOrUndefined(kind),
          "filter[actor]": Option.getOrUndefined(who),
          "filter[hostname]": Option.getOrUndefined(device)
        }
        const rows = yield* askAll("GET /audit", { query }, ({ data }) => data.events, most)
        yield* printRows({ csv, json }, AUDIT_COLUMNS, rows, "No audit entry matches.")
      })
    )
).pipe(Command.withDescription("List who did what, the newest first; at the server of SWITCHYARD_URL."))

/** The command. */
export const audit = Command.make("audit").pipe(
  Command.withDescription("Check or export who did what."),
  Command.withSubcommands([list, verify, exported])
)
