/** The configuration of the newest job, and next to each line the job that added it: user, time and commit. */
import type { CommitSignature } from "../../../src/domain/CommitSignature.ts"
import { signedAfter } from "../../../src/domain/words/ServerWords.ts"
import { Text, UnstyledButton } from "@mantine/core"
import { useWords } from "../../app/useAddress.ts"
import { useAsk } from "../../api/useAsk.ts"
import { LineOrigin } from "./LineOrigin.tsx"
import { Asked } from "../../parts/Asked.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { type Column, DataTable } from "../../parts/DataTable.tsx"
import { When } from "../../parts/When.tsx"

const short = (commit: string | null): string => (commit === null ? "" : commit.slice(0, 8))

const whole = (commit: string | null = null, signature: CommitSignature | null = null): string =>
  commit === null ? "none" : `${commit}${signedAfter(" ", signature)}`

export const Blame = ({ hostname }: { readonly hostname: string }) => {
  const [{ line }, change] = useWords()
  const chosen = line !== undefined && /^[1-9]\d{0,5}$/.test(line) ? Number(line) : null
  const asked = useAsk("GET /device/:hostname/config_blame", { params: { hostname } }, { kinds: ["job"] })
  return (
    <Asked of={asked} what={`who brought each line of ${hostname}`}>
      {({ data: { has_older, jobs, lines } }) => {
        const jobOf = new Map(jobs.map((job) => [job.job_id, job]))
        const columns: ReadonlyArray<Column<number>> = [
          { key: "line", head: "Line", width: 60, cell: (row) => row + 1 },
          {
            key: "job",
            head: "Job",
            width: 70,
            cell: (row) => {
              const id = lines[row]?.job_id
              return id === undefined ? "" : <PlainLink to={`/job/${id}`}>{id}</PlainLink>
            }
          },
          {
            key: "by",
            head: "Made by",
            width: 110,
            cell: (row) => jobOf.get(lines[row]?.job_id ?? 0)?.made_by ?? ""
          },
          {
            key: "found_by",
            head: "Brought by",
            width: 110,
            cell: (row) => jobOf.get(lines[row]?.job_id ?? 0)?.found_by ?? ""
          },
          {
            key: "at",
            head: "When",
            width: 190,
            cell: (row) => <When at={jobOf.get(lines[row]?.job_id ?? 0)?.finish_time} />
          },
          {
            key: "commits",
            head: "Settings, templates",
            width: 180,
            cell: (row) => {
              const job = jobOf.get(lines[row]?.job_id ?? 0)
              return (
                <code
                  title={`settings ${whole(job?.settings_commit, job?.settings_signature)}, templates ${whole(job?.templates_commit, job?.templates_signature)}`}
                >
                  {short(job?.settings_commit ?? null)} {short(job?.templates_commit ?? null)}
                </code>
              )
            }
          },
          {
            key: "text",
            head: "Configuration",
            width: 520,
            cell: (row) => (
              <UnstyledButton aria-pressed={chosen === row + 1} onClick={() => change({ line: String(row + 1) })}>
                <code className="blamed">{lines[row]?.text}</code>
              </UnstyledButton>
            )
          }
        ]
        return (
          <>
            {has_older && (
              <Text size="sm">Only the newest 50 jobs were searched: lines of the oldest may be older.</Text>
            )}
            <DataTable
              label="Who brought each line"
              columns={columns}
              count={lines.length}
              rowAt={(row) => row}
              keyOf={(row) => row}
              open={(row) => change({ line: String(row + 1) })}
              height={chosen === null ? "60dvh" : "40dvh"}
            />
            {chosen === null ? (
              <Text size="sm">Choose a line to see the template and the settings that it comes from.</Text>
            ) : (
              <LineOrigin hostname={hostname} line={chosen} />
            )}
          </>
        )
      }}
    </Asked>
  )
}
