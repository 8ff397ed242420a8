/**
 * Keeps a change that was made on the switch itself. It is kept only when git has it, because the next rollout undoes everything else: this
 * shows the lines, and leads through the way into git.
 */
import { Button, Group, List, Text, Title } from "@mantine/core"
import { linesToKeep } from "../../../src/domain/Adoption.ts"
import { DiffView } from "../../parts/DiffView.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { Skeleton } from "../../parts/Skeleton.tsx"
import { useHandMade } from "./differences.ts"

interface Props {
  readonly hostname: string
  readonly close: () => void
}

export const Adopt = ({ close, hostname }: Props) => {
  const { diff, job } = useHandMade(hostname)
  return (
    <section aria-label="What to keep" className="device-card">
      <Title order={2}>Keep what was changed by hand</Title>
      <List size="sm" type="ordered" my="xs">
        <List.Item>
          Write the lines with + into the settings or a template, and take those with − out. The tab{" "}
          <PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=settings`}>Settings</PlainLink> says in which file
          each value stands.
        </List.Item>
        <List.Item>
          Commit, and fetch on the screen <PlainLink to="/repository">Repository</PlainLink>.
        </List.Item>
        <List.Item>
          <PlainLink to={`/change?hostnames=${encodeURIComponent(hostname)}`}>Preview</PlainLink>: nothing is left to
          change when git says the same. Rolling it out then brings the switch in sync.
        </List.Item>
      </List>
      {job === null && <Text>The lines are not stored any more. Compare now, in the menu of this switch.</Text>}
      {job !== null && diff === undefined && <Skeleton what="what was changed by hand" />}
      {diff !== undefined && <DiffView diff={diff} label="What was changed by hand" maxHeight={320} />}
      <Group mt="xs">
        {diff !== undefined && diff !== "" && (
          <Button variant="default" onClick={() => saveFile(`${hostname}-keep.txt`, `${linesToKeep(diff)}\n`)}>
            Save the lines as a file
          </Button>
        )}
        <Button variant="subtle" onClick={close}>
          Close
        </Button>
      </Group>
    </section>
  )
}
