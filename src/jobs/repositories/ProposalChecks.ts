/**
 * What works on proposals in the background (docs/reviewing.md): checks one branch at a time, looks whether branches have moved or come into
 * force, and tells the forge. A check is claimed for a minute that is extended while it runs: another server takes it over from one
 * that was killed. A check of a branch that has moved meanwhile is stopped.
 */
import { Clock, Effect, Layer, Option, Schedule } from "effect"
import { randomUUID } from "node:crypto"
import { wouldBeMade } from "../../domain/checks/CheckSentences.ts"
import { effectSentences } from "../../domain/words/EffectSentences.ts"
import type { Proposal } from "../../domain/Proposal.ts"
import { commentFor, summaryOf, wordFor } from "../../domain/words/ProposalSentences.ts"
import type { GitRepository } from "../../git/GitRepository.ts"
import { ServerConfig } from "../../ServerConfig.ts"
import { waitingForDatabase } from "../../store/DatabaseClient.ts"
import type { ClaimedCheck, DueWord } from "../../store/ProposalStore.ts"
import { type RepositoryName, RepositoryStore } from "../../store/RepositoryStore.ts"
import { RepositoryCopies } from "./CheckedCommit.ts"
import { makeForge } from "./Forge.ts"
import { makeProposalRecords } from "./Proposals.ts"
import { RepositoryUpdate } from "./RepositoryUpdate.ts"

const INTERVAL = "1 second"
const CLAIM_SECONDS = 60
const EXTEND_EVERY = "10 seconds"
/** Before the second attempt to tell the forge; each further one waits twice as long. */
const FIRST_PAUSE = 5
const LONGEST_PAUSE = 1800

const SERVER = "switchyard"

const logged = (sentence: string) => Effect.catchCause((cause) => Effect.logWarning(sentence, cause))

/** Why a proposal ends whose branch is not there; `commit` is null when it was never seen. */
const whyWithoutBranch = ({ commit }: Proposal): string =>
  commit === null
    ? "the repository has no such branch"
    : "the branch was removed, and what is in force does not contain it"

/** Checks the proposals that wait, one after the other. */
const makeChecks = Effect.gen(function* () {
  const updates = yield* RepositoryUpdate
  const { end, note, store } = yield* makeProposalRecords
  const server = randomUUID()

  const checkNow = Effect.fn("ProposalChecks.check")(
    function* (claimed: ClaimedCheck) {
      const checked = yield* updates.checkProposal(claimed.repository, claimed.branch)
      if (!(yield* store.keep(claimed, checked))) return
      const proposal = yield* store.find(claimed.id)
      yield* note("checked", proposal, { summary: summaryOf(proposal), check: proposal.check })
    },
    (work, claimed) =>
      work.pipe(
        Effect.catchTags({
          BranchUnknown: () =>
            Effect.gen(function* () {
              const proposal = yield* store.find(claimed.id)
              yield* end(proposal, { state: "closed", by: SERVER, why: whyWithoutBranch(proposal) })
            }),
          BranchUnreadable: ({ message }) =>
            Effect.gen(function* () {
              yield* store.fail(claimed, message)
              yield* note("checked", yield* store.find(claimed.id), { summary: message, check: "failed" })
            })
        }),
        // removed while it was checked
        Effect.catchTag("ProposalNotFound", () => Effect.void)
      )
  )

  /** Ends when the claim is over. */
  const claiming = Effect.fnUntraced(function* (claimed: ClaimedCheck) {
    for (;;) {
      yield* Effect.sleep(EXTEND_EVERY)
      if (!(yield* store.extend(claimed, server, CLAIM_SECONDS))) return
    }
  })

  return Effect.gen(function* () {
    for (;;) {
      const claimed = yield* store.claim(server, CLAIM_SECONDS)
      if (Option.isNone(claimed)) return
      yield* Effect.raceFirst(checkNow(claimed.value), claiming(claimed.value)).pipe(
        Effect.catchDefect((defect) =>
          Effect.andThen(
            Effect.logError("A proposal could not be checked", defect),
            store.fail(claimed.value, "the server has failed: its log says why")
          )
        )
      )
    }
  })
})

/** Looks at the branches of open proposals. */
const makeLooks = Effect.gen(function* () {
  const { PROPOSAL_POLL } = yield* ServerConfig
  const repositories = yield* RepositoryStore
  const copies = yield* RepositoryCopies
  const { end, renew, store } = yield* makeProposalRecords

  const isInForce = (copy: GitRepository, commit: string, inForce: string | null) =>
    inForce === null ? Effect.succeed(false) : copy.contains(inForce, commit)

  /** `isFetched`: git has answered just now, so a check that failed may succeed. */
  const lookAt = Effect.fnUntraced(function* (
    copy: GitRepository,
    inForce: string | null,
    proposal: Proposal,
    isFetched: boolean
  ) {
    const now = yield* Effect.option(copy.resolve(proposal.branch))
    const commit = Option.getOrElse(now, () => proposal.commit)
    if (commit !== null && proposal.commit !== null && (yield* isInForce(copy, commit, inForce))) {
      return yield* end(proposal, { state: "merged", by: SERVER, why: null })
    }
    if (Option.isNone(now)) {
      return yield* end(proposal, { state: "closed", by: SERVER, why: whyWithoutBranch(proposal) })
    }
    const isNewest = now.value === proposal.commit && inForce === proposal.in_force
    const isEnded = proposal.check === "accepted" || proposal.check === "refused"
    if ((isEnded && !isNewest) || (isFetched && proposal.check === "failed")) yield* renew(proposal)
  })

  const lookIn = Effect.fnUntraced(
    function* (name: RepositoryName, proposals: ReadonlyArray<Proposal>, fetches: boolean) {
      const copy = yield* copies.of(name)
      if (fetches) yield* copy.refresh
      const inForce = Option.getOrNull(yield* repositories.commitOf(name, ""))
      for (const proposal of proposals) yield* lookAt(copy, inForce, proposal, fetches)
    },
    // the next look tries again
    Effect.catchTags({
      GitFailed: ({ message }) => Effect.logWarning(`Branches of proposals cannot be looked at: ${message}`),
      GitRefNotFound: ({ message }) => Effect.logWarning(`Branches of proposals cannot be looked at: ${message}`),
      GitAddressInvalid: () => Effect.void,
      RefreshRefused: () => Effect.void
    })
  )

  let lastLook = Number.NEGATIVE_INFINITY
  let lastInForce = ""
  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const inForce = yield* repositories.inForce
    const isTime = PROPOSAL_POLL > 0 && now - lastLook >= PROPOSAL_POLL * 1000
    if (!isTime && inForce === lastInForce) return
    if (isTime) lastLook = now
    const open = yield* store.open
    for (const [name, some] of Map.groupBy(open, ({ repository }) => repository)) yield* lookIn(name, some, isTime)
    lastInForce = inForce
  })
})

/** Tells the forge about proposals; null if there is none to tell. */
const makeWords = Effect.gen(function* () {
  const { PAGE_URL } = yield* ServerConfig
  const forge = yield* makeForge
  const { store } = yield* makeProposalRecords
  if (forge === null) return null
  const addressOf = (id: number): string | null =>
    Option.getOrNull(Option.map(PAGE_URL, (url) => `${url.replace(/\/+$/, "")}/ui/proposal/${id}`))

  const tell = Effect.fn("ProposalChecks.tell")(function* ({ comment_id, proposal, told, tries }: DueWord) {
    const word = wordFor(proposal)
    if (word === null) return
    const said = `${word.commit} ${word.state}: ${word.description}`
    if (said === told || !(yield* store.takeWord(proposal.id))) return
    const url = addressOf(proposal.id)
    const number = proposal.forge?.number ?? null
    yield* Effect.gen(function* () {
      yield* forge.state({ repository: proposal.repository, branch: proposal.branch, word, url })
      if (number === null || word.state === "pending") return yield* store.told(proposal.id, said, null)
      const sentences = Option.match(yield* store.checked(proposal.id), {
        onNone: () => [],
        onSome: ({ checks = [], effects }) => [...effectSentences(effects), ...checks.map(wouldBeMade)]
      })
      const text = commentFor(proposal, sentences, url)
      const comment = yield* forge.comment(proposal.repository, number, text, comment_id)
      yield* store.told(proposal.id, said, comment)
    }).pipe(
      Effect.catchTag("ForgeRefused", ({ message }) =>
        Effect.andThen(
          Effect.logWarning("The forge was not told about a proposal", { proposal: proposal.id, message }),
          store.notTold(proposal.id, message, Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries))
        )
      )
    )
  })

  return Effect.gen(function* () {
    for (const due of yield* store.dueWords) yield* tell(due)
  })
})

const repeated = <E, R>(sentence: string, work: Effect.Effect<void, E, R>) =>
  waitingForDatabase(work).pipe(logged(sentence), Effect.repeat(Schedule.spaced(INTERVAL)), Effect.forkScoped)

/** Works until the server stops. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* repeated("Proposals could not be checked", yield* makeChecks)
    yield* repeated("Branches of proposals could not be looked at", yield* makeLooks)
    const words = yield* makeWords
    if (words !== null) yield* repeated("The forge could not be told about proposals", words)
  })
)
