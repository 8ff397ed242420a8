/** Whether every event still fits its seal: asked when the screen opens, and again on request. */
import { Button } from "@mantine/core"
import { IconRefresh, IconShieldCheck, IconShieldX } from "@tabler/icons-react"
import type { Data } from "../../../src/api/Calls.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { When } from "../../parts/When.tsx"

type Verdict = Data<"GET /audit/chain">

const Said = ({ verdict: { checked, checked_at, event_id, problem } }: { readonly verdict: Verdict }) => (
  <span role="status">
    {problem === null ? (
      <>
        <b>The audit is complete and unaltered.</b> {counted(checked, "event")} compared with their seals{" "}
        <When at={checked_at} />.
      </>
    ) : (
      <>
        <b>{event_id === null ? "The audit was altered." : `The audit was altered at event ${event_id}.`}</b> {problem};{" "}
        {counted(checked, "event")} before it fit their seals. Compared <When at={checked_at} />.
      </>
    )}
  </span>
)

export const Seals = () => {
  const { data, error, isFetching, refetch } = useAsk("GET /audit/chain", {}, { once: true })
  const verdict = data?.answer.data
  const isGood = verdict === undefined || verdict.problem === null
  return (
    <>
      <div className="seals" data-tone={verdict === undefined ? "quiet" : isGood ? "good" : "bad"}>
        {isGood ? (
          <IconShieldCheck size={18} stroke={1.75} aria-hidden />
        ) : (
          <IconShieldX size={18} stroke={1.75} aria-hidden />
        )}
        {verdict === undefined ? <span>Comparing every event with its seal …</span> : <Said verdict={verdict} />}
        <PlainLink to="/manual/security#audit">How this is proved</PlainLink>
        <Button
          size="xs"
          variant="default"
          loading={isFetching}
          leftSection={<IconRefresh size={14} stroke={1.75} />}
          onClick={() => void refetch()}
        >
          Check now
        </Button>
      </div>
      {error !== null && <Problem error={error} title="The seals could not be compared" />}
    </>
  )
}
