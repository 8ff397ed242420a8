/** What a branch would do, before it is merged: whether it is valid, how many switches would change in how many ways, and its warnings. */
import { Button } from "@mantine/core"
import { IconGitBranch } from "@tabler/icons-react"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { counted, switches } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { useMay } from "../../app/useSession.ts"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Remarks } from "../../parts/Remarks.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { BranchField } from "./BranchField.tsx"
import { type Checked, useBranchCheck } from "./useBranchCheck.ts"
import { ProposeButton } from "./ProposeButton.tsx"
import type { RepositoryName } from "./WhichRepository.tsx"

const Outcome = ({ checked }: { readonly checked: Checked }) => {
  const may = useMay()
  const { accepted, branch, devices, groups, problems, repository, warnings } = checked
  return (
    <>
      <p>
        {accepted ? (
          <>
            Would change <b>{switches(devices.changed)}</b> in <b>{counted(groups.length, "way")}</b>; nothing is
            brought into force.
          </>
        ) : (
          "It would be refused; nothing is brought into force."
        )}
        {devices.failed > 0 && ` ${switches(devices.failed)} could not be rendered.`}
      </p>
      {problems.length > 0 && <Remarks label="Problems of the branch" remarks={problems} />}
      <ul className="repo-ways">
        {groups.slice(0, 5).map(({ added, count, hostnames, removed }) => (
          <li key={`${hostnames[0]} ${count}`}>
            <span className="added">+{added}</span> <span className="removed">−{removed}</span> {switches(count)}
            <span className="review-line">{foldNames(hostnames, 2)}</span>
          </li>
        ))}
      </ul>
      <div className="repo-buttons">
        <PlainLink to={`/repository?tab=check&name=${repository}&branch=${encodeURIComponent(branch)}`}>
          See differences
        </PlainLink>
        <ProposeButton name={repository} branch={branch} />
        {accepted && may("POST", "/device_syncto") && (
          <span className="review-line">
            To roll it out: merge it in git, fetch, then <PlainLink to="/change?new=1">preview the change</PlainLink>.
          </span>
        )}
      </div>
      {warnings.length > 0 && (
        <>
          <h3>Worth a look ({warnings.length})</h3>
          <Remarks label="Warnings of the branch" remarks={warnings} />
        </>
      )}
    </>
  )
}

export const BranchCard = ({ name }: { readonly name: RepositoryName }) => {
  const [{ branch = "" }, change] = useWords()
  const { busy, check, checked, error } = useBranchCheck(name, branch)
  return (
    <section className="review-card" aria-label="Try a branch">
      <header className="review-card-head">
        <h2>{checked === null ? "Try a branch" : `Branch ${checked.branch}`}</h2>
        {checked !== null &&
          (checked.accepted ? (
            <StatusBadge tone="good">Valid</StatusBadge>
          ) : (
            <StatusBadge tone="bad">Refused</StatusBadge>
          ))}
      </header>
      <div className="review-card-body repo-stack">
        <form onSubmit={(event) => void check(event)} className="repo-branch">
          <BranchField
            name={name}
            aria-label="Branch, tag or commit"
            placeholder="Branch, tag or commit"
            leftSection={<IconGitBranch size={15} stroke={1.75} />}
            value={branch}
            choose={(chosen) => change({ branch: chosen })}
          />
          <Button type="submit" variant="default" loading={busy} disabled={branch.trim() === ""}>
            {checked === null ? "Check" : "Check again"}
          </Button>
        </form>
        <p role="status" className="review-line">
          {busy
            ? `Fetching ${branch}, checking it, and rendering the switches that it concerns …`
            : checked === null
              ? "It is checked as if it were merged, and the switches are rendered. Nothing comes into force."
              : ""}
        </p>
        {error !== null && <Problem error={error} title="The branch could not be checked" />}
        {checked !== null && <Outcome checked={checked} />}
      </div>
    </section>
  )
}
