/**
 * The templates in force: the last commit that passed its checks, and one for each branch that a group names. Stored in the database like
 * the settings, compiled once per commit. A job uses those of the commits that it works on.
 */
import { Context, Effect, Layer, Option, Ref, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { WorkingCommits } from "../domain/Repository.ts"
import { type AppliedCommit, RepositoryStore } from "../store/RepositoryStore.ts"
import { Renderer } from "./Renderer.ts"
import { fixedTask, type FixedTemplate, type RenderedText } from "./Rendering.ts"
import {
  buildTemplateSnapshot,
  type RepoStructureError,
  type TemplateError,
  type TemplatePlatform,
  type TemplateSnapshot
} from "./TemplateSnapshot.ts"
import { referencesOf } from "./TemplateReferences.ts"

// Compiles all templates of a snapshot in advance, for the first rendering and the checks. Between two files the event loop does other
// work; the engine bounds the time of one file.

const compileOne = (platform: TemplatePlatform, file: string) =>
  Effect.andThen(
    Effect.yieldNow,
    Effect.sync(() => {
      platform.environment.compile(file)
      referencesOf(platform, file)
    })
  )

/** Never fails: a template that does not compile is reported when it is rendered. */
export const compileAll = Effect.fn("templates.compileAll")(function* ({ platforms }: TemplateSnapshot) {
  for (const platform of platforms.values()) {
    for (const file of platform.files.keys()) if (file.endsWith(".j2")) yield* compileOne(platform, file)
  }
})

/** No templates are in force yet, or none of the requested branch. */
export class NoTemplates extends Schema.TaggedError<NoTemplates>()("NoTemplates", { branch: Schema.String }) {
  override get message() {
    return this.branch === ""
      ? "No templates are in force: no commit of the templates repository was read and accepted yet; refresh it to see why"
      : `No templates of branch ${this.branch} are in force`
  }
}

interface InForce {
  readonly commit: string
  readonly snapshot: TemplateSnapshot
}

const make = Effect.gen(function* () {
  const repositories = yield* RepositoryStore
  const { renderer } = yield* Renderer
  const known = yield* Ref.make<ReadonlyMap<string, InForce>>(new Map())
  const one = yield* Semaphore.make(1)

  const build = Effect.fnUntraced(function* (
    branch: string,
    applied: Option.Option<Pick<AppliedCommit, "commit" | "files">>
  ) {
    if (Option.isNone(applied)) return yield* new NoTemplates({ branch })
    const { commit, files } = applied.value
    const previous = (yield* Ref.get(known)).get(branch)?.snapshot
    const snapshot = buildTemplateSnapshot({
      files: new Map(Object.entries(files)),
      root: "templates",
      ...(previous === undefined ? {} : { previous })
    })
    yield* compileAll(snapshot)
    return { commit, snapshot } satisfies InForce
  })

  const remembered = (branch: string, commit: Option.Option<string>) =>
    Effect.map(Ref.get(known), (all) => {
      const cached = all.get(branch)
      return cached !== undefined && Option.contains(commit, cached.commit) ? cached.snapshot : undefined
    })

  const newInForce = Effect.fnUntraced(function* (branch: string) {
    const cached = yield* remembered(branch, yield* repositories.commitOf("templates", branch))
    if (cached !== undefined) return cached
    const built = yield* build(branch, yield* repositories.find("templates", branch))
    yield* Ref.update(known, (all) => new Map(all).set(branch, built))
    return built.snapshot
  }, one.withPermits(1))

  /** A commit that is no longer in force serves one job only, so it is not kept in the cache. */
  const ofJob = Effect.fnUntraced(function* (branch: string, commit: string | undefined) {
    if (commit === undefined) return yield* new NoTemplates({ branch })
    return (yield* build(branch, yield* repositories.filesOf("templates", commit))).snapshot
  }, one.withPermits(1))

  const snapshot = Effect.fn("ActiveTemplates.snapshot")(function* (branch: string | null) {
    const ref = branch ?? ""
    const working = yield* WorkingCommits
    const own = working === null ? undefined : ref === "" ? (working.templates ?? undefined) : working.branches[ref]
    const commit = working === null ? yield* repositories.commitOf("templates", ref) : Option.fromUndefinedOr(own)
    const cached = yield* remembered(ref, commit)
    if (cached !== undefined) return cached
    return yield* working === null ? newInForce(ref) : ofJob(ref, own)
  })

  const renderNamed = Effect.fn("ActiveTemplates.renderNamed")(function* (
    platform: string,
    file: FixedTemplate,
    variables: Readonly<Record<string, unknown>>
  ) {
    const task = yield* Effect.fromResult(fixedTask(yield* snapshot(null), platform, file, variables))
    return yield* (yield* renderer)(task)
  })

  return ActiveTemplates.of({ snapshot, renderNamed })
})

/** Templates by branch. */
export class ActiveTemplates extends Context.Service<
  ActiveTemplates,
  {
    /** The snapshot in force of a branch, or of the repository's own ref if it is null; within a job, that of the job. */
    readonly snapshot: (branch: string | null) => Effect.Effect<TemplateSnapshot, NoTemplates | SqlError.SqlError>
    /** One of the templates with fixed names, from the repository's own ref. */
    readonly renderNamed: (
      platform: string,
      file: FixedTemplate,
      variables: Readonly<Record<string, unknown>>
    ) => Effect.Effect<RenderedText, NoTemplates | RepoStructureError | TemplateError | SqlError.SqlError>
  }
>()("switchyard/templates/ActiveTemplates") {
  static readonly layer = Layer.effect(ActiveTemplates, make)
}
