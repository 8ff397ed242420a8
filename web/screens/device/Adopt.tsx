/**
 * Keeps a change that was made on the switch itself. It is kept only when git has it, because the next push undoes everything else: this
 * shows the lines, and whether the settings in force say the same by now.
 */
import { Button, Group, List, Text } from "@mantine/core"
import { useState } from "react"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { PlainLink } from "../../parts/PlainLink.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { linesToKeep } from "../../../src/domain/Adoption.ts"

const Lines = ({ hostname }: { readonly hostname: string }) => {
  const asked = useAsk(
    "GET /device/:hostname/config_diff",
    { params: { hostname }, query: { from: "generated", to: "running" } },
    { once: true }
  )
  return (
    <section aria-label="What to adopt">
      <Asked of={asked} what={`what ${hostname} runs`}>
        {({ data: { diff } }) =>
          diff === "" ? (
            <Text>
              The settings say what the switch runs.{" "}
              <PlainLink to={`/change?hostnames=${encodeURIComponent(hostname)}`}>A dry run</PlainLink> proves it, and a
              push of it makes the switch synchronized.
            </Text>
          ) : (
            <>
              <List size="sm" type="ordered" mb="xs">
                <List.Item>
                  Write the lines with + into the settings or a template, and take those with - out. The tab{" "}
                  <PlainLink to={`/device/${encodeURIComponent(hostname)}?tab=settings`}>Settings</PlainLink> says in
                  which file each value stands.
                </List.Item>
                <List.Item>
                  Commit, and refresh on the screen <PlainLink to="/repository">Repository</PlainLink>.
                </List.Item>
                <List.Item>Out of date. Reload.</List.Item>
              </List>
              <DiffView diff={diff} label="Differences between the switch and the settings" />
              <Group mt="xs">
                <Button variant="default" onClick={() => saveFile(`${hostname}-adopt.txt`, `${linesToKeep(diff)}\n`)}>
                  Save the lines as a file
                </Button>
              </Group>
            </>
          )
        }
      </Asked>
      <Button mt="xs" variant="default" loading={asked.isFetching} onClick={() => void asked.refetch()}>
        Look again
      </Button>
    </section>
  )
}

export const Adopt = ({ hostname }: { readonly hostname: string }) => {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may("GET", `/device/${hostname}/config_diff`)) return null
  return isOpen ? (
    <Lines hostname={hostname} />
  ) : (
    <Group>
      <Button variant="default" onClick={() => setOpen(true)}>
        Adopt it
      </Button>
    </Group>
  )
}
