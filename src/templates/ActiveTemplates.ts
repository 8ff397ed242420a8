/**
 * The templates that are in force: the last commit that passed its checks, and one per branch that a group asks for. Kept in
 * the database like the settings, compiled once per commit.
 */
import { Context, Effect, Layer, Option, Ref, Schema, Semaphore } from "effect"
import type { SqlError } from "effect/sql"
import { RepositoryStore } from "../store/RepositoryStore.ts"
import { compileAll } from "./Compilation.ts"
import { Renderer } from "./Renderer.ts"
import { type FixedTemplate, fixedTask, type Rendered } from "./Rendering.ts"
import type { RepoStructureError, TemplateError } from "./TemplateErrors.ts"
import { buildTemplateSnapshot, type TemplateSnapshot } from "./TemplateSnapshot.ts"

/** No templates have come into force yet, or none of the branch that was asked for. */
export class NoTemplates extends Schema.TaggedError<NoTemplates>()("NoTemplates", { branch: Schema.String }) {
  override get message() {
    return this.branch === ""
      ? "No templates are in force: the templates repository has not been read yet"
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

  const build = Effect.fnUntraced(function* (branch: string) {
    const applied = yield* repositories.find("templates", branch)
    if (Option.isNone(applied)) return yield* new NoTemplates({ branch })
    const { commit, files } = applied.value
    const previous = (yield* Ref.get(known)).get(branch)?.snapshot
    const snapshot = buildTemplateSnapshot({
      files: new Map(Object.entries(files)),
      root: "templates",
      ...(previous === undefined ? {} : { previous })
    })
    yield* compileAll(snapshot)
    yield* Ref.update(known, (all) => new Map(all).set(branch, { commit, snapshot }))
    return snapshot
  })

  const snapshot = Effect.fn("ActiveTemplates.snapshot")(function* (branch: string | null) {
    const ref = branch ?? ""
    const commit = yield* repositories.commitOf("templates", ref)
    const cached = (yield* Ref.get(known)).get(ref)
    if (cached !== undefined && Option.contains(commit, cached.commit)) return cached.snapshot
    return yield* one.withPermits(1)(build(ref))
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
    /** The snapshot in force of a branch, of the repository's own ref when it is null. */
    readonly snapshot: (branch: string | null) => Effect.Effect<TemplateSnapshot, NoTemplates | SqlError.SqlError>
    /** One of the templates with fixed names, from the repository's own ref. */
    readonly renderNamed: (
      platform: string,
      file: FixedTemplate,
      variables: Readonly<Record<string, unknown>>
    ) => Effect.Effect<Rendered, NoTemplates | RepoStructureError | TemplateError | SqlError.SqlError>
  }
>()("switchyard/templates/ActiveTemplates") {
  static readonly layer = Layer.effect(ActiveTemplates, make)
}
