/** What is stuck or about to break: since when, why, the safe next step, and the repair, which asks first. */
import { useQueryClient } from "@tanstack/react-query"
import type { Data } from "../../../src/api/Calls.ts"
import { findingLevelWords, findingWords } from "../../../src/domain/words/ServerWords.ts"
import { textOf, wordOf } from "../../../src/domain/words/Word.ts"
import { requestNamed } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Entries, Entry, Panel } from "../../parts/Panel.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { toast } from "../../parts/Toast.tsx"
import { When } from "../../parts/When.tsx"

type Finding = Data<"GET /system/findings">["findings"][number]

const EVERY = 30_000

const About = ({ finding: { about, kind } }: { readonly finding: Finding }) => {
  if (kind === "job") return <PlainLink to={`/job/${about.replace(/^job /, "")}`}>{about}</PlainLink>
  if (kind === "change" || kind === "device" || kind === "session" || (kind === "certificate" && about !== "TLS_CERT"))
    return <PlainLink to={`/device/${encodeURIComponent(about)}`}>{about}</PlainLink>
  return <>{about}</>
}

const Repair = ({ finding: { next, repair, what } }: { readonly finding: Finding }) => {
  const may = useMay()
  const client = useQueryClient()
  if (repair === null || !may(repair.method, repair.path)) return null
  const act = async () => {
    await requestNamed(repair.method, repair.path, repair.body)
    await client.invalidateQueries({ queryKey: ["GET /system/findings"] })
    toast({ title: `Done: ${repair.says}`, text: what })
  }
  return (
    <Confirm label={`${repair.says}…`} question={`${repair.says}?`} verb={repair.says} size="xs" act={act}>
      {what}. {next}
    </Confirm>
  )
}

/** The findings, asked once for all who show them. */
export const useFindings = () => {
  const may = useMay()
  return useAsk(
    "GET /system/findings",
    {},
    {
      kinds: ["job", "change", "lock", "certificate", "repository"],
      every: EVERY,
      enabled: may("GET", "/system/findings")
    }
  )
}

export const Findings = () => {
  const may = useMay()
  const asked = useFindings()
  if (!may("GET", "/system/findings") || asked.data?.answer.data.findings.length === 0) return null
  return (
    <Panel title="Worth doing" count={asked.data?.answer.data.findings.length ?? 0} aside="each with its next step">
      <Asked of={asked} what="the findings">
        {({ data: { findings } }) => (
          <Entries label="Findings">
            {findings.map((finding) => (
              <Entry
                key={`${finding.kind} ${finding.about} ${finding.what}`}
                tone={wordOf(findingLevelWords, finding.level).tone}
                title={finding.what}
                time={finding.since === null ? textOf(findingLevelWords, finding.level) : <When at={finding.since} />}
                actions={<Repair finding={finding} />}
              >
                <div>{finding.why}</div>
                <div>
                  {textOf(findingWords, finding.kind)}: <About finding={finding} />. {finding.next}
                </div>
              </Entry>
            ))}
          </Entries>
        )}
      </Asked>
    </Panel>
  )
}
