/** Settings and ports from what switches run: a patch to look at and to commit oneself, and ports to accept. No secret is in either. */
import { Button, Group, Stack, Text } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { IconDownload } from "@tabler/icons-react"
import { useState } from "react"
import type { Data } from "../../../src/api/Calls.ts"
import { inNaturalOrder } from "../../../src/domain/Natural.ts"
import { configTypeWords } from "../../../src/domain/words/DeviceWords.ts"
import { counted, number, switches } from "../../../src/domain/words/Units.ts"
import { textOf } from "../../../src/domain/words/Word.ts"
import { ask } from "../../api/call.ts"
import { useMay } from "../../app/useSession.ts"
import { Confirm } from "../../parts/Confirm.tsx"
import { DiffView } from "../../parts/DiffView.tsx"
import { Empty } from "../../parts/Empty.tsx"
import { Panel, PanelBody } from "../../parts/Panel.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { saveFile } from "../../parts/saveFile.ts"
import { SmallTable } from "../../parts/SmallTable.tsx"
import { toast } from "../../parts/Toast.tsx"
import { useAct } from "../../parts/useAct.ts"
import { percent, useOnboarding } from "./useOnboarding.ts"

type Proposal = Data<"GET /onboarding/settings">

const FILE = "onboarding.patch"

/** Rows of ports that are shown at first, and that each press adds. */
const STEP = 100

const BeforeAndAfter = ({ proposal }: { readonly proposal: Proposal }) => (
  <p role="status">
    <b>{number(proposal.before)}</b> lines differ now ({percent(proposal.distance_before)}); with the patch and the
    ports <b>{number(proposal.after)}</b> ({percent(proposal.distance_after)}).
  </p>
)

const Patch = ({ proposal: { files, keys, patch } }: { readonly proposal: Proposal }) => {
  if (patch === "") return <Empty>No setting would make a difference smaller.</Empty>
  return (
    <Panel
      title="Settings"
      count={keys.length}
      aside={
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} stroke={1.75} />}
          onClick={() => saveFile(FILE, patch, "text/x-diff")}
        >
          Download the patch
        </Button>
      }
    >
      <PanelBody>
        <Text size="sm">
          In the settings repository: <code>git apply --unidiff-zero {FILE}</code>, look at it, and commit. Nobody but
          you commits it.
        </Text>
        <SmallTable
          label="Proposed settings"
          heads={["File", "Key", "Why"]}
          rows={keys}
          keyOf={({ file, key }) => `${file} ${key}`}
          cells={({ file, key, why }) => [<code key="file">{file}</code>, <code key="key">{key}</code>, why]}
        />
      </PanelBody>
      <PanelBody>
        <DiffView diff={patch} label={`Patch of ${counted(files.length, "file")}`} file={FILE} />
      </PanelBody>
    </Panel>
  )
}

const saidOf = (data: Proposal["ports"][string][string]["data"]): string =>
  Object.entries(data)
    .map(([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ")

interface PortsProps {
  readonly ports: Proposal["ports"]
  readonly accepted: () => void
}

const Ports = ({ accepted, ports }: PortsProps) => {
  const may = useMay()
  const client = useQueryClient()
  const [shown, setShown] = useState(STEP)
  const names = Object.keys(ports).toSorted(inNaturalOrder)
  const rows = names.flatMap((hostname) =>
    Object.entries(ports[hostname] ?? {}).map(([port, { configtype, data }]) => ({ hostname, port, configtype, data }))
  )
  if (rows.length === 0) return null
  const accept = async () => {
    const { answer } = await ask("POST /onboarding/ports", { body: { hostnames: names } })
    toast({ title: `${counted(answer.data.ports, "port")} of ${switches(answer.data.hostnames.length)} stored` })
    accepted()
    await client.invalidateQueries()
  }
  return (
    <Panel
      title="Ports"
      count={rows.length}
      aside={
        may("POST", "/onboarding/ports") && (
          <Confirm size="xs" label={`Accept ${counted(rows.length, "port")}…`} act={accept}>
            <Text>
              Apply the patch first, so that ports can name its VLANs. The ports are stored; nothing is sent to any
              switch.
            </Text>
          </Confirm>
        )
      }
    >
      <PanelBody>
        <SmallTable
          label="Proposed ports"
          heads={["Switch", "Port", "Use", "Data"]}
          rows={rows.slice(0, shown)}
          keyOf={({ hostname, port }) => `${hostname} ${port}`}
          cells={({ configtype, data, hostname, port }) => [
            hostname,
            port,
            textOf(configTypeWords, configtype),
            saidOf(data)
          ]}
        />
        {rows.length > shown && (
          <Button size="xs" variant="subtle" onClick={() => setShown(shown + STEP)}>
            {number(rows.length - shown)} more
          </Button>
        )}
      </PanelBody>
    </Panel>
  )
}

export const Settings = () => {
  const { list } = useOnboarding()
  const [proposal, setProposal] = useState<Proposal | null>(null)
  const { busy, error, run } = useAct()
  const open = (list.data?.answer.data.devices ?? []).filter(
    ({ config_from, state }) => config_from !== null && state !== "managed"
  )
  const propose = () =>
    run(async () => {
      setProposal((await ask("GET /onboarding/settings")).answer.data)
    })
  if (open.length === 0)
    return (
      <Empty title="Nothing to propose from">
        Settings are proposed from what switches run that are read and not managed.
      </Empty>
    )
  return (
    <Stack gap="sm">
      <Group>
        <Button variant="default" loading={busy} onClick={() => void propose()}>
          {proposal === null ? "Propose from what runs" : "Propose again"}
        </Button>
        <Text size="sm">
          Each setting is tried on {switches(open.length)}, and left out if more lines differ with it.
        </Text>
      </Group>
      {error !== null && <Problem error={error} title="Nothing could be proposed" />}
      {proposal !== null && (
        <>
          <BeforeAndAfter proposal={proposal} />
          <Patch proposal={proposal} />
          <Ports ports={proposal.ports} accepted={() => setProposal(null)} />
        </>
      )}
    </Stack>
  )
}
