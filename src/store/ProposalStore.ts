/**
 * Proposals (docs/reviewing.md), what people said about them at the forge, and the differences that a person has viewed. A check is claimed
 * for a short time that its server extends, so that another server takes it over from one that was killed; `round` counts the checks that
 * were asked for, and only the result of the newest one is kept.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { ReportedApproval } from "../domain/access/ForgePeople.ts"
import { CheckedBranch } from "../domain/CommitEffects.ts"
import { bounded, highestRiskOf, MOST_EARLIER, MOST_OPEN, Proposal, type ProposalState } from "../domain/Proposal.ts"
import type { RepositoryName } from "./RepositoryStore.ts"

/** No proposal has this id. */
export class ProposalNotFound extends Schema.TaggedError<ProposalNotFound>()("ProposalNotFound", {}) {
  override get message() {
    return "Proposal not found"
  }
  get httpStatus() {
    return 404 as const
  }
}

/** So many proposals are open that no further one is taken; closing one helps. */
export class TooManyProposals extends Schema.TaggedError<TooManyProposals>()("TooManyProposals", {}) {
  override get message() {
    return `${MOST_OPEN} proposals are open: close or merge one first`
  }
  get httpStatus() {
    return 409 as const
  }
}

/** The most proposals of a list. */
const MOST_LISTED = 200
/** Ended proposals beyond this number are removed, the oldest first, whatever their age. */
const MOST_KEPT = 2000
/** Attempts to tell the forge, after which it is told again only when the proposal changes. */
export const MOST_TRIES = 8

const readChecked = Schema.decodeUnknownOption(CheckedBranch)
/** What lists show of a check. */
const Brief = Schema.Struct({
  in_force: Schema.NullOr(Schema.String),
  devices: CheckedBranch.fields.devices,
  ways: Schema.Int,
  risk: Proposal.fields.risk,
  needs_confirmation: Schema.Boolean,
  signature: Proposal.fields.signature.pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))
})
const readBrief = Schema.decodeUnknownOption(Brief)

const briefOf = ({ devices, effects, groups, in_force, signature = null }: CheckedBranch): typeof Brief.Type => ({
  in_force,
  devices,
  ways: groups.length,
  risk: highestRiskOf(groups),
  needs_confirmation: effects.confirm.length > 0,
  signature
})

const NO_BRIEF: Pick<Proposal, keyof typeof Brief.Type> = {
  in_force: null,
  devices: null,
  ways: 0,
  risk: null,
  needs_confirmation: false,
  signature: null
}

interface Row extends Omit<Proposal, "forge" | keyof typeof Brief.Type> {
  readonly brief: unknown
  readonly forge_number: number | null
  readonly forge_url: string | null
  readonly told: string | null
  readonly tell_error: string | null
  readonly tries: number
}

const toProposal = ({ brief, forge_number, forge_url, tell_error, told, tries, ...row }: Row): Proposal => {
  const isAtForge = forge_number !== null || told !== null || tell_error !== null
  return {
    ...row,
    ...Option.getOrElse(readBrief(brief), () => NO_BRIEF),
    forge: isAtForge
      ? { number: forge_number, url: forge_url, told, error: tell_error, given_up: tries >= MOST_TRIES }
      : null
  }
}

const COLUMNS = `id, repository, branch, title, state, opened_by, opened_there, iso_time(opened_at) as opened_at, iso_time(ended_at) as ended_at,
  ended_by, why, merged_commit, superseded_by, commit, committer, iso_time(committed_at) as committed_at, earlier,
  check_state as check, error, iso_time(checked_at) as checked_at, forge_number, forge_url, told, tell_error, tries, brief`

/** Who proposed it: a person here, or a name at the forge. */
export interface Proposer {
  readonly name: string
  readonly isAtForge: boolean
}

/** A check that this server has claimed. */
export interface ClaimedCheck {
  readonly id: number
  readonly repository: RepositoryName
  readonly branch: string
  readonly round: number
}

/** What the forge tells about a request to merge. */
export interface AtForge {
  readonly number: number
  readonly url: string
  readonly title: string
}

/** A proposal to be told about at the forge. */
export interface DueWord {
  readonly proposal: Proposal
  readonly comment_id: string | null
  readonly told: string | null
  readonly tries: number
}

/** Statements about proposals. */
export const makeProposals = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const columns = sql.literal(COLUMNS)

  const select = (where: Statement.Fragment) =>
    Effect.map(sql<Row>`select ${columns} from proposal where ${where} order by id desc limit ${MOST_LISTED}`, (rows) =>
      rows.map(toProposal)
    )

  const find = Effect.fn("ProposalStore.find")(function* (id: number) {
    const [found] = yield* select(sql`id = ${id}`)
    return found ?? (yield* new ProposalNotFound())
  })

  const openOf = Effect.fn("ProposalStore.openOf")((repository: RepositoryName, branch: string) =>
    Effect.map(select(sql`state = 'open' and repository = ${repository} and branch = ${branch}`), ([found]) =>
      Option.fromUndefinedOr(found)
    )
  )

  /** Asks for a check: the result of an earlier one is not kept. */
  const renew = Effect.fn("ProposalStore.renew")((id: number) =>
    Effect.asVoid(
      sql`update proposal set round = round + 1, check_state = 'waiting', claimed_until = null, tries = 0, try_at = now()
        where id = ${id} and state = 'open'`
    )
  )

  return {
    find,
    openOf,
    renew,
    /** The newest proposals, of a state or a repository if one is given. */
    list: Effect.fn("ProposalStore.list")((state?: ProposalState, repository?: RepositoryName) =>
      select(
        sql`${state === undefined ? sql`true` : sql`state = ${state}`} and
          ${repository === undefined ? sql`true` : sql`repository = ${repository}`}`
      )
    ),
    open: Effect.withSpan(select(sql`state = 'open'`), "ProposalStore.open"),
    /** Proposals that came into force, the newest first. */
    merged: Effect.withSpan(select(sql`state = 'merged'`), "ProposalStore.merged"),
    /** Adds a proposal. In a transaction. */
    add: Effect.fn("ProposalStore.add")(function* (repository: RepositoryName, branch: string, by: Proposer) {
      // of two at once the second waits, and sees the first
      yield* sql`lock table proposal in share row exclusive mode`
      const known = yield* openOf(repository, branch)
      if (Option.isSome(known)) return { proposal: known.value, isNew: false }
      const [count] = yield* sql<{
        count: number
      }>`select count(*)::integer as count from proposal where state = 'open'`
      if ((count?.count ?? 0) >= MOST_OPEN) return yield* new TooManyProposals()
      const [row] = yield* sql<{ id: number }>`insert into proposal (repository, branch, opened_by, opened_there)
        values (${repository}, ${branch}, ${by.name}, ${by.isAtForge}) returning id`
      const { id } = yield* Effect.orDie(Effect.fromNullishOr(row))
      return { proposal: yield* Effect.orDie(find(id)), isNew: true }
    }),
    /** Records where it was made. */
    atForge: Effect.fn("ProposalStore.atForge")((id: number, { number, title, url }: AtForge) =>
      Effect.asVoid(
        sql`update proposal set forge_number = ${number}, forge_url = ${url}, title = ${title} where id = ${id}`
      )
    ),
    /** Records the time of an event; false for an event that is older than one that is known. */
    newer: Effect.fn("ProposalStore.newer")((id: number, at: string) =>
      Effect.map(
        sql<{ id: number }>`update proposal set forge_at = ${at}::timestamptz
          where id = ${id} and (forge_at is null or forge_at <= ${at}::timestamptz) returning id`,
        (rows) => rows.length > 0
      )
    ),
    /** The newest proposal with this number of a request, whatever its state. */
    byNumber: Effect.fn("ProposalStore.byNumber")((repository: RepositoryName, number: number) =>
      Effect.map(select(sql`repository = ${repository} and forge_number = ${number}`), ([found]) =>
        Option.fromUndefinedOr(found)
      )
    ),
    /** Ends an open proposal; false if it has ended before. */
    end: Effect.fn("ProposalStore.end")(
      (
        id: number,
        ended: {
          readonly state: Exclude<ProposalState, "open">
          readonly by: string
          readonly why: string | null
          readonly mergedCommit?: string | null
        }
      ) =>
        Effect.map(
          sql<{ id: number }>`update proposal set state = ${ended.state}, ended_at = now(), ended_by = ${ended.by},
              why = ${ended.why}, merged_commit = ${ended.mergedCommit ?? null}, claimed_until = null
            where id = ${id} and state = 'open' returning id`,
          (rows) => rows.length > 0
        )
    ),
    /** Names the proposal that took the place of another one. */
    supersede: Effect.fn("ProposalStore.supersede")((id: number, by: number) =>
      Effect.asVoid(sql`update proposal set superseded_by = ${by} where id = ${id}`)
    ),
    /** Claims the check that waits the longest; the claim ends by itself. */
    claim: Effect.fn("ProposalStore.claim")((server: string, seconds: number) =>
      Effect.map(
        sql<ClaimedCheck>`update proposal set check_state = 'checking', claimed_by = ${server},
            claimed_until = now() + make_interval(secs => ${seconds})
          where id = (select id from proposal where state = 'open' and check_state in ('waiting', 'checking')
              and (claimed_until is null or claimed_until < now())
            order by opened_at, id limit 1 for update skip locked)
          returning id, repository, branch, round`,
        ([row]) => Option.fromUndefinedOr(row)
      )
    ),
    /** Extends a claim; false if it is over, because the branch has moved or the proposal has ended. */
    extend: Effect.fn("ProposalStore.extend")((claimed: ClaimedCheck, server: string, seconds: number) =>
      Effect.map(
        sql<{ id: number }>`update proposal set claimed_until = now() + make_interval(secs => ${seconds})
          where id = ${claimed.id} and round = ${claimed.round} and claimed_by = ${server} and state = 'open' returning id`,
        (rows) => rows.length > 0
      )
    ),
    /** Keeps the result of a check; false if a newer one was asked for. */
    keep: Effect.fn("ProposalStore.keep")(({ id, round }: ClaimedCheck, checked: CheckedBranch) => {
      const kept = bounded(checked)
      return Effect.map(
        sql<{ id: number }>`update proposal set check_state = ${kept.accepted ? "accepted" : "refused"}, error = null,
            checked = ${sql.json(kept)}, brief = ${sql.json(briefOf(kept))}, checked_at = now(), claimed_until = null, tries = 0, try_at = now(),
            earlier = case when commit is not null and commit <> ${kept.commit} then jsonb_path_query_array(jsonb_build_array(
                jsonb_build_object('commit', commit, 'until', iso_time(now()))) || earlier, ${`$[0 to ${MOST_EARLIER - 1}]`}::jsonpath)
              else earlier end,
            commit = ${kept.commit}, committer = ${kept.committer}, committed_at = ${`${kept.at}Z`}::timestamptz
          where id = ${id} and round = ${round} and state = 'open' returning id`,
        (rows) => rows.length > 0
      )
    }),
    /** Records why it could not be checked. */
    fail: Effect.fn("ProposalStore.fail")(({ id, round }: ClaimedCheck, why: string) =>
      Effect.asVoid(
        sql`update proposal set check_state = 'failed', error = ${why}, checked_at = now(), claimed_until = null, tries = 0,
            try_at = now()
          where id = ${id} and round = ${round} and state = 'open'`
      )
    ),
    /** The result of the last check. */
    checked: Effect.fn("ProposalStore.checked")((id: number) =>
      Effect.map(sql<{ checked: unknown }>`select checked from proposal where id = ${id}`, ([row]) =>
        readChecked(row?.checked)
      )
    ),
    /** Proposals that the forge may have to be told about now. */
    dueWords: Effect.withSpan(
      Effect.map(
        sql<Row & { readonly comment_id: string | null }>`select ${columns}, comment_id from proposal
          where state = 'open' and commit is not null and tries < ${MOST_TRIES} and try_at <= now() order by id limit ${MOST_OPEN}`,
        (rows) =>
          rows.map(({ comment_id, ...row }): DueWord => ({
            proposal: toProposal(row),
            comment_id,
            told: row.told,
            tries: row.tries
          }))
      ),
      "ProposalStore.dueWords"
    ),
    /** Takes the next attempt, unless another server has taken it. */
    takeWord: Effect.fn("ProposalStore.takeWord")((id: number) =>
      Effect.map(
        sql<{ id: number }>`update proposal set try_at = now() + interval '2 minutes'
          where id = ${id} and try_at <= now() and tries < ${MOST_TRIES} returning id`,
        (rows) => rows.length > 0
      )
    ),
    /** The forge was told. */
    told: Effect.fn("ProposalStore.told")((id: number, told: string, commentId: string | null) =>
      Effect.asVoid(
        sql`update proposal set told = ${told}, tell_error = null, tries = 0, try_at = now(), comment_id = coalesce(${commentId}, comment_id)
          where id = ${id}`
      )
    ),
    /** The forge was not told; it is tried again after so many seconds. */
    notTold: Effect.fn("ProposalStore.notTold")((id: number, why: string, seconds: number) =>
      Effect.asVoid(
        sql`update proposal set tell_error = ${why}, tries = tries + 1, try_at = now() + make_interval(secs => ${seconds})
          where id = ${id}`
      )
    ),
    /** What people said at the forge, the oldest first. */
    approvals: Effect.fn("ProposalStore.approvals")(
      (id: number) => sql<ReportedApproval>`select login, decision, commit, iso_time(at) as at from proposal_approval
        where proposal_id = ${id} order by proposal_approval.at, login`
    ),
    /** Records what a person said there last. */
    say: Effect.fn("ProposalStore.say")(
      (id: number, { at, commit, decision, login }: Omit<ReportedApproval, "at"> & { readonly at: string | null }) =>
        Effect.asVoid(
          sql`insert into proposal_approval (proposal_id, login, decision, commit, at)
            values (${id}, ${login}, ${decision}, ${commit}, coalesce(${at}::timestamptz, now()))
            on conflict (proposal_id, login) do update set decision = excluded.decision, commit = excluded.commit, at = excluded.at`
        )
    ),
    /** A person has taken back what they said. */
    unsay: Effect.fn("ProposalStore.unsay")((id: number, login: string) =>
      Effect.asVoid(sql`delete from proposal_approval where proposal_id = ${id} and login = ${login}`)
    ),
    /** The keys of the groups that this person has marked. */
    viewed: Effect.fn("ProposalStore.viewed")((id: number, person: string) =>
      Effect.map(
        sql<{ key: string }>`select key from viewed_proposal where proposal_id = ${id} and person = ${person}`,
        (rows) => new Set(rows.map(({ key }) => key))
      )
    ),
    /** Marks groups, or takes the marks back. */
    mark: Effect.fn("ProposalStore.mark")(
      (id: number, person: string, keys: ReadonlyArray<string>, isViewed: boolean) =>
        Effect.asVoid(
          isViewed
            ? sql`insert into viewed_proposal (proposal_id, person, key)
                select ${id}, ${person}, key from unnest(${keys}::text[]) key on conflict do nothing`
            : sql`delete from viewed_proposal where proposal_id = ${id} and person = ${person} and key = any(${keys}::text[])`
        )
    ),
    /** Removes proposals that ended so many days ago (0: none because of their age), and those beyond a number. */
    forget: Effect.fn("ProposalStore.forget")(function* (days: number) {
      if (days > 0) yield* sql`delete from proposal where ended_at < now() - make_interval(days => ${days})`
      yield* sql`delete from proposal where id in (select id from proposal where state <> 'open' order by id desc offset ${MOST_KEPT})`
    })
  }
})
