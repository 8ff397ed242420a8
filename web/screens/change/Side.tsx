/** Beside the differences: what was checked, who decides, and how it would roll out. */
import { IconClockHour4, IconShieldCheck } from "@tabler/icons-react"
import type { ReactNode } from "react"
import { decisionWords } from "../../../src/domain/words/ChangeWords.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { StatusWord, ToneIcon } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { useIdentity } from "../../app/useSession.ts"
import { type Approval, oneOf, type Scope } from "./about.ts"
import { type Check, checksInShort, expectedTime, planLines, wayBack } from "./checks.ts"

const Card = ({
  children,
  title,
  note
}: {
  readonly title: string
  readonly note?: ReactNode
  readonly children: ReactNode
}) => (
  <section className="review-card" aria-label={title}>
    <header className="review-card-head">
      <h2>{title}</h2>
      {note !== undefined && <span>{note}</span>}
    </header>
    <div className="review-card-body">{children}</div>
  </section>
)

export const CheckList = ({ checks }: { readonly checks: ReadonlyArray<Check> }) => (
  <ul className="review-checks" aria-label="What was checked">
    {checks.map(({ detail, text, tone }) => (
      <li key={`${text} ${detail}`}>
        <ToneIcon tone={tone} size={16} />
        <span>
          <span className="unseen">{tone === "good" ? "Passed: " : tone === "quiet" ? "" : "To note: "}</span>
          {text}
          <span className="review-line">{detail}</span>
        </span>
      </li>
    ))}
  </ul>
)

/** Who has asked, who may decide, and what was decided. */
const Approvers = ({ approval }: { readonly approval: Approval }) => {
  const me = useIdentity().data
  const { approvers, asked_at, asked_by, comment, decided_at, decided_by, decision, expires_at, is_yours, reason } =
    approval
  const named = approvers.map((name) => (name === me ? `${name} (you)` : name))
  return (
    <div className="review-approval">
      <p>
        <b>{is_yours ? "You" : asked_by}</b> asked, <When at={asked_at} />
      </p>
      {decision === null ? (
        <>
          <p>
            {is_yours ? (
              `Somebody else decides this: ${oneOf(approvers)}.`
            ) : (
              <>
                <b>{named.length === 0 ? "Somebody who may start such a job" : oneOf(named)}</b> may approve{" "}
                <StatusWord tone="wait">Waiting</StatusWord>
              </>
            )}
          </p>
          <p className="review-line">
            One approval is needed: {reason}. It expires <When at={expires_at} />.
          </p>
        </>
      ) : (
        <p>
          <StatusWord of={decisionWords} value={decision} /> {decided_by !== null && `by ${decided_by}`},{" "}
          <When at={decided_at} />
          {comment !== null && <span className="review-line">“{comment}”</span>}
        </p>
      )}
    </div>
  )
}

export const PlanCard = ({ plan }: { readonly plan: NonNullable<Scope["rollout"]> }) => (
  <>
    <ol className="review-plan">
      {planLines(plan).map(({ detail, text }) => (
        <li key={text}>
          {text}
          <span className="review-line">{detail}</span>
        </li>
      ))}
    </ol>
    <p className="review-note">
      <IconShieldCheck size={15} stroke={1.75} aria-hidden />
      <span>{wayBack(plan)}</span>
    </p>
    <p className="review-note">
      <IconClockHour4 size={15} stroke={1.75} aria-hidden />
      <span>
        Takes {expectedTime(plan.seconds)}.{plan.urgent && " Urgent: it does not wait for a running rollout."}
        {plan.emergency !== null && ` As an emergency: ${plan.emergency}.`}
        {plan.waits_for_window && " It waits for the maintenance window."}
      </span>
    </p>
  </>
)

interface Props {
  readonly checks: ReadonlyArray<Check>
  readonly scope: Scope
  readonly address: string
}

export const Side = ({ address, checks, scope: { approval, rollout } }: Props) => (
  <aside className="review-side" aria-label="Checks, approval and plan">
    <Card title="Checks" note={checksInShort(checks)}>
      <CheckList checks={checks} />
    </Card>
    {approval !== null && (
      <Card title="Approval">
        <Approvers approval={approval} />
      </Card>
    )}
    <Card title="Rollout plan">
      {rollout === null ? (
        <p>
          Not chosen yet. <PlainLink to={`${address}?tab=plan`}>Choose how to roll it out</PlainLink>
        </p>
      ) : (
        <PlanCard plan={rollout} />
      )}
    </Card>
  </aside>
)
