/** Branches that are proposed, with the result of their check; and a field that proposes one. */
import { Group, Select, Stack } from "@mantine/core"
import { IconGitPullRequest } from "@tabler/icons-react"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { proposalCheckWords, proposalWords, riskWord } from "../../../src/domain/words/ChangeWords.ts"
import { MISSING, switches } from "../../../src/domain/words/Units.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { BranchField } from "./BranchField.tsx"
import { ProposeButton } from "./ProposeButton.tsx"
import { useRepository, WhichRepository } from "./WhichRepository.tsx"

type Proposal = Data<"GET /proposals">["proposals"][number]

const STATES = [
  { value: "", label: "All" },
  ...Object.entries(proposalWords).map(([value, { text }]) => ({ value, label: text }))
]

const changeOf = ({ check, devices, risk }: Proposal) => {
  if (check !== "accepted" || devices === null) return <StatusWord of={proposalCheckWords} value={check} />
  return (
    <>
      {switches(devices.changed)}
      {risk !== null && (
        <>
          {" · "}
          <StatusWord word={riskWord(risk)} raw={risk.level} />
        </>
      )}
    </>
  )
}

const cells = (proposal: Proposal) => [
  <PlainLink to={`/proposal/${proposal.id}`}>{proposal.title ?? proposal.branch}</PlainLink>,
  <StatusWord of={proposalWords} value={proposal.state} />,
  changeOf(proposal),
  proposal.commit === null ? MISSING : <code>{proposal.commit.slice(0, 7)}</code>,
  <>
    {proposal.opened_by}, <When at={proposal.opened_at} />
  </>
]

const Propose = () => {
  const name = useRepository()
  const [branch, setBranch] = useState("")
  return (
    <Group align="flex-end">
      <WhichRepository />
      <BranchField name={name} label="Branch to propose" value={branch} choose={setBranch} />
      <ProposeButton name={name} branch={branch} />
    </Group>
  )
}

export const ProposalsTab = () => {
  const may = useMay()
  const [{ state = "open" }, change] = useWords()
  const asked = useAsk("GET /proposals", { query: { state: state === "all" ? "" : state } }, { kinds: ["proposal"] })
  return (
    <Stack gap="sm">
      {may("POST", "/proposals") && <Propose />}
      <Group>
        <Select
          aria-label="State of proposals"
          data={STATES}
          value={state === "all" ? "" : state}
          allowDeselect={false}
          w={200}
          onChange={(next) => change({ state: next === "" ? "all" : (next ?? undefined) })}
        />
      </Group>
      <Asked of={asked} what="the proposals">
        {({ data: { proposals } }) =>
          proposals.length === 0 ? (
            <Empty icon={IconGitPullRequest} title="No proposals here">
              Propose a branch to see what it would change on every switch, before it is merged.
            </Empty>
          ) : (
            <SmallTable
              label="Proposals"
              heads={["Proposal", "State", "Would change", "Commit", "By"]}
              rows={proposals}
              keyOf={({ id }) => String(id)}
              cells={cells}
            />
          )
        }
      </Asked>
    </Stack>
  )
}
