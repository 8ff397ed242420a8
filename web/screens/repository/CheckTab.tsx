/** A branch before the merge: the result of a refresh, and the configurations that devices would get. Nothing comes into force. */
import { Button, Group, Stack, Text, Title } from "@mantine/core"
import { Signer } from "../../parts/SignedBy.tsx"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { PlannedCheck } from "../../parts/Checks.tsx"
import { BranchField } from "./BranchField.tsx"
import { BranchProblems, BranchWarnings } from "./BranchRemarks.tsx"
import { Effects } from "./Effects.tsx"
import { type Checked, useBranchCheck } from "./useBranchCheck.ts"
import { ProposeButton } from "./ProposeButton.tsx"
import { useRepository, WhichRepository } from "./WhichRepository.tsx"

const Groups = ({ groups }: Pick<Checked, "groups">) =>
  groups.map(({ added, count, diff, hostnames, removed }) => {
    const [first = ""] = hostnames
    return (
      <section key={`${first} ${count}`} aria-label={`${switches(count)}: ${first}`}>
        <Title order={3}>
          {switches(count)}: +{added} −{removed}
        </Title>
        <Text size="sm">
          {foldNames(hostnames, 6)}
          {count > hostnames.length && ` and ${count - hostnames.length} more`}
        </Text>
        <DiffView diff={diff} label={`Difference of ${first}`} maxHeight={320} />
      </section>
    )
  })

const Outcome = ({ checked }: { readonly checked: Checked }) => {
  const {
    accepted,
    at,
    branch,
    checks = [],
    commit,
    committer,
    failures,
    groups,
    problems,
    signature,
    truncated,
    warnings
  } = checked
  const { changed, concerned, failed, rendered } = checked.devices
  return (
    <Stack gap="sm">
      <Group gap="md">
        <StatusWord tone={accepted ? "good" : "bad"}>
          {accepted ? "would come into force" : "would be refused"}
        </StatusWord>
        <Text size="sm">
          {branch}, commit {commit.slice(0, 10)} by {committer}, <When at={at} />
          <Signer signature={signature} />
        </Text>
        <ProposeButton name={checked.repository} branch={branch} />
      </Group>
      <BranchProblems problems={problems} />
      <Effects effects={checked.effects} of="the branch" />
      {accepted && (
        <Text role="status">
          {switches(changed)} of {concerned} that it concerns would change
          {failed > 0 ? `, ${failed} could not be rendered` : ""}
          {rendered < concerned ? `; ${concerned - rendered} were not looked at within a minute` : ""}.
        </Text>
      )}
      <BranchWarnings failures={failures} warnings={warnings} />
      {accepted && changed === 0 && failed === 0 && (
        <Empty>No switch would get another configuration. The branch can be merged without a rollout.</Empty>
      )}
      <Groups groups={groups} />
      {checks.length > 0 && (
        <section aria-labelledby="branch-checks">
          <Title order={3} id="branch-checks">
            Checks that a rollout would make
          </Title>
          {checks.map((check) => (
            <PlannedCheck key={check.name} check={check} />
          ))}
        </section>
      )}
      {truncated && <Text>The list is incomplete: there is more than fits here.</Text>}
    </Stack>
  )
}

export const CheckTab = () => {
  const name = useRepository()
  const [{ branch = "" }, change] = useWords()
  const { busy, check, checked, error } = useBranchCheck(name, branch)
  return (
    <Stack gap="sm">
      <form onSubmit={(event) => void check(event)}>
        <Group align="flex-end">
          <WhichRepository />
          <BranchField
            name={name}
            label="Branch, tag or commit"
            value={branch}
            choose={(chosen) => change({ branch: chosen })}
          />
          <Button type="submit" loading={busy} disabled={branch.trim() === ""}>
            Check
          </Button>
        </Group>
      </form>
      <Text size="sm" role="status">
        {busy ? `Fetching ${branch}, checking it, and rendering the switches that it concerns …` : ""}
      </Text>
      {error !== null && <Problem error={error} title="The branch could not be checked" />}
      {checked !== null && <Outcome checked={checked} />}
      {checked === null && error === null && !busy && (
        <Empty>Name a branch to see what it would change before it is merged. Nothing comes into force.</Empty>
      )}
    </Stack>
  )
}
