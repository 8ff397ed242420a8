/**
 * The author's loop: commits and their fate, the file with its findings at the lines, and what a branch would do. What is chosen stands in the
 * address. Nothing comes into force here but by Fetch.
 */
import { Alert, Checkbox, List } from "@mantine/core"
import { IconAlertTriangle } from "@tabler/icons-react"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { When } from "../../parts/When.tsx"
import { BranchCard } from "./BranchCard.tsx"
import { CommitFile } from "./CommitFile.tsx"
import { CommitList } from "./CommitList.tsx"
import { Effects } from "./Effects.tsx"
import { type Finding, findingsOf } from "./findings.ts"
import { SignedBy } from "../../parts/SignedBy.tsx"
import { NotSet } from "./NotSet.tsx"
import { type RepositoryName, useRepository, WhichRepository } from "./WhichRepository.tsx"

type Commit = Data<"GET /repository/:name/commits">["commits"][number]

const short = (commit: string | null): string => (commit === null ? "nothing" : commit.slice(0, 7))

/** What is in force, in one sentence; a refused or waiting commit first. */
const Standing = ({
  commits,
  inForce
}: {
  readonly commits: ReadonlyArray<Commit>
  readonly inForce: string | null
}) => {
  const [newest] = commits
  const present = commits.find(({ commit }) => commit === inForce)
  if (newest?.state === "refused") {
    const count = newest.refusal?.problems.length ?? 0
    return (
      <Alert color="red" variant="light" role="alert" icon={<IconAlertTriangle size={16} stroke={1.75} />}>
        <b>The newest commit is not in force.</b> {short(newest.commit)} was refused because of{" "}
        {counted(count, "mistake")}; {inForce === null ? "no commit is in force" : `${short(inForce)} stays in force`},
        no switch is affected.
      </Alert>
    )
  }
  if (newest?.state === "not_applied") {
    return (
      <Alert color="yellow" variant="light" role="status">
        <b>Newer commits are not in force yet.</b> Fetch now to check them.
      </Alert>
    )
  }
  return present === undefined ? null : (
    <p className="repo-standing">
      In force: <b>{present.subject}</b> <code>{short(present.commit)}</code> by {present.author},{" "}
      <When at={present.at} /> <SignedBy signature={present.signature} />
    </p>
  )
}

/** A commit that removes too much: its effects, and the button that brings it into force in spite of them. */
const WaitingCommit = ({ name }: { readonly name: RepositoryName }) => {
  const client = useQueryClient()
  const may = useMay()
  const [renamePorts, setRenamePorts] = useState(false)
  const asked = useAsk("GET /repository/:name", { params: { name } }, { kinds: ["repository"] })
  const waiting = asked.data?.answer.waiting ?? null
  if (waiting === null) return null
  const { at, by, commit, effects } = waiting
  const isRename = effects.vlans.some(({ change, ports }) => change === "renamed" && ports > 0)
  const confirm = async () => {
    const wishes = isRename && renamePorts ? { rename_ports: true } : {}
    await ask("PUT /repository/:name", { params: { name }, body: { action: "REFRESH", confirm: commit, ...wishes } })
    await client.invalidateQueries()
  }
  return (
    <section className="review-card review-card-body" aria-label="Commit that waits for a confirmation">
      <h2>{short(commit)} waits for a confirmation</h2>
      <p>
        Looked at for {by}, <When at={at} />. It removes so much that it must be confirmed. The commit before it stays
        in force.
      </p>
      <Effects effects={effects} of={`commit ${short(commit)}`} />
      {may("PUT", `/repository/${name}`) && (
        <Confirm
          label={`Bring ${short(commit)} into force…`}
          question={`Bring ${short(commit)} into force?`}
          verb="Bring into force"
          danger
          act={confirm}
        >
          <List size="sm">
            {effects.confirm.map((reason) => (
              <List.Item key={reason}>{reason}</List.Item>
            ))}
          </List>
          {isRename && (
            <Checkbox
              label="Give ports that name a renamed VLAN its new name"
              checked={renamePorts}
              onChange={({ currentTarget: { checked } }) => setRenamePorts(checked)}
            />
          )}
        </Confirm>
      )}
    </section>
  )
}

/** The findings of the chosen commit: its refusal, or the warnings of the one in force. */
const useFindings = (
  name: RepositoryName,
  chosen: Commit | undefined,
  inForce: string | null
): ReadonlyArray<Finding> => {
  const present = useAsk("GET /repository/:name/problems", { params: { name } }, { kinds: ["repository"] }).data?.answer
    .data
  if (chosen?.refusal != null) return findingsOf(chosen.refusal.problems, [])
  if (chosen !== undefined && chosen.commit !== inForce) return []
  const isOwn = present?.commit === inForce
  return present === undefined || !isOwn ? [] : findingsOf([], present.warnings)
}

const Loop = ({
  commits,
  inForce,
  name
}: {
  readonly commits: ReadonlyArray<Commit>
  readonly inForce: string | null
  readonly name: RepositoryName
}) => {
  const [words] = useWords()
  const may = useMay()
  const chosen = commits.find(({ commit }) => commit === words["commit"]) ?? commits[0]
  const findings = useFindings(name, chosen, inForce)
  const [first] = findings
  const path = words["path"] ?? first?.file ?? ""
  return (
    <div className="repo-loop">
      <div className="repo-side">
        <WhichRepository />
        <CommitList commits={commits} chosen={chosen?.commit} findings={findings} path={path} />
      </div>
      <div className="repo-side">
        {chosen !== undefined && (
          <CommitFile
            name={name}
            commit={chosen}
            isInForce={chosen.commit === inForce}
            path={path}
            findings={findings}
          />
        )}
      </div>
      <div className="repo-side">
        {may("POST", `/repository/${name}/check`) && <BranchCard key={name} name={name} />}
      </div>
    </div>
  )
}

export const Commits = () => {
  const name = useRepository()
  const asked = useAsk(
    "GET /repository/:name/commits",
    { params: { name }, query: { limit: 20 } },
    { kinds: ["repository"] }
  )
  return (
    <div className="repo-stack">
      <Asked of={asked} what="the commits">
        {({ data: { commits, in_force } }) =>
          commits.length === 0 ? (
            <>
              <WhichRepository />
              <NotSet name={name} />
            </>
          ) : (
            <>
              <Standing commits={commits} inForce={in_force} />
              <WaitingCommit key={name} name={name} />
              <Loop commits={commits} inForce={in_force} name={name} />
            </>
          )
        }
      </Asked>
    </div>
  )
}
