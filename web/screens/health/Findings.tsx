/** Things that are stuck or about to break: since when, why, the safe next step, and the repair, which asks first. */
import { Worded } from "../../parts/Worded.tsx"
import { findingLevelWords } from "../../../src/domain/words/ServerWords.ts"
import { Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import type { Data } from "../../../src/api/Calls.ts"
import { requestNamed } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { AskFirst } from "../../parts/AskFirst.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { When } from "../../parts/When.tsx"

type Finding = Data<"GET /system/findings">["findings"][number]

const EVERY = 30_000

const About = ({ finding: { about, kind } }: { readonly finding: Finding }) => {
  if (kind === "job") return <PlainLink to={`/job/${about.replace(/^job /, "")}`}>{about}</PlainLink>
  if (kind === "change" || kind === "device" || kind === "session" || kind === "certificate")
    return <PlainLink to={`/device/${encodeURIComponent(about)}`}>{about}</PlainLink>
  return <>{about}</>
}

const Repair = ({ repair }: { readonly repair: NonNullable<Finding["repair"]> }) => {
  const may = useMay()
  const client = useQueryClient()
  if (!may(repair.method, repair.path)) return null
  const act = async () => {
    await requestNamed(repair.method, repair.path, repair.body)
    await client.invalidateQueries({ queryKey: ["GET /system/findings"] })
  }
  return (
    <AskFirst label={repair.says} act={act}>
      {repair.method} {repair.path}
    </AskFirst>
  )
}

export const Findings = () => {
  const asked = useAsk("GET /system/findings", {}, { kinds: ["job", "change", "lock", "certificate"], every: EVERY })
  return (
    <Asked of={asked} what="what is stuck">
      {({ data: { findings } }) =>
        findings.length === 0 ? (
          <Empty>Nothing is stuck. Work that needs an operator to continue appears here, with what to do.</Empty>
        ) : (
          <SmallTable
            label="What is stuck"
            heads={["Level", "About", "What", "Since", "Next", "Repair"]}
            rows={findings}
            keyOf={({ about, kind, what }) => `${kind} ${about} ${what}`}
            cells={(finding) => [
              <Worded of={findingLevelWords} value={finding.level} />,
              <About finding={finding} />,
              <>
                {finding.what}
                <Text size="sm">{finding.why}</Text>
              </>,
              <When at={finding.since} never="" />,
              finding.next,
              finding.repair === null ? "" : <Repair repair={finding.repair} />
            ]}
          />
        )
      }
    </Asked>
  )
}
