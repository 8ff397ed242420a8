/**
 * A proposal: what a branch would change on every switch, before it is merged. It is checked again when the branch moves, and is told at the
 * forge where it was made.
 */
import { Alert, Button } from "@mantine/core"
import { Signer } from "../../parts/SignedBy.tsx"
import type { Data } from "../../../src/api/Calls.ts"
import { summaryOf } from "../../../src/domain/words/ProposalSentences.ts"
import { decisionWords, proposalCheckWords, proposalWords, riskWord } from "../../../src/domain/words/ChangeWords.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { request } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { usePart } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { PlannedCheck } from "../../parts/Checks.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { KeyValues } from "../../parts/KeyValues.tsx"
import { PageHead } from "../../parts/PageHead.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { useAct } from "../../parts/useAct.ts"
import { When } from "../../parts/When.tsx"
import "../change/change.css"
import { DiffGroup, SwitchNames } from "../change/DiffGroup.tsx"
import { useViewed } from "../change/useViewed.ts"
import { BranchProblems, BranchWarnings } from "../repository/BranchRemarks.tsx"

type Whole = Data<"GET /proposals/:id">["proposal"]

const MOST_SENTENCES = 100

const Facts = ({ proposal }: { readonly proposal: Whole }) => {
  const { branch, commit, committed_at, committer, opened_at, opened_by, opened_there, repository, signature } =
    proposal
  return (
    <>
      <b>{opened_by}</b>
      {opened_there && " (at the forge)"} proposes the branch <code>{branch}</code> of the {repository},{" "}
      <When at={opened_at} />
      {commit !== null && (
        <>
          {" · commit "}
          <code>{commit.slice(0, 7)}</code> by {committer}, <When at={committed_at} />
          <Signer signature={signature} />
        </>
      )}
    </>
  )
}

const Ended = ({ proposal: { ended_at, ended_by, state, superseded_by, why } }: { readonly proposal: Whole }) => {
  if (state === "open") return null
  return (
    <Alert color="blue" variant="light" role="status" mb="sm">
      {proposalWords[state].text} by {ended_by === "switchyard" ? "Switchyard" : ended_by}, <When at={ended_at} />
      {why !== null && `: ${why}`}.
      {superseded_by !== null && (
        <>
          {" "}
          <PlainLink to={`/proposal/${superseded_by}`}>Open the other proposal</PlainLink>
        </>
      )}
    </Alert>
  )
}

const Meaning = ({ proposal: { effects, sentences } }: { readonly proposal: Whole }) => {
  if (sentences.length === 0 && effects.confirm.length === 0) return null
  return (
    <section className="review-card" aria-label="Effects">
      <header className="review-card-head">
        <h2>Effects</h2>
      </header>
      <div className="review-card-body">
        {effects.confirm.length > 0 && (
          <Alert variant="outline" color="orange" title="A person must confirm this when it is fetched" mb="xs">
            <ul>
              {effects.confirm.map((reason) => (
                <li key={reason}>{reason}</li>
              ))}
            </ul>
          </Alert>
        )}
        <ul>
          {sentences.slice(0, MOST_SENTENCES).map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
          {sentences.length > MOST_SENTENCES && <li>and {sentences.length - MOST_SENTENCES} more</li>}
        </ul>
      </div>
    </section>
  )
}

const Checks = ({ checks }: Pick<Whole, "checks">) =>
  checks.length > 0 && (
    <section className="review-card" aria-label="Checks">
      <header className="review-card-head">
        <h2>Checks that a rollout would make</h2>
      </header>
      {checks.map((check) => (
        <PlannedCheck key={check.name} check={check} />
      ))}
    </section>
  )

const AtForge = ({ proposal: { approvals, approved_by, forge } }: { readonly proposal: Whole }) => {
  if (forge === null && approvals.length === 0) return null
  return (
    <section className="review-card" aria-label="At the forge">
      <header className="review-card-head">
        <h2>At the forge</h2>
        {forge?.url != null && /^https?:/.test(forge.url) && (
          <a href={forge.url} rel="noreferrer" target="_blank">
            {forge.number === null ? "Open it there" : `Request ${forge.number}`}
          </a>
        )}
      </header>
      <div className="review-card-body">
        {forge !== null &&
          (forge.error === null ? (
            <p>
              {forge.told === null ? (
                <StatusWord tone="quiet">Nothing was said there yet</StatusWord>
              ) : (
                <StatusWord tone="good">{`Said there: ${forge.told.replace(/^\S+ \S+: /, "")}`}</StatusWord>
              )}
            </p>
          ) : (
            <p>
              <StatusWord tone="warn">Could not be said there</StatusWord>
              <span className="review-line">
                {forge.error}. {forge.given_up ? "It is tried again when the branch moves." : "It is tried again."}
              </span>
            </p>
          ))}
        {approvals.map(({ at, counts, decision, login, person, why_not }) => (
          <p key={login}>
            <StatusWord of={decisionWords} value={decision} /> by <b>{login}</b>
            {person !== null && person !== login && ` (${person})`}, <When at={at} />
            {!counts && <span className="review-line">Does not count: {why_not}.</span>}
          </p>
        ))}
        {approvals.length > 0 && (
          <p className="review-line">
            {counted(approved_by, "other person has", "other people have")} approved it there. A rollout has its own
            approval here.
          </p>
        )}
      </div>
    </section>
  )
}

const Side = ({ proposal }: { readonly proposal: Whole }) => {
  const { checked_at, devices, earlier, in_force, risk, ways } = proposal
  return (
    <aside className="review-side">
      <section className="review-card" aria-label="Scope">
        <header className="review-card-head">
          <h2>Scope</h2>
        </header>
        <div className="review-card-body">
          <KeyValues
            label="Scope"
            side
            items={[
              { key: "Concerned", value: devices === null ? null : switches(devices.concerned) },
              { key: "Would change", value: devices === null ? null : switches(devices.changed) },
              { key: "Ways", value: ways },
              {
                key: "Risk",
                value: risk === null ? null : <StatusWord word={riskWord(risk)} raw={risk.level} />
              },
              { key: "Checked", value: <When at={checked_at} /> },
              {
                key: "Against",
                value: in_force === null ? null : <code>{in_force.slice(0, 7)}</code>,
                copy: in_force ?? undefined
              }
            ]}
          />
          {earlier.length > 0 && (
            <p className="review-line">
              {counted(earlier.length, "earlier commit")} of the branch: only the newest counts.
            </p>
          )}
        </div>
      </section>
      <AtForge proposal={proposal} />
    </aside>
  )
}

const Differences = ({ proposal }: { readonly proposal: Whole }) => {
  const { check, failures, groups, id, problems, truncated, warnings } = proposal
  const marks = useViewed("proposal", id, groups)
  return (
    <div className="review-main">
      <BranchProblems problems={problems} />
      <Meaning proposal={proposal} />
      <Checks checks={proposal.checks} />
      {marks.error !== null && <Problem error={marks.error} title="The mark was not kept" />}
      {groups.length > 0 && (
        <div className="review-bar">
          <span className="review-viewed" role="status">
            {marks.count} of {groups.length} viewed
            <progress max={groups.length} value={marks.count} aria-hidden />
          </span>
        </div>
      )}
      {groups.map((group) => (
        <DiffGroup
          key={group.key}
          file={`proposal-${id}`}
          names={<SwitchNames names={group.hostnames} />}
          group={group}
          search=""
          isViewed={marks.isViewed(group)}
          touchesUplinks={false}
          mark={() => void marks.mark(group)}
        />
      ))}
      {check === "accepted" && groups.length === 0 && failures.length === 0 && (
        <Empty title="No switch would get another configuration">The branch can be merged without a rollout.</Empty>
      )}
      <BranchWarnings failures={failures} warnings={warnings} />
      {truncated && <p>The list is incomplete: there is more than fits here.</p>}
    </div>
  )
}

const Shown = ({ proposal }: { readonly proposal: Whole }) => {
  const may = useMay()
  const { branch, check, id, repository, state, title } = proposal
  const { busy, error, run } = useAct()
  const again = () => run(() => request("POST /proposals", { body: { repository, branch } }))
  const close = () => run(() => request("DELETE /proposals/:id", { params: { id } }))
  const isOpen = state === "open"
  return (
    <>
      <PageHead
        title={title ?? `Proposal of ${branch}`}
        crumbs={[{ label: "Proposals", to: "/repository?tab=proposals" }]}
        badges={
          <>
            <span className="review-number">#{id}</span>
            <StatusBadge word={proposalWords[state]} raw={state} />
            <StatusBadge word={proposalCheckWords[check]} raw={check} />
          </>
        }
        facts={<Facts proposal={proposal} />}
        actions={
          isOpen ? (
            <>
              {may("POST", "/proposals") && (
                <Button variant="default" loading={busy} onClick={() => void again()}>
                  Check again
                </Button>
              )}
              {may("DELETE", `/proposals/${id}`) && (
                <Button variant="default" loading={busy} onClick={() => void close()}>
                  Close
                </Button>
              )}
            </>
          ) : undefined
        }
      />
      {error !== null && <Problem error={error} title="The proposal was not changed" />}
      <Ended proposal={proposal} />
      <p role="status">{summaryOf(proposal)}.</p>
      <div className="review">
        <Differences proposal={proposal} />
        <Side proposal={proposal} />
      </div>
    </>
  )
}

export default function Proposal() {
  const id = usePart("id")
  const asked = useAsk("GET /proposals/:id", { params: { id } }, { keep: true, kinds: ["proposal"] })
  return (
    <Asked of={asked} what="the proposal">
      {({ data: { proposal } }) => <Shown key={proposal.id} proposal={proposal} />}
    </Asked>
  )
}
