/**
 * What is wrong with a repository now: the warnings of what is in force, looked for anew because devices come and go, and why
 * the last refresh was refused, if it was.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import type { SqlError } from "effect/sql"
import { Remark } from "../../domain/Repository.ts"
import type { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { checkSettingsGently } from "../../settings/SettingsCheck.ts"
import { problemRemarks } from "../../settings/SettingsProblem.ts"
import type { DeviceStore } from "../../store/DeviceStore.ts"
import { RefreshStore, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { checkTemplates } from "../../templates/TemplateCheck.ts"
import { errorRemark } from "../../templates/TemplateErrors.ts"
import { UndefinedPrints } from "../../templates/UndefinedPrints.ts"
import { readInventory } from "./SettingsInventory.ts"
import type { LinknetStore, MgmtDomainStore } from "../../store/NetworkStore.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"

/** The answer to `GET /repository/{name}/problems`. */
export interface ProblemList {
  /** The commit in force. */
  readonly commit: string | null
  /** Errors: of the last refresh, when it was refused, and of what is in force. */
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

type RemarkLists = Pick<ProblemList, "problems" | "warnings">

const NOTHING: RemarkLists = { problems: [], warnings: [] }

const Refused = Schema.Struct({
  refused: Schema.Struct({ message: Schema.String, problems: Schema.optionalKey(Schema.Array(Remark)) })
})

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const refreshes = yield* RefreshStore
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const undefinedPrints = yield* UndefinedPrints
  const services = yield* Effect.context<DeviceStore | LinknetStore | MgmtDomainStore | ServerConfig>()
  // thousands of devices are looked at: who asks at the same time shares the answer
  const shared = makeSharedRead<ProblemList, SqlError.SqlError>()

  const inSettings = Effect.gen(function* () {
    const snapshot = yield* settings.snapshot
    const inventory = yield* Effect.provideContext(readInventory, services)
    const { problems, warnings } = yield* checkSettingsGently(snapshot, inventory)
    return { problems: problemRemarks(problems, snapshot.files), warnings }
  }).pipe(
    Effect.catchTags({
      NoSettings: () => Effect.succeed(NOTHING),
      SettingsInvalid: ({ problems }) => Effect.succeed({ problems: problemRemarks(problems, new Map()), warnings: [] })
    })
  )

  const inTemplates = Effect.gen(function* () {
    const refs = yield* repositories.refs("templates")
    const snapshots = yield* Effect.forEach(refs, (ref) => templates.snapshot(ref === "" ? null : ref))
    const checks = snapshots.map(checkTemplates)
    return {
      problems: checks.flatMap(({ problems }) => problems.map(errorRemark)),
      warnings: checks.flatMap(({ warnings }) => warnings)
    }
  }).pipe(Effect.catchTag("NoTemplates", () => Effect.succeed(NOTHING)))

  const refusal = Effect.fnUntraced(function* (name: RepositoryName) {
    const memo = Option.flatMap(yield* refreshes.lastMemo(name), Schema.decodeUnknownOption(Refused))
    return Option.match(memo, {
      onNone: (): ReadonlyArray<Remark> => [],
      onSome: ({ refused: { message, problems } }) =>
        problems ?? [{ file: null, line: null, column: null, path: null, message }]
    })
  })

  const read = Effect.fn("RepositoryProblems.read")(function* (name: RepositoryName) {
    const commit = yield* repositories.commitOf(name, "")
    const found: RemarkLists = yield* name === "settings" ? inSettings : inTemplates
    return {
      commit: Option.getOrNull(commit),
      problems: [...(yield* refusal(name)), ...found.problems],
      warnings: [...found.warnings, ...(yield* undefinedPrints.inForce)]
    }
  })

  return RepositoryProblems.of({ find: (name) => shared(name, read(name)) })
})

/** Problems of repositories. */
export class RepositoryProblems extends Context.Service<
  RepositoryProblems,
  { readonly find: (name: RepositoryName) => Effect.Effect<ProblemList, SqlError.SqlError> }
>()("switchyard/jobs/RepositoryProblems") {
  static readonly layer = Layer.effect(RepositoryProblems, make)
}
