/**
 * Proposals (docs/reviewing.md): a branch is proposed by a person or by an event of the forge, checked in the background, checked again
 * when it moves or another commit comes into force, and ended when it is merged, closed or removed. An event of the forge is a reason to
 * look: it changes a record only if it is newer than what is known, so a repeated one changes nothing.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { judgeApprovals } from "../../domain/access/ForgePeople.ts"
import { NO_EFFECTS } from "../../domain/CommitEffects.ts"
import { effectSentences } from "../../domain/words/EffectSentences.ts"
import type { ForgeEvent, ForgeReport } from "../../domain/ForgeEvents.ts"
import type { Proposal, ProposalState, WholeProposal } from "../../domain/Proposal.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { EventStore } from "../../store/EventStore.ts"
import { makeProposals, type ProposalNotFound, type Proposer, TooManyProposals } from "../../store/ProposalStore.ts"
import type { RepositoryName } from "../../store/RepositoryStore.ts"
import { RepositoryCopies } from "./CheckedCommit.ts"
import { repositoryOf } from "./Forge.ts"

/** What became of an event of the forge: why it changed nothing, or the proposal that it changed. */
export interface EventOutcome {
  readonly taken: boolean
  /** A sentence without a full stop. */
  readonly why: string
  readonly proposal: number | null
}

const ignored = (why: string, proposal: number | null = null): EventOutcome => ({ taken: false, why, proposal })
const taken = (why: string, proposal: number): EventOutcome => ({ taken: true, why, proposal })

type Requested = Extract<ForgeEvent, { readonly _tag: "Requested" }>
type Reviewed = Extract<ForgeEvent, { readonly _tag: "Reviewed" }>

const OLDER = "something newer is known already"

/** The end of a proposal. */
export interface ProposalEnd {
  readonly state: Exclude<ProposalState, "open">
  readonly by: string
  readonly why: string | null
  readonly mergedCommit?: string | null
}

/** Records of proposals with their events, for the service and for what works in the background. */
export const makeProposalRecords = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const store = yield* makeProposals
  const events = yield* EventStore

  const note = (
    action: string,
    proposal: Pick<Proposal, "branch" | "commit" | "id" | "repository" | "signature">,
    more: object = {}
  ) =>
    events.append({
      kind: "proposal",
      action,
      isAudit: action !== "checked" && action !== "renewed",
      data: {
        id: proposal.id,
        repository: proposal.repository,
        branch: proposal.branch,
        commit: proposal.commit,
        signature: proposal.signature,
        ...more
      }
    })

  /** Ends a proposal with its event; does nothing if it has ended before. */
  const end = Effect.fn("Proposals.end")(function* (proposal: Proposal, ended: ProposalEnd) {
    if (!(yield* store.end(proposal.id, ended))) return
    yield* note(ended.state, proposal, { by: ended.by, why: ended.why, merged_commit: ended.mergedCommit ?? null })
  }, sql.withTransaction)

  /** Asks for a check of what the branch is now. */
  const renew = Effect.fn("Proposals.renew")(function* (proposal: Proposal) {
    yield* store.renew(proposal.id)
    yield* note("renewed", proposal)
  }, sql.withTransaction)

  return { store, note, end, renew }
})

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const settings = yield* ServerConfig
  const copies = yield* RepositoryCopies
  const people = new Map(settings.FORGE_PEOPLE)
  const { end, note, renew, store } = yield* makeProposalRecords

  const open = Effect.fn("Proposals.open")(function* (repository: RepositoryName, branch: string, by: Proposer) {
    const { isNew, proposal } = yield* store.add(repository, branch, by)
    yield* isNew ? note("opened", proposal, { by: by.name }) : renew(proposal)
    return yield* Effect.orDie(store.find(proposal.id))
  }, sql.withTransaction)

  /** The persons who proposed it, by their names here. */
  const authorsOf = ({ committer, opened_by, opened_there }: Proposal): ReadonlyArray<string> => {
    const opener = opened_there ? people.get(opened_by.toLowerCase()) : opened_by
    return [opener, committer].filter((name) => name !== undefined && name !== null)
  }

  const approvals = Effect.fnUntraced(function* (proposal: Proposal) {
    return judgeApprovals(yield* store.approvals(proposal.id), {
      authors: authorsOf(proposal),
      commit: proposal.commit,
      people
    })
  })

  const whole = Effect.fn("Proposals.whole")(function* (id: number, person: string) {
    const proposal = yield* store.find(id)
    const checked = Option.getOrNull(yield* store.checked(id))
    const viewed = yield* store.viewed(id, person)
    const judged = yield* approvals(proposal)
    return {
      ...proposal,
      problems: checked?.problems ?? [],
      warnings: checked?.warnings ?? [],
      effects: checked?.effects ?? NO_EFFECTS,
      sentences: checked === null ? [] : effectSentences(checked.effects),
      groups: (checked?.groups ?? []).map((group) => ({ ...group, viewed: viewed.has(group.key) })),
      checks: checked?.checks ?? [],
      failures: checked?.failures ?? [],
      truncated: checked?.truncated ?? false,
      approvals: judged,
      approved_by: judged.filter(({ counts }) => counts).length
    } satisfies WholeProposal
  })

  /** The branch that is brought into force, as of the last fetch; none before the first. */
  const followed = (repository: RepositoryName) =>
    Effect.orElseSucceed(
      Effect.map(
        Effect.flatMap(copies.of(repository), ({ current }) => current),
        Option.map(({ name }) => name)
      ),
      () => Option.none<string>()
    )

  const pushed = Effect.fnUntraced(function* (
    repository: RepositoryName,
    { branch, commit, removed }: Extract<ForgeEvent, { readonly _tag: "Pushed" }>
  ) {
    const found = yield* store.openOf(repository, branch)
    if (Option.isNone(found)) return ignored(`no proposal of the branch ${branch} is open`)
    const proposal = found.value
    if (!removed && commit === proposal.commit) return ignored("this commit is known already", proposal.id)
    yield* renew(proposal)
    return taken("the branch is looked at again", proposal.id)
  })

  /** The open proposal of a request: the present one of its branch, or a new one, which takes the place of that of another request. */
  const proposalFor = Effect.fnUntraced(function* (repository: RepositoryName, event: Requested) {
    const { branch, by, number } = event
    const present = Option.getOrNull(yield* store.openOf(repository, branch))
    const isOther = present !== null && present.forge?.number != null && present.forge.number !== number
    if (present !== null && !isOther) return { proposal: present, isNew: false }
    if (present !== null) {
      yield* end(present, { state: "superseded", by, why: `request ${number} proposes the same branch` })
    }
    const added = yield* store.add(repository, branch, { name: by, isAtForge: true })
    yield* note("opened", added.proposal, { by, at_forge: true })
    if (present !== null) yield* store.supersede(present.id, added.proposal.id)
    return { proposal: added.proposal, isNew: true }
  })

  const requested = Effect.fnUntraced(function* (repository: RepositoryName, event: Requested) {
    const { at, by, commit, mergedCommit, number, state, target } = event
    const branch = yield* followed(repository)
    if (Option.isSome(branch) && branch.value !== target) {
      return ignored(`it is to be merged into ${target}, and ${branch.value} is brought into force`)
    }
    const known = Option.getOrNull(yield* store.byNumber(repository, number))
    if (known !== null && at !== null && !(yield* store.newer(known.id, at))) return ignored(OLDER, known.id)
    if (state !== "open") {
      if (known === null || known.state !== "open") return ignored("no proposal of this request is open", known?.id)
      const why = state === "closed" ? `request ${number} was closed without a merge` : null
      yield* end(known, { state, by, why, mergedCommit })
      return taken(`it was ${state}`, known.id)
    }
    const { isNew, proposal } = yield* proposalFor(repository, event)
    yield* store.atForge(proposal.id, event)
    if (at !== null) yield* store.newer(proposal.id, at)
    if (!isNew && (commit === null || commit !== proposal.commit)) yield* renew(proposal)
    return taken(isNew ? "it is checked" : "it is known", proposal.id)
  })

  const reviewed = Effect.fnUntraced(function* (repository: RepositoryName, event: Reviewed) {
    const { at, branch, by, commit, decision, number } = event
    const known = Option.orElse(yield* store.byNumber(repository, number), () => Option.none<Proposal>())
    const found = Option.isSome(known) ? known : yield* store.openOf(repository, branch)
    if (Option.isNone(found)) return ignored("no proposal of this request is known")
    const { id } = found.value
    if (at !== null && !(yield* store.newer(id, at))) return ignored(OLDER, id)
    yield* decision === "withdrawn" ? store.unsay(id, by) : store.say(id, { login: by, decision, commit, at })
    yield* note("reviewed", found.value, { login: by, decision, reviewed_commit: commit })
    return taken(`${by} ${decision === "withdrawn" ? "took back a review" : decision}`, id)
  })

  const changedBy = (repository: RepositoryName, event: ForgeEvent) => {
    switch (event._tag) {
      case "Pushed":
        return pushed(repository, event)
      case "Requested":
        return requested(repository, event)
      case "Reviewed":
        return reviewed(repository, event)
    }
  }

  const report = Effect.fn("Proposals.report")(function* (found: ForgeReport) {
    if ("ignored" in found) return ignored(found.ignored)
    const repository = repositoryOf(settings, found.project)
    if (repository === null) return ignored(`the project ${found.project} is neither the settings nor the templates`)
    return yield* sql
      .withTransaction(changedBy(repository, found.event))
      .pipe(Effect.catchTag("TooManyProposals", ({ message }) => Effect.succeed(ignored(message))))
  })

  return Proposals.of({
    open,
    whole,
    report,
    approvals,
    list: store.list,
    merged: store.merged,
    close: Effect.fn("Proposals.close")(function* (id: number, by: string) {
      const proposal = yield* store.find(id)
      yield* end(proposal, { state: "closed", by, why: "closed here" })
      return yield* store.find(id)
    }),
    mark: Effect.fn("Proposals.mark")(function* (
      id: number,
      person: string,
      keys: ReadonlyArray<string>,
      viewed: boolean
    ) {
      yield* store.find(id)
      yield* store.mark(id, person, keys, viewed)
      return yield* store.viewed(id, person)
    })
  })
})

/** Proposals for handlers. */
export class Proposals extends Context.Service<
  Proposals,
  {
    /** Proposes a branch; one that is proposed already is checked again. */
    readonly open: (
      repository: RepositoryName,
      branch: string,
      by: Proposer
    ) => Effect.Effect<Proposal, TooManyProposals | SqlError.SqlError>
    readonly list: (
      state?: ProposalState,
      repository?: RepositoryName
    ) => Effect.Effect<ReadonlyArray<Proposal>, SqlError.SqlError>
    /** A proposal with the result of its check, and the marks of a person. */
    readonly whole: (id: number, person: string) => Effect.Effect<WholeProposal, ProposalNotFound | SqlError.SqlError>
    /** Those that came into force, the newest first. */
    readonly merged: Effect.Effect<ReadonlyArray<Proposal>, SqlError.SqlError>
    /** What people said of it at the forge. */
    readonly approvals: (proposal: Proposal) => Effect.Effect<WholeProposal["approvals"], SqlError.SqlError>
    /** Ends it; nothing happens to the branch. */
    readonly close: (id: number, by: string) => Effect.Effect<Proposal, ProposalNotFound | SqlError.SqlError>
    /** Marks groups of differences as viewed; yields all marks of the person. */
    readonly mark: (
      id: number,
      person: string,
      keys: ReadonlyArray<string>,
      viewed: boolean
    ) => Effect.Effect<ReadonlySet<string>, ProposalNotFound | SqlError.SqlError>
    /** Acts on an event of the forge, whose sender was verified. */
    readonly report: (found: ForgeReport) => Effect.Effect<EventOutcome, SqlError.SqlError>
  }
>()("switchyard/jobs/Proposals") {
  static readonly layer = Layer.effect(Proposals, make).pipe(Layer.provide(RepositoryCopies.layer))
}
