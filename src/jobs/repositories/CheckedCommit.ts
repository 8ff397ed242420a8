/** The result of a check before a refresh: a refusal, or commits with the devices that they concern; and the local copies. */
import { Context, Effect, type FileSystem, Layer, Option, type Path, Schema } from "effect"
import { CommitEffects, type UndefinedName } from "../../domain/CommitEffects.ts"
import { Remark, remark } from "../../domain/Repository.ts"
import type { AppliedCommit, RepositoryName } from "../../store/RepositoryStore.ts"
import type { Compared } from "./CommitEffects.ts"
import * as path from "node:path"
import type { GitAddressInvalid } from "../../git/GitAddress.ts"
import { type GitRepository, makeGitRepository } from "../../git/GitRepository.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { trustIn } from "./Signatures.ts"

/** The repository was not brought into force. `status` is the HTTP status of the answer, `message` its text. */
export class RefreshRefused extends Schema.TaggedError<RefreshRefused>()("RefreshRefused", {
  status: Schema.Literals([400, 409, 500, 503]),
  message: Schema.String,
  /** Every mistake with its place, if the content was refused. */
  problems: Schema.optionalKey(Schema.Array(Remark)),
  /** The checked commit, if the check got so far. */
  commit: Schema.optionalKey(Schema.String),
  /** The effects of the commit, if it waits for a confirmation. */
  effects: Schema.optionalKey(CommitEffects)
}) {}

/** The refusal of a commit that no allowed signer has signed. */
export const refusedBySignature = (refusal: Remark) =>
  new RefreshRefused({ status: 400, message: refusal.message, problems: [refusal] })

/** Whether the content of the commit was refused, and the refresh itself did not fail. */
export const isOfContent = ({ problems, status }: RefreshRefused): boolean => status === 400 || problems !== undefined

/** The answer of a refresh: the text of the commit in force, and its warnings. */
export const RefreshOutcome = Schema.Struct({
  message: Schema.String,
  warnings: Schema.Array(Remark),
  /** Files that were ignored, such as those of editors. */
  ignored: Schema.Array(Schema.String),
  /** The commit that came into force. */
  commit: Schema.String,
  /** Its effects. */
  effects: CommitEffects
})
export type RefreshOutcome = typeof RefreshOutcome.Type

/** The cause of a refresh: the user, the job, and what the user allows without a question. */
export interface RefreshCause extends RefreshOptions {
  readonly by: string
  readonly jobId: number
}

/** Permissions that a user must give explicitly (docs/settings-repository.md#confirmation). */
export interface RefreshOptions {
  /** The commit, or the beginning of its hash, that may come into force whatever it removes. */
  readonly confirm?: string
  /** Ports that name a VLAN which the commit renames get its new name. */
  readonly renamePorts?: boolean
}

/** A checked commit: rows to be put in force, and the hostnames that it concerns. */
export interface CheckedCommit {
  readonly commits: ReadonlyArray<AppliedCommit>
  readonly affected: ReadonlyArray<string>
  /** Branches of the templates repository that the commit asks for. */
  readonly branches: ReadonlyArray<string>
  /** Warnings for the author of the commit. */
  readonly warnings: ReadonlyArray<Remark>
  /** Files that were ignored. */
  readonly ignored: ReadonlyArray<string>
  /** The sources with which it is compared to find its effects; absent if no commit was in force before. */
  readonly compared?: Compared
}

/** Adds a warning for each undefined name that templates would print; those of the last renderings are not repeated. */
export const withUndefined = (
  warnings: ReadonlyArray<Remark>,
  names: ReadonlyArray<UndefinedName>
): ReadonlyArray<Remark> => {
  const placeOf = ({ column, file, line }: Remark) => `${file}:${line}:${column}`
  const known = new Set(warnings.map(placeOf))
  const more = names.filter((one) => !known.has(placeOf(one)))
  return [
    ...warnings,
    ...more.map(({ column, devices, file, hostnames: [hostname = ""], line, message, path }) => {
      const others = devices > 1 ? ` and ${devices - 1} more` : ""
      return remark(`${message}: nothing would be printed for it (${hostname}${others})`, { file, line, column, path })
    })
  ]
}

// The local copies of the two repositories, each made when it is first asked for (docs/settings-repository.md#refresh).

const makeRepositoryCopies = Effect.gen(function* () {
  const config = yield* ServerConfig
  const addresses = { settings: config.GITREPO_SETTINGS, templates: config.GITREPO_TEMPLATES }
  const variables = { settings: "GITREPO_SETTINGS", templates: "GITREPO_TEMPLATES" }
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path>()
  const copies = new Map<RepositoryName, GitRepository>()

  const of = Effect.fnUntraced(function* (name: RepositoryName) {
    const known = copies.get(name)
    if (known !== undefined) return known
    const address = addresses[name]
    if (Option.isNone(address)) {
      return yield* new RefreshRefused({ status: 500, message: `Error in repository: ${variables[name]} is not set` })
    }
    const signers = trustIn(config, name)
    const made = yield* makeGitRepository({
      address: address.value,
      ...(signers === undefined ? {} : { signers }),
      directory: path.join(config.DATA_DIR, "repositories", name),
      timeout: config.GIT_TIMEOUT * 1000,
      cloneTimeout: config.GIT_CLONE_TIMEOUT * 1000
    }).pipe(Effect.provideContext(services))
    copies.set(name, made)
    return made
  })

  return RepositoryCopies.of({ of })
})

/** Local copies by name. */
export class RepositoryCopies extends Context.Service<
  RepositoryCopies,
  {
    /** Fails if no address is configured, or an invalid one. */
    readonly of: (name: RepositoryName) => Effect.Effect<GitRepository, RefreshRefused | GitAddressInvalid>
  }
>()("switchyard/jobs/RepositoryCopies") {
  static readonly layer = Layer.effect(RepositoryCopies, makeRepositoryCopies)
}
