/** Cables that LLDP shows and that are not stored: what both ends report, what one end reports, and what contradicts another report. */
import { Checkbox, Group, Stack, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { agreementWords } from "../../../src/domain/words/OnboardingWords.ts"
import { counted } from "../../../src/domain/words/Units.ts"
import { ask } from "../../api/call.ts"
import { useAsk } from "../../api/useAsk.ts"
import { useMay } from "../../app/useSession.ts"
import { Asked } from "../../parts/Asked.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { StatusWord } from "../../parts/StatusWord.tsx"
import { toast } from "../../parts/Toast.tsx"
import { sameEvents } from "./useOnboarding.ts"

type Link = Data<"GET /onboarding/links">["links"][number]

const keyOf = ({ device_a, device_a_port, device_b, device_b_port }: Link): string =>
  `${device_a} ${device_a_port} to ${device_b} ${device_b_port}`

const List = ({ links }: { readonly links: ReadonlyArray<Link> }) => {
  const client = useQueryClient()
  const mayAccept = useMay()("POST", "/onboarding/links")
  const [marked, setMarked] = useState<ReadonlySet<string>>(new Set())
  const both = links.filter(({ agreement }) => agreement === "both")
  const wanted = links.filter((link) => link.agreement !== "contradiction" && marked.has(keyOf(link)))
  const accept = async () => {
    const body = {
      links: wanted.map(({ device_a, device_a_port, device_b, device_b_port }) => ({
        device_a,
        device_a_port,
        device_b,
        device_b_port
      }))
    }
    const { answer } = await ask("POST /onboarding/links", { body })
    setMarked(new Set())
    toast({
      title: `${counted(answer.data.links.length, "link")} stored`,
      text: `${counted(answer.data.ports, "port")} became ${answer.data.ports === 1 ? "an uplink" : "uplinks"}`
    })
    await client.invalidateQueries()
  }
  return (
    <Stack gap="sm">
      {mayAccept && (
        <Group>
          <Checkbox
            label={`Mark all ${both.length} that both ends report`}
            checked={both.length > 0 && both.every((link) => marked.has(keyOf(link)))}
            disabled={both.length === 0}
            onChange={(event) => setMarked(new Set(event.currentTarget.checked ? both.map(keyOf) : []))}
          />
          <Confirm label={`Accept ${counted(wanted.length, "link")}…`} act={accept} disabled={wanted.length === 0}>
            <Text>
              They are stored, all or none. Ports of access switches that lead up become uplinks. Nothing is sent to any
              switch.
            </Text>
          </Confirm>
        </Group>
      )}
      <SmallTable
        label="Proposed links"
        heads={[...(mayAccept ? ["Mark"] : []), "From", "To", "Agreement", "Why"]}
        rows={links}
        keyOf={keyOf}
        cells={(link) => [
          ...(mayAccept
            ? [
                <Checkbox
                  key="mark"
                  aria-label={`Mark ${keyOf(link)}`}
                  disabled={link.agreement === "contradiction"}
                  checked={marked.has(keyOf(link))}
                  onChange={() => {
                    const others = [...marked].filter((key) => key !== keyOf(link))
                    setMarked(new Set(marked.has(keyOf(link)) ? others : [...others, keyOf(link)]))
                  }}
                />
              ]
            : []),
          `${link.device_a} ${link.device_a_port}`,
          `${link.device_b} ${link.device_b_port}`,
          <StatusWord key="agreement" of={agreementWords} value={link.agreement} />,
          link.reason
        ]}
      />
    </Stack>
  )
}

export const Links = () => {
  const asked = useAsk("GET /onboarding/links", {}, sameEvents)
  return (
    <Asked of={asked} what="proposed links">
      {({ data: { links } }) =>
        links.length === 0 ? (
          <Empty title="No link is proposed">
            Links appear here when onboarded switches were read and their LLDP neighbours are devices of this server.
          </Empty>
        ) : (
          <List links={links} />
        )
      }
    </Asked>
  )
}
