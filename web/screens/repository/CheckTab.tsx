/** A branch before the merge: the result of a refresh, and the configurations that devices would get. Nothing comes into force. */
import { Button, Group, Stack, Text, TextInput, Title } from "@mantine/core"
import { foldNames } from "../../../src/domain/NameRanges.ts"
import { switches } from "../../../src/domain/words/Units.ts"
import { useWords } from "../../app/useAddress.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { Remarks } from "../../parts/Remarks.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { When } from "../../parts/When.tsx"
import { Effects } from "./Effects.tsx"
import { type Checked, useBranchCheck } from "./useBranchCheck.ts"
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
  const { accepted, at, branch, commit, committer, failures, groups, problems, truncated, warnings } = checked
  const { changed, concerned, failed, rendered } = checked.devices
  return (
    <Stack gap="sm">
      <Group gap="md">
        <StatusWord tone={accepted ? "good" : "bad"}>
          {accepted ? "would come into force" : "would be refused"}
        </StatusWord>
        <Text size="sm">
          {branch}, commit {commit.slice(0, 10)} by {committer}, <When at={at} />
        </Text>
      </Group>
      {problems.length > 0 && (
        <>
          <Title order={2}>Problems</Title>
          <Remarks label="Problems of the branch" remarks={problems} />
        </>
      )}
      {warnings.length > 0 && (
        <>
          <Title order={2}>Worth a look</Title>
          <Remarks label="Warnings of the branch" remarks={warnings} />
        </>
      )}
      <Effects effects={checked.effects} of="the branch" />
      {accepted && (
        <Text role="status">
          {switches(changed)} of {concerned} that it concerns would change
          {failed > 0 ? `, ${failed} could not be rendered` : ""}
          {rendered < concerned ? `; ${concerned - rendered} were not looked at within a minute` : ""}.
        </Text>
      )}
      {failures.length > 0 && (
        <SmallTable
          label="Switches that cannot be rendered"
          heads={["Switch", "Why", "Since"]}
          rows={failures}
          keyOf={({ hostname }) => hostname}
          cells={({ by_the_branch, hostname, message }) => [
            hostname,
            message,
            by_the_branch ? <StatusWord tone="bad">by this branch</StatusWord> : "already so now"
          ]}
        />
      )}
      {accepted && changed === 0 && failed === 0 && (
        <Empty>No switch would get another configuration. The branch can be merged without a rollout.</Empty>
      )}
      <Groups groups={groups} />
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
          <TextInput
            label="Branch, tag or commit"
            value={branch}
            onChange={({ currentTarget: { value } }) => change({ branch: value })}
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
