/** The two repositories as the API shows and refreshes them (docs/settings-repository.md#refresh). */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SqlError } from "effect/sql"
import { CommitEffects } from "../../domain/CommitEffects.ts"
import type { CommitSignature } from "../../domain/CommitSignature.ts"
import {
  type CommitRefusal,
  type CommitsOfRepository,
  type CommitState,
  remark,
  Remark,
  type RepositoryBranch,
  type RepositoryCommit
} from "../../domain/Repository.ts"
import { JobStore } from "../../store/JobStore.ts"
import { makeRefreshes, type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { JobEngine } from "../engine/JobEngine.ts"
import { refresh } from "./RefreshRepository.ts"
import { type RefreshOptions, type RefreshRefused, RepositoryCopies } from "./CheckedCommit.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"
import type { ServerConfig } from "../../ServerConfig.ts"
import { ActiveSettings } from "../../settings/ActiveSettings.ts"
import { checkSettingsGently } from "../../settings/SettingsCheck.ts"
import { problemRemarks } from "../../settings/SettingsProblem.ts"
import type { DeviceStore } from "../../store/DeviceStore.ts"
import { makeSharedRead } from "../../store/GroupedStatement.ts"
import { ActiveTemplates } from "../../templates/ActiveTemplates.ts"
import { checkTemplates } from "../../templates/TemplateCheck.ts"
import { UndefinedPrints } from "../../templates/UndefinedPrints.ts"
import { readInventory } from "./SettingsUpdate.ts"
import { makeCheckSources } from "./TemplatesUpdate.ts"
import { ALERTS_FILE } from "../../settings/RepositoryPaths.ts"
import { hideForms } from "../../templates/TemplateSecrets.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import type { LineOrigin } from "../../git/GitBlame.ts"
import type { LoggedCommit } from "../../git/GitCommit.ts"
import { errorRemark } from "../../templates/TemplateSnapshot.ts"
import type { NetworkStore } from "../../store/NetworkStore.ts"

// The states of the commits of a repository: which is in force, which were refused and why. Pure.

const stateAt = (index: number, inForce: number, isRefused: boolean, isWaiting: boolean): CommitState => {
  if (index === inForce) return "in_force"
  if (isWaiting) return "waiting"
  if (inForce >= 0 && index > inForce) return "replaced"
  return isRefused ? "refused" : "not_applied"
}

/** Commits, the newest first, with the state of each; `refusals` by commit, `waiting` the one that waits for a confirmation. */
export const commitList = (
  logged: ReadonlyArray<LoggedCommit>,
  inForce: string | null,
  refusals: ReadonlyMap<string, CommitRefusal>,
  waiting: string | null = null,
  signatures: ReadonlyMap<string, CommitSignature> = new Map()
): ReadonlyArray<RepositoryCommit> => {
  const position = logged.findIndex(({ hash }) => hash === inForce)
  return logged.map(({ author, committer, hash, message, seconds }, index) => {
    const refusal = refusals.get(hash) ?? null
    const state = stateAt(index, position, refusal !== null, hash === waiting)
    return {
      commit: hash,
      author,
      committer,
      at: new Date(seconds * 1000).toISOString().slice(0, 19),
      subject: message.split("\n", 1)[0] ?? "",
      message,
      state,
      refusal: state === "refused" ? refusal : null,
      signature: signatures.get(hash) ?? null
    }
  })
}

// The present problems of a repository: the warnings about the commit in force, computed anew because devices change, and the
// reason of the last refusal, if there was one.

/** The answer to `GET /repository/{name}/problems`. */
interface ProblemList {
  /** The commit in force. */
  readonly commit: string | null
  /** Errors of the last refresh, if it was refused, and of the commit in force. */
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

type RemarkLists = Pick<ProblemList, "problems" | "warnings">

const NOTHING: RemarkLists = { problems: [], warnings: [] }

const Refused = Schema.Struct({
  refused: Schema.Struct({ message: Schema.String, problems: Schema.optionalKey(Schema.Array(Remark)) })
})

const makeRepositoryProblems = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const refreshes = yield* makeRefreshes
  const settings = yield* ActiveSettings
  const templates = yield* ActiveTemplates
  const undefinedPrints = yield* UndefinedPrints
  const sourcesOf = yield* makeCheckSources
  const services = yield* Effect.context<DeviceStore | NetworkStore | ServerConfig>()
  // thousands of devices are read: simultaneous callers share the answer
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
    const checks = yield* Effect.forEach(snapshots, (snapshot) =>
      Effect.map(sourcesOf(snapshot), (sources) => checkTemplates(snapshot, sources))
    )
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

  return (name: RepositoryName) => shared(name, read(name))
})

/** The repository's content is not acceptable; the old commit stays in force. Answered with 400 and this text. */
export class RepositoryInvalid extends Schema.TaggedError<RepositoryInvalid>()("RepositoryInvalid", {
  message: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Remark))
}) {}

/** Another job has the lock of the devices; trying again later helps. Answered with 503. */
class RepositoryBusy extends Schema.TaggedError<RepositoryBusy>()("RepositoryBusy", {
  message: Schema.String
}) {}

/** The commit removes too much and waits, or a commit other than the newest was confirmed. Answered with 409. */
class RepositoryWaits extends Schema.TaggedError<RepositoryWaits>()("RepositoryWaits", {
  message: Schema.String,
  effects: Schema.optionalKey(CommitEffects)
}) {}

/** Git or something else failed. Answered with 500. */
export class RepositoryFailed extends Schema.TaggedError<RepositoryFailed>()("RepositoryFailed", {
  message: Schema.String,
  problems: Schema.optionalKey(Schema.Array(Remark))
}) {}

/** The text about the commit that a refresh brought into force, its warnings, and its effects. */
interface RefreshedRepository {
  readonly message: string
  readonly warnings: ReadonlyArray<Remark>
  /** Files that were ignored. */
  readonly ignored: ReadonlyArray<string>
  readonly effects: CommitEffects
}

/** The present problems of a repository; `commit` is the one in force. */
interface ProblemsOfRepository {
  readonly commit: string | null
  readonly problems: ReadonlyArray<Remark>
  readonly warnings: ReadonlyArray<Remark>
}

/** The error of a refresh, by the remedy for its caller. */
export const repositoryError = ({ effects, message, problems, status }: RefreshRefused) => {
  if (status === 503) return new RepositoryBusy({ message })
  if (status === 409) return new RepositoryWaits({ message, ...(effects === undefined ? {} : { effects }) })
  const reasons = { message, ...(problems === undefined ? {} : { problems }) }
  return status === 400 ? new RepositoryInvalid(reasons) : new RepositoryFailed(reasons)
}

// The newest commits of a repository as of its last refresh, with their states: from the local copy and the records of refreshes.

/** How many refreshes are searched for refusals. */
const REFRESHES = 200

const RefusedCommit = Schema.Struct({
  refused: Schema.Struct({
    message: Schema.String,
    problems: Schema.optionalKey(Schema.Array(Remark)),
    commit: Schema.String
  })
})
const refusedIn = Schema.decodeUnknownOption(RefusedCommit)

const makeRepositoryCommits = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const refreshes = yield* makeRefreshes
  const copies = yield* RepositoryCopies

  /** The last refusal of each commit. */
  const refusals = Effect.fnUntraced(function* (name: RepositoryName) {
    const found = new Map<string, CommitRefusal>()
    for (const { at, by, id, memo } of yield* refreshes.ended(name, REFRESHES)) {
      const refused = Option.getOrUndefined(refusedIn(memo))?.refused
      if (refused === undefined || found.has(refused.commit)) continue
      const { message, problems = [remark(message)] } = refused
      found.set(refused.commit, { job_id: id, at, by, message, problems })
    }
    return found
  })

  /** The commit in force, and those that the last refresh has found; none without an intact local copy. */
  const logged = Effect.fnUntraced(
    function* (copy: GitRepository, inForce: string | null, count: number) {
      const current = yield* copy.current
      const newest = Option.isSome(current) ? yield* copy.log(current.value.hash, count) : []
      if (inForce === null || newest.some(({ hash }) => hash === inForce)) return newest
      // older than the others, or of a rewritten history
      const own = yield* Effect.orElseSucceed(copy.log(inForce, 1), () => [])
      return [...newest, ...own]
    },
    Effect.catchTags({
      GitFailed: ({ message }) => Effect.as(Effect.logWarning(`Commits cannot be listed: ${message}`), []),
      GitRefNotFound: () => Effect.succeed([])
    })
  )

  const signaturesOf = (copy: GitRepository, hashes: ReadonlyArray<string>) =>
    Effect.catchTag(copy.signatures(hashes), "GitFailed", ({ message }) =>
      Effect.as(Effect.logWarning(`Signatures cannot be verified: ${message}`), new Map<string, CommitSignature>())
    )

  const branches = Effect.fn("RepositoryCommits.branches")(function* (name: RepositoryName, count: number) {
    const inForce = Option.getOrNull(yield* repositories.commitOf(name, ""))
    const copy = yield* Effect.option(copies.of(name))
    if (Option.isNone(copy)) return { branches: [] }
    const found = yield* Effect.catchTag(copy.value.branches(count), "GitFailed", ({ message }) =>
      Effect.as(Effect.logWarning(`Branches cannot be listed: ${message}`), [])
    )
    const signatures = yield* signaturesOf(
      copy.value,
      found.map(({ commit }) => commit)
    )
    return {
      branches: found.map(({ author, commit, name: branch, seconds, subject }): RepositoryBranch => ({
        branch,
        commit,
        author,
        at: new Date(seconds * 1000).toISOString().slice(0, 19),
        subject,
        in_force: commit === inForce,
        signature: signatures.get(commit) ?? null
      }))
    }
  })

  const list = Effect.fn("RepositoryCommits.list")(function* (name: RepositoryName, count: number) {
    const inForce = Option.getOrNull(yield* repositories.commitOf(name, ""))
    const copy = yield* Effect.option(copies.of(name))
    const commits = Option.isSome(copy) ? yield* logged(copy.value, inForce, count) : []
    const waiting = Option.map(yield* refreshes.waiting(name), ({ commit }) => commit)
    const hashes = commits.map(({ hash }) => hash)
    const signatures = Option.isSome(copy) ? yield* signaturesOf(copy.value, hashes) : new Map()
    return {
      in_force: inForce,
      commits: commitList(commits, inForce, yield* refusals(name), Option.getOrNull(waiting), signatures)
    }
  })

  return { list, branches }
})

// The files in force for their authors. Secrets in them are hidden as in configurations: they belong into TEMPLATE_SECRET_*, and a
// secret in a file is not shown.

/** Files of a commit. */
interface FilesInForce {
  readonly commit: string | null
  readonly files: ReadonlyArray<{ readonly path: string; readonly size: number }>
}

/** Commits whose files authors may read: those that are in force, or could come into force. */
const READABLE: ReadonlySet<CommitState> = new Set(["in_force", "refused", "waiting", "not_applied"])
const NEWEST = 100

const makeRepositoryFiles = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const commits = yield* makeRepositoryCommits

  const inForce = Effect.fnUntraced(function* (name: RepositoryName, branch: string) {
    const applied = Option.getOrNull(yield* repositories.find(name, branch))
    const files = Object.entries(applied?.files ?? {}).filter(([path]) => path !== ALERTS_FILE)
    return { commit: applied?.commit ?? null, files: new Map(files) }
  })

  return {
    list: Effect.fn("RepositoryFiles.list")(function* (name: RepositoryName, branch: string) {
      const { commit, files } = yield* inForce(name, branch)
      const listed = [...files].map(([path, text]) => ({ path, size: Buffer.byteLength(text) }))
      return { commit, files: listed.toSorted((a, b) => (a.path < b.path ? -1 : 1)) }
    }),
    read: Effect.fn("RepositoryFiles.read")(function* (name: RepositoryName, branch: string, path: string) {
      const { files } = yield* inForce(name, branch)
      return Option.map(Option.fromUndefinedOr(files.get(path)), hideForms)
    }),
    readAt: Effect.fn("RepositoryFiles.readAt")(function* (name: RepositoryName, commit: string, path: string) {
      const known = (yield* commits.list(name, NEWEST)).commits.find((one) => one.commit === commit)
      if (known === undefined || !READABLE.has(known.state) || path === ALERTS_FILE) return Option.none()
      const copy = yield* Effect.option(copies.of(name))
      if (Option.isNone(copy)) return Option.none()
      return yield* copy.value
        .readTree(commit, (found) => found === path)
        .pipe(
          Effect.map(({ files }) => Option.map(Option.fromUndefinedOr(files.get(path)), hideForms)),
          Effect.catchTag(["GitFailed", "GitRefNotFound"], ({ message }) =>
            Effect.as(Effect.logWarning(`A file of ${name} cannot be read: ${message}`), Option.none())
          )
        )
    })
  }
})

/** The commit that wrote a line of a file, and who signed it. */
interface WrittenLine extends LineOrigin {
  readonly signature: CommitSignature | null
}

const makeLineOrigins = (
  repositories: RepositoryStore["Service"],
  copies: RepositoryCopies["Service"]
): Repositories["Service"]["blame"] =>
  Effect.fn("Repositories.blame")(function* (name: RepositoryName, path: string, branch: string) {
    const commit = Option.getOrNull(yield* repositories.commitOf(name, branch))
    const copy = yield* Effect.option(copies.of(name))
    if (commit === null || Option.isNone(copy)) return []
    const written = Effect.gen(function* () {
      const lines = yield* copy.value.blame(commit, path)
      const signatures = yield* copy.value.signatures([...new Set(lines.map((line) => line.commit))])
      return lines.map((line) => ({ ...line, signature: signatures.get(line.commit) ?? null }))
    })
    return yield* Effect.catchTag(written, ["GitFailed", "GitRefNotFound"], ({ message }) =>
      Effect.as(Effect.logWarning(`The lines of a file of ${name} cannot be traced: ${message}`), [])
    )
  })

const make = Effect.gen(function* () {
  const updates = yield* RepositoryUpdate
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const problems = yield* makeRepositoryProblems
  const files = yield* makeRepositoryFiles
  const commits = yield* makeRepositoryCommits
  const services = yield* Effect.context<JobEngine | JobStore>()
  return Repositories.of({
    describe: updates.describe,
    blame: makeLineOrigins(repositories, copies),
    signature: Effect.fn("Repositories.signature")(function* (name: RepositoryName) {
      const commit = Option.getOrNull(yield* repositories.commitOf(name, ""))
      return commit === null ? null : ((yield* repositories.signatures([commit])).get(commit) ?? null)
    }),
    problems,
    commits: commits.list,
    branches: commits.branches,
    files: files.list,
    file: files.read,
    fileAt: files.readAt,
    waiting: updates.waiting,
    refresh: (name, user, options) =>
      refresh(name, user, options).pipe(
        Effect.mapError((error) => {
          if (SqlError.isSqlError(error)) return error
          if (error._tag === "JobNotFound") return new RepositoryFailed({ message: error.message })
          return repositoryError(error)
        }),
        Effect.provideContext(services)
      )
  })
})

/** Describes and refreshes repositories, by way of the engine. */
export class Repositories extends Context.Service<
  Repositories,
  {
    /** The line about the commit in force, ending in a newline, or that nothing is cloned yet. */
    readonly describe: (name: RepositoryName) => Effect.Effect<string, SqlError.SqlError>
    /** The commits that wrote the lines of a file in force; none without an intact local copy. */
    readonly blame: (
      name: RepositoryName,
      path: string,
      branch: string
    ) => Effect.Effect<ReadonlyArray<WrittenLine>, SqlError.SqlError>
    /** Who signed the commit in force, as it was verified when it came into force; null without a verification. */
    readonly signature: (name: RepositoryName) => Effect.Effect<CommitSignature | null, SqlError.SqlError>
    /** Fetches, checks and applies the newest commit, recorded as a job of this user. */
    readonly refresh: (
      name: RepositoryName,
      user: string,
      options?: RefreshOptions
    ) => Effect.Effect<
      RefreshedRepository,
      RepositoryInvalid | RepositoryBusy | RepositoryWaits | RepositoryFailed | SqlError.SqlError
    >
    /** The commit that waits for a confirmation. */
    readonly waiting: RepositoryUpdate["Service"]["waiting"]
    /** The newest commits as of the last refresh, at most `count` and the one in force, with their states. */
    readonly commits: (name: RepositoryName, count: number) => Effect.Effect<CommitsOfRepository, SqlError.SqlError>
    /** The branches of the remote as of the last refresh, that with the newest commit first, at most `count`. */
    readonly branches: (
      name: RepositoryName,
      count: number
    ) => Effect.Effect<{ readonly branches: ReadonlyArray<RepositoryBranch> }, SqlError.SqlError>
    /** The files in force, `alerts.yml` left out; branch empty is the repository's own ref. */
    readonly files: (name: RepositoryName, branch: string) => Effect.Effect<FilesInForce, SqlError.SqlError>
    /** The text of a file, with its secrets hidden; none when there is no such file. */
    readonly file: (
      name: RepositoryName,
      branch: string,
      path: string
    ) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
    /** The same of a commit of the list that is in force or was not replaced, such as a refused one. */
    readonly fileAt: (
      name: RepositoryName,
      commit: string,
      path: string
    ) => Effect.Effect<Option.Option<string>, SqlError.SqlError>
    /** Warnings about the commit in force, and why the last refresh was refused. */
    readonly problems: (name: RepositoryName) => Effect.Effect<ProblemsOfRepository, SqlError.SqlError>
  }
>()("switchyard/jobs/Repositories") {
  static readonly layer = Layer.effect(Repositories, make).pipe(Layer.provide([RepositoryCopies.layer]))
}
